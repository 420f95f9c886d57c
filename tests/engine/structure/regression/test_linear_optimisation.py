"""Linear optimisation against the minimum that it is, and by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pulink.engine.structure.regression.linear_optimisation import linear_optimisation
from tests.support.small_views import random_graph


def dense_of(edges: list[tuple[int, int]], n: int) -> np.ndarray:
    a = np.zeros((n, n))
    for i, j in edges:
        a[i, j] = a[j, i] = 1.0
    return a


def test_a_path_by_hand() -> None:
    """0 - 1 - 2: M has 1/√2 at its links, M² the diagonal 1/2, 1, 1/2 and 1/2 between 0 and 2; λ = 2/3.

    M³ = M, so that M − λ (M² + λ I)^-1 M = M / (1 + λ): 3/5 of M, and 3/5 of A. Between 0 and 2 there is nothing.
    """
    a = dense_of([(0, 1), (1, 2)], 3)
    assert linear_optimisation(sp.csr_array(a)) == pytest.approx(0.6 * a, abs=1e-6)


@pytest.mark.parametrize("weighted", [False, True])
def test_equals_ridge_regression_row_by_row(weighted: bool) -> None:
    """Each column of M regressed on all columns, by least squares with the penalty as rows of its own."""
    graph = random_graph(30, 90, 3)
    rng = np.random.default_rng(0)
    a = np.zeros((30, 30))
    a[graph.edges[:, 0], graph.edges[:, 1]] = rng.uniform(0.5, 2, 90) if weighted else 1.0
    a = a + a.T
    roots = np.sqrt(np.maximum(a.sum(axis=1), 1e-12))
    m = a / roots[:, None] / roots
    penalty = np.trace(m @ m) / 30
    tall = np.concatenate([m, np.sqrt(penalty) * np.eye(30)])
    z = np.linalg.lstsq(tall, np.concatenate([m, np.zeros((30, 30))]), rcond=None)[0]
    found = linear_optimisation(sp.csr_array(a))
    assert found == pytest.approx((m @ z) * roots[:, None] * roots, abs=1e-4)
    assert found == pytest.approx(found.T, abs=1e-5)


def test_nodes_without_links_have_nothing() -> None:
    assert not linear_optimisation(sp.csr_array((4, 4))).any()
    found = linear_optimisation(sp.csr_array(dense_of([(0, 1)], 4)))
    assert np.isfinite(found).all()
    assert not found[2:].any()
