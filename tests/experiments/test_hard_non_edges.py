"""Hard non-edges against a slow twin, and answers by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

import pulink
from pulink.errors import InputError
from pulink.experiments.hard_non_edges import hard_non_edges, least_places
from pulink.graph.graph import Graph
from pulink.graph.split import Split, split
from tests.support.planted import planted_graph


def slow_places(scores: list[list[float]]) -> list[int]:
    """The rule, word by word."""
    places = []
    for candidate in range(len(scores[0])):
        own = []
        for row in scores:
            positive = [score for score in row if score > 0]
            worst = 1 + sum(min(positive) <= score < max(positive) for score in positive) if positive else 0
            score = row[candidate]
            own.append(1 + sum(score <= other < max(positive) for other in positive) if score > 0 else worst + 1)
        places.append(min(own))
    return places


def slow_scores(graph: Graph, node: int) -> list[list[float]]:
    """Resource allocation, PageRank by the inverse of a matrix, and cosines, of one node with all."""
    n = graph.n_nodes
    joined = np.zeros((n, n))
    for i, j in graph.edges.tolist():
        joined[i, j] = joined[j, i] = 1.0
    degrees = joined.sum(axis=1)
    allocation = [
        sum(joined[node, w] * joined[w, v] / degrees[w] for w in range(n) if degrees[w]) for v in range(n)
    ]
    walk = joined / np.maximum(degrees, 1)
    start = np.eye(n)[node]
    pagerank = start if not degrees[node] else np.linalg.solve(np.eye(n) - 0.85 * walk, 0.15 * start)
    rows = [allocation, [float(p) if p > 1e-6 else 0.0 for p in pagerank]]
    if graph.features is not None:
        features = graph.features.toarray() if sp.issparse(graph.features) else graph.features
        lengths = np.linalg.norm(features, axis=1)
        inner = features @ features[node]
        rows.append(
            [float(x / (lengths[node] * y)) if x > 0 else 0.0 for x, y in zip(inner, lengths, strict=True)]
        )
    return [[float(score) for score in row] for row in rows]


def hidden(seed: int, *, featured: bool) -> Split:
    graph = planted_graph(15, 2, 0.4, 0.05, seed=seed)
    if featured:
        # Drawn numbers, so that no two cosines are equal but by the twin's rounding.
        graph = graph.with_features(np.random.default_rng(seed).random((graph.n_nodes, 3), dtype=np.float32))
    else:
        graph = replace(graph, features=None, feature_names=None)
    return split(graph, val=0.1, test=0.2, seed=seed)


@pytest.mark.parametrize("featured", [True, False])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_they_are_those_of_the_slow_twin(seed: int, featured: bool) -> None:
    data = hidden(seed, featured=featured)
    found = hard_non_edges(data, 6, seed)
    whole = {frozenset(pair) for pair in np.concatenate([data.train.edges, data.hidden_edges]).tolist()}
    for node, others in zip(found.nodes.tolist(), found.others.tolist(), strict=True):
        candidates = [v for v in range(data.train.n_nodes) if v != node and frozenset((node, v)) not in whole]
        scores = [[row[v] for v in candidates] for row in slow_scores(data.train, node)]
        # Equal scores come out of other sums, which round otherwise.
        places = dict(zip(candidates, slow_places([np.round(row, 5).tolist() for row in scores]), strict=True))
        bound = sorted(places.values())[2]
        assert len(set(others)) == 3
        assert {v for v in candidates if places[v] < bound} <= set(others)
        assert all(places[v] <= bound for v in others)


def test_none_is_an_edge_and_each_keeps_an_end() -> None:
    data = hidden(3, featured=True)
    found = hard_non_edges(data, 8, 0)
    whole = np.concatenate([data.train.edges, data.hidden_edges])
    assert not data.train.pair_space.isin(found.pairs, whole).any()
    assert (found.pairs[:, 0] != found.pairs[:, 1]).all()
    np.testing.assert_array_equal(found.nodes[found.places], data.test_edges)


def test_places_by_hand() -> None:
    # 9 is first; both 5s stand behind three that are not worse, but for the best: third; 2 is fourth; zeros fifth.
    one = np.array([5.0, 9.0, 5.0, 2.0, 0.0, 0.0])
    assert least_places([one]).tolist() == slow_places([one.tolist()]) == [3, 1, 3, 4, 5, 5]
    # A heuristic that scores nobody gives everybody the first place.
    assert least_places([one, np.zeros(6)]).tolist() == [1] * 6
    # One that scores few stands for all others right behind them.
    few = np.array([0.0, 0.0, 0.0, 0.0, 7.0, 0.0])
    assert least_places([one, few]).tolist() == slow_places([one.tolist(), few.tolist()]) == [2, 1, 2, 2, 1, 2]


def test_places_of_any_scores_are_those_of_the_slow_twin() -> None:
    generator = np.random.default_rng(0)
    for _ in range(200):
        scores = [np.floor(generator.random(12) * size) for size in generator.integers(1, 12, size=3)]
        assert least_places(scores).tolist() == slow_places([row.tolist() for row in scores])


def test_scores_stand_beside_the_edge_of_their_ends() -> None:
    data = hidden(0, featured=False)
    found = hard_non_edges(data, 4, 0)
    model = pulink.ResourceAllocation().fit(data)
    scores = found.scores(model)
    edge = 2
    a, b = found.places[edge]
    pairs = [(found.nodes[end], other) for end in (a, b) for other in found.others[end]]
    assert scores[edge].tolist() == model.decision_function(np.array(pairs)).tolist()


def test_chance_is_the_seeds() -> None:
    data = hidden(1, featured=False)
    again, other = hard_non_edges(data, 10, 5), hard_non_edges(data, 10, 6)
    assert np.array_equal(hard_non_edges(data, 10, 5).others, again.others)
    assert not np.array_equal(again.others, other.others)


def test_a_graph_that_is_too_small_is_told() -> None:
    with pytest.raises(InputError, match="500 hard non-edges are needed at each end of a test edge, but node"):
        hard_non_edges(hidden(0, featured=False), 1000, 0)
