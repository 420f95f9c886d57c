"""Propagation and sparse products against dense twins and autograd."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from pulink.engine.adjacency import symmetric_adjacency
from pulink.engine.autograd.sparse import SparseOperator, propagation_operator
from tests.support.adjacencies import dense, random_pairs


def dense_propagation(matrix: np.ndarray) -> np.ndarray:
    """D^-1/2 (A + I) D^-1/2, cell by cell."""
    n = len(matrix)
    looped = matrix + np.eye(n)
    degrees = looped.sum(axis=1)
    return np.array([[looped[i, j] / np.sqrt(degrees[i] * degrees[j]) for j in range(n)] for i in range(n)])


@pytest.mark.parametrize("weighted", [False, True])
def test_propagation_equals_its_dense_twin(weighted: bool) -> None:
    pairs = random_pairs(25, 0.15, seed=0)
    values = np.random.default_rng(1).uniform(0.05, 3, len(pairs)).astype(np.float32) if weighted else None
    adjacency = symmetric_adjacency(pairs, 25, values)
    operator = propagation_operator(adjacency)
    np.testing.assert_allclose(operator.matrix.to_dense().numpy(), dense_propagation(dense(adjacency)), atol=1e-6)
    assert operator.n_entries == 2 * len(pairs) + 25


def test_two_linked_nodes_by_hand() -> None:
    # One edge of weight 3: degrees 4 and 4, an isolated node keeps its loop.
    adjacency = symmetric_adjacency(np.array([[0, 1]], np.int32), 3, np.array([3.0], np.float32))
    expected = [[0.25, 0.75, 0.0], [0.75, 0.25, 0.0], [0.0, 0.0, 1.0]]
    np.testing.assert_allclose(propagation_operator(adjacency).matrix.to_dense().numpy(), expected, atol=1e-7)


def test_tiny_weights_do_not_vanish_into_nan() -> None:
    adjacency = symmetric_adjacency(np.array([[0, 1]], np.int32), 2, np.array([1e-30], np.float32))
    product = propagation_operator(adjacency) @ torch.ones(2, 1)
    np.testing.assert_allclose(product.numpy(), [[1.0], [1.0]])


@pytest.mark.parametrize("width", [1, 16])
def test_products_and_gradients_equal_autograd(width: int) -> None:
    rng = np.random.default_rng(2)
    matrix = sp.random_array((30, 12), density=0.2, rng=rng, format="csr", dtype=np.float32)
    operator = SparseOperator.from_scipy(sp.csr_array(matrix))
    weight = torch.tensor(rng.normal(size=(12, width)).astype(np.float32), requires_grad=True)
    twin = weight.detach().clone().requires_grad_()
    outer = torch.tensor(rng.normal(size=(30, width)).astype(np.float32))
    product, twin_product = operator @ weight, torch.from_numpy(matrix.toarray()) @ twin
    ((product**2) * outer).sum().backward()
    ((twin_product**2) * outer).sum().backward()
    np.testing.assert_allclose(product.detach().numpy(), twin_product.detach().numpy(), atol=1e-5)
    assert weight.grad is not None
    assert twin.grad is not None
    np.testing.assert_allclose(weight.grad.numpy(), twin.grad.numpy(), atol=1e-4, rtol=1e-5)
    assert operator.n_columns == 12


def test_two_propagations_in_a_row_have_the_gradient_of_the_square() -> None:
    adjacency = symmetric_adjacency(random_pairs(15, 0.3, seed=3), 15)
    operator = propagation_operator(adjacency)
    x = torch.randn(15, 4, generator=torch.Generator().manual_seed(0)).requires_grad_()
    twin = x.detach().clone().requires_grad_()
    once = torch.from_numpy(dense_propagation(dense(adjacency)).astype(np.float32))
    torch.tanh(operator @ torch.relu(operator @ x)).sum().backward()
    torch.tanh(once @ torch.relu(once @ twin)).sum().backward()
    assert x.grad is not None
    assert twin.grad is not None
    np.testing.assert_allclose(x.grad.numpy(), twin.grad.numpy(), atol=1e-5)


def test_read_only_features_are_not_written_to() -> None:
    matrix = sp.csr_array(np.eye(3, dtype=np.float32))
    for part in (matrix.data, matrix.indices, matrix.indptr):
        part.flags.writeable = False
    np.testing.assert_allclose((SparseOperator.from_scipy(matrix) @ torch.eye(3)).numpy(), np.eye(3))
