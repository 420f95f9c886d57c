"""Pairs worth the trees' time: none known, none twice, and each source as good as a search through everything."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.engine.random import stream_key
from pulink.engine.structure.eigenpairs import leading_eigenpairs
from pulink.graph.pair_space import UndirectedPairs
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.candidates import (
    SOURCES,
    Candidates,
    candidate_count,
    find_candidates,
    recall,
    walk_sources,
)
from pulink.methods.pull_plus.pair_signals import PairSignals, spectral_matrices
from tests.support.small_views import all_pairs, made, random_graph, words

EIGHT = UndirectedPairs(8)


def view_of(graph: pulink.Graph, seed: int = 0) -> PairSignals:
    """Embeddings that were not trained serve a search as well."""
    rng = np.random.default_rng(seed)
    embeddings = {name: rng.normal(size=(graph.n_nodes, 4)).astype(np.float32) for name in ("gcn", "vgnae")}
    features = None if graph.features is None else Attributes.of(graph.features, 0)
    spectra = {
        name: leading_eigenpairs(matrix, 8, stream_key(seed, name))
        for name, matrix in spectral_matrices(graph).items()
    }
    return PairSignals(graph, spectra, embeddings, features)


def free_pairs(graph: pulink.Graph) -> np.ndarray:
    pairs = all_pairs(graph.n_nodes)
    return pairs[~graph.has_edges(pairs)]


def pair_set(pairs: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(sorted(pair)) for pair in pairs.tolist()}


@settings(max_examples=25)
@given(
    n_nodes=st.integers(2, 25),
    density=st.floats(0, 1),
    count=st.integers(1, 400),
    seed=st.integers(0, 99),
    featured=st.booleans(),
)
def test_none_known_none_twice_and_sorted(
    n_nodes: int, density: float, count: int, seed: int, featured: bool
) -> None:
    n_edges = int(density * n_nodes * (n_nodes - 1) / 2)
    graph = random_graph(n_nodes, n_edges, seed, features=words(n_nodes, 5, seed) if featured else None)
    sources = find_candidates(view_of(graph, seed), count)
    found = Candidates.of(sources, graph.pair_space)
    assert ("features" in sources) == featured
    assert not graph.has_edges(found.pairs).any()
    assert (found.pairs[:, 0] < found.pairs[:, 1]).all()
    assert (np.diff(graph.pair_space.codes(found.pairs)) > 0).all()
    assert set().union(*(pair_set(own) for own in sources.values())) == pair_set(found.pairs)
    for own in sources.values():
        assert len(pair_set(own)) == len(own) <= count
        assert not graph.has_edges(own).any()


def test_enough_of_them_are_all_unconnected_pairs() -> None:
    graph = random_graph(20, 60, 0)
    found = Candidates.of(find_candidates(view_of(graph), 1000), graph.pair_space)
    assert pair_set(found.pairs) == pair_set(free_pairs(graph))


def test_each_source_gives_the_best_by_its_own_score() -> None:
    graph = random_graph(24, 70, 0, features=words(24, 6, 0))
    pair_signals = view_of(graph)
    found = find_candidates(pair_signals, 15)
    # Directions are for nodes without attributes.
    assert {*found} == {*SOURCES} - {"direction"}
    a = np.zeros((24, 24))
    a[graph.edges[:, 0], graph.edges[:, 1]] = 1
    a += a.T
    d = np.maximum(a.sum(axis=1), 1)
    assert pair_signals.features is not None
    spectrum = pair_signals.spectra["adjacency"]
    positive = np.maximum(spectrum.values, 0)
    loops = a + np.eye(24)
    step = loops / np.sqrt(np.outer(loops.sum(axis=1), loops.sum(axis=1)))
    own = pair_signals.features.components
    hops = [own, step @ own, step @ step @ own]
    around = sum(hop / np.maximum(np.linalg.norm(hop, axis=1, keepdims=True), 1e-12) for hop in hops)
    around = around / np.maximum(np.linalg.norm(around, axis=1, keepdims=True), 1e-12)
    tables = {
        "two steps": a @ np.diag(1 / d) @ a,
        "three steps": (a / d) @ a @ (a / d).T / np.sqrt(np.outer(d, d)),
        "spectrum": (spectrum.vectors * positive) @ spectrum.vectors.T,
        "vgnae": pair_signals.embeddings["vgnae"] @ pair_signals.embeddings["vgnae"].T,
        "surroundings": around @ around.T,
        "features": pair_signals.features.components @ pair_signals.features.components.T,
    }
    free = free_pairs(graph)
    for name, table in tables.items():
        scores = table[free[:, 0], free[:, 1]]
        worst = np.sort(scores)[-15]
        # All above the worst of the best are there, and none below it.
        assert pair_set(free[scores > worst + 1e-6]) <= pair_set(found[name])
        assert table[found[name][:, 0], found[name][:, 1]].min() >= worst - 1e-6


def test_hub_pairs_have_a_hub(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.methods.pull_plus.candidates._HUBS", 2)
    graph = random_graph(30, 60, 0)
    hubs = np.argsort(-graph.degrees, kind="stable")[:2]
    found = find_candidates(view_of(graph), 1000)["hubs"]
    free = free_pairs(graph)
    assert pair_set(found) == pair_set(free[np.isin(free, hubs).any(axis=1)])


def test_three_steps_are_searched_past_hubs_where_all_take_too_long(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(20, 60, 0)
    exact = walk_sources(graph.adjacency, 10)
    monkeypatch.setattr("pulink.predictor.walk_candidates._MOST_CELLS", 0)
    bounded = walk_sources(graph.adjacency, 10)
    assert set(exact) == set(bounded) == {"two steps", "three steps"}
    assert np.array_equal(exact["three steps"], bounded["three steps"])
    monkeypatch.setattr("pulink.predictor.walk_candidates._STEPS_PER_ENTRY", 1)
    assert len(walk_sources(graph.adjacency, 10)["three steps"]) <= 10


def test_recall_counts_hidden_edges_by_source_in_either_orientation() -> None:
    one, other = np.array([[0, 1], [3, 2]], np.int32), np.array([[2, 3], [4, 5]], np.int32)
    hidden = np.array([[1, 0], [2, 3], [5, 4], [6, 7]], np.int32)
    assert recall({"one": one, "other": other}, hidden, EIGHT) == {"one": 0.5, "other": 0.5, "all": 0.75}
    found = Candidates.of({"one": one, "other": other}, EIGHT)
    assert found.sources_of(hidden).tolist() == [1, 2, 1, 0]
    assert found.pairs.tolist() == [[0, 1], [2, 3], [4, 5]]
    assert Candidates.of({"one": one[:0]}, EIGHT).sources_of(hidden).tolist() == [0, 0, 0, 0]


def test_the_number_of_sources_is_the_last_signal() -> None:
    graph = random_graph(20, 60, 0)
    pair_signals = view_of(graph)
    found = Candidates.of(find_candidates(pair_signals, 10), graph.pair_space)
    rows = found.rows(pair_signals, all_pairs(20))
    assert np.array_equal(rows[:, :-1], pair_signals.signals(all_pairs(20)))
    assert np.array_equal(rows[:, -1], found.sources_of(all_pairs(20)))
    assert not rows[graph.has_edges(all_pairs(20)), -1].any()


@pytest.mark.parametrize("codes", [[3, 2], [2, 2], [-5], [8], [64], [9], [8 * 2**32 + 1]])
def test_what_is_no_list_of_pairs_is_refused(codes: list[int]) -> None:
    """Of eight nodes: code 8 is 1 - 0, 9 is 1 - 1, 64 is beyond the last node, the last one 0 - 1 in 32 bits."""
    with pytest.raises(ValueError, match="no pairs of its nodes"):
        Candidates(np.array(codes), np.ones(len(codes), np.int8), ("one",), EIGHT)


def test_count_grows_with_the_edges() -> None:
    assert candidate_count(random_graph(20, 60, 0)) == 30_000
    assert candidate_count(random_graph(300, 20_000, 0)) == 40_000


def test_rows_that_are_made_in_parts_are_the_same_to_the_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(60, 200, 0)
    pair_signals = made(graph)
    found = Candidates.of(find_candidates(pair_signals, 50), graph.pair_space)
    whole = found.rows(pair_signals, all_pairs(60))
    monkeypatch.setattr("pulink.methods.pull_plus.candidates._CHUNK", 100)
    assert np.array_equal(found.rows(pair_signals, all_pairs(60)), whole)


def test_beyond_so_many_nodes_vectors_are_searched_where_they_are_near(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(80, 200, 0)
    pair_signals = view_of(graph)
    exact = find_candidates(pair_signals, 40)
    monkeypatch.setattr("pulink.methods.pull_plus.candidates._EXACT_NODES", 79)
    monkeypatch.setattr("pulink.engine.search.near_by_embedding._PART", 20)
    monkeypatch.setattr("pulink.engine.search.near_by_embedding._LONGEST", 2)
    near = find_candidates(pair_signals, 40)
    for name in ("two steps", "three steps", "hubs"):
        assert np.array_equal(near[name], exact[name])
    for name in ("spectrum", "vgnae", "direction"):
        assert 20 < len(pair_set(near[name]) & pair_set(exact[name])) <= 40
        assert not graph.has_edges(near[name]).any()
