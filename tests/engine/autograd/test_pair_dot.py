"""Inner products with gradients against plain PyTorch."""

import numpy as np
import numpy.typing as npt
import pytest
import torch
from torch import Tensor

from pulink.engine.autograd.pair_dot import logits_with_gradient
from pulink.engine.threads import use_threads

Pairs = npt.NDArray[np.int32]


def twin(z: Tensor, pairs: Pairs) -> Tensor:
    ends = torch.from_numpy(pairs.astype(np.int64))
    return (z[ends[:, 0]] * z[ends[:, 1]]).sum(dim=1)


def random_pairs(n_nodes: int, n_pairs: int, seed: int) -> Pairs:
    """Some pairs come twice, reversed or with one node twice."""
    pairs = np.random.default_rng(seed).integers(0, n_nodes, (n_pairs, 2), dtype=np.int32)
    pairs[-2:] = pairs[:2, ::-1]
    return pairs


def curved(logits: Tensor) -> Tensor:
    """A loss that treats every pair differently."""
    return (torch.sin(logits) * torch.arange(len(logits))).sum() + logits.var(correction=0)


@pytest.mark.parametrize(("n_nodes", "n_units", "n_pairs"), [(5, 1, 9), (30, 16, 200), (30, 7, 400), (40, 33, 90)])
def test_values_and_gradients_equal_autograd(n_nodes: int, n_units: int, n_pairs: int) -> None:
    rows = np.random.default_rng(n_units).normal(size=(n_nodes, n_units)).astype(np.float32)
    pairs = random_pairs(n_nodes, n_pairs, seed=n_pairs)
    own, other = (torch.tensor(rows, requires_grad=True) for _ in range(2))
    logits, plain = logits_with_gradient(own, pairs), twin(other, pairs)
    np.testing.assert_allclose(logits.detach().numpy(), plain.detach().numpy(), rtol=1e-5, atol=1e-5)
    curved(logits).backward()
    curved(plain).backward()
    assert own.grad is not None
    assert other.grad is not None
    scale = float(other.grad.abs().max())
    np.testing.assert_allclose(own.grad.numpy(), other.grad.numpy(), rtol=1e-4, atol=1e-5 * scale)


def test_one_pair_by_hand() -> None:
    z = torch.tensor([[1.0, 2.0], [3.0, -1.0]], requires_grad=True)
    logits = logits_with_gradient(z, np.array([[0, 1]], dtype=np.int32))
    assert logits.tolist() == [1.0]
    (5 * logits.sum()).backward()
    assert z.grad is not None
    assert z.grad.tolist() == [[15.0, -5.0], [5.0, 10.0]]


def test_no_pairs_have_no_gradient() -> None:
    z = torch.ones((3, 4), requires_grad=True)
    logits_with_gradient(z, np.empty((0, 2), dtype=np.int32)).sum().backward()
    assert z.grad is not None
    assert not z.grad.any()


def test_threads_share_the_work() -> None:
    rows = np.random.default_rng(0).normal(size=(300, 16)).astype(np.float32)
    pairs = random_pairs(300, 100_000, seed=1)
    gradients = []
    for threads in (1, 2):
        z = torch.tensor(rows, requires_grad=True)
        with use_threads(threads):
            logits = logits_with_gradient(z, pairs)
            (logits**2).mean().backward()
        assert z.grad is not None
        gradients.append((logits.detach().numpy(), z.grad.numpy()))
    np.testing.assert_array_equal(gradients[0][0], gradients[1][0])
    np.testing.assert_allclose(gradients[0][1], gradients[1][1], rtol=1e-4, atol=1e-6)
