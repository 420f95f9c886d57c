"""Graphs of other kinds as .npz files: the layout of `npz`, with names, weights, times and sides.

Keys besides: names (n); feature_names (d); edge_weight and edge_time (E); num_left: so many nodes are of the first
kind of a bipartite graph.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl

from pulink.data.formats.arrays.npz import npz_features, npz_rows
from pulink.data.formats.arrays.npz_members import Arrays, opened_arrays
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import BIPARTITE


def read_named_npz(path: str | Path, kind: str, ends: tuple[str, str]) -> Graph:
    """A graph of a kind, whose ends are called so."""
    with opened_arrays(path) as arrays:
        arrays.refuse_objects()
        n_nodes, edges = npz_rows(arrays, path)
        features = npz_features(arrays, path)
        called = _texts(arrays, "feature_names")
        weights, times = (_optional(arrays, name) for name in ("edge_weight", "edge_time"))
        types = _sides(arrays, n_nodes, ends) if kind == BIPARTITE else None
        names = _texts(arrays, "names")
    if names is not None and types is None and len(set(names)) < len(names):
        # Two airports of one name: only their numbers tell them apart.
        names = [f"{name} ({number})" if n > 1 else name for number, (name, n) in enumerate(_counts(names))]
    try:
        return Graph.from_edges(
            edges.T,
            n_nodes,
            weights=weights,
            features=features,
            feature_names=None if called is None else tuple(called),
            names=names,
            kind=kind,
            node_types=types,
            between=None if types is None else [ends],
            ends=ends,
            times=times,
        )
    except InputError as error:
        raise InputError(f"{path}: {error}") from error


def _optional(arrays: Arrays, name: str) -> np.ndarray | None:
    return arrays.read(name) if name in arrays.names else None


def _texts(arrays: Arrays, name: str) -> list[str] | None:
    found = _optional(arrays, name)
    return None if found is None else [str(text) for text in found.tolist()]


def _sides(arrays: Arrays, n_nodes: int, ends: tuple[str, str]) -> list[str]:
    n_first = int(arrays.read("num_left"))
    return [ends[0]] * n_first + [ends[1]] * (n_nodes - n_first)


def _counts(names: list[str]) -> list[tuple[str, int]]:
    """Each name, and how many nodes have it."""
    column = pl.Series("name", names)
    return column.to_frame().select("name", n=pl.len().over("name")).rows()
