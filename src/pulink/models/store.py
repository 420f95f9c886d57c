"""Model folders: safetensors, JSON and Parquet with a manifest of checksums. Nothing is ever unpickled.

manifest.json         format version, and the SHA-256 of the other files
model.json            class, settings, learned numbers
tensors.safetensors   arrays
names.parquet         node names, where they were given
features.parquet      what the columns of node features are called, where they have names
recipe.json           how a node table became features, where it did
"""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import scipy.sparse as sp
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from pulink.errors import ModelError
from pulink.files import sha256, staged_folder, write_atomically
from pulink.graph.graph import Graph, frozen
from pulink.graph.names import Names

FORMAT = 3
_MANIFEST = "manifest.json"
_SPARSE = ("data", "indices", "indptr")
_RECIPE = "recipe.json"
_FILES = ("model.json", "tensors.safetensors", "names.parquet", "features.parquet", _RECIPE)


@dataclass(frozen=True)
class Stored:
    """What a model folder holds."""

    kind: str
    params: dict[str, Any]
    learned: dict[str, Any]
    tensors: dict[str, np.ndarray]
    graph: Graph


def save_stored(folder: str | Path, stored: Stored) -> None:
    """Write a model folder whole, or not at all."""
    tensors = {f"learned.{name}": array for name, array in stored.tensors.items()}
    tensors |= {f"graph.{name}": array for name, array in _graph_arrays(stored.graph).items()}
    model = {
        "kind": stored.kind,
        "params": stored.params,
        "learned": stored.learned,
        "n_nodes": stored.graph.n_nodes,
        "n_features": stored.graph.n_features,
    }
    with staged_folder(Path(folder), marker=_MANIFEST) as staged:
        write_atomically(staged / "model.json", to_json(model))
        contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        write_atomically(staged / "tensors.safetensors", save(contiguous))
        if stored.graph.names.given:
            write_atomically(staged / "names.parquet", _parquet(stored.graph.names.series()))
        if stored.graph.feature_names is not None:
            called = pl.Series("name", stored.graph.feature_names, pl.String)
            write_atomically(staged / "features.parquet", _parquet(called))
        if stored.graph.feature_recipe is not None:
            write_atomically(staged / _RECIPE, to_json(stored.graph.feature_recipe))
        sums = {name: sha256(staged / name) for name in _FILES if (staged / name).exists()}
        write_atomically(staged / _MANIFEST, to_json({"format": FORMAT, "sha256": sums}))


def _parquet(names: pl.Series) -> bytes:
    content = io.BytesIO()
    names.to_frame().write_parquet(content)
    return content.getvalue()


def stored_kind(folder: str | Path) -> str:
    """The class whose model a folder says that it holds; whether it is whole is for `load_stored` to see."""
    path = Path(folder)
    _checksums(path)
    return str(_json(path / "model.json", path).get("kind"))


def load_stored(folder: str | Path, kind: str) -> Stored:
    """Read a model folder; anything that does not fit its manifest is refused with a reason."""
    path = Path(folder)
    sums = _checksums(path)
    for name, digest in sums.items():
        if not (path / name).is_file():
            raise ModelError(f"{path}: {name} is missing")
        if sha256(path / name) != digest:
            raise ModelError(f"{path}: {name} was changed or damaged, its checksum differs from the manifest")
    model = _json(path / "model.json", path)
    if model.get("kind") != kind:
        raise ModelError(f"{path}: holds a {model.get('kind')!r}, not a {kind!r}")
    try:
        names = Names(int(model["n_nodes"]), _column(path, "names.parquet", sums))
        called = _column(path, "features.parquet", sums)
        stored = _stored(
            model, load_file(path / "tensors.safetensors"), names, None if called is None else called.to_list()
        )
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: is not a whole model folder ({error})") from error
    if _RECIPE not in sums:
        return stored
    return replace(stored, graph=replace(stored.graph, feature_recipe=_json(path / _RECIPE, path)))


def _checksums(path: Path) -> dict[str, str]:
    """The files of a model folder and what they should be, by its manifest."""
    manifest = _json(path / _MANIFEST, path)
    if manifest.get("format") != FORMAT:
        raise ModelError(f"{path}: format {manifest.get('format')!r} is not known, this pulink reads {FORMAT}")
    sums = manifest.get("sha256")
    if not isinstance(sums, dict) or not {"model.json", "tensors.safetensors"} <= set(sums) <= set(_FILES):
        raise ModelError(f"{path}: its manifest does not list the files of a model")
    return sums


def to_json(value: object) -> str:
    """Stable text: sorted keys, one line end at the end."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def _graph_arrays(graph: Graph) -> dict[str, np.ndarray]:
    found: dict[str, np.ndarray | None] = {"edges": graph.edges, "weights": graph.weights, "absent": graph.absent}
    if isinstance(graph.features, np.ndarray):
        found["features"] = graph.features
    elif graph.features is not None:
        found |= {f"features.{name}": getattr(graph.features, name) for name in _SPARSE}
    return {name: array for name, array in found.items() if array is not None}


def _stored(
    model: dict[str, Any], tensors: dict[str, np.ndarray], names: Names, called: list[str] | None
) -> Stored:
    n_nodes, n_features = int(model["n_nodes"]), int(model["n_features"])
    own = {n.removeprefix("graph."): frozen(a) for n, a in tensors.items() if n.startswith("graph.")}
    features = own.get("features")
    if "features.data" in own:
        data, indices, indptr = (own[f"features.{name}"] for name in _SPARSE)
        features = sp.csr_array((data, indices, indptr), shape=(n_nodes, n_features))
        features.check_format()
    if features is not None and features.shape != (n_nodes, n_features):
        raise ValueError("its features do not fit its nodes")
    if called is not None and len(called) != n_features:
        raise ValueError("its features have other names")
    graph = Graph(
        edges=own["edges"],
        n_nodes=n_nodes,
        weights=own.get("weights"),
        features=features,
        feature_names=None if called is None else tuple(called),
        names=names,
        absent=own.get("absent"),
    )
    learned = {n.removeprefix("learned."): a for n, a in tensors.items() if n.startswith("learned.")}
    return Stored(model["kind"], model["params"], model["learned"], learned, graph)


def _column(path: Path, file: str, sums: dict[str, str]) -> pl.Series | None:
    """The names that a file of the folder holds; None if it is not there."""
    if file not in sums:
        return None
    try:
        return pl.read_parquet(path / file)["name"]
    except pl.exceptions.PolarsError as error:
        raise ModelError(f"{path}: {file} cannot be read ({error})") from error


def _json(file: Path, folder: Path) -> dict[str, Any]:
    try:
        content = json.loads(file.read_text())
    except FileNotFoundError:
        raise ModelError(f"{folder}: is not a model folder, it has no {file.name}") from None
    except (OSError, ValueError) as error:
        raise ModelError(f"{folder}: {file.name} cannot be read ({error})") from error
    if not isinstance(content, dict):
        raise ModelError(f"{folder}: {file.name} does not hold a JSON object")
    return content
