"""Leading eigenpairs and what they say about pairs, against dense algebra."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import eigsh

from pulink.engine.random import stream_key
from pulink.engine.structure.eigenpairs import Eigenpairs, _fill_at_random, leading_eigenpairs
from pulink.engine.threads import use_threads


def _symmetric(n: int, seed: int, density: float = 0.3) -> npt.NDArray[np.float64]:
    rng = np.random.default_rng(seed)
    upper = np.triu(np.where(rng.random((n, n)) < density, 1.0, 0.0), 1)
    return np.asarray(upper + upper.T)


def test_all_eigenpairs_give_the_matrix_back() -> None:
    dense = _symmetric(12, 0)
    found = leading_eigenpairs(sp.csr_array(dense), 50, stream_key(0, "test"))
    assert (found.vectors * found.values) @ found.vectors.T == pytest.approx(dense, abs=1e-5)


def test_the_largest_in_size_come_first_whatever_their_sign() -> None:
    """A complete bipartite graph has eigenvalues ±sqrt(ab) and zeros."""
    dense = np.zeros((5, 5))
    dense[:2, 2:] = dense[2:, :2] = 1.0
    found = leading_eigenpairs(sp.csr_array(dense), 2, stream_key(0, "test"))
    assert sorted(found.values.tolist()) == pytest.approx([-(6**0.5), 6**0.5], abs=1e-5)


def test_a_graph_of_many_parts_is_no_trouble() -> None:
    """Forty edges apart from each other: 1 and -1 come forty times each, and no ten of them lead."""
    dense = sp.csr_array(sp.block_diag([np.array([[0.0, 1.0], [1.0, 0.0]])] * 40))
    found = leading_eigenpairs(dense, 10, stream_key(0, "test"))
    assert found.vectors.T @ found.vectors == pytest.approx(np.eye(10), abs=1e-5)
    assert 0.3 < np.abs(found.values).min() <= np.abs(found.values).max() <= 1 + 1e-5


def test_entries_and_cosines_of_pairs_are_those_of_the_approximation() -> None:
    dense = _symmetric(30, 1)
    found = leading_eigenpairs(sp.csr_array(dense), 8, stream_key(0, "test"))
    pairs = np.array([(i, j) for i in range(30) for j in range(30) if i != j])
    signals = found.pair_signals(pairs, (3, 99))
    for column, rank in ((0, 3), (2, 8)):
        low = (found.vectors[:, :rank] * found.values[:rank]) @ found.vectors[:, :rank].T
        assert signals[:, column] == pytest.approx(low[pairs[:, 0], pairs[:, 1]], abs=1e-5)
        lengths = np.linalg.norm(low, axis=1)
        cosines = (low @ low.T) / np.outer(lengths, lengths)
        assert signals[:, column + 1] == pytest.approx(cosines[pairs[:, 0], pairs[:, 1]], abs=1e-4)


def _in_double_precision(matrix: sp.csr_array, count: int, key: np.uint64, n_products: int) -> Eigenpairs:
    """The same iteration in float64, orthonormal by reflections before every product."""
    columns = np.empty((matrix.shape[0], min(count + 16, matrix.shape[0])), dtype=np.float32)
    _fill_at_random(key, columns)
    found = matrix @ columns.astype(np.float64)
    for _ in range(n_products):
        found = matrix @ np.linalg.qr(found)[0]
    found = np.linalg.qr(found)[0]
    values, vectors = np.linalg.eigh(found.T @ (matrix @ found))
    order = np.argsort(-np.abs(values), kind="stable")[:count]
    return Eigenpairs(values[order].astype(np.float32), (found @ vectors[:, order]).astype(np.float32))


@pytest.mark.parametrize("hubs", [0, 3])
@pytest.mark.parametrize(("density", "n_products"), [(0.01, 12), (0.1, 6)])
def test_single_precision_gives_the_entries_of_double_precision(
    hubs: int, density: float, n_products: int
) -> None:
    """Also beside hubs, whose eigenvalues are far above all others; with more products where entries are few."""
    dense = _symmetric(600, 2, density=density)
    dense[:hubs], dense[:, :hubs] = 1.0, 1.0
    np.fill_diagonal(dense, 0.0)
    matrix, key = sp.csr_array(dense), stream_key(1, "test")
    pairs = np.random.default_rng(0).integers(0, 600, (5_000, 2))
    single, double = leading_eigenpairs(matrix, 64, key), _in_double_precision(matrix, 64, key, n_products)
    ours, theirs = (found.pair_signals(pairs, (16, 64)) for found in (single, double))
    assert single.values == pytest.approx(double.values, rel=1e-5)
    assert ours == pytest.approx(theirs, abs=1e-4)


def test_eigenvalues_that_stand_apart_are_those_of_lanczos() -> None:
    matrix = sp.csr_array(sp.diags_array(2.0 ** -np.arange(200.0)))
    found = leading_eigenpairs(matrix, 6, stream_key(0, "test"))
    lanczos = np.sort(eigsh(matrix, 6, return_eigenvectors=False))[::-1]
    assert found.values == pytest.approx(lanczos, rel=1e-5)
    assert np.abs(np.diag(found.vectors[:6])) == pytest.approx(np.ones(6), abs=1e-4)


def test_fewer_directions_than_columns_and_nodes_without_edges_are_no_trouble() -> None:
    """A star has two eigenvalues that are not 0; ten nodes stand apart from it."""
    dense = np.zeros((60, 60))
    dense[0, 1:50] = dense[1:50, 0] = 1.0
    found = leading_eigenpairs(sp.csr_array(dense), 30, stream_key(0, "test"))
    assert found.vectors.T @ found.vectors == pytest.approx(np.eye(30), abs=1e-5)
    assert (found.vectors * found.values) @ found.vectors.T == pytest.approx(dense, abs=1e-5)
    empty = leading_eigenpairs(sp.csr_array((8, 8)), 3, stream_key(0, "test"))
    assert not empty.values.any() and np.isfinite(empty.vectors).all()


def test_threads_change_no_bit() -> None:
    matrix = sp.csr_array(sp.random_array((20_000, 20_000), density=1e-4, rng=np.random.default_rng(3)))
    matrix = sp.csr_array(matrix + matrix.T)
    alone, together = [], []
    for n_threads, into in ((1, alone), (2, together)):
        with use_threads(n_threads):
            found = leading_eigenpairs(matrix, 16, stream_key(0, "test"))
        into += [found.values, found.vectors]
    assert all(np.array_equal(*arrays) for arrays in zip(alone, together, strict=True))
