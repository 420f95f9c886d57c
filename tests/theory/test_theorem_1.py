"""Theorem 1: the EM likelihood Q is the negative of L_E on the expected graph."""

import math

import numpy as np
import pytest
import torch

from pulink.engine.autograd.pair_loss import LabelledPairs, pair_loss
from pulink.methods.pull.expected_graph import expect
from tests.theory.states import NAMES, WORLDS, World, sigmoid


def log_joint(world: World, z: dict[tuple[int, int], int], h_new: np.ndarray) -> float:
    """log p(E_P, z | X, θ_new), equation 8."""
    total = sum(math.log(sigmoid(h_new, pair)) for pair in world.observed)
    for pair in world.unconnected:
        prob = sigmoid(h_new, pair)
        total += math.log(z[pair] * prob + (1 - z[pair]) * (1 - prob))
    return total


def q(world: World, h_new: np.ndarray) -> float:
    """Q(θ_new | θ), equation 7, by enumerating z."""
    return sum(world.probability(z) * log_joint(world, z, h_new) for z in world.states())


def loss_on_expected_graph(world: World, h_new: torch.Tensor) -> torch.Tensor:
    """L_E (equation 5) with every unconnected pair in the expected graph: E_P^r = E_U, E_U^r is empty."""
    expected = expect(
        world.graph,
        world.h,
        len(world.unconnected),
        candidates="all",
        n_hubs=1,
        hub_pairs_twice=False,
        sample_key=None,
    )
    ones = np.ones(len(expected.pairs), dtype=np.float32)
    return pair_loss(h_new, LabelledPairs(expected.pairs, expected.targets, ones))


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_q_is_minus_the_loss(world: World) -> None:
    loss = float(loss_on_expected_graph(world, torch.from_numpy(world.h_new)))
    assert q(world, world.h_new) == pytest.approx(-loss, rel=1e-5)


@pytest.mark.parametrize("world", WORLDS[:3], ids=NAMES[:3])
def test_they_have_the_same_slope(world: World) -> None:
    h_new = torch.tensor(world.h_new, requires_grad=True)
    loss_on_expected_graph(world, h_new).backward()
    assert h_new.grad is not None
    step = 1e-4
    for i in range(world.graph.n_nodes):
        for c in range(3):
            up, down = world.h_new.astype(np.float64), world.h_new.astype(np.float64)
            up[i, c] += step
            down[i, c] -= step
            slope = (q(world, up) - q(world, down)) / (2 * step)
            assert slope == pytest.approx(-float(h_new.grad[i, c]), rel=1e-4, abs=1e-4)


@pytest.mark.parametrize("world", WORLDS, ids=NAMES)
def test_a_hard_expectation_would_not_be_enough(world: World) -> None:
    # Replacing A by its most likely state breaks the identity: the soft labels carry it.
    likeliest = max(world.states(), key=world.probability)
    assert abs(q(world, world.h_new) - log_joint(world, likeliest, world.h_new)) > 1e-2
