"""Five sums over short walks, against sums written out."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.structure.weighted_walks import local_walks
from pulink.engine.threads import use_threads


def _adjacency(dense: npt.NDArray[np.float64], weighted: bool = True) -> Adjacency:
    pairs = np.argwhere(np.triu(dense, 1) > 0).astype(np.int32)
    values = dense[pairs[:, 0], pairs[:, 1]].astype(np.float32) if weighted else None
    return symmetric_adjacency(pairs, len(dense), values)


def _written_out(a: npt.NDArray[np.float64], i: int, j: int) -> list[float]:
    degrees = a.sum(axis=1)
    b = a.copy()
    b[i, j] = b[j, i] = 0.0
    n = len(a)
    inverse = [1 / d if d > 0 else 1.0 for d in degrees]
    logs = [1 / math.log(max(d, 2)) for d in degrees]
    two = [(b[i, u] * b[u, j], u) for u in range(n)]
    three = [(b[i, u] * b[u, v] * b[v, j], u, v) for u, v in product(range(n), repeat=2)]
    return [
        sum(walk for walk, _ in two),
        sum(walk * logs[u] for walk, u in two),
        sum(walk * inverse[u] for walk, u in two),
        sum(walk for walk, _, _ in three),
        sum(walk * inverse[u] * inverse[v] for walk, u, v in three),
    ]


def test_a_path_and_a_shortcut_by_hand() -> None:
    """0 - 1 - 2 - 3 and 0 - 2: between 0 and 3 one walk of two steps (over 2) and one of three (over 1 and 2)."""
    dense = np.zeros((4, 4))
    for i, j in ((0, 1), (1, 2), (2, 3), (0, 2)):
        dense[i, j] = dense[j, i] = 1.0
    found = local_walks(_adjacency(dense, weighted=False), np.array([[0, 3], [3, 0]]))
    assert found[0] == pytest.approx([1, 1 / math.log(3), 1 / 3, 1, 1 / 6])
    assert found[0].tolist() == found[1].tolist()


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 9),
    seed=st.integers(0, 10_000),
    density=st.sampled_from([0.2, 0.5, 0.9]),
    threads=st.integers(1, 2),
)
def test_all_pairs_equal_the_sums_written_out(n: int, seed: int, density: float, threads: int) -> None:
    """Pairs that are edges included: their own edge is not walked."""
    rng = np.random.default_rng(seed)
    dense = np.triu(np.where(rng.random((n, n)) < density, rng.choice([0.25, 0.5, 1.0, 3.0], (n, n)), 0.0), 1)
    dense += dense.T
    pairs = np.array([(i, j) for i in range(n) for j in range(n) if i != j])
    with use_threads(threads):
        found = local_walks(_adjacency(dense), pairs)
    expected = np.array([_written_out(dense, i, j) for i, j in pairs])
    assert found == pytest.approx(expected, rel=1e-9, abs=1e-9)
