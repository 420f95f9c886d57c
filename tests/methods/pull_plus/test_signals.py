"""Signals of pairs on one graph: by hand, against NetworkX, and blind to what they must not see."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.engine.structure.eigenpairs import Eigenpairs
from pulink.engine.structure.pagerank import PageRank
from pulink.engine.threads import use_threads
from pulink.errors import UnknownNameError
from pulink.graph.spaces.kinds import KINDS
from pulink.methods.pull_plus.attribute_signals import Surroundings
from pulink.methods.pull_plus.pair_signals import PairSignals
from pulink.methods.pull_plus.quantities import pairs as quantities
from pulink.methods.pull_plus.quantities.pairs import RANKINGS, GraphQuantities, PairQuantities
from pulink.methods.pull_plus.signals import (
    FAMILIES,
    SIGNALS,
    SOURCE_COUNT,
    signal_names,
    signals_called,
    subject_of,
)
from tests.support.small_views import CONFIG, all_pairs, made, numbers, random_graph, words

N = 16
PAIRS = all_pairs(N)
STRUCTURE = signal_names(())
FEATURES = {"none": None, "sparse": words(N, 9, 0), "dense": numbers(N, 4, 0)}


@pytest.fixture(scope="module", params=list(FEATURES))
def pair_signals(request: pytest.FixtureRequest) -> PairSignals:
    return made(random_graph(N, 45, 1, features=FEATURES[request.param]))


def bare(graph: pulink.Graph) -> PairSignals:
    """Signals of the structure alone."""
    return PairSignals(graph, {}, {}, None)


def structure(graph: pulink.Graph, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The same before they are rounded."""
    quantities = PairQuantities(GraphQuantities(graph, {}, {}, None), pairs)
    return np.stack([own.of_pairs(quantities) for own in signals_called(STRUCTURE)], axis=1)


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
    assert structure(graph, PAIRS)[:, STRUCTURE.index("pagerank")] == pytest.approx(expected, abs=2e-3)


def test_where_nodes_are_many_pagerank_is_pushed(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(N, 40, 3)
    ranked = structure(graph, PAIRS)
    small = [replace(own, most_nodes=N - 1) for own in RANKINGS]
    monkeypatch.setattr("pulink.methods.pull_plus.quantities.pairs.RANKINGS", small)
    pushed = structure(graph, PAIRS)
    others = [name != "pagerank" for name in STRUCTURE]
    assert np.array_equal(pushed[:, others], ranked[:, others])
    k = STRUCTURE.index("pagerank")
    assert pushed[:, k] == pytest.approx(ranked[:, k], abs=5e-3)
    assert not np.array_equal(pushed[:, k], ranked[:, k])


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
    blind = [subject_of(name) in ("degrees", "common neighbours", "walks of three steps") for name in STRUCTURE]
    for k in range(0, graph.n_edges, 4):
        unseen = structure(
            graph.keep_edges(np.arange(graph.n_edges) != k), graph.edges[k : k + 1].astype(np.int64)
        )
        assert seen[k, blind] == pytest.approx(unseen[0, blind], rel=1e-9, abs=1e-9)


def test_pagerank_knows_no_weights() -> None:
    """Small ones are no reason to leave an edge out: nobody said on which scale they are."""
    graph, plain = random_graph(N, 40, 3, weights=np.linspace(0.01, 5, 40)), random_graph(N, 40, 3)
    k = STRUCTURE.index("pagerank")
    assert np.array_equal(structure(graph, PAIRS)[:, k], structure(plain, PAIRS)[:, k])


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


def test_every_signal_is_declared_whole() -> None:
    names = [own.name for own in SIGNALS]
    assert len({*names, SOURCE_COUNT}) == len(names) + 1, "two signals have one name"
    for own in SIGNALS:
        assert own.family in ("structure", *FAMILIES), f"{own.name} is of the family {own.family!r}"
        assert own.subject, f"{own.name} has no subject"
        assert subject_of(own.name) == own.subject


def test_signals_are_finite(pair_signals: PairSignals) -> None:
    for name, column in zip(pair_signals.names, pair_signals.signals(PAIRS).T, strict=True):
        assert np.isfinite(column).all(), f"{name} has values that are no numbers"


def test_the_page_describes_every_signal() -> None:
    """A signal is told of in the table of docs/pull-plus.md: in the row of its family and subject."""
    page = next((Path(__file__).parents[3] / "docs").rglob("pull-plus.md"))
    text = page.read_text(encoding="utf-8")
    rows = {
        (family, subject): columns
        for family, subject, columns in re.findall(
            r"^\| ([\w-]+) \| ([^|]+) \| .* \| (`[^|]*`) \|$", text, re.MULTILINE
        )
    }
    for own in SIGNALS:
        row = rows.get((own.family, own.subject))
        assert row is not None, f"{page.name} has no row of {own.family} about {own.subject!r}"
        assert f"`{own.name}`" in row, (
            f"{page.name} does not name `{own.name}` among the columns about {own.subject!r}"
        )
    told = re.findall(r"`([^`]+)`", " ".join(rows.values()))
    assert sorted(told) == sorted(own.name for own in SIGNALS), f"{page.name} names columns that are no signals"
    for kind in KINDS:
        n_all, n_plain = len(signal_names(kind=kind)), len(signal_names(("spectrum", "encoders"), kind))
        n_timed = sum(own.timed and kind in own.kinds for own in SIGNALS)
        row = f"| {kind} | {n_all} | {n_plain} | {n_timed} |"
        assert row in text, f"{page.name} should have the row: {row}"
    assert f"*{subject_of(SOURCE_COUNT)}*" in text


@pytest.mark.parametrize(
    ("column", "subject"),
    [
        ("degree_high", "degrees"),
        ("jaccard", "common neighbours"),
        ("l3n", "walks of three steps"),
        ("pagerank", "PageRank"),
        ("normalised_cosine_128", "eigenvectors"),
        ("gcn_dot", "GCN"),
        ("vgnae_norm_low", "VGNAE"),
        ("features_shared", "attributes"),
        ("components_across_low", "attributes of the neighbours"),
        ("sources", "sources that name it"),
    ],
)
def test_subjects_by_hand(column: str, subject: str) -> None:
    assert subject_of(column) == subject


def test_an_unknown_signal_is_refused() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown signal 'jacard'\. Did you mean 'jaccard'"):
        subject_of("jacard")


def test_what_several_signals_read_is_computed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    counts: dict[str, int] = {}

    def counted(name: str, function: Any) -> Any:
        def call(*given: Any, **more: Any) -> Any:
            counts[name] = counts.get(name, 0) + 1
            return function(*given, **more)

        return call

    pair_signals = made(random_graph(N, 45, 1, features=words(N, 9, 0)))
    for home, name in ((quantities, "local_walks"), (Eigenpairs, "pair_signals"), (PageRank, "pair_scores")):
        monkeypatch.setattr(home, name, counted(name, getattr(home, name)))
    for name in ("features_across", "components_across"):
        monkeypatch.setattr(Surroundings, name, counted(name, getattr(Surroundings, name)))
    pair_signals.signals(PAIRS)
    once = dict.fromkeys(("local_walks", "pair_scores", "features_across", "components_across"), 1)
    assert counts == once | {"pair_signals": 2}
    counts.clear()
    few = PairSignals.from_state(
        pair_signals.graph, pair_signals.state(), ("common", "gcn_dot", "adjacency_entry_32", "features")
    )
    few.signals(PAIRS)
    assert counts == {"local_walks": 1, "pair_signals": 1}, "what nobody reads is not computed"
