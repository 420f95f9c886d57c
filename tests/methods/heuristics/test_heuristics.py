"""Heuristics against NetworkX, powers of dense matrices, and answers worked out by hand."""

from collections.abc import Callable
from math import log, sqrt
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.errors import ModelError, ParameterError
from pulink.graph.graph import Graph
from pulink.methods.heuristics.base import Heuristic
from pulink.methods.registry import GROUPS, METHODS
from pulink.predictor.search_scope import AllPairs, HubsAndNear, TooManyNodes, TooSlow
from tests.support.planted import planted_graph
from tests.support.ties import ranked

F64 = npt.NDArray[np.float64]

CLASSES: dict[str, type[Heuristic]] = {
    "cn": pulink.CommonNeighbours,
    "aa": pulink.AdamicAdar,
    "ra": pulink.ResourceAllocation,
    "jaccard": pulink.Jaccard,
    "pa": pulink.PreferentialAttachment,
    "katz": pulink.Katz,
    "ppr": pulink.PersonalisedPageRank,
    "l3": pulink.L3,
    "l3n": pulink.L3N,
}
NETWORKX: dict[str, Callable[..., Any]] = {
    "aa": nx.adamic_adar_index,
    "ra": nx.resource_allocation_index,
    "jaccard": nx.jaccard_coefficient,
    "pa": nx.preferential_attachment,
}
GRAPH = planted_graph(25, 3, 0.3, 0.05, seed=0)


def test_every_heuristic_is_tested_here() -> None:
    untested = [name for name in GROUPS["heuristics"] if METHODS[name].predictor not in CLASSES.values()]
    assert untested == [], (
        "add them to CLASSES above, and give each an answer that does not come from its own code"
    )


def square(n_nodes: int) -> npt.NDArray[np.int64]:
    return np.argwhere(np.ones((n_nodes, n_nodes), dtype=np.bool_))


def fitted(name: str, graph: Graph, **settings: Any) -> Heuristic:
    """Fitted on all edges, none hidden."""
    return CLASSES[name](val_ratio=0.0, **settings).fit(graph)


def matrix_of(graph: Graph) -> F64:
    matrix = np.zeros((graph.n_nodes, graph.n_nodes))
    matrix[graph.edges[:, 0], graph.edges[:, 1]] = matrix[graph.edges[:, 1], graph.edges[:, 0]] = 1
    return matrix


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any graph of two to nine nodes with an edge; isolated nodes included."""
    n_nodes = draw(st.integers(2, 9))
    low, high = np.triu_indices(n_nodes, k=1)
    kept = np.array(draw(st.lists(st.booleans(), min_size=len(low), max_size=len(low))), dtype=np.bool_)
    kept[draw(st.integers(0, len(low) - 1))] = True
    return Graph.from_edges(np.stack([low[kept], high[kept]], axis=1), n_nodes)


def in_networkx(graph: Graph) -> nx.Graph:
    theirs = nx.Graph()
    theirs.add_nodes_from(range(graph.n_nodes))
    theirs.add_edges_from(graph.edges.tolist())
    return theirs


@settings(derandomize=True, max_examples=40)
@given(graphs())
def test_networkx_agrees(graph: Graph) -> None:
    pairs = np.stack(np.triu_indices(graph.n_nodes, k=1), axis=1)
    theirs = in_networkx(graph)
    counts = [len(list(nx.common_neighbors(theirs, i, j))) for i, j in pairs.tolist()]
    assert fitted("cn", graph).decision_function(pairs).tolist() == counts
    for name, function in NETWORKX.items():
        expected = [score for _, _, score in function(theirs, pairs.tolist())]
        np.testing.assert_allclose(fitted(name, graph).decision_function(pairs), expected, rtol=1e-12)


@settings(derandomize=True, max_examples=15)
@given(graphs())
def test_networkx_agrees_on_pagerank(graph: Graph) -> None:
    theirs = in_networkx(graph)
    ranks = np.empty((graph.n_nodes, graph.n_nodes))
    for i in range(graph.n_nodes):
        found = nx.pagerank(theirs, alpha=0.85, personalization={i: 1}, tol=1e-10, max_iter=1000)
        ranks[i] = [found[j] for j in range(graph.n_nodes)]
    pairs = np.stack(np.triu_indices(graph.n_nodes, k=1), axis=1)
    both = (ranks + ranks.T)[pairs[:, 0], pairs[:, 1]]
    np.testing.assert_allclose(fitted("ppr", graph).decision_function(pairs), both, atol=5e-6)


@settings(derandomize=True, max_examples=40)
@given(graphs(), st.sampled_from([0.005, 0.3]))
def test_powers_of_dense_matrices_agree(graph: Graph, beta: float) -> None:
    matrix = matrix_of(graph)
    degrees = matrix.sum(axis=1)
    root = np.where(degrees > 0, 1 / np.sqrt(np.maximum(degrees, 1)), 0)
    normalised = root[:, None] * matrix * root
    expected = {
        "l3": np.linalg.matrix_power(matrix, 3),
        "l3n": np.linalg.matrix_power(normalised, 3),
        "katz": sum(beta**k * np.linalg.matrix_power(matrix, k) for k in (1, 2, 3)),
    }
    for name, scores in expected.items():
        model = fitted(name, graph, **({"beta": beta} if name == "katz" else {}))
        found = model.decision_function(square(graph.n_nodes)).reshape(matrix.shape)
        np.testing.assert_allclose(found, scores, rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("name", "scores"),
    [
        ("cn", [2, 0, 1]),
        ("aa", [1 / log(2) + 1 / log(3), 0, 1 / log(3)]),
        ("ra", [1 / 2 + 1 / 3, 0, 1 / 3]),
        ("jaccard", [2 / 2, 0, 1 / 2]),
        ("pa", [4, 2, 2]),
        ("l3", [0, 2, 0]),
        ("l3n", [0, 2 / (2 * 3) / sqrt(2 * 1), 0]),
        ("katz", [2 * 0.005**2, 2 * 0.005**3, 0.005**2]),
    ],
)
def test_by_hand(name: str, scores: list[float]) -> None:
    # A square 0-1-2-3 with a tail 3-4, and node 5 alone. 0 and 2 share 1 and 3; 0 and 4 share 3;
    # 1-0-3-4 and 1-2-3-4 are the walks of three steps.
    graph = Graph.from_edges([[0, 1], [0, 3], [1, 2], [2, 3], [3, 4]], 6)
    found = fitted(name, graph).decision_function(np.array([[0, 2], [1, 4], [0, 4], [0, 5], [5, 3]]))
    np.testing.assert_allclose(found, [*scores, 0, 0], rtol=1e-12)


def sorted_pairs(model: Heuristic, graph: Graph) -> tuple[npt.NDArray[np.int64], F64]:
    """All unconnected pairs by score, then by their hash."""
    pairs = np.stack(np.triu_indices(graph.n_nodes, k=1), axis=1)
    pairs = pairs[~graph.has_edges(pairs)]
    scores = model.decision_function(pairs)
    best = ranked(scores, pairs)
    return np.array([pair for _, _, pair in best]), -np.array([score for score, _, _ in best])


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("count", [1, 40, 700, 10_000])
@pytest.mark.parametrize("name", CLASSES)
def test_the_list_is_the_head_of_all_pairs_sorted(name: str, count: int, threads: int) -> None:
    model = fitted(name, GRAPH, threads=threads)
    found, scope = model.best_pairs(count)
    assert scope == AllPairs()
    pairs, scores = sorted_pairs(model, GRAPH)
    assert np.array_equal(model.decision_function(found), scores[:count])
    # Where there are not enough pairs with a common neighbour, others are drawn.
    above = scores[:count] > 0
    assert np.array_equal(np.sort(found, axis=1)[above], pairs[:count][above])
    assert len(np.unique(np.sort(found, axis=1), axis=0)) == len(found)


def test_the_numbers_of_nodes_do_not_decide_what_a_score_cannot() -> None:
    # A star has no walk of three steps between unconnected nodes: all pairs tie, the hidden edges among them.
    n_nodes, n_hidden = 60, 15
    hub, leaves = np.zeros(n_nodes - 1, dtype=np.int64), np.arange(1, n_nodes)
    edges = np.stack([hub, leaves], axis=1)
    # The two worst labellings by number, where the hub is the first node and the last, and random ones.
    labels = [np.arange(n_nodes), np.arange(n_nodes)[::-1]]
    labels += [np.random.default_rng(seed).permutation(n_nodes) for seed in range(100)]
    precisions = []
    for label in labels:
        model = fitted("l3", Graph.from_edges(label[edges[n_hidden:]], n_nodes))
        found = model.best_pairs(n_hidden)[0]
        precisions.append(pulink.metrics.precision_at(found, label[edges[:n_hidden]], model.graph_.pair_space))
    probability = n_hidden / (n_nodes * (n_nodes - 1) // 2 - (n_nodes - 1 - n_hidden))
    assert max(precisions[:2]) <= 2 / n_hidden
    error = np.sqrt(probability * (1 - probability) / (n_hidden * len(labels)))
    assert np.mean(precisions) == pytest.approx(probability, abs=4 * error)


@settings(derandomize=True, max_examples=30)
@given(graphs(), st.sampled_from(list(CLASSES)), st.integers(0, 40))
def test_the_list_on_any_small_graph(graph: Graph, name: str, count: int) -> None:
    model = fitted(name, graph)
    found = model.best_pairs(count)[0]
    assert np.array_equal(model.decision_function(found), sorted_pairs(model, graph)[1][:count])
    assert len(np.unique(np.sort(found, axis=1), axis=0)) == len(found)
    assert not graph.has_edges(found).any()


@pytest.mark.parametrize("name", CLASSES)
def test_beyond_the_exact_search_the_best_pairs_are_still_found(name: str) -> None:
    model = fitted(name, GRAPH)
    best = sorted_pairs(model, GRAPH)[1][:100]
    found, scope = model.best_pairs(100, exact_nodes=10)
    scores = model.decision_function(found)
    assert (np.diff(scores) <= 0).all()
    assert len(np.unique(np.sort(found, axis=1), axis=0)) == 100
    if scope.exact:
        assert np.array_equal(scores, best)
    else:
        assert isinstance(scope, HubsAndNear)
        assert scope.reason == TooManyNodes(75, 10)
        # With 75 nodes, every one of them is among the 100 of largest degree.
        np.testing.assert_allclose(scores, best, rtol=1e-12)


@pytest.mark.parametrize("name", CLASSES)
def test_hubs_are_passed_over_only_beyond_the_exact_search(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.methods.heuristics.shared_neighbours._MOST_STEPS", 3_000)
    monkeypatch.setattr("pulink.methods.heuristics.row_search._HUBS", 2)
    model = fitted(name, GRAPH)
    best = sorted_pairs(model, GRAPH)[1][:50]
    assert np.array_equal(model.decision_function(model.best_pairs(50)[0]), best)
    found, scope = model.best_pairs(50, exact_nodes=10)
    assert scope.exact == (name == "pa")
    assert len(found) == 50
    assert not GRAPH.has_edges(found).any()
    assert model.decision_function(found).mean() > 0.5 * best.mean()


def test_pairs_without_a_common_neighbour_come_last() -> None:
    path = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4]], 5)
    for exact_nodes in (3, 10):
        found = fitted("cn", path).best_pairs(6, exact_nodes=exact_nodes)[0].tolist()
        assert sorted(found[:3]) == [[0, 2], [1, 3], [2, 4]]
        assert sorted(found[3:]) == [[0, 3], [0, 4], [1, 4]]


@pytest.mark.parametrize("name", CLASSES)
def test_same_bits_from_both_ends_and_in_any_batch(name: str) -> None:
    model = fitted(name, GRAPH)
    pairs = square(GRAPH.n_nodes)
    scores = model.decision_function(pairs)
    assert np.array_equal(scores, model.decision_function(pairs[:, ::-1]))
    order = np.random.default_rng(0).permutation(len(pairs))[:99]
    assert np.array_equal(model.decision_function(pairs[order]), scores[order])
    assert model.decision_function(pairs[order[:1]])[0] == scores[order[0]]


@pytest.mark.parametrize("name", CLASSES)
def test_its_own_probabilities_rise_and_fit_the_validation_pairs(name: str) -> None:
    split = pulink.split(planted_graph(40, 3, 0.6, 0.02, seed=1), val=0.2, test=0.1, seed=0)
    model = CLASSES[name]().fit(split)
    edges, non_edges = (
        model._probabilities(model.decision_function(own)) for own in (split.val_edges, split.val_non_edges)
    )
    # Fitted by logistic regression with an offset: on balanced pairs the mean probability is a half.
    assert abs(np.concatenate([edges, non_edges]).mean() - 0.5) < 0.01
    scores = model.decision_function(square(120))
    probs = model._probabilities(scores)
    assert (np.diff(probs[np.argsort(scores)]) >= 0).all()
    assert ((probs > 0) & (probs < 1)).all()
    wins = (edges[:, None] > non_edges).mean() + 0.5 * (edges[:, None] == non_edges).mean()
    assert model.best_val_auroc_ == pytest.approx(wins, abs=1e-9)
    if name != "pa":
        assert edges.mean() - non_edges.mean() > 0.4


@pytest.mark.parametrize("name", CLASSES)
def test_a_graph_keeps_all_its_edges_and_the_map_of_its_hidden_ones(name: str) -> None:
    model = CLASSES[name](seed=3).fit(GRAPH)
    assert model.graph_ is GRAPH
    assert model.n_steps_ == 0
    assert model.training_summary_ == "no training"
    assert np.array_equal(model.decision_function(square(75)), fitted(name, GRAPH).decision_function(square(75)))
    held = CLASSES[name]().fit(pulink.split(GRAPH, val=0.1, test=0.0, seed=3))
    assert np.array_equal(model.state_["probability"], held.state_["probability"])
    assert model.best_val_auroc_ == held.best_val_auroc_


def test_without_validation_edges_known_ones_teach_the_map() -> None:
    graph = planted_graph(40, 3, 0.6, 0.02, seed=1)
    model = fitted("ra", graph)
    assert model.best_val_auroc_ is None
    pairs = np.stack(np.triu_indices(120, k=1), axis=1)
    non_edges = pairs[~graph.has_edges(pairs)]
    assert model.predict_proba(graph.edges).mean() > 0.5 + model.predict_proba(non_edges).mean()
    complete = Graph.from_edges(np.stack(np.triu_indices(5, k=1), axis=1))
    assert fitted("cn", complete).missing_links(3).height == 0


@pytest.mark.parametrize("name", ["jaccard", "katz", "ppr"])
def test_saved_and_loaded_with_what_was_fitted(name: str, tmp_path: Path) -> None:
    settings = {"katz": {"beta": 0.1}, "ppr": {"alpha": 0.3}}.get(name, {})
    model = CLASSES[name](**settings).fit(GRAPH)
    before = model.decision_function(square(75))
    # Settings that change after a fit wait for the next one.
    model.set_params(**dict.fromkeys(settings, 0.4))
    assert np.array_equal(model.decision_function(square(75)), before)
    model.save(tmp_path / "model")
    loaded = CLASSES[name].load(tmp_path / "model")
    assert np.array_equal(loaded.decision_function(square(75)), before)
    assert np.array_equal(loaded.predict_proba(square(75)), model.predict_proba(square(75)))
    assert loaded.best_val_auroc_ == model.best_val_auroc_
    with pytest.raises(ModelError):
        pulink.L3.load(tmp_path / "model")


def test_edge_weights_are_ignored() -> None:
    weighted = Graph.from_edges(GRAPH.edges, 75, weights=np.arange(1.0, GRAPH.n_edges + 1))
    for name in CLASSES:
        assert np.array_equal(
            fitted(name, weighted).decision_function(square(75)),
            fitted(name, GRAPH).decision_function(square(75)),
        )


def test_a_large_graph_is_judged_by_a_sample_and_searched_in_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.methods.heuristics.pagerank._MOST_SEARCHED", 10)
    monkeypatch.setattr("pulink.methods.heuristics.pagerank._MOST_JUDGED", 10)
    monkeypatch.setattr("pulink.methods.heuristics.pagerank._LEAST_JUDGED", 30)
    split = pulink.split(planted_graph(40, 3, 0.3, 0.02, seed=1), val=0.2, test=0.1, seed=0)
    model = pulink.PersonalisedPageRank().fit(split)
    assert model.best_val_auroc_ is not None
    # With 30 of either kind, wins come in steps of 1 / 900.
    assert (model.best_val_auroc_ * 1_800) % 1 == pytest.approx(0, abs=1e-6)
    scope = model.best_pairs(5)[1]
    assert isinstance(scope, HubsAndNear)
    assert scope.reason == TooSlow(model.graph_.n_nodes)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: pulink.Katz(beta=0), "beta must be a positive number, got 0"),
        (lambda: pulink.PersonalisedPageRank(alpha=1.0), "alpha must lie between 0 and 1, got 1.0"),
        (lambda: pulink.PersonalisedPageRank(alpha=True), "alpha must lie between 0 and 1, got True"),
        (lambda: pulink.PersonalisedPageRank(tolerance=1e-9), r"tolerance must lie in \[1e-7, 0.1\], got 1e-09"),
        (lambda: pulink.L3(val_ratio=1.0), "val_ratio must lie in"),
    ],
)
def test_settings_are_judged(make: Callable[[], Heuristic], words: str) -> None:
    with pytest.raises(ParameterError, match=words):
        make().fit(GRAPH)
