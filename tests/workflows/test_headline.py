"""What is said after a search: sentences by hand, and no contradiction on graphs of every kind."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import networkx
import numpy as np
import polars as pl
import pytest

import pulink
from pulink.calibration.missing_links import MissingLinks
from pulink.data.catalog import datasets
from pulink.workflows.second_estimate import SecondEstimate, second_estimate
from pulink.workflows.words.headline import headline, listed_words, missing_words, second_words
from tests.support.command import call
from tests.support.planted import planted_graph
from tests.support.printed_answer import contradictions

SENTENCES = [
    (
        MissingLinks(157.2, 90.0, 354.0, 400.0),
        None,
        "about 157 links are missing (90% interval: 90 to 354), if links are missing at random; 400 at most",
    ),
    (
        MissingLinks(157.2, 15.0, 354.0, 400.0, "unknown"),
        None,
        "how many links are missing cannot be told from this graph: between 1% and 50% of all links is "
        "all that can be assumed (90% interval: 15 to 354; best guess: 157; 400 at most)",
    ),
    (
        MissingLinks(5.2, 0.0, 31.0, 31.0, "complete"),
        None,
        "the graph looks complete: at most 31 links (0.099% of all) are missing, if links are missing at random; "
        "best guess: 5",
    ),
    (
        MissingLinks(0.01, 0.0, 0.3, 0.3, "complete"),
        None,
        "the graph looks complete: at most less than 1 link (0.00096% of all) is missing, if links are missing at "
        "random; best guess: less than 1",
    ),
    (
        MissingLinks(40.0, 40.0, 40.0, 99.0, "given"),
        0.1,
        "about 40 links are missing: 10% of all links, as you said",
    ),
    (
        MissingLinks(40.0, 40.0, 40.0, 40.0, "given"),
        0.3,
        "about 40 links are missing: the hidden edges rule out more, although you said 30% of all links",
    ),
    (MissingLinks(1.2, 1.2, 1.2, 40.0, "given"), None, "about 1 link is missing"),
    (MissingLinks(0.0, 0.0, 0.0, 40.0, "given"), 0.0, "no link is missing: 0% of all links, as you said"),
    (None, None, "how many links are missing was not estimated"),
]


@pytest.mark.parametrize(("missing", "given", "words"), SENTENCES)
def test_how_many_links_are_missing_in_words(
    missing: MissingLinks | None, given: float | None, words: str
) -> None:
    assert missing_words(missing, given, 31_371) == words


def listed(*probabilities: float) -> pl.DataFrame:
    names = [str(k) for k in range(len(probabilities))]
    return pl.DataFrame(
        {"source": names, "target": [f"to {name}" for name in names], "probability": probabilities}
    )


def test_what_to_expect_of_a_list_by_hand() -> None:
    assert listed_words(listed(0.9, 0.8, 0.4)) == "about 2 of the 3 listed pairs are expected to be links"
    assert listed_words(listed(0.2, 0.1)) == "less than one of the 2 listed pairs is expected to be a link"
    assert listed_words(listed(0.6, 0.5)) == "about one of the 2 listed pairs is expected to be a link"
    assert listed_words(listed(0.873)) == "the listed pair is a link with a probability of 87%"
    assert listed_words(listed(0.001, 0.0005)).startswith("the 2 listed pairs rank highest among those")
    assert listed_words(listed()) == ""


def test_a_pair_that_two_nodes_list_counts_once() -> None:
    links = pl.DataFrame({"source": ["a", "b", "a"], "target": ["b", "a", "c"], "probability": [0.9, 0.9, 0.8]})
    assert listed_words(links) == "about 2 of the 2 listed pairs are expected to be links"


def test_methods_that_do_not_agree_are_told_so() -> None:
    here, there = MissingLinks(10, 5, 20, 30), MissingLinks(100, 50, 200, 300)
    assert second_words(here, SecondEstimate("l3n", here)) == "a second method, l3n, estimates 10 (5 to 20)"
    apart = "a second method, l3n, estimates 100 (50 to 200); the two methods disagree, so trust neither number"
    assert second_words(here, SecondEstimate("l3n", there)) == apart
    near = MissingLinks(22, 21, 23, 30)
    assert second_words(here, SecondEstimate("l3n", near)) == "a second method, l3n, estimates 22 (21 to 23)"
    vague = MissingLinks(22, 2, 200, 300, "unknown")
    assert second_words(here, SecondEstimate("l3n", vague)) == "a second method, l3n, cannot tell (2 to 200)"


def test_what_would_settle_it_is_said_where_it_is_open() -> None:
    graph = planted_graph(25, 3, 0.5, 0.03, seed=1)
    open_one = pulink.L3N().fit(graph)
    assert (open_one.estimate_missing().basis in ("unknown", "complete")) == bool(
        headline(open_one, None, None).settle
    )
    told = pulink.L3N(missing_share=0.2).fit(graph)
    assert headline(told, None, None).settle == ""


def test_another_method_is_asked_where_that_is_cheap() -> None:
    graph = planted_graph(25, 3, 0.5, 0.03, seed=1)
    model = pulink.L3N(seed=2, threads=1).fit(graph)
    found = second_estimate(model, "l3n", graph)
    assert found is not None
    other = pulink.ResourceAllocation(seed=2, threads=1).fit(graph).estimate_missing()
    assert (found.method, found.missing) == ("resource-allocation", other)
    assert second_estimate(model.assuming(0.1), "l3n", graph) is None


def edge_list(edges: object) -> str:
    return "a,b\n" + "".join(f"n{a},n{b}\n" for a, b in np.array(edges))


def nearly_complete() -> object:
    edges = np.stack(np.triu_indices(30, 1), axis=1)
    return edges[np.arange(len(edges)) % 80 != 7]


GRAPHS: dict[str, Callable[[], object]] = {
    "nearly complete": nearly_complete,
    "star": lambda: [(0, k) for k in range(1, 120)],
    "path": lambda: [(k, k + 1) for k in range(80)],
    "ring of cliques": lambda: list(networkx.ring_of_cliques(12, 6).edges),
    "tree": lambda: list(networkx.balanced_tree(3, 4).edges),
    "three edges": lambda: [(0, 1), (1, 2), (3, 4)],
    "twelve edges": lambda: list(networkx.cycle_graph(12).edges),
    "two sides": lambda: list(networkx.complete_bipartite_graph(9, 11).edges),
    "random": lambda: list(networkx.gnm_random_graph(60, 300, seed=0).edges),
    "sparse random": lambda: list(networkx.gnm_random_graph(300, 320, seed=0).edges),
    "karate club": lambda: list(networkx.karate_club_graph().edges),
    "les miserables": lambda: list(
        networkx.convert_node_labels_to_integers(networkx.les_miserables_graph()).edges
    ),
    "planted": lambda: planted_graph(25, 3, 0.5, 0.03, seed=1).edges,
}
BRIEF = ("--set", "pull-plus.n_epochs=10", "--set", "pull-plus.n_trees=20", "--set", "pull-plus.n_splits=2")


FEW = ("nearly complete", "star", "twelve edges", "karate club")
ASKED = [(name, method) for name in GRAPHS for method in ("l3n", "common-neighbours")]


@pytest.mark.parametrize(("name", "method"), [*ASKED, *((name, "pull-plus") for name in FEW)])
def test_no_headline_contradicts_its_list(name: str, method: str, tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text(edge_list(GRAPHS[name]()))
    settings = BRIEF if method == "pull-plus" else ()
    outcome = call("find", str(tmp_path / "edges.csv"), "--method", method, *settings)
    assert outcome.status == 0, outcome.err
    assert contradictions(outcome.err, outcome.out) == []


def test_a_contradiction_is_found_out() -> None:
    head = "rank\tsource\ttarget\tprobability\tscore\tprobability_low\tprobability_high\treason\n"
    table = head + "1\ta\tb\t0.9\t3\t0.8\t0.95\t\n2\ta\tc\t0.9\t2\t0.8\t0.95\t\n"
    assert contradictions("about 0 links are missing", table)
    good = "about 5 links are missing (90% interval: 2 to 9), ...; 12 at most\n"
    good += "about 2 of the 2 listed pairs are expected to be links"
    assert contradictions(good, table) == ["the probability at rank 2 does not follow its score"]
    assert contradictions(good, table.replace("a\tc\t0.9\t2", "a\tc\t0.85\t2")) == []
    assert contradictions(good.replace("about 5", "about 1"), table.replace("a\tc\t0.9\t2", "a\tc\t0.85\t2"))
    tiny = table.replace("0.9\t3\t0.8\t0.95", "0.001\t3\t0\t0.1").replace("0.9\t2\t0.8\t0.95", "0.0005\t2\t0\t0.1")
    assert "small probabilities" in contradictions(good.replace("about 2 of", "less than one of"), tiny)[0]


@pytest.mark.slow
@pytest.mark.parametrize("method", ["l3n", "resource-allocation"])
@pytest.mark.parametrize("name", [name for name, found in datasets().items() if found.available])
def test_no_headline_contradicts_its_list_on_real_graphs(name: str, method: str) -> None:
    outcome = call("find", name, "--method", method)
    assert outcome.status == 0, outcome.err
    assert contradictions(outcome.err, outcome.out) == []
