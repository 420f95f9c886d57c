"""The path for matrices beyond the caches gives what MKL gives."""

import numpy as np
import pytest
import torch

from pulink.engine.autograd import sparse
from pulink.engine.autograd.sparse import SparseOperator, propagation_operator
from pulink.engine.threads import use_threads
from tests.support.planted import planted_graph

GRAPH = planted_graph(60, 3, 0.3, 0.05, seed=4)


@pytest.mark.parametrize("width", [1, 5, 16, 40, 64])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_gathered_products_equal_mkl(width: int, threads: int, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = propagation_operator(GRAPH.adjacency)
    dense = torch.from_numpy(np.random.default_rng(0).normal(size=(GRAPH.n_nodes, width)).astype(np.float32))
    expected = operator.times(dense)
    monkeypatch.setattr(sparse, "_CACHED", 0)
    with use_threads(threads):
        torch.testing.assert_close(operator.times(dense), expected, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("width", [1, 5, 16, 64])
@pytest.mark.parametrize("threads", [1, 2, 3])
def test_the_transpose_is_multiplied_without_being_built(width: int, threads: int) -> None:
    import scipy.sparse as sp

    rng = np.random.default_rng(1)
    matrix = sp.random_array((50, 20), density=0.2, rng=rng, dtype=np.float32, format="csr")
    dense = rng.normal(size=(50, width)).astype(np.float32)
    with use_threads(threads):
        found = SparseOperator.from_scipy(sp.csr_array(matrix)).transposed_times(torch.from_numpy(dense))
    np.testing.assert_allclose(found.numpy(), matrix.toarray().T @ dense, rtol=1e-4, atol=1e-5)
