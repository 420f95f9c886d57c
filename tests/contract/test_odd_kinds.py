"""Odd graphs of every kind: every method that serves them gives a defined result or refuses in one clear line."""

import numpy as np
import pytest

import pulink
from tests.support.odd import LEAST, outcome
from tests.support.odd_kinds import BARREN, FULL, ODD, SERVED, SMALL
from tests.support.quick import make

NAMES = list(pulink.METHODS)
# These stand for the others in every run of the tests; the slow ones try all.
FEW = ("pull", "pull-plus", "l3n", "ppr", "jaccard", "preferential-attachment", "bagging-pu", "vgae")
# What each needs more of than the smallest graphs have.
TOO_SMALL = {"ness": "n_parts must be at most the number of edges", "pull-plus": "too few pairs to learn from"}


def served(name: str, graphs: dict[str, pulink.Graph]) -> dict[str, pulink.Graph]:
    kinds = pulink.METHODS[name].predictor.kinds
    return {what: graph for what, graph in graphs.items() if graph.kind in kinds}


@pytest.mark.parametrize(
    "name", [n if n in FEW and n != "pull-plus" else pytest.param(n, marks=pytest.mark.slow) for n in NAMES]
)
def test_graphs_without_anything_to_learn_or_to_find_are_refused(name: str) -> None:
    for graph in served(name, BARREN).values():
        assert "nothing to learn from: the graph has" in outcome(name, graph, LEAST)
    for graph in served(name, FULL).values():
        assert "non-edges are needed" in outcome(name, graph, LEAST)


@pytest.mark.parametrize(
    "name", [n if n in FEW and n != "pull-plus" else pytest.param(n, marks=pytest.mark.slow) for n in NAMES]
)
def test_every_odd_graph_ends_in_a_list_or_a_refusal(name: str) -> None:
    for what, graph in served(name, SMALL | SERVED).items():
        fate = outcome(name, graph, LEAST)
        assert fate.startswith("found: ") or (what in SMALL and TOO_SMALL[name] in fate), (what, fate)
    for what, graph in served(name, FULL).items():
        # Nothing is hidden, so nothing is needed to hide it against.
        assert outcome(name, graph, LEAST, val_ratio=0.0).startswith("found: "), what


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_of_it_twice(name: str) -> None:
    for graph in served(name, ODD).values():
        given = graph.with_features(np.random.default_rng(1).normal(size=(graph.n_nodes, 4)).astype(np.float32))
        first, second = (outcome(name, given, LEAST) for _ in range(2))
        assert first == second


@pytest.mark.parametrize("what", SERVED)
def test_the_other_doors_of_an_odd_model_open_too(what: str) -> None:
    graph = SERVED[what]
    model = make("l3n", LEAST).fit(graph)
    for node in range(graph.n_nodes):
        assert model.suggest(node, 100).height == len(graph.open_pairs(node))
    assert model.links_per_node(1)[0].height > 0
    assert model.missing_links(5, exact_nodes=0).height <= 5
    assert (model.estimate_missing() is None) == (graph.n_edges < 10)
