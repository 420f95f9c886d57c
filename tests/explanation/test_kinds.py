"""Reasons where links have a direction or nodes have types: by hand, and true for every pair."""

from __future__ import annotations

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings

import pulink
from pulink.explanation import ways as room
from pulink.explanation.facts import PairFacts, find_facts, with_signals
from pulink.explanation.reasons import Reason, reasons_of
from pulink.explanation.ways import (
    BOTH_LINK_TO,
    LIKE_FIRST,
    LIKE_SECOND,
    LINK_TO_BOTH,
    TWO_STEPS,
    TWO_STEPS_BACK,
    Way,
)
from pulink.graph.graph import Graph
from pulink.methods.pull_plus.signals import every_signal
from tests.support.adjacencies import pair_sets

# A -> u, v -> B; A and B -> t; s -> A and B; B -> A; A -> x -> y -> B; B -> w -> A.
NAMES = ["A", "B", "u", "v", "t", "s", "x", "y", "w"]
ROWS = [
    ("A", "u"), ("A", "v"), ("u", "B"), ("v", "B"), ("A", "t"), ("B", "t"), ("s", "A"), ("s", "B"), ("B", "A"),
    ("A", "x"), ("x", "y"), ("y", "B"), ("B", "w"), ("w", "A"), ("u", "y"),
]  # fmt: skip


def directed(rows: list[tuple[str, str]], names: list[str]) -> Graph:
    numbers = [[names.index(a), names.index(b)] for a, b in rows]
    return Graph.from_edges(numbers, len(names), names=names, kind="directed", ends=("citing", "cited"))


DIRECTED = directed(ROWS, NAMES)


def test_a_directed_pair_by_hand() -> None:
    (facts,) = find_facts(DIRECTED, [("A", "B")])
    assert reasons_of(facts, DIRECTED, None) == [
        Reason("reverse_link", '"B" already links to "A"', ("B", "A"), 1),
        Reason("two_steps", '"A" links to 2 nodes that link to "B": "v", "u"', ("v", "u"), 2),
        Reason("both_link_to", 'both link to 1 node: "t"', ("t",), 1),
        Reason("link_to_both", '1 node links to both: "s"', ("s",), 1),
        Reason("two_steps_back", '"B" links to 1 node that links to "A": "w"', ("w",), 1),
        Reason("path", 'short paths along the direction through "x" and "y", or "u" and "y"', ("x", "y", "u"), 2),
    ]


def test_the_other_direction_has_other_reasons() -> None:
    (facts,) = find_facts(DIRECTED, [("B", "u")])
    assert [reason.text for reason in reasons_of(facts, DIRECTED, None)] == [
        '"u" already links to "B"',
        '"B" links to 1 node that links to "u": "A"',
        '"u" links to 1 node that links to "B": "y"',
        'a short path along the direction through "w" and "A"',
    ]


def test_a_path_against_the_direction_says_so() -> None:
    graph = directed([("A", "x"), ("y", "x"), ("y", "B")], ["A", "B", "x", "y"])
    (facts,) = find_facts(graph, [("A", "B")])
    assert (facts.paths, facts.along) == (((2, 3),), False)
    assert [reason.text for reason in reasons_of(facts, graph, None)] == [
        'a short path, not along the direction, through "x" and "y"'
    ]


def slow_ways(twin: nx.DiGraph, i: int, j: int) -> dict[str, set[int]]:
    found = {
        TWO_STEPS: {*twin.successors(i)} & {*twin.predecessors(j)},
        BOTH_LINK_TO: {*twin.successors(i)} & {*twin.successors(j)},
        LINK_TO_BOTH: {*twin.predecessors(i)} & {*twin.predecessors(j)},
        TWO_STEPS_BACK: {*twin.predecessors(i)} & {*twin.successors(j)},
    }
    return {kind: nodes for kind, nodes in found.items() if nodes}


@settings(derandomize=True, max_examples=40)
@given(pair_sets())
def test_everything_said_of_any_directed_pair_is_true(case: tuple[npt.NDArray[np.int32], int]) -> None:
    """Of every second edge also the reverse is there."""
    edges, n_nodes = case
    rows = np.concatenate([edges, edges[::2, ::-1]])
    graph = Graph.from_edges(rows, n_nodes, kind="directed")
    twin = nx.DiGraph(rows.tolist())
    twin.add_nodes_from(range(n_nodes))
    pairs = np.array([(i, j) for i in range(n_nodes) for j in range(n_nodes) if i != j], dtype=np.int64).reshape(
        -1, 2
    )
    for facts in find_facts(graph, pairs):
        i, j = facts.pair
        assert facts.reverse == twin.has_edge(j, i)
        slow = slow_ways(twin, i, j)
        assert {way.kind: way.n_nodes for way in facts.ways} == {kind: len(own) for kind, own in slow.items()}
        assert all({*way.nodes} <= slow[way.kind] and len(way.nodes) == min(way.n_nodes, 5) for way in facts.ways)
        forth = [way for way in nx.all_simple_paths(twin, i, j, cutoff=3) if len(way) == 4]
        assert facts.along == bool(forth)
        if forth:
            assert len({*facts.paths}) == min(len(forth), 3)
            assert {*facts.paths} <= {(way[1], way[2]) for way in forth}


def size(facts: PairFacts, **columns: float) -> PairFacts:
    return with_signals([facts], tuple(columns), np.array([[*columns.values()]]))[0]


def test_each_way_counts_what_its_own_signals_add() -> None:
    (facts,) = find_facts(DIRECTED, [("A", "B")])
    told = size(
        facts, reverse=0.5, through=1.0, through_resource=0.25, common_sources=-0.5, l3_roles=2.0, common=0.75,
        out_source=-1.0, pagerank_along=0.125,
    )  # fmt: skip
    texts = [reason.text for reason in reasons_of(told, DIRECTED, None)]
    assert texts == [
        '"B" already links to "A" (+0.5)',
        "many short ways along the links lead from one to the other (+2.0)",
        '"A" links to 2 nodes that link to "B": "v", "u" (+1.2)',
        "5 nodes are linked with both, whichever way (+0.8)",
        "random walks along the links from the first often reach the second (+0.1)",
        'both link to 1 node: "t"',
        '"B" links to 1 node that links to "A": "w"',
        'short paths along the direction through "x" and "y", or "u" and "y"',
        'against it: 1 node links to both: "s" (-0.5)',
        'against it: 4 links from "A", 4 to "B" (-1.0)',
    ]  # fmt: skip


def test_columns_of_ways_are_signals() -> None:
    assert {name for names in room._COLUMNS.values() for name in names} <= {*every_signal()}
    assert {*room._COLUMNS} == {*room.WAYS}


def test_a_reverse_that_is_not_there_may_speak_against_it() -> None:
    (facts,) = find_facts(DIRECTED, [("A", "x")])
    texts = [reason.text for reason in reasons_of(size(facts, reverse=-0.5, common=-1.0), DIRECTED, None)]
    assert texts[-2:] == [
        'against it: "x" does not link to "A" (-0.5)',
        "against it: no node is linked with both (-1.0)",
    ]


# Ann and Bea both have tea and jam; Bea, Cy and Dee have rye; Cy has tea too; Dee has nothing else.
SIDES = ["Ann", "Bea", "Cy", "Dee", "tea", "jam", "rye"]
BOUGHT = [(0, 4), (0, 5), (1, 4), (1, 5), (1, 6), (2, 4), (2, 6), (3, 6)]
BIPARTITE = Graph.from_edges(BOUGHT, names=SIDES, kind="bipartite", ends=("buyer", "goods"))


def test_a_bipartite_pair_by_hand() -> None:
    (facts,) = find_facts(BIPARTITE, [("Ann", "rye")])
    assert facts.n_common == 0
    assert reasons_of(facts, BIPARTITE, None) == [
        Reason(
            "similar_to_first",
            '2 nodes like "Ann" link to "rye": "Bea" (shares 2 links with "Ann"), "Cy"',
            ("Bea", "Cy"),
            2,
        ),
        Reason(
            "similar_to_second",
            '"Ann" links to 2 nodes like "rye": "tea" (shares 2 links with "rye"), "jam"',
            ("tea", "jam"),
            2,
        ),
        Reason(
            "path",
            'short paths through "tea" and "Cy", or "jam" and "Bea", or "tea" and "Bea"',
            ("tea", "Cy", "jam", "Bea"),
            3,
        ),
    ]


def test_similar_nodes_count_what_signals_of_their_side_add() -> None:
    (facts,) = find_facts(BIPARTITE, [("Ann", "rye")])
    told = size(facts, ease_by_first_20=1.0, ease_by_first_100=0.5, ease_by_second_20=-2.0, degree_first=3.0)
    texts = [reason.text for reason in reasons_of(told, BIPARTITE, None)]
    assert texts[0] == "the two have 2 and 3 links (+3.0)"
    assert texts[1] == '2 nodes like "Ann" link to "rye": "Bea" (shares 2 links with "Ann"), "Cy" (+1.5)'
    assert texts[-1].startswith('against it: "Ann" links to 2 nodes like "rye"')
    (alone,) = find_facts(BIPARTITE, [("Dee", "tea")])
    bare = size(PairFacts(alone.pair, 0, (), (), (), 0), ease_by_first_20=1.0)
    assert [reason.text for reason in reasons_of(bare, BIPARTITE, None)] == [
        "nodes like the one often link to nodes like the other (+1.0)"
    ]


def test_a_recorded_link_does_not_make_its_ends_neighbours_alike() -> None:
    """Dee has rye alone: without that link nobody is like Dee."""
    (facts,) = find_facts(BIPARTITE, [("Dee", "rye")])
    assert facts.ways == ()


def test_names_that_two_sides_share_are_told_with_their_side() -> None:
    names = ["1", "2", "1", "2"]
    graph = Graph.from_edges(
        [(0, 2), (1, 2), (1, 3)], names=names, kind="bipartite", ends=("user", "item"),
        node_types=["user", "user", "item", "item"], between=[("user", "item")],
    )  # fmt: skip
    (facts,) = find_facts(graph, np.array([(0, 3)]))
    first, *_ = reasons_of(facts, graph, None)
    assert first.text == '1 node like user "1" links to item "2": user "2" (shares 1 link with user "1")'
    assert first.nodes == ("user:2",)
    assert graph.names.index_of(first.nodes).tolist() == [1]


def test_a_typed_pair_by_hand() -> None:
    """Proteins that are linked among themselves are known: a neighbour of both ends may be of either type."""
    graph = Graph.from_edges(
        [(0, 2), (1, 2), (1, 3), (2, 3)], names=["d1", "d2", "p1", "p2"], kind="typed",
        node_types=["drug", "drug", "protein", "protein"], between=[("drug", "protein")],
    )  # fmt: skip
    (facts,) = find_facts(graph, [("d1", "p2")])
    assert [(reason.kind, reason.text) for reason in reasons_of(facts, graph, None)] == [
        ("similar_to_first", '1 node like "d1" links to "p2": "d2" (shares 1 link with "d1")'),
        ("similar_to_second", '"d1" links to 1 node like "p2": "p1" (shares 1 link with "p2")'),
        ("common_neighbours", '1 shared neighbour: "p1"'),
        ("path", 'a short path through "p1" and "d2"'),
    ]


def test_similar_nodes_of_hubs_are_counted_from_below(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(room, "_MOST_READ", 4)
    (facts,) = find_facts(BIPARTITE, [("Dee", "tea")])
    assert facts.ways == (Way(LIKE_FIRST, 1, (2,), 1, False), Way(LIKE_SECOND, 1, (6,), 2))
    told = PairFacts(
        (0, 6), 0, (), (), (), 0, (), (Way(LIKE_FIRST, 1, (1,), 2, False), Way(LIKE_SECOND, 9, (4,), 2, False))
    )
    assert [reason.text for reason in reasons_of(told, BIPARTITE, None)] == [
        'at least 1 node like "Ann" links to "rye": "Bea" (shares 2 links with "Ann")',
        '"Ann" links to at least 9 nodes like "rye", among them "tea" (shares 2 links with "rye")',
    ]


@pytest.mark.parametrize("kind", ["directed", "bipartite"])
def test_a_fitted_model_of_every_kind_explains_its_pairs(kind: str) -> None:
    graph = DIRECTED if kind == "directed" else BIPARTITE
    model = pulink.L3N().fit(graph)
    pairs = [("A", "y")] if kind == "directed" else [("Dee", "tea")]
    assert pulink.explain(model, pairs)[0][0]


def test_names_are_strangers_text() -> None:
    hostile = "\x1b[31m\u202ered"
    graph = directed([("A", "x"), ("x", hostile), (hostile, "A")], ["A", "x", hostile])
    texts = [reason.text for reason in reasons_of(find_facts(graph, np.array([(0, 2)]))[0], graph, None)]
    assert texts == [
        '"\\x1b[31m\\u202ered" already links to "A"',
        '"A" links to 1 node that links to "\\x1b[31m\\u202ered": "x"',
    ]
