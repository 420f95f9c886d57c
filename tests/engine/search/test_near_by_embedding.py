"""Nearly the best pairs, against all pairs."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest

from pulink.engine.adjacency import contains, symmetric_adjacency
from pulink.engine.search import near_by_embedding as near
from pulink.engine.search.near_by_embedding import near_by_embedding
from pulink.engine.search.top_by_embedding import top_by_embedding

NOTHING = np.empty((0, 2), dtype=np.int64)


def clustered(n: int, seed: int, spread: float = 0.5) -> npt.NDArray[np.float32]:
    """Vectors around forty directions, of lengths that differ."""
    rng = np.random.default_rng(seed)
    centres = rng.normal(size=(40, 16))
    z = centres[rng.integers(0, 40, n)] + spread * rng.normal(size=(n, 16))
    return np.ascontiguousarray(z * rng.gamma(4.0, size=(n, 1)), dtype=np.float32)


def pair_set(pairs: npt.NDArray[np.int32]) -> set[tuple[int, int]]:
    return {(min(i, j), max(i, j)) for i, j in pairs.tolist()}


def test_a_graph_of_one_part_is_searched_whole() -> None:
    z = clustered(300, 0)
    known = top_by_embedding(z, symmetric_adjacency(NOTHING, 300), 50)
    excluded = symmetric_adjacency(np.unique(np.sort(known, axis=1), axis=0), 300)
    found = near_by_embedding(z, excluded, 400, seed=1)
    assert not contains(excluded, found).any()
    assert pair_set(found) == pair_set(top_by_embedding(z, excluded, 400))


def test_most_of_the_best_are_found_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "_PART", 200)
    monkeypatch.setattr(near, "_LONGEST", 50)
    z, excluded = clustered(4_000, 1), symmetric_adjacency(NOTHING, 4_000)
    found, best = near_by_embedding(z, excluded, 5_000, seed=0), top_by_embedding(z, excluded, 5_000)
    assert len(pair_set(found)) == 5_000
    assert len(pair_set(found) & pair_set(best)) > 4_500
    products = (z[found[:, 0]] * z[found[:, 1]]).sum(axis=1)
    assert (np.diff(products) < 1e-3 * np.abs(products).max()).all()
    assert np.array_equal(found, near_by_embedding(z, excluded, 5_000, seed=0))


def test_parts_hold_every_node_once() -> None:
    unit = clustered(9_001, 2)
    parts = list(near._parts(unit, np.uint64(7)))
    assert max(map(len, parts)) <= near._PART
    assert np.array_equal(np.sort(np.concatenate(parts)), np.arange(9_001))


def test_vectors_that_are_all_alike_end() -> None:
    z = np.ones((5_000, 4), dtype=np.float32)
    assert len(near_by_embedding(z, symmetric_adjacency(NOTHING, 5_000), 100, seed=0)) == 100
