"""Model folders: safetensors, JSON and Parquet with a manifest of checksums. Nothing is ever unpickled.

manifest.json         format version, and the SHA-256 of the other files
model.json            class, settings, learned numbers
tensors.safetensors   arrays
names.parquet         node names, where they were given
features.parquet      what the columns of node features are called, where they have names
recipe.json           how a node table became features, where it did

A checksum tells damage, not malice: whoever changes a file can write its sum. So what a whole folder says is not
believed either, and `pulink.persistence.stored_graph` looks at it before a kernel does.
"""

from __future__ import annotations

import io
import json
import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from safetensors import SafetensorError
from safetensors.numpy import load_file, save

from pulink.errors import InputError, ModelError
from pulink.graph.graph import Graph
from pulink.persistence.manifest import MANIFEST, MODEL_FILES, stranger
from pulink.persistence.stored_graph import graph_arrays, graph_of_arrays, kind_of
from pulink.system.files import sha256, staged_folder, write_atomically
from pulink.system.memory import require_memory
from pulink.system.parquet_guard import parquet_frame

FORMAT = 3
_MODEL, _TENSORS, _NAMES, _FEATURES, _RECIPE = MODEL_FILES
# A few hundred arrays at most are ever described there.
_LONGEST_HEADER = 1_000_000
# What a byte of JSON may become in memory.
_JSON_COST = 30
_SHOWN = 160

# What reading something that is no model may raise.
UNFIT = (SafetensorError, InputError, LookupError, TypeError, ValueError, ArithmeticError, AttributeError)


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
    tensors |= {f"graph.{name}": array for name, array in graph_arrays(stored.graph).items()}
    model = {
        "kind": stored.kind,
        "params": stored.params,
        "learned": stored.learned,
        "n_nodes": stored.graph.n_nodes,
        "n_features": stored.graph.n_features,
    }
    if graph_kind := kind_of(stored.graph):
        model["graph"] = graph_kind
    with staged_folder(Path(folder), stranger=stranger) as staged:
        write_atomically(staged / _MODEL, to_json(model))
        contiguous = {name: np.ascontiguousarray(array) for name, array in tensors.items()}
        write_atomically(staged / _TENSORS, save(contiguous))
        if stored.graph.names.given:
            write_atomically(staged / _NAMES, _parquet(stored.graph.names.series()))
        if stored.graph.feature_names is not None:
            called = pl.Series("name", stored.graph.feature_names, pl.String)
            write_atomically(staged / _FEATURES, _parquet(called))
        if stored.graph.feature_recipe is not None:
            write_atomically(staged / _RECIPE, to_json(stored.graph.feature_recipe))
        sums = {name: sha256(staged / name) for name in MODEL_FILES if (staged / name).exists()}
        write_atomically(staged / MANIFEST, to_json({"format": FORMAT, "sha256": sums}))


def _parquet(names: pl.Series) -> bytes:
    content = io.BytesIO()
    names.to_frame().write_parquet(content)
    return content.getvalue()


def to_json(value: object) -> str:
    """Stable text: sorted keys, one line end at the end."""
    return json.dumps(value, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def stored_kind(folder: str | Path) -> str:
    """The class whose model a folder says that it holds; whether it is whole is for `load_stored` to see."""
    path = Path(folder)
    _checksums(path)
    return str(_json(path / _MODEL, path).get("kind"))


def load_stored(folder: str | Path, kind: str) -> Stored:
    """Read a model folder; anything that does not fit its manifest is refused with a reason."""
    path = Path(folder)
    sums = _checksums(path)
    _refuse_strangers(path, sums)
    for name, digest in sums.items():
        if _digest(path / name, path) != digest:
            raise ModelError(f"{path}: {name} was changed or damaged, its checksum differs from the manifest")
    model = _json(path / _MODEL, path)
    if model.get("kind") != kind:
        raise ModelError(f"{path}: holds a {why(model.get('kind'))}, not a {kind!r}")
    names, called = (_column(path, file) if file in sums else None for file in (_NAMES, _FEATURES))
    try:
        stored = _stored(model, _tensors(path / _TENSORS), names, called)
    except UNFIT as error:
        raise ModelError(f"{path}: is not a whole model folder ({why(error)})") from error
    if _RECIPE not in sums:
        return stored
    return replace(stored, graph=replace(stored.graph, feature_recipe=_json(path / _RECIPE, path)))


def why(found: object) -> str:
    """What a folder holds, or another library says of it: one line, and short."""
    if isinstance(found, BaseException):
        line = (str(found).splitlines() or [""])[0] or type(found).__name__
        text = line if line.isprintable() else ascii(line)
    else:
        text = repr(found)
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"


def misfit(folder: str | Path, error: BaseException) -> ModelError:
    """What to raise where a method cannot make sense of what it finds."""
    return ModelError(f"{folder}: what was learned does not fit this kind of model ({why(error)})")


def of_parts(path: Path) -> str:
    """What to say where the model of a graph in parts cannot be used as a whole."""
    return (
        f"{path}: holds the model of a graph in parts: pulink suggest and pulink explain answer by it, and "
        "nothing else does"
    )


def _checksums(path: Path) -> dict[str, str]:
    """The files of a model folder and what they should be, by its manifest."""
    manifest = _json(path / MANIFEST, path)
    if manifest.get("sharded") is True:
        raise ModelError(of_parts(path))
    written = manifest.get("format")
    if isinstance(written, int) and written > FORMAT:
        raise ModelError(f"{path}: was written by a newer pulink (format {why(written)}); this one reads {FORMAT}")
    if isinstance(written, bool) or written != FORMAT:
        raise ModelError(f"{path}: format {why(written)} is not known, this pulink reads {FORMAT}")
    sums = manifest.get("sha256")
    if not isinstance(sums, dict) or not {_MODEL, _TENSORS} <= set(sums) <= set(MODEL_FILES):
        raise ModelError(f"{path}: its manifest does not list the files of a model")
    return sums


def _refuse_strangers(path: Path, sums: dict[str, str]) -> None:
    """Nothing else may stand in the folder but what systems leave there, hidden."""
    try:
        found = sorted(file.name for file in path.iterdir() if not file.name.startswith("."))
    except OSError as error:
        raise ModelError(f"{path}: cannot be read ({error.strerror})") from error
    if strange := [name for name in found if name != MANIFEST and name not in sums]:
        raise ModelError(f"{path}: holds {why(strange[0])}, which its manifest does not list")


def _digest(file: Path, folder: Path) -> str:
    _refuse_no_file(file, folder)
    try:
        return sha256(file)
    except OSError as error:
        raise ModelError(f"{folder}: {file.name} cannot be read ({error.strerror})") from error


def _refuse_no_file(file: Path, folder: Path) -> None:
    """A link would read a file from elsewhere, a pipe would wait for ever."""
    if file.is_symlink():
        raise ModelError(f"{folder}: {file.name} is a link; a model folder holds its files itself")
    if not file.exists():
        no_model = f"is not a model folder, it has no {MANIFEST}"
        raise ModelError(f"{folder}: {no_model if file.name == MANIFEST else f'{file.name} is missing'}")
    if not file.is_file():
        raise ModelError(f"{folder}: {file.name} is no regular file")


def _tensors(file: Path) -> dict[str, np.ndarray]:
    size = file.stat().st_size
    with file.open("rb") as handle:
        announced = int.from_bytes(handle.read(8), "little")
    if not 0 < announced <= min(size - 8, _LONGEST_HEADER):
        raise ValueError(f"{file.name} announces a header of {announced:,} bytes and has {size:,}")
    require_memory(2 * size, f"{file}", "use a machine with more memory")
    return load_file(file)


def _stored(
    model: dict[str, Any], tensors: dict[str, np.ndarray], names: pl.Series | None, called: pl.Series | None
) -> Stored:
    graph_arrays = {n.removeprefix("graph."): a for n, a in tensors.items() if n.startswith("graph.")}
    learned = {n.removeprefix("learned."): a for n, a in tensors.items() if n.startswith("learned.")}
    n_rows = max((len(array) for array in tensors.values() if array.ndim and array.size), default=0)
    graph = graph_of_arrays(
        graph_arrays,
        _count(model, "n_nodes"),
        _count(model, "n_features"),
        names,
        called,
        n_rows,
        model.get("graph"),
    )
    params, plain = model["params"], model["learned"]
    if not isinstance(params, dict) or not isinstance(plain, dict):
        raise TypeError(f"{_MODEL} does not hold settings and learned numbers")
    return Stored(model["kind"], params, plain, learned, graph)


def _count(model: dict[str, Any], name: str) -> int:
    if isinstance(model[name], bool) or not isinstance(model[name], int):
        raise TypeError(f"{name} is {why(model[name])}")
    return int(model[name])


def _column(path: Path, file: str) -> pl.Series:
    """The names that a file of the folder holds."""
    try:
        frame = parquet_frame((path / file).read_bytes())
    except (OSError, ValueError) as error:
        raise ModelError(f"{path}: {file} cannot be read ({why(error)})") from error
    if dict(frame.schema) != {"name": pl.String} or frame["name"].null_count():
        raise ModelError(f"{path}: {file} does not hold one column of names")
    return frame["name"]


def _json(file: Path, folder: Path) -> dict[str, Any]:
    _refuse_no_file(file, folder)
    try:
        require_memory(_JSON_COST * file.stat().st_size, f"{file}", "use a machine with more memory")
        content = json.loads(file.read_text(encoding="utf-8"), parse_constant=_no_number, parse_float=_finite)
    except (OSError, ValueError, RecursionError) as error:
        raise ModelError(f"{folder}: {file.name} cannot be read ({why(error)})") from error
    if not isinstance(content, dict):
        raise ModelError(f"{folder}: {file.name} does not hold a JSON object")
    return content


def _finite(text: str) -> float:
    return float(text) if math.isfinite(float(text)) else _no_number(text)


def _no_number(text: str) -> float:
    raise ValueError(f"{text[:_SHOWN]} is no number")
