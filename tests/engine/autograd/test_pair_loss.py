"""The fused pair loss against autograd, finite differences and its own limits."""

import numpy as np
import numpy.typing as npt
import pytest
import torch
from scipy.special import expit

from pulink.engine.autograd.pair_loss import LabelledPairs, pair_logits, pair_loss

F32 = npt.NDArray[np.float32]
Case = tuple[F32, npt.NDArray[np.int32], F32, F32]


def case(n_nodes: int, n_units: int, n_pairs: int, seed: int, hub: bool = False) -> Case:
    """Random embeddings and pairs: some pairs come twice and reversed; with a hub, half of them meet node 0."""
    rng = np.random.default_rng(seed)
    pairs = rng.integers(0, n_nodes, (n_pairs, 2))
    pairs[:, 1] = (pairs[:, 0] + 1 + pairs[:, 1] % (n_nodes - 1)) % n_nodes
    pairs[n_pairs // 2 : n_pairs // 2 + 3] = pairs[:3, ::-1]
    pairs[-2:] = pairs[:2]
    if hub:
        pairs[::2, 0] = 0
        pairs[::2, 1] = rng.integers(1, n_nodes, len(pairs[::2]))
    z = rng.normal(size=(n_nodes, n_units)).astype(np.float32)
    targets, weights = rng.random(n_pairs), 0.1 + 2 * rng.random(n_pairs)
    return z, pairs.astype(np.int32), targets.astype(np.float32), weights.astype(np.float32)


def loss_and_gradient(z: F32, pairs: npt.NDArray[np.int32], targets: F32, weights: F32) -> tuple[float, F32]:
    tensor = torch.tensor(z, requires_grad=True)
    loss = pair_loss(tensor, LabelledPairs(pairs, targets, weights))
    loss.backward()
    assert tensor.grad is not None
    return float(loss.detach()), tensor.grad.numpy()


def autograd_twin(z: F32, pairs: npt.NDArray[np.int32], targets: F32, weights: F32) -> tuple[float, F32]:
    tensor = torch.tensor(z, requires_grad=True)
    ends = torch.from_numpy(pairs.astype(np.int64))
    logits = (tensor[ends[:, 0]] * tensor[ends[:, 1]]).sum(dim=1)
    loss = torch.nn.functional.binary_cross_entropy_with_logits(
        logits, torch.from_numpy(targets), weight=torch.from_numpy(weights), reduction="sum"
    )
    loss.backward()
    assert tensor.grad is not None
    return float(loss.detach()), tensor.grad.numpy()


def loss_in_double(z: npt.NDArray[np.float64], pairs: npt.NDArray[np.int32], targets: F32, weights: F32) -> float:
    logits = (z[pairs[:, 0]] * z[pairs[:, 1]]).sum(axis=1)
    return float(np.sum(weights.astype(np.float64) * (np.logaddexp(0, logits) - targets * logits)))


CASES = [
    (5, 1, 12, 0, False),
    (30, 16, 200, 1, False),
    (30, 7, 400, 2, True),
    (500, 16, 5_000, 3, True),
    (40, 33, 90, 4, False),
]


@pytest.mark.parametrize("shape", CASES)
def test_value_and_gradient_equal_autograd(shape: tuple[int, int, int, int, bool]) -> None:
    arguments = case(*shape)
    loss, gradient = loss_and_gradient(*arguments)
    twin_loss, twin_gradient = autograd_twin(*arguments)
    assert loss == pytest.approx(twin_loss, rel=1e-5)
    np.testing.assert_allclose(gradient, twin_gradient, rtol=1e-5, atol=1e-5 * np.abs(twin_gradient).max())


def test_gradient_equals_finite_differences() -> None:
    z, pairs, targets, weights = case(6, 3, 14, seed=5)
    loss, gradient = loss_and_gradient(z, pairs, targets, weights)
    exact = z.astype(np.float64)
    assert loss == pytest.approx(loss_in_double(exact, pairs, targets, weights), rel=1e-6)
    step = 1e-5
    for i in range(6):
        for c in range(3):
            up, down = exact.copy(), exact.copy()
            up[i, c] += step
            down[i, c] -= step
            slope = (
                loss_in_double(up, pairs, targets, weights) - loss_in_double(down, pairs, targets, weights)
            ) / (2 * step)
            assert gradient[i, c] == pytest.approx(slope, rel=1e-5, abs=1e-5)


def test_one_pair_by_hand() -> None:
    # logit = 1·2 + 2·(-0.5) = 1; loss = 3 (log(1 + e) − 0.25); slope = 3 (σ(1) − 0.25)
    z = np.array([[1.0, 2.0], [2.0, -0.5]], dtype=np.float32)
    loss, gradient = loss_and_gradient(
        z, np.array([[0, 1]], np.int32), np.array([0.25], np.float32), np.array([3.0], np.float32)
    )
    assert loss == pytest.approx(3 * (1.3132616875 - 0.25), rel=1e-6)
    slope = 3 * (0.7310585786 - 0.25)
    np.testing.assert_allclose(gradient, [[2 * slope, -0.5 * slope], [slope, 2 * slope]], rtol=1e-6)


def test_huge_logits_neither_overflow_nor_vanish() -> None:
    z = np.array([[1e4], [1e4], [-1e4]], dtype=np.float32)
    pairs = np.array([[0, 1], [0, 1], [0, 2], [0, 2]], dtype=np.int32)
    targets = np.array([1, 0, 1, 0], dtype=np.float32)
    for number, (value, slope) in enumerate([(0.0, 0.0), (1e8, 1.0), (1e8, -1.0), (0.0, 0.0)]):
        one = slice(number, number + 1)
        loss, gradient = loss_and_gradient(z, pairs[one], targets[one], np.ones(1, dtype=np.float32))
        other = pairs[number, 1]
        assert loss == pytest.approx(value, rel=1e-6)
        assert gradient[0, 0] == pytest.approx(slope * float(z[other, 0]), rel=1e-6)
        assert gradient[other, 0] == pytest.approx(slope * 1e4, rel=1e-6)


def test_every_size_of_logit_is_exact_to_single_precision() -> None:
    # One pair per logit from -120 to 120, some next to zero: the exponential's and the logarithm's whole range.
    logits = np.concatenate([np.linspace(-120, 120, 1_001), [1e-6, -1e-6, 0.0]]).astype(np.float32)
    pairs = np.stack([np.zeros(len(logits)), np.arange(1, len(logits) + 1)], axis=1).astype(np.int32)
    z = np.concatenate([[1.0], logits])[:, None].astype(np.float32)
    ones = np.ones(len(logits), dtype=np.float32)
    for target in (0.0, 0.4, 1.0):
        _, gradient = loss_and_gradient(z, pairs, target * ones, ones)
        np.testing.assert_allclose(
            gradient[1:, 0], expit(logits.astype(np.float64)) - np.float32(target), atol=2e-7
        )
        for k in range(0, len(logits), 50):
            one = slice(k, k + 1)
            loss, _ = loss_and_gradient(z, pairs[one], target * ones[one], ones[one])
            exact = np.logaddexp(0, np.float64(logits[k])) - target * np.float64(logits[k])
            assert loss == pytest.approx(exact, rel=1e-6, abs=1e-7)


def test_weights_count_pairs() -> None:
    z, pairs, targets, _ = case(8, 4, 10, seed=6)
    ones = np.ones(10, dtype=np.float32)
    loss, gradient = loss_and_gradient(z, pairs, targets, 3 * ones)
    thrice, thrice_gradient = loss_and_gradient(
        z, np.concatenate([pairs, pairs[:, ::-1], pairs]), np.tile(targets, 3), np.tile(ones, 3)
    )
    assert loss == pytest.approx(thrice, rel=1e-6)
    np.testing.assert_allclose(gradient, thrice_gradient, rtol=1e-5, atol=1e-5)


def test_parts_are_added() -> None:
    z, pairs, targets, weights = case(20, 16, 700, seed=11)
    loss, gradient = loss_and_gradient(z, pairs, targets, weights)
    tensor = torch.tensor(z, requires_grad=True)
    cuts = [slice(0, 300), slice(300, 300), slice(300, 700)]
    parted = pair_loss(tensor, *(LabelledPairs(pairs[cut], targets[cut], weights[cut]) for cut in cuts))
    parted.backward()
    assert float(parted.detach()) == pytest.approx(loss, rel=1e-6)
    assert tensor.grad is not None
    np.testing.assert_allclose(tensor.grad.numpy(), gradient, rtol=1e-4, atol=1e-4)


def test_no_pairs_cost_nothing() -> None:
    z, pairs, targets, weights = case(4, 2, 8, seed=7)
    loss, gradient = loss_and_gradient(z, pairs[:0], targets[:0], weights[:0])
    assert loss == 0.0
    assert not gradient.any()


def test_the_chain_rule_goes_on_above_and_below() -> None:
    z, pairs, targets, weights = case(6, 4, 15, seed=8)
    base = torch.tensor(z, requires_grad=True)
    mixer = torch.tensor(np.random.default_rng(9).normal(size=(4, 4)).astype(np.float32))
    (5.0 * pair_loss(torch.relu(base @ mixer), LabelledPairs(pairs, targets, weights))).backward()
    twin = torch.tensor(z, requires_grad=True)
    rows = torch.relu(twin @ mixer)
    ends = torch.from_numpy(pairs.astype(np.int64))
    logits = (rows[ends[:, 0]] * rows[ends[:, 1]]).sum(dim=1)
    (
        5.0
        * torch.nn.functional.binary_cross_entropy_with_logits(
            logits, torch.from_numpy(targets), weight=torch.from_numpy(weights), reduction="sum"
        )
    ).backward()
    assert base.grad is not None
    assert twin.grad is not None
    np.testing.assert_allclose(base.grad.numpy(), twin.grad.numpy(), rtol=1e-4, atol=1e-4)


def test_logits_are_inner_products_whatever_the_batch() -> None:
    z, pairs, _, _ = case(50, 16, 300, seed=10)
    logits = pair_logits(z, pairs)
    exact = (z.astype(np.float64)[pairs[:, 0]] * z.astype(np.float64)[pairs[:, 1]]).sum(axis=1)
    np.testing.assert_allclose(logits, exact, rtol=1e-12, atol=1e-12)
    assert np.array_equal(logits, pair_logits(z, pairs[:, ::-1]))
    assert np.array_equal(logits, [pair_logits(z, pair[None])[0] for pair in pairs])
    assert np.array_equal(logits, pair_logits(z, pairs.astype(np.int64)))


def test_slope_is_the_error_of_the_probability() -> None:
    z = np.array([[2.0], [-0.5]], dtype=np.float32)
    for target in (0.0, 0.3, 1.0):
        _, gradient = loss_and_gradient(
            z, np.array([[0, 1]], np.int32), np.array([target], np.float32), np.ones(1, dtype=np.float32)
        )
        assert gradient[0, 0] == pytest.approx((expit(-1.0) - target) * -0.5, rel=1e-6)
