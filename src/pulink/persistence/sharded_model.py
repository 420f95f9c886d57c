"""The model folder of a graph in parts, as those who trained write it: in any order, and its manifest at the end.

graph/                        a graph folder, see `sharded_graph`
embeddings-00000.safetensors  of each range of consecutive nodes, which need not be those of graph/: embeddings
                              (rows x d, float32)
encoder.safetensors           parameters of the encoder, by name; none where its first layer has a row per node
calibration.safetensors       arrays of `Calibrator.stored()`, where there is a calibration
attributes.safetensors        counts: how many nodes have each column of the features, where these are all 0 or 1
links-00000.parquet           the list, best first, at most a million rows in a file: see `LINK_COLUMNS`
model.json                    class, settings, what was learned as plain values, ranges, what was searched
manifest.json                 size and SHA-256 of every file but those that graph/graph.json lists; written last
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.persistence.array_file import Written, write_arrays
from pulink.persistence.manifest import MANIFEST
from pulink.persistence.model_folder import to_json
from pulink.persistence.sharded_summary import GRAPH_FILE
from pulink.persistence.sharded_writing import Files
from pulink.system.files import read_regular, write_atomically

FORMAT = 1
GRAPH, MODEL = "graph", "model.json"
ENCODER, CALIBRATION, ATTRIBUTES = (f"{name}.safetensors" for name in ("encoder", "calibration", "attributes"))
# The graph's own list of files stands in the manifest, and answers for them.
GRAPH_SEAL = f"{GRAPH}/{GRAPH_FILE}"
LONGEST_JSON = 60_000_000

# Classes whose models are trained so.
KINDS = ("GCNCE", "PULL")

LINKS_IN_A_FILE = 1_000_000
LINK_COLUMNS: dict[str, pl.DataType] = {
    "rank": pl.Int64(),
    "first": pl.Int64(),
    "second": pl.Int64(),
    "source": pl.String(),
    "target": pl.String(),
    "probability": pl.Float64(),
    "score": pl.Float64(),
    "probability_low": pl.Float64(),
    "probability_high": pl.Float64(),
}


@dataclass(frozen=True)
class ModelSummary:
    """What model.json says.

    kind              class of the model, one of `KINDS`
    params            its settings, plain
    learned           n_iter or n_epochs, n_steps, stop_reason, history and, of PULL, refit_history
    calibration       plain values of `Calibrator.stored()`; None where no edges were hidden
    embedding_ranges  first node of every file of embeddings, and the number of nodes
    n_units           columns of the embeddings
    searched          which pairs the list was searched among: a clause
    n_links           how many the list has
    """

    kind: str
    params: dict[str, Any]
    learned: dict[str, Any]
    calibration: dict[str, Any] | None
    embedding_ranges: tuple[int, ...]
    n_units: int
    searched: str
    n_links: int

    def to_json(self) -> str:
        """Stable text."""
        return to_json(asdict(self) | {"embedding_ranges": [*self.embedding_ranges]})


def embeddings_file(k: int) -> str:
    """What the file with the embeddings of range k is called."""
    return f"embeddings-{k:05d}.safetensors"


def links_file(k: int) -> str:
    """What a part of the list is called."""
    return f"links-{k:05d}.parquet"


def write_embeddings(folder: Path, k: int, embeddings: npt.NDArray[np.float32]) -> Files:
    """Those of the nodes of range k (rows x d)."""
    return _written(folder, embeddings_file(k), {"embeddings": embeddings.astype(np.float32, copy=False)})


def write_encoder(folder: Path, parameters: Mapping[str, npt.NDArray[Any]]) -> Files:
    """Parameters by their names in the encoder, `weights.0` and so on."""
    return _written(folder, ENCODER, parameters)


def write_calibration(folder: Path, arrays: Mapping[str, npt.NDArray[Any]]) -> Files:
    """The arrays of `Calibrator.stored()`; its plain values belong into the summary."""
    return _written(folder, CALIBRATION, arrays)


def write_attribute_counts(folder: Path, counts: npt.NDArray[np.integer]) -> Files:
    """How many nodes have each attribute, so that the rarest can be named.

    counts  the sum of what `attribute_counts` gave for all ranges; nothing is written where it gave None for one
    """
    return _written(folder, ATTRIBUTES, {"counts": counts.astype(np.int64, copy=False)})


def attribute_counts(features: npt.NDArray[np.floating]) -> npt.NDArray[np.int64] | None:
    """How many of some nodes have each column of their features (rows x d); None if these are no attributes.

    Attributes are columns that hold 0 and 1 alone. One range whose features are none means that there are none.
    """
    if not ((features == 0) | (features == 1)).all():
        return None
    return np.asarray(np.count_nonzero(features, axis=0), dtype=np.int64)


def write_links(folder: Path, k: int, links: pl.DataFrame) -> Files:
    """Rows of the list from the k-th million on, with the columns of `LINK_COLUMNS`."""
    assert dict(links.schema) == LINK_COLUMNS and links.height <= LINKS_IN_A_FILE
    content = io.BytesIO()
    links.write_parquet(content)
    data = content.getvalue()
    write_atomically(folder / links_file(k), data)
    return {links_file(k): Written(len(data), hashlib.sha256(data).hexdigest())}


def _written(folder: Path, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Files:
    return {name: write_arrays(folder / name, arrays)}


def seal_model(folder: Path, files: Files, summary: ModelSummary) -> None:
    """Write model.json and the manifest, which make the folder a model; graph/ is sealed before.

    files  what writing embeddings, encoder, calibration, attributes and links gave
    """
    text = summary.to_json()
    write_atomically(folder / MODEL, text)
    graph = read_regular(folder / GRAPH_SEAL, LONGEST_JSON)
    every = files | {MODEL: _of(text.encode()), GRAPH_SEAL: _of(graph)}
    listed = {name: {"bytes": one.n_bytes, "sha256": one.sha256} for name, one in every.items()}
    write_atomically(folder / MANIFEST, to_json({"format": FORMAT, "sharded": True, "files": listed}))


def _of(data: bytes) -> Written:
    return Written(len(data), hashlib.sha256(data).hexdigest())
