"""L'_E draws as many non-edges as there are positives; on average it is the balanced loss, exactly

Σ_{E_P ∪ E_P^r} BCE(A_ij, ŷ_ij)  −  (|E_P ∪ E_P^r| / |E_U^r|) · Σ_{E_U^r} log(1 − ŷ_ij)
"""

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
import torch

from pulink.engine.autograd.pair_loss import LabelledPairs, pair_loss
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from pulink.methods.pull.expected_graph import ExpectedGraph, expect
from pulink.nn.trainer import LossTerm
from tests.theory.states import World, sigmoid, world

# Three positives (two observed, one added) and three pairs left in E_U^r: 3³ = 27 samples.
SMALL = world([(0, 1), (2, 3)], 4, seed=5)
# Four positives and six pairs left: 6⁴ = 1,296 samples.
LARGER = world([(0, 1), (1, 2), (3, 4)], 5, seed=6)
CASES = pytest.mark.parametrize(("state", "n_free"), [(SMALL, 3), (LARGER, 6)], ids=["27 samples", "1296 samples"])


def expected_graph(state: World) -> ExpectedGraph:
    return expect(state.graph, state.h, 1, candidates="all", n_hubs=1, hub_pairs_twice=False, sample_key=None)


def left_over(state: World) -> list[tuple[int, int]]:
    """E_U^r: the unconnected pairs that were not added."""
    added = {tuple(pair) for pair in expected_graph(state).added.tolist()}
    return [pair for pair in state.unconnected if pair not in added]


def balanced_loss(state: World) -> float:
    expected = expected_graph(state)
    total = 0.0
    for (i, j), label in zip(expected.pairs.tolist(), expected.targets.tolist(), strict=True):
        prob = sigmoid(state.h_new, (i, j))
        total -= label * math.log(prob) + (1 - label) * math.log(1 - prob)
    free = left_over(state)
    share = len(expected.pairs) / len(free)
    return total - share * sum(math.log(1 - sigmoid(state.h_new, pair)) for pair in free)


def positives(expected: ExpectedGraph) -> LabelledPairs:
    return LabelledPairs(expected.pairs, expected.targets, np.ones(len(expected.pairs), dtype=np.float32))


def non_edges(pairs: Sequence[tuple[int, int]], weight: float) -> LabelledPairs:
    return LabelledPairs(
        np.array(pairs, dtype=np.int32),
        np.zeros(len(pairs), dtype=np.float32),
        np.full(len(pairs), weight, dtype=np.float32),
    )


def sampled_loss(expected: ExpectedGraph, sample: Sequence[tuple[int, int]], h: torch.Tensor) -> torch.Tensor:
    return pair_loss(h, positives(expected), non_edges(sample, 1.0))


@CASES
def test_the_mean_over_all_samples_is_the_balanced_loss(state: World, n_free: int) -> None:
    free = left_over(state)
    assert len(free) == n_free
    expected = expected_graph(state)
    samples = list(itertools.product(free, repeat=len(expected.pairs)))
    h = torch.from_numpy(state.h_new)
    mean = np.mean([float(sampled_loss(expected, sample, h)) for sample in samples])
    assert mean == pytest.approx(balanced_loss(state), rel=1e-5)


@CASES
def test_the_mean_gradient_is_the_gradient_of_the_balanced_loss(state: World, n_free: int) -> None:
    free = left_over(state)
    expected = expected_graph(state)
    n_positives = len(expected.pairs)
    samples = list(itertools.product(free, repeat=n_positives))
    sampled = torch.tensor(state.h_new, requires_grad=True)
    for sample in samples:
        sampled_loss(expected, sample, sampled).backward()
    whole = torch.tensor(state.h_new, requires_grad=True)
    pair_loss(whole, positives(expected), non_edges(free, n_positives / n_free)).backward()
    assert sampled.grad is not None
    assert whole.grad is not None
    np.testing.assert_allclose(sampled.grad.numpy() / len(samples), whole.grad.numpy(), rtol=1e-4, atol=1e-5)


@CASES
def test_the_loss_of_an_epoch_is_one_of_those_samples_and_right_on_average(state: World, n_free: int) -> None:
    expected = expected_graph(state)
    n_positives = len(expected.pairs)
    term = LossTerm(
        adjacency=propagation_operator(expected.adjacency),
        positives=expected.pairs,
        targets=expected.targets,
        counts=np.ones(n_positives, dtype=np.float32),
        n_non_edges=n_positives,
        sampler=NonEdgeSampler(expected.adjacency),
        reduction="sum",
    )
    h = torch.from_numpy(state.h_new)
    values = np.array([float(term.loss(h, stream_key(0, "epoch", epoch))) for epoch in range(4_000)])
    possible = np.unique(
        np.round(
            [
                float(sampled_loss(expected, sample, h))
                for sample in itertools.combinations_with_replacement(left_over(state), n_positives)
            ],
            4,
        )
    )
    assert np.abs(values[:, None] - possible).min(axis=1).max() < 1e-3
    error = values.std() / math.sqrt(len(values))
    assert values.mean() == pytest.approx(balanced_loss(state), abs=4 * error)
