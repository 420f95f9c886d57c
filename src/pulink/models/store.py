"""Model folders: safetensors, JSON and Parquet with a manifest of checksums. Nothing is ever unpickled.

manifest.json         format version, and the SHA-256 of the other files
model.json            class, settings, learned numbers
tensors.safetensors   arrays
names.parquet         node names, where they were given
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from pulink.errors import ModelError
from pulink.files import sha256, staged_folder
from pulink.graph.graph import Graph, frozen
from pulink.graph.names import Names

FORMAT = 2
_MANIFEST = "manifest.json"
_FILES = ("model.json", "tensors.safetensors", "names.parquet")


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
    tensors["graph.edges"] = stored.graph.edges
    if stored.graph.weights is not None:
        tensors["graph.weights"] = stored.graph.weights
    model = {
        "kind": stored.kind,
        "params": stored.params,
        "learned": stored.learned,
        "n_nodes": stored.graph.n_nodes,
    }
    with staged_folder(Path(folder), marker=_MANIFEST) as staged:
        (staged / "model.json").write_text(to_json(model))
        contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        (staged / "tensors.safetensors").write_bytes(save(contiguous))
        if stored.graph.names.given:
            stored.graph.names.series().to_frame().write_parquet(staged / "names.parquet")
        sums = {name: sha256(staged / name) for name in _FILES if (staged / name).exists()}
        (staged / _MANIFEST).write_text(to_json({"format": FORMAT, "sha256": sums}))


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
        return _stored(model, load_file(path / "tensors.safetensors"), _names(path, sums, model["n_nodes"]))
    except (SafetensorError, KeyError, TypeError, ValueError) as error:
        raise ModelError(f"{path}: is not a whole model folder ({error})") from error


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


def _stored(model: dict[str, Any], tensors: dict[str, np.ndarray], names: Names) -> Stored:
    weights = tensors.get("graph.weights")
    graph = Graph(
        edges=frozen(tensors["graph.edges"]),
        n_nodes=int(model["n_nodes"]),
        weights=None if weights is None else frozen(weights),
        names=names,
    )
    learned = {n.removeprefix("learned."): a for n, a in tensors.items() if n.startswith("learned.")}
    return Stored(model["kind"], model["params"], model["learned"], learned, graph)


def _names(path: Path, sums: dict[str, str], n_nodes: int) -> Names:
    if "names.parquet" not in sums:
        return Names(n_nodes)
    try:
        return Names(n_nodes, pl.read_parquet(path / "names.parquet")["name"])
    except pl.exceptions.PolarsError as error:
        raise ModelError(f"{path}: names.parquet cannot be read ({error})") from error


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
