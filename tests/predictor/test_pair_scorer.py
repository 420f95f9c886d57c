"""Scores in batches of one size, and the search among candidates where all pairs are too many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pytest
import torch

import pulink
from pulink.errors import InputError
from pulink.graph.pair_space import UndirectedPairs
from pulink.nn.mlp import PairNetwork
from pulink.predictor.by_epochs import Training
from pulink.predictor.fitting.fit_run import State
from pulink.predictor.pair_scorer import PairScorer, in_fixed_batches
from pulink.predictor.search_scope import AllPairs, BestByWalks
from pulink.predictor.walk_candidates import walk_candidates
from tests.support.planted import planted_graph

GRAPH = planted_graph(25, 3, 0.4, 0.03, seed=0)


class Ready:
    """A training that has nothing to learn."""

    n_steps = 1
    loss = 0.0

    def advance(self, n_epochs: int) -> None:
        return None

    def snapshot(self) -> State:
        return {"weights": np.linspace(1, 2, GRAPH.n_nodes)}


@dataclass(kw_only=True, eq=False, repr=False)
class Product(PairScorer):
    """Scores a pair by the product of two numbers."""

    exact_pairs: ClassVar[int] = 10**9

    def _training(self, train: pulink.Graph) -> Training:
        return Ready()

    def _state_scores(self, state: State, graph: pulink.Graph, pairs: np.ndarray) -> np.ndarray:
        weights = torch.from_numpy(state["weights"])
        return in_fixed_batches(
            lambda part: weights[part[:, 0]] * weights[part[:, 1]], pairs, 64, graph.pair_space
        )


class ProductOfCandidates(Product):
    exact_pairs: ClassVar[int] = 0


def test_every_batch_has_the_same_size_with_the_lower_end_first() -> None:
    seen = []

    def score(pairs: np.ndarray) -> torch.Tensor:
        seen.append(pairs)
        return torch.from_numpy(pairs[:, 0] * 100.0 + pairs[:, 1])

    pairs = np.array([[5, 1], [2, 3], [9, 4], [0, 8], [7, 6]])
    assert in_fixed_batches(score, pairs, 3, UndirectedPairs(10)).tolist() == [105.0, 203.0, 409.0, 8.0, 607.0]
    assert [len(part) for part in seen] == [3, 3]
    assert all((part[:, 0] < part[:, 1]).all() for part in seen)
    assert in_fixed_batches(score, pairs[:0], 3, UndirectedPairs(10)).tolist() == []


def test_scores_that_are_not_finite_are_a_failure() -> None:
    with pytest.raises(InputError, match="diverged"):
        in_fixed_batches(
            lambda part: torch.full((len(part),), float("nan")), np.array([[0, 1]]), 2, UndirectedPairs(2)
        )


def test_all_pairs_are_searched_where_that_is_allowed() -> None:
    model = Product().fit(GRAPH)
    pairs, scope = model.best_pairs(40)
    assert scope == AllPairs()
    low, high = np.triu_indices(GRAPH.n_nodes, k=1)
    free = np.stack([low, high], axis=1)[~GRAPH.has_edges(np.stack([low, high], axis=1))]
    best = free[np.argsort(-model.decision_function(free), kind="stable")[:40]]
    assert np.array_equal(model.decision_function(pairs), model.decision_function(best))
    assert len(model.best_pairs(10**6)[0]) == len(free)


def test_candidates_are_searched_where_all_pairs_are_too_many() -> None:
    model = ProductOfCandidates().fit(GRAPH)
    pairs, scope = model.best_pairs(40)
    candidates, expected_scope = walk_candidates(GRAPH, 1_000)
    assert scope == expected_scope
    assert not GRAPH.has_edges(pairs).any()
    best = np.sort(model.decision_function(candidates))[::-1][:40]
    assert np.array_equal(model.decision_function(pairs), best)


def test_candidates_are_the_best_by_either_walk_each_once() -> None:
    pairs, scope = walk_candidates(GRAPH, 30)
    adjacency = np.zeros((GRAPH.n_nodes, GRAPH.n_nodes))
    adjacency[tuple(GRAPH.edges.T)] = 1
    adjacency += adjacency.T
    degrees = adjacency.sum(axis=1)
    two = adjacency @ np.diag(1 / degrees) @ adjacency
    scaled = adjacency / np.sqrt(np.outer(degrees, degrees))
    three = scaled @ scaled @ scaled
    low, high = np.triu_indices(GRAPH.n_nodes, k=1)
    free = adjacency[low, high] == 0
    bars = [np.sort(scores[low, high][free])[-30] for scores in (two, three)]
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    assert 30 <= len(pairs) <= 60
    good = [scores[tuple(pairs.T)] >= bar - 1e-12 for scores, bar in zip((two, three), bars, strict=True)]
    assert (good[0] | good[1]).all()
    assert good[0].sum() >= 30
    assert good[1].sum() >= 30
    assert scope == BestByWalks(len(pairs), 30, ("resource allocation", "l3n"))


@pytest.mark.parametrize("width", range(1, 18))
def test_networks_of_any_width_score_a_pair_alike_in_any_company(width: int) -> None:
    vectors = torch.from_numpy(np.random.default_rng(0).normal(size=(40, 32)).astype(np.float32))
    network = PairNetwork([32, width, width], seed=0, name="x", normalise=True)

    def score(part: np.ndarray) -> torch.Tensor:
        return network(vectors[part[:, 0]] * vectors[part[:, 1]]).sum(dim=1)

    pairs, space = np.stack(np.triu_indices(40, k=1), axis=1), UndirectedPairs(40)
    order = np.random.default_rng(1).permutation(len(pairs))
    for size in (31, 64):
        together = in_fixed_batches(score, pairs, size, space)
        assert np.array_equal(in_fixed_batches(score, pairs[order], size, space), together[order])
        assert in_fixed_batches(score, pairs[77:78], size, space)[0] == together[77]
