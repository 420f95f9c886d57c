"""Writing a graph folder: ranges in any order and by anybody, and graph.json at the end, which makes it one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.graph.edge_rows import Cleaning
from pulink.persistence.array_file import Written, write_arrays
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.persistence.sharded_names import COUNTED, TEXT, text_arrays, whole_arrays
from pulink.persistence.sharded_summary import GRAPH_FILE, Summary, file_of
from pulink.system.files import write_atomically

Files = dict[str, Written]


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a range: see `sharded_graph`."""

    indptr: npt.NDArray[np.integer]
    indices: npt.NDArray[np.integer]
    weights: npt.NDArray[np.floating] | None = None


def write_rows(folder: Path, k: int, rows: Rows) -> Files:
    """Those of range k."""
    arrays: dict[str, npt.NDArray[Any]] = {
        "indptr": rows.indptr.astype(np.int64, copy=False),
        "indices": rows.indices.astype(np.int32, copy=False),
    }
    if rows.weights is not None:
        arrays["weights"] = rows.weights.astype(np.float32, copy=False)
    return _written(folder, file_of("rows", k), arrays)


def write_names(folder: Path, k: int, arrays: Mapping[str, npt.NDArray[Any]]) -> Files:
    """What `text_arrays` or `whole_arrays` gave for the nodes of range k."""
    return _written(folder, file_of("names", k), arrays)


def write_features(folder: Path, k: int, features: npt.NDArray[np.floating]) -> Files:
    """Those of the nodes of range k."""
    return _written(folder, file_of("features", k), {"features": features.astype(np.float32, copy=False)})


def _written(folder: Path, name: str, arrays: Mapping[str, npt.NDArray[Any]]) -> Files:
    return {name: write_arrays(folder / name, arrays)}


def write_range(
    folder: Path,
    k: int,
    rows: Rows,
    names: Sequence[str] | npt.NDArray[np.int64] | None = None,
    features: npt.NDArray[np.floating] | None = None,
) -> Files:
    """All of range k, and what `seal` has to be told of it.

    names  of its nodes, in order: texts, whole numbers, or None where nodes are called 0 .. n - 1
    """
    files = write_rows(folder, k, rows)
    if names is not None:
        arrays = whole_arrays(names) if isinstance(names, np.ndarray) else text_arrays(names)
        files |= write_names(folder, k, arrays)
    return files if features is None else files | write_features(folder, k, features)


def seal(
    folder: Path,
    files: Files,
    *,
    ranges: Sequence[int],
    n_edges: int,
    mean_weight: float | None = None,
    feature_names: Sequence[str] | None = None,
    ends: tuple[str, str] = ("source", "target"),
    called: str | None = None,
    cleaning: Cleaning | None = None,
) -> ShardedGraph:
    """Write graph.json, and open the folder.

    files   what writing every range gave
    called  as in `sharded_names`; None: texts where there are names
    """
    if called is None:
        called = TEXT if file_of("names", 0) in files else COUNTED
    summary = Summary(
        ranges=tuple(int(node) for node in ranges),
        n_edges=int(n_edges),
        mean_weight=None if mean_weight is None else float(mean_weight),
        feature_names=None if feature_names is None else tuple(feature_names),
        ends=ends,
        called=called,
        cleaning=Cleaning() if cleaning is None else cleaning,
        files={name: files[name] for name in sorted(files)},
    )
    write_atomically(folder / GRAPH_FILE, summary.to_json())
    return ShardedGraph.open(folder)
