"""CSR adjacency against SciPy."""

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from hypothesis import given, settings

from pulink.engine.adjacency import contains, index_dtype, symmetric_adjacency
from tests.support.adjacencies import dense, pair_sets, random_pairs


def scipy_twin(pairs: npt.NDArray[np.int32], n_nodes: int, values: npt.NDArray[np.float32]) -> sp.csr_array:
    upper = sp.coo_array((values, (pairs[:, 0], pairs[:, 1])), shape=(n_nodes, n_nodes))
    matrix = sp.csr_array(upper + upper.T)
    matrix.sort_indices()
    return matrix


@settings(deadline=None, derandomize=True, max_examples=60)
@given(pair_sets())
def test_any_pair_set_equals_scipy(case: tuple[npt.NDArray[np.int32], int]) -> None:
    pairs, n_nodes = case
    values = np.arange(1, len(pairs) + 1, dtype=np.float32)
    twin = scipy_twin(pairs, n_nodes, values)
    weighted = symmetric_adjacency(pairs, n_nodes, values)
    plain = symmetric_adjacency(pairs, n_nodes)
    assert weighted.values is not None
    assert weighted.values.tolist() == twin.data.tolist()
    for built in (weighted, plain):
        assert built.n_nodes == n_nodes
        assert built.indptr.tolist() == twin.indptr.tolist()
        assert built.indices.tolist() == twin.indices.tolist()


@settings(deadline=None, derandomize=True, max_examples=60)
@given(pair_sets())
def test_contains_every_cell_as_a_set_would(case: tuple[npt.NDArray[np.int32], int]) -> None:
    pairs, n_nodes = case
    adjacency = symmetric_adjacency(pairs, n_nodes)
    cells = np.array([(i, j) for i in range(n_nodes) for j in range(n_nodes)], dtype=np.int32)
    known = {(int(i), int(j)) for i, j in pairs} | {(int(j), int(i)) for i, j in pairs}
    assert contains(adjacency, cells).tolist() == [(int(i), int(j)) in known for i, j in cells]


def test_contains_takes_wide_indices_and_slices() -> None:
    pairs = random_pairs(40, 0.2, seed=3)
    adjacency = symmetric_adjacency(pairs, 40)
    assert contains(adjacency, pairs.astype(np.int64)[::-1, ::-1]).all()
    assert contains(adjacency, np.empty((0, 2), dtype=np.int32)).shape == (0,)


def test_no_pairs_leave_every_row_empty() -> None:
    adjacency = symmetric_adjacency(np.empty((0, 2), dtype=np.int32), 4)
    assert adjacency.indptr.tolist() == [0, 0, 0, 0, 0]
    assert not dense(adjacency).any()


def test_indices_are_narrow_while_they_fit() -> None:
    assert index_dtype(2**31 - 1) is np.int32
    assert index_dtype(2**31) is np.int64
