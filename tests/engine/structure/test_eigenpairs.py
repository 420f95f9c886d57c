"""Leading eigenpairs and what they say about pairs, against dense algebra."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp

from pulink.engine.random import stream_key
from pulink.engine.structure.eigenpairs import leading_eigenpairs


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
