"""Folders of parts, and what a graph folder made of them must agree with."""

from __future__ import annotations

import gzip
from itertools import pairwise
from pathlib import Path

import numpy as np
import polars as pl

from pulink.graph.graph import Graph
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.workflows.sharded.prepare import Sizes

# Several blocks to a part, and several ranges, of tables that fit a test.
SMALL = Sizes(rows=40, n_bytes=600, entries=60, ranges=(3, 40))


def parquet_parts(frame: pl.DataFrame, folder: Path, n_parts: int = 3) -> Path:
    folder.mkdir(parents=True)
    for k, part in enumerate(_cut(frame, n_parts)):
        part.write_parquet(folder / f"part-{k:05d}.parquet")
    return folder


def csv_parts(
    frame: pl.DataFrame, folder: Path, n_parts: int = 3, *, packed: bool = False, separator: str = ","
) -> Path:
    folder.mkdir(parents=True)
    ending = "tsv" if separator == "\t" else "csv"
    for k, part in enumerate(_cut(frame, n_parts)):
        text = part.write_csv(separator=separator)
        if packed:
            (folder / f"part-{k:05d}.{ending}.gz").write_bytes(gzip.compress(text.encode()))
        else:
            (folder / f"part-{k:05d}.{ending}").write_text(text)
    return folder


def _cut(frame: pl.DataFrame, n_parts: int) -> list[pl.DataFrame]:
    bounds = [k * frame.height // n_parts for k in range(n_parts + 1)]
    return [frame.slice(a, b - a) for a, b in pairwise(bounds)]


def assert_same(found: ShardedGraph, graph: Graph) -> None:
    """All that a graph folder holds is what a graph holds."""
    assert (found.n_nodes, found.n_edges) == (graph.n_nodes, graph.n_edges)
    assert found.names(range(found.n_nodes)) == graph.names[:]
    np.testing.assert_array_equal(found.numbers(graph.names[:]), np.arange(graph.n_nodes))
    indptr, indices, weights = found.rows(0, found.n_nodes)
    np.testing.assert_array_equal(indptr, graph.adjacency.indptr)
    np.testing.assert_array_equal(indices, graph.adjacency.indices)
    assert found.weighted == (graph.weights is not None)
    if weights is not None and graph.adjacency.values is not None:
        np.testing.assert_array_equal(weights, graph.adjacency.values)
        mean = graph.weights.mean(dtype=np.float64) if graph.n_edges and graph.weights is not None else 1.0
        np.testing.assert_allclose(found.mean_weight, mean, rtol=1e-12)
    features = found.features(0, found.n_nodes)
    assert (features is None) == (graph.features is None)
    if features is not None and graph.features is not None:
        expected = graph.features if isinstance(graph.features, np.ndarray) else graph.features.toarray()
        np.testing.assert_allclose(features, expected, rtol=1e-6, atol=1e-6)
        assert found.summary.feature_names == graph.feature_names
    for name in ("n_rows", "n_duplicates", "n_reversed", "n_loops"):
        assert getattr(found.cleaning, name) == getattr(graph.cleaning, name)


def content_of(folder: Path) -> dict[str, bytes]:
    """All files of a graph folder but the note of what it was made of, which tells of places and times."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "made-of.json"}
