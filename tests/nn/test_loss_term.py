"""Loss terms worked out by hand on three nodes: 0 - 1 - 2, where (0, 2) is the only non-edge."""

import numpy as np
import pytest
import torch

from pulink import Graph
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from pulink.nn.trainer import LossTerm

KEY = stream_key(0, "term")
PATH = Graph.from_edges([[0, 1], [1, 2]])
# Logits: (0, 1) → 1, (1, 2) → 2, (0, 2) → 2
Z = torch.tensor([[1.0], [1.0], [2.0]])
LOG_1_E = 1.3132616875182228  # log(1 + e)
LOG_1_E2 = 2.1269280110429727  # log(1 + e²)
SURE = LOG_1_E - 1.0  # (0, 1) with label 1
SOFT = LOG_1_E2 - 0.25 * 2.0  # (1, 2) with label 0.25
NONE = LOG_1_E2  # (0, 2) with label 0


def term(reduction: str, counts: tuple[float, float], n_non_edges: int) -> LossTerm:
    return LossTerm(
        adjacency=propagation_operator(PATH.adjacency),
        positives=PATH.edges,
        targets=np.array([1.0, 0.25], dtype=np.float32),
        counts=np.array(counts, dtype=np.float32),
        n_non_edges=n_non_edges,
        sampler=NonEdgeSampler(PATH.adjacency),
        reduction=reduction,
    )


@pytest.mark.parametrize(
    ("reduction", "counts", "n_non_edges", "value"),
    [
        ("sum", (1, 1), 2, SURE + SOFT + 2 * NONE),
        ("sum", (2, 4), 6, 2 * SURE + 4 * SOFT + 6 * NONE),
        ("mean", (1, 1), 2, (SURE + SOFT + 2 * NONE) / 4),
        ("mean", (2, 4), 6, (2 * SURE + 4 * SOFT + 6 * NONE) / 12),
        ("mean", (2, 4), 3, (2 * SURE + 4 * SOFT + 3 * NONE) / 9),
        ("per_class", (1, 1), 2, (SURE + SOFT) / 2 + NONE),
        ("per_class", (2, 4), 3, (2 * SURE + 4 * SOFT) / 6 + NONE),
    ],
)
def test_reductions(reduction: str, counts: tuple[float, float], n_non_edges: int, value: float) -> None:
    assert float(term(reduction, counts, n_non_edges).loss(Z, KEY)) == pytest.approx(value, rel=1e-6)


def test_means_per_class_are_twice_the_mean_when_classes_are_equal() -> None:
    # GAE's loss is twice PULL's, |P| = |N|: their gradients point the same way.
    mean, per_class = (float(term(r, (2, 4), 6).loss(Z, KEY)) for r in ("mean", "per_class"))
    assert per_class == pytest.approx(2 * mean, rel=1e-6)


@pytest.mark.parametrize("reduction", ["mean", "per_class", "sum"])
def test_a_complete_graph_has_only_positives(reduction: str) -> None:
    triangle = Graph.from_edges([[0, 1], [1, 2], [0, 2]])
    ones = np.ones(3, dtype=np.float32)
    complete = LossTerm(
        propagation_operator(triangle.adjacency),
        triangle.edges,
        ones,
        ones,
        3,
        NonEdgeSampler(triangle.adjacency),
        reduction,
    )
    total = SURE + 2 * (LOG_1_E2 - 2.0)
    expected = total if reduction == "sum" else total / 3
    assert float(complete.loss(Z, KEY)) == pytest.approx(expected, rel=1e-6)


def test_gradient_of_the_mean_by_hand() -> None:
    # d/dz0 = (σ(1) − 1) z1 / 3 + σ(2) z2 / 3 with one positive of each kind left out of z0's pairs
    z = Z.clone().requires_grad_()
    term("mean", (1, 1), 1).loss(z, KEY).backward()
    sigma_1, sigma_2 = 0.7310585786300049, 0.8807970779778823
    by_hand = [
        [(sigma_1 - 1) * 1 + sigma_2 * 2],
        [(sigma_1 - 1) * 1 + (sigma_2 - 0.25) * 2],
        [(sigma_2 - 0.25) * 1 + sigma_2 * 1],
    ]
    assert z.grad is not None
    np.testing.assert_allclose(z.grad.numpy(), np.array(by_hand) / 3, rtol=1e-5)


def drawn(most: int | None, key: int = 0) -> float:
    """The loss of a path of 200 edges, each node with a vector of its own, by `most` edges of an epoch."""
    edges = np.stack([np.arange(200), np.arange(1, 201)], axis=1).astype(np.int32)
    graph = Graph.from_edges(edges, 201)
    sampler = NonEdgeSampler(graph.adjacency)
    term = LossTerm.of_edges(propagation_operator(graph.adjacency), graph.edges, sampler, most, reduction="mean")
    z = torch.from_numpy(np.random.default_rng(0).normal(size=(201, 4)).astype(np.float32))
    return float(term.loss(z, stream_key(key, "term")))


def test_an_epoch_of_all_edges_draws_none() -> None:
    assert drawn(None) == drawn(200) == drawn(1_000)


def test_edges_of_an_epoch_are_drawn_by_its_key() -> None:
    assert drawn(50) == drawn(50) != drawn(50, key=1)
    # On average a part costs what all do.
    parts = [drawn(50, key) for key in range(400)]
    whole = np.mean([drawn(None, key) for key in range(400)])
    assert np.mean(parts) == pytest.approx(whole, abs=4 * np.std(parts) / 20)
