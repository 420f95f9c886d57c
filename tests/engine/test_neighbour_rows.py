"""Sums of neighbours' rows against a loop in NumPy that adds them one by one."""

import numba
import numpy as np
import numpy.typing as npt
import pytest

from pulink.engine.neighbour_rows import DOUBLE_LANES, SINGLE_LANES, gather_neighbours
from tests.support.adjacencies import random_adjacency

Table = npt.NDArray[np.floating]


@numba.njit
def gather(indptr: Table, indices: Table, scale: Table, table: Table, out: Table) -> None:
    for i in range(indptr.size - 1):
        gather_neighbours(out, i, scale[i], table, indices, np.int64(indptr[i]), np.int64(indptr[i + 1]))


@pytest.mark.parametrize(("kind", "lanes"), [(np.float32, SINGLE_LANES), (np.float64, DOUBLE_LANES)])
def test_against_one_by_one(kind: type[np.floating], lanes: int) -> None:
    adjacency = random_adjacency(50, 0.2, seed=1)
    rng = np.random.default_rng(2)
    table, out = (rng.normal(size=(50, lanes)).astype(kind) for _ in range(2))
    scale = rng.random(50).astype(kind)
    expected = np.empty_like(out)
    for i in range(50):
        total = np.zeros(lanes, dtype=kind)
        for j in adjacency.indices[adjacency.indptr[i] : adjacency.indptr[i + 1]]:
            total += table[j]
        expected[i] = scale[i] * total - out[i]
    gather(adjacency.indptr, adjacency.indices, scale, table, out)
    np.testing.assert_allclose(out, expected, rtol=1e-6 if kind is np.float32 else 1e-14, atol=1e-6)
