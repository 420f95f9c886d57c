"""Signals of pairs on one graph: by hand, against NetworkX, and blind to what they must not see."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.engine.threads import use_threads
from pulink.methods.pull_plus.signals import STRUCTURE, PairSignals, signal_names
from tests.support.small_views import CONFIG, all_pairs, made, numbers, random_graph, words

N = 16
PAIRS = all_pairs(N)
FEATURES = {"none": None, "sparse": words(N, 9, 0), "dense": numbers(N, 4, 0)}


@pytest.fixture(scope="module", params=list(FEATURES))
def pair_signals(request: pytest.FixtureRequest) -> PairSignals:
    return made(random_graph(N, 45, 1, features=FEATURES[request.param]))


def bare(graph: pulink.Graph) -> PairSignals:
    """A view whose signals are those of the structure alone."""
    return PairSignals(graph, {}, {}, None)


def structure(graph: pulink.Graph, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    return bare(graph)._structure(pairs)


def columns(signals: npt.NDArray[Any]) -> dict[str, npt.NDArray[Any]]:
    """By name, of a graph without features."""
    return dict(zip(signal_names(("spectrum", "encoders")), signals.T, strict=True))


def test_a_square_with_a_tail_by_hand() -> None:
    """0 - 1 - 2 - 3 - 0 and 3 - 4. Between 0 and 2: over 1 (degree 2) and over 3 (degree 3)."""
    graph = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3], [0, 3], [3, 4]])
    row = dict(zip(STRUCTURE, structure(graph, np.array([[0, 2]]))[0].tolist(), strict=True))
    assert [row["degree_low"], row["degree_high"], row["common"]] == [2, 2, 2]
    assert row["adamic_adar"] == pytest.approx(1 / math.log(2) + 1 / math.log(3))
    assert row["resource_allocation"] == pytest.approx(1 / 2 + 1 / 3)
    assert [row["jaccard"], row["salton"], row["hub_promoted"]] == pytest.approx([1, 1, 1])
    assert [row["l3"], row["l3_resource"], row["l3n"]] == [0, 0, 0]
    # Between 1 (degree 2) and 4 (degree 1): a walk of three steps over 0 and 3, and one over 2 and 3.
    row = dict(zip(STRUCTURE, structure(graph, np.array([[1, 4]]))[0].tolist(), strict=True))
    assert [row["degree_low"], row["degree_high"], row["common"], row["l3"]] == [1, 2, 0, 2]
    assert row["l3_resource"] == pytest.approx(2 / 6)
    assert row["l3n"] == pytest.approx(2 / 6 / math.sqrt(2))


def test_weights_by_hand() -> None:
    """0 - 1 (weight 2), 1 - 2 (3), 0 - 3 (1): between 0 and 2 only 1; squared lengths of their rows 5 and 9."""
    graph = pulink.Graph.from_edges([[0, 1], [1, 2], [0, 3]], weights=[2.0, 3.0, 1.0])
    row = dict(zip(STRUCTURE, structure(graph, np.array([[0, 2]]))[0].tolist(), strict=True))
    assert [row["degree_low"], row["degree_high"], row["common"]] == [3, 3, 6]
    assert row["adamic_adar"] == pytest.approx(6 / math.log(5))
    assert row["jaccard"] == pytest.approx(6 / (5 + 9 - 6))
    assert row["salton"] == pytest.approx(6 / math.sqrt(5 * 9))
    assert row["hub_promoted"] == pytest.approx(6 / 5)


@given(unit=st.sampled_from([1e-3, 0.5, 0.5000001, 1.0, 10.0, 1e6]))
def test_the_unit_of_weights_changes_no_share(unit: float) -> None:
    graph = random_graph(N, 45, 1)
    heavy = pulink.Graph.from_edges(graph.edges, N, weights=np.full(45, unit))
    one, other = (structure(own, PAIRS) for own in (graph, heavy))
    for name in ("jaccard", "salton", "hub_promoted"):
        k = STRUCTURE.index(name)
        assert other[:, k] == pytest.approx(one[:, k], rel=1e-5)
    assert (other[:, STRUCTURE.index("jaccard")] <= 1 + 1e-6).all()
    # 1 / log 2 of a walk is the most that it may count.
    assert (other[:, STRUCTURE.index("adamic_adar")] <= 1.4427 * other[:, STRUCTURE.index("common")] + 1e-12).all()


@settings(max_examples=10)
@given(seed=st.integers(0, 1000), n_edges=st.integers(1, 80))
def test_structure_equals_networkx_and_its_walks(seed: int, n_edges: int) -> None:
    graph = random_graph(N, n_edges, seed)
    pairs = PAIRS[~graph.has_edges(PAIRS)]
    twin = nx.Graph()
    twin.add_nodes_from(range(N))
    twin.add_edges_from(graph.edges.tolist())
    found = dict(zip(STRUCTURE, structure(graph, pairs).T, strict=True))
    for name, function in (
        ("adamic_adar", nx.adamic_adar_index),
        ("resource_allocation", nx.resource_allocation_index),
        ("jaccard", nx.jaccard_coefficient),
    ):
        assert found[name] == pytest.approx([score for _, _, score in function(twin, pairs.tolist())])
    a = nx.to_numpy_array(twin)
    assert found["common"] == pytest.approx((a @ a)[pairs[:, 0], pairs[:, 1]])
    assert found["l3"] == pytest.approx((a @ a @ a)[pairs[:, 0], pairs[:, 1]])


def test_pagerank_equals_networkx() -> None:
    graph = random_graph(N, 40, 3)
    twin = nx.Graph(graph.edges.tolist())
    from_node = [nx.pagerank(twin, alpha=0.85, personalization={i: 1}, tol=1e-10) for i in range(N)]
    expected = [from_node[i].get(j, 0) + from_node[j].get(i, 0) for i, j in PAIRS.tolist()]
    assert structure(graph, PAIRS)[:, -1] == pytest.approx(expected, abs=2e-3)


def test_where_nodes_are_many_pagerank_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(N, 40, 3)
    ranked = structure(graph, PAIRS)
    monkeypatch.setattr("pulink.methods.pull_plus.signals._MOST_RANKED", N - 1)
    assert np.array_equal(structure(graph, PAIRS)[:, :-1], ranked[:, :-1])
    assert not structure(graph, PAIRS)[:, -1].any()
    assert np.array_equal(bare(graph).grouped(PAIRS), np.arange(len(PAIRS)))


def test_names_are_as_many_as_columns(pair_signals: PairSignals) -> None:
    names = pair_signals.names
    assert pair_signals.signals(PAIRS).shape == (len(PAIRS), len(names))
    assert len(set(names)) == len(names)


def test_spectra_of_a_small_graph_are_the_matrix_itself() -> None:
    """So an edge that is in the graph is there to be read: lessons must hide what they ask for."""
    graph = random_graph(N, 45, 1)
    found = columns(made(graph).signals(PAIRS))
    assert found["adjacency_entry_128"] == pytest.approx(graph.has_edges(PAIRS).astype(float), abs=1e-4)
    scale = np.sqrt(graph.degrees[PAIRS[:, 0]] * graph.degrees[PAIRS[:, 1]])
    assert found["normalised_entry_128"] == pytest.approx(graph.has_edges(PAIRS) / np.maximum(scale, 1), abs=1e-4)


def test_embeddings_speak_by_product_cosine_and_norm() -> None:
    pair_signals = made(random_graph(N, 45, 1))
    found = columns(pair_signals.signals(PAIRS))
    for name, z in pair_signals.embeddings.items():
        lengths = np.linalg.norm(z, axis=1)
        dots = (z @ z.T)[PAIRS[:, 0], PAIRS[:, 1]]
        assert found[f"{name}_dot"] == pytest.approx(dots, abs=1e-6)
        assert found[f"{name}_cosine"] == pytest.approx(dots / lengths[PAIRS].prod(axis=1), abs=1e-5)
        assert found[f"{name}_norm_low"] == pytest.approx(lengths[PAIRS].min(axis=1), rel=1e-5)
        assert found[f"{name}_norm_high"] == pytest.approx(lengths[PAIRS].max(axis=1), rel=1e-5)


def test_signals_know_neither_order_nor_company_nor_threads(pair_signals: PairSignals) -> None:
    signals = pair_signals.signals(PAIRS)
    assert np.array_equal(pair_signals.signals(PAIRS[:, ::-1]), signals)
    order = np.random.default_rng(0).permutation(len(PAIRS))
    assert np.array_equal(pair_signals.signals(PAIRS[order]), signals[order])
    for k in (0, 17, len(PAIRS) - 1):
        assert np.array_equal(pair_signals.signals(PAIRS[k : k + 1])[0], signals[k])
    with use_threads(2):
        assert np.array_equal(pair_signals.signals(PAIRS), signals)
    assert pair_signals.signals(PAIRS[:0]).shape == (0, signals.shape[1])


def test_pairs_of_one_hub_stand_together() -> None:
    """By the end of larger degree, among equals the lower number."""
    graph = random_graph(N, 45, 1)
    ends = PAIRS[bare(graph).grouped(PAIRS)]
    degrees = graph.degrees
    sources = [min(pair, key=lambda i: (-degrees[i], i)) for pair in ends.tolist()]
    changes = sum(one != other for one, other in pairwise(sources))
    assert changes == len(set(sources)) - 1
    assert sorted(map(tuple, ends.tolist())) == sorted(map(tuple, PAIRS.tolist()))


def test_a_hidden_edge_leaves_no_trace() -> None:
    """Hidden from a graph, or never there: all signals of all pairs are the same to the bit."""
    features = words(N, 9, 0)
    graph = random_graph(N, 45, 1, features=features)
    keep = np.arange(45) % 5 > 0
    fresh = pulink.Graph.from_edges(graph.edges[keep], N, features=features)
    assert np.array_equal(made(graph.keep_edges(keep)).signals(PAIRS), made(fresh).signals(PAIRS))


@settings(max_examples=15)
@given(seed=st.integers(0, 1000), weighted=st.booleans())
def test_degrees_and_walks_of_an_edge_are_those_without_it(seed: int, weighted: bool) -> None:
    weights = np.random.default_rng(seed).choice([0.25, 0.5, 1.0, 3.0], 30) if weighted else None
    graph = random_graph(9, 30, seed, weights=weights)
    seen = structure(graph, graph.edges.astype(np.int64))
    for k in range(0, graph.n_edges, 4):
        unseen = structure(
            graph.keep_edges(np.arange(graph.n_edges) != k), graph.edges[k : k + 1].astype(np.int64)
        )
        assert seen[k, :-1] == pytest.approx(unseen[0, :-1], rel=1e-9, abs=1e-9)


def test_pagerank_knows_no_weights() -> None:
    """Small ones are no reason to leave an edge out: nobody said on which scale they are."""
    graph, plain = random_graph(N, 40, 3, weights=np.linspace(0.01, 5, 40)), random_graph(N, 40, 3)
    assert np.array_equal(structure(graph, PAIRS)[:, -1], structure(plain, PAIRS)[:, -1])


def test_what_is_stored_gives_the_same_signals_to_the_bit(pair_signals: PairSignals) -> None:
    structure_only = pulink.Graph.from_edges(pair_signals.graph.edges, N)
    assert np.array_equal(
        PairSignals.from_state(structure_only, pair_signals.state()).signals(PAIRS), pair_signals.signals(PAIRS)
    )


def test_damaged_arrays_are_refused(pair_signals: PairSignals) -> None:
    state = pair_signals.state()
    for name, array in state.items():
        with pytest.raises((ValueError, KeyError)):
            PairSignals.from_state(pair_signals.graph, state | {name: array[:-1]})
    for name in ("adjacency.vectors", "normalised.values", "embedding.gcn"):
        with pytest.raises((ValueError, KeyError), match=f"{name}|not whole"):
            PairSignals.from_state(pair_signals.graph, {key: own for key, own in state.items() if key != name})
    with pytest.raises(ValueError, match="do not fit"):
        PairSignals.from_state(random_graph(N + 1, 45, 1), state)


def test_a_seed_fixes_a_view() -> None:
    graph = random_graph(N, 45, 1)
    assert np.array_equal(made(graph).signals(PAIRS), made(graph).signals(PAIRS))
    other = PairSignals.make(graph, None, type(CONFIG)(CONFIG.n_units, CONFIG.n_epochs, CONFIG.learning_rate, 1))
    first, second = columns(made(graph).signals(PAIRS)), columns(other.signals(PAIRS))
    assert not np.array_equal(first["gcn_dot"], second["gcn_dot"])
    assert np.array_equal(first["l3"], second["l3"])


@pytest.mark.parametrize("n_edges", [0, 1])
def test_graphs_with_next_to_nothing_have_finite_signals(n_edges: int) -> None:
    graph = random_graph(5, n_edges, 0)
    assert np.isfinite(made(graph).signals(all_pairs(5))).all()
