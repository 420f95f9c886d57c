"""Small networks against PyTorch's own layers; dropped units by key alone."""

import numpy as np
import pytest
import torch
from torch import nn

from pulink.engine.random import stream_key
from pulink.nn.mlp import PairNetwork, dropped, from_state, to_state

KEY = stream_key(0, "test")


def rows(n: int, d: int, seed: int = 0) -> torch.Tensor:
    return torch.from_numpy(np.random.default_rng(seed).normal(size=(n, d)).astype(np.float32))


def twin(network: PairNetwork, final_relu: bool) -> nn.Sequential:
    """The same weights in PyTorch's layers."""
    parts: list[nn.Module] = []
    for k, layer in enumerate(network.layers):
        linear = nn.Linear(*layer.weight.shape)
        linear.weight.data, linear.bias.data = layer.weight.data.T.clone(), layer.bias.data.clone()
        parts.append(linear)
        if k + 1 < len(network.layers) or final_relu:
            parts += [nn.BatchNorm1d(linear.out_features)] if len(network.norms) else []
            parts.append(nn.ReLU())
    return nn.Sequential(*parts)


@pytest.mark.parametrize("normalise", [False, True])
@pytest.mark.parametrize("final_relu", [False, True])
def test_training_and_scoring_are_those_of_plain_layers(normalise: bool, final_relu: bool) -> None:
    network = PairNetwork([5, 7, 3], seed=1, name="x", normalise=normalise, final_relu=final_relu)
    plain = twin(network, final_relu)
    for seed in range(3):
        x = rows(40, 5, seed)
        torch.testing.assert_close(network(x, KEY), plain.train()(x))
    x = rows(11, 5, seed=9)
    torch.testing.assert_close(network(x), plain.eval()(x))


def test_one_row_is_trained_on_without_a_variance() -> None:
    network = PairNetwork([4, 6, 1], seed=0, name="x", normalise=True)
    assert torch.isfinite(network(rows(1, 4), KEY)).all()


def test_weights_come_from_seed_and_name() -> None:
    def first(seed: int, name: str) -> torch.Tensor:
        return PairNetwork([30, 20], seed, name).layers[0].weight.detach()

    assert torch.equal(first(0, "a"), first(0, "a"))
    assert not torch.equal(first(0, "a"), first(1, "a"))
    assert not torch.equal(first(0, "a"), first(0, "b"))
    limit = np.sqrt(6 / 50)
    assert limit * 0.9 < first(0, "a").abs().max() <= limit


def test_a_share_is_dropped_and_the_rest_makes_up_for_it() -> None:
    ones = torch.ones(300, 40)
    out = dropped(ones, 0.3, KEY)
    assert set(np.round(out.unique().numpy(), 5)) == {0.0, np.float32(round(1 / 0.7, 5))}
    assert (out == 0).float().mean().item() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / 12_000))
    assert torch.equal(out, dropped(ones, 0.3, KEY))
    assert not torch.equal(out, dropped(ones, 0.3, stream_key(1, "test")))
    assert torch.equal(dropped(ones, 0.0, KEY), ones)


def test_only_hidden_units_are_dropped_and_only_in_training() -> None:
    network = PairNetwork([4, 50, 2], seed=0, name="x", dropout=0.5)
    x = rows(10, 4)
    assert torch.equal(network(x), network(x))
    assert torch.equal(network(x, KEY), network(x, KEY))
    assert not torch.equal(network(x, KEY), network(x))
    assert (network(x, KEY) != 0).all()


def test_a_state_comes_back() -> None:
    network = PairNetwork([4, 6, 1], seed=0, name="x", normalise=True)
    for seed in range(4):
        network(rows(20, 4, seed), KEY)
    state = to_state(network, "part.")
    assert all(name.startswith("part.") for name in state)
    other = PairNetwork([4, 6, 1], seed=5, name="y", normalise=True)
    from_state(other, state | {"another": np.zeros(3)}, "part.")
    assert torch.equal(other(rows(9, 4)), network(rows(9, 4)))
    network(rows(20, 4, seed=8), KEY)
    assert not np.array_equal(state["part.norms.0.mean"], to_state(network)["norms.0.mean"])
