"""Reasons in words: by hand on a small graph, the most telling first, with what nobody sees made visible."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import pulink
from pulink.explanation.facts import PairFacts, find_facts
from pulink.explanation.reasons import Reason, reasons_of
from pulink.explanation.signal_words import PHRASES
from pulink.graph.graph import Graph
from pulink.methods.pull_plus.signals import COMMON, DEGREES, REVERSE, SIGNALS, SOURCE_COUNT, subject_of
from tests.explanation.test_facts import FEATURE_NAMES, GRAPH, NOTHING


def texts(facts: PairFacts, graph: Graph, names: tuple[str, ...] | None) -> list[str]:
    return [reason.text for reason in reasons_of(facts, graph, names)]


def test_a_small_graph_by_hand() -> None:
    (facts,) = find_facts(GRAPH, [("a", "c")])
    assert reasons_of(facts, GRAPH, FEATURE_NAMES) == [
        Reason("common_neighbours", '2 shared neighbours: "b", "f"', ("b", "f"), 2),
        Reason("path", 'a short path through "d" and "e"', ("d", "e"), 1),
        Reason("shared_attributes", "2 shared attributes: word numpy in text, section = python", (), 2),
    ]


def test_single_facts() -> None:
    found = find_facts(GRAPH, [("a", "g"), ("d", "e"), ("e", "alone")])
    assert texts(found[0], GRAPH, None) == ['1 shared neighbour: "f"', "1 shared attribute: number 0"]
    assert texts(found[1], GRAPH, FEATURE_NAMES)[-1] == "1 shared attribute: section = a: b"
    assert texts(found[2], GRAPH, FEATURE_NAMES) == ["1 shared attribute: word x = y in text"]


def test_long_lists_are_cut() -> None:
    star = Graph.from_edges([(end, 2 + k) for end in (0, 1) for k in range(1_234)])
    own = sp.csr_array(np.ones((star.n_nodes, 7)))
    (facts,) = find_facts(star, np.array([(0, 1)]), own)
    common, shared = reasons_of(facts, star, ("plain",))
    assert common.text == '1,234 shared neighbours, among them "2", "3", "4", "5", "6"'
    assert (common.nodes, common.value) == (("2", "3", "4", "5", "6"), 1_234)
    assert shared.text == "7 shared attributes, among them plain, number 1, number 2, number 3, number 4"


def test_several_paths_name_each_node_once() -> None:
    (path,) = reasons_of(PairFacts((0, 2), 0, (), ((3, 4), (3, 5)), (), 0), GRAPH, None)
    assert path == Reason("path", 'short paths through "d" and "e", or "d" and "f"', ("d", "e", "f"), 2)


def test_where_there_is_nothing_that_is_said() -> None:
    told = "no short path and no shared attribute: only the score of the method suggests it"
    assert reasons_of(NOTHING, GRAPH, None) == [Reason("none", told)]


def with_signals(facts: PairFacts, **signals: float) -> PairFacts:
    named = {name.replace("_", " "): size for name, size in signals.items()}
    return PairFacts(
        facts.pair, facts.n_common, facts.common, facts.paths, facts.shared, facts.n_shared, tuple(named.items())
    )


def test_of_pull_plus_the_first_is_what_adds_most() -> None:
    (facts,) = find_facts(GRAPH, [("a", "c")])
    signals = {"common_neighbours": 0.5, "walks_of_three_steps": 2.04, "eigenvectors": 1.25, "attributes": -0.75}
    found = reasons_of(with_signals(facts, **signals), GRAPH, FEATURE_NAMES)
    assert [reason.text for reason in found] == [
        'a short path through "d" and "e" (+2.0)',
        "many short paths between their surroundings (+1.2)",
        '2 shared neighbours: "b", "f" (+0.5)',
        "against it: 2 shared attributes: word numpy in text, section = python (-0.8)",
    ]
    assert [reason.kind for reason in found] == ["path", "signal", "common_neighbours", "shared_attributes"]
    assert [reason.value for reason in found] == [1, 1.25, 2, 2]


def test_signals_without_a_fact_stand_for_themselves() -> None:
    signals = {"degrees": 2.06, "GCN": -0.34, "PageRank": 0.08, "common_neighbours": -1.5, "eigenvectors": 0.04}
    assert texts(with_signals(NOTHING, **signals), GRAPH, None) == [
        "the two have 3 and 0 links (+2.1)",
        "random walks from one often reach the other (+0.1)",
        "against it: how alike a neural network (GCN) finds their places in the graph (-0.3)",
        "against it: no shared neighbour (-1.5)",
    ]


def test_where_signals_only_speak_against_it_there_is_nothing_for_it() -> None:
    found = reasons_of(with_signals(NOTHING, GCN=-1.0), GRAPH, None)
    assert [reason.kind for reason in found] == ["none", "signal"]
    assert found[0].text == "no short path and no shared attribute"


def test_three_signals_on_either_side_and_none_that_would_be_written_as_nothing() -> None:
    signals = {"PageRank": 1.0, "GCN": 1.1, "VGNAE": 1.2, "eigenvectors": 1.3, "attributes": 0.01}
    found = reasons_of(with_signals(NOTHING, **signals), GRAPH, None)
    assert [reason.value for reason in found] == [1.3, 1.2, 1.1]


def test_every_subject_has_words() -> None:
    subjects = {signal.subject for signal in SIGNALS} | {subject_of(SOURCE_COUNT)}
    assert {*PHRASES} == subjects - {COMMON, DEGREES, REVERSE}, (
        "src/pulink/explanation/signal_words.py lacks a subject"
    )


def test_sentences_are_the_texts_of_the_reasons() -> None:
    model = pulink.L3N().fit(pulink.from_networkx(nx.karate_club_graph()))
    pairs = [("4", "16"), ("0", "33")]
    assert pulink.explain(model, pairs) == [[own.text for own in of] for of in pulink.reasons(model, pairs)]
    first = pulink.reasons(model, pairs)[0][0]
    assert first.to_dict() == {
        "kind": "common_neighbours", "text": '1 shared neighbour: "6"', "nodes": ["6"], "value": 1,
    }  # fmt: skip


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("\x1b[31mred", "\\x1b[31mred"),
        ("two\nlines\t", "two\\nlines\\t"),
        ("\u202eback", "\\u202eback"),
        ("a\u2028b", "a\\u2028b"),
        ("\x9b1m", "\\x9b1m"),
        ("zoë <b>&amp; 'x' \U0001f600", "zoë <b>&amp; 'x' \U0001f600"),
    ],
)
def test_names_are_strangers_text(name: str, shown: str) -> None:
    graph = Graph.from_edges([(0, 1), (1, 2), (0, 3), (3, 4), (4, 2)], names=["x", name, "y", "z", f"{name}'"])
    own = sp.csr_array(np.ones((5, 1)))
    found = reasons_of(find_facts(graph, np.array([(0, 2)]), own)[0], graph, (f"{name}={name}",))
    assert [reason.text for reason in found] == [
        f'1 shared neighbour: "{shown}"',
        f'a short path through "z" and "{shown}\'"',
        f"1 shared attribute: {shown} = {shown}",
    ]
    assert found[0].nodes == (name,)


def test_a_gap_that_both_have_is_no_attribute() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], 3, features=np.array([[1, 1], [0, 1], [1, 1]]))
    (facts,) = find_facts(graph, np.array([[0, 2]]))
    assert facts.n_shared == 2
    told = texts(facts, graph, ("tags is missing", "section=python"))
    assert "1 shared attribute: section = python" in told
    assert not any("missing" in own for own in told)
