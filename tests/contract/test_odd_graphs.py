"""Empty, tiny, complete, broken into parts: every method gives a defined result or refuses in one clear line."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import pulink
from pulink.errors import InputError
from tests.support.command import call
from tests.support.odd import BARREN, FEATURES, FULL, LEAST, ODD, SERVED, SMALL, features_of, outcome
from tests.support.quick import BRIEF, make

NAMES = list(pulink.METHODS)
# These stand for the others in every run of the tests; the slow ones try all.
FEW = ("pull", "l3n", "vgae", "gat-ce")
# What each needs more of than the smallest graphs have.
TOO_SMALL = {"ness": "n_parts must be at most the number of edges", "pull-plus": "too few pairs to learn from"}


@pytest.mark.parametrize("name", NAMES)
def test_graphs_without_anything_to_learn_or_to_find_are_refused(name: str) -> None:
    for graph in BARREN.values():
        assert "nothing to learn from: the graph has" in outcome(name, graph, LEAST)
    assert "non-edges are needed" in outcome(name, FULL["complete"], LEAST)
    assert outcome(name, FULL["complete but for one"], LEAST).startswith("found: ")


@pytest.mark.parametrize("name", NAMES)
def test_two_nodes_are_served(name: str) -> None:
    fate = outcome(name, SMALL["two nodes"], LEAST)
    assert fate.startswith("found: ") or TOO_SMALL[name] in fate


@pytest.mark.parametrize("name", [n if n in FEW else pytest.param(n, marks=pytest.mark.slow) for n in NAMES])
def test_every_odd_graph_ends_in_a_list_or_a_refusal(name: str) -> None:
    for graph in (SMALL | SERVED).values():
        fate = outcome(name, graph, LEAST)
        assert fate.startswith("found: ") or TOO_SMALL[name] in fate
    for graph in FULL.values():
        # Nothing is hidden, so nothing is needed to hide it against.
        assert outcome(name, graph, LEAST, val_ratio=0.0).startswith("found: ")


@pytest.mark.parametrize("name", [n if n in FEW[:2] else pytest.param(n, marks=pytest.mark.slow) for n in NAMES])
def test_features_that_say_nothing_do_no_harm(name: str) -> None:
    graph = SERVED["isolated nodes"]
    for kind in FEATURES:
        fate = outcome(name, graph.with_features(features_of(kind, graph.n_nodes)), LEAST)
        # Numbers as large as are allowed may blow a training up, which is said.
        assert fate.startswith("found: ") or (kind == "large" and "training diverged" in fate)


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_all_of_it_twice(name: str) -> None:
    for graph in ODD.values():
        for kind, val_ratio in (("words", 0.0), ("numbers", 0.1)):
            given = graph.with_features(features_of(kind, graph.n_nodes))
            first, second = (outcome(name, given, BRIEF, val_ratio) for _ in range(2))
            assert first == second


def test_the_other_doors_of_an_odd_model_open_too() -> None:
    for name in ("l3n", "gcn-ce"):
        for graph in (SMALL["two nodes"], SMALL["one edge and nodes without"], SERVED["star"]):
            model = make(name, LEAST).fit(graph)
            assert len(model.suggest(0)) == min(10, graph.n_nodes - 1 - graph.degrees[0])
            assert model.links_per_node(1)[0].height == (graph.degrees < graph.n_nodes - 1).sum()
            # Fewer than ten edges: nothing can be hidden, and nothing is estimated.
            assert (model.estimate_missing() is None) == (graph.n_edges < 10)
            assert model.missing_links(5, exact_nodes=0).height <= 5


@pytest.mark.parametrize("wrap", [np.asarray, sp.csr_array])
def test_nan_infinite_and_huge_features_are_named(wrap: type) -> None:
    graph = SERVED["star"]
    for bad, what in ((np.nan, "NaN or infinite numbers"), (1e300, "NaN or infinite numbers"), (1e19, "numbers")):
        features = np.ones((graph.n_nodes, 3))
        features[4, 2] = features[7, 0] = bad
        with pytest.raises(InputError, match=rf"features hold {what}.*: 2, the first in row 4, column 2, counted"):
            graph.with_features(wrap(features))


@pytest.mark.parametrize(
    ("features", "said"),
    [
        ([["a"]] * 13, "must be a matrix of numbers, a row per node: could not convert"),
        ([[1j]] * 13, "must be real numbers, got complex ones"),
        ([[1.0, 2.0]] * 12 + [[1.0]], "must be a matrix of numbers, a row per node"),
        ([1.0] * 13, "must be a matrix with a row per node, got shape"),
        ([[1.0]] * 12, "12 rows, the graph has 13 nodes"),
        ([[1e300]] * 13, "NaN or infinite numbers: 13"),
    ],
)
def test_features_that_are_no_matrix_of_numbers_are_refused(features: object, said: str) -> None:
    with pytest.raises(InputError, match=said):
        SERVED["star"].with_features(features)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"n_nodes": 2.5}, "n_nodes must be a whole number, at least 0, got 2.5"),
        ({"n_nodes": "2"}, "n_nodes must be a whole number, at least 0, got '2'"),
        ({"n_nodes": -1}, "n_nodes must be a whole number, at least 0, got -1"),
        ({"n_nodes": 2**40}, "at most 2,147,483,647 nodes, got 1,099,511,627,776"),
        ({"weights": ["heavy"]}, "edge weights must be positive numbers: could not convert"),
        ({"weights": [None]}, "edge weights must be positive and finite, got nan"),
    ],
)
def test_sizes_and_weights_that_are_none_are_refused(arguments: dict[str, object], said: str) -> None:
    with pytest.raises(InputError, match=said):
        pulink.Graph.from_edges([[0, 1]], **arguments)  # type: ignore[arg-type]


STAR = SERVED["star"]
ZEROS_AND_ONES = np.asarray(features_of("words", STAR.n_nodes))


def test_sparse_features_of_any_format_are_one() -> None:
    expected = STAR.with_features(sp.csr_array(ZEROS_AND_ONES)).features
    for kind in (sp.csr_array, sp.csc_array, sp.coo_array, sp.csr_matrix, sp.lil_array, sp.dok_array):
        own = kind(ZEROS_AND_ONES.astype(np.float64))
        made = STAR.with_features(own).features
        assert all(np.array_equal(getattr(made, part), getattr(expected, part)) for part in ("data", "indices"))
        assert own.sum() == ZEROS_AND_ONES.sum()


def test_weights_come_in_many_forms() -> None:
    values = np.linspace(1, 2, STAR.n_edges)
    expected = pulink.Graph.from_edges(STAR.edges, weights=values).weights
    forms: list[Any] = [values.tolist(), tuple(values), pd.Series(values), pl.Series(values), values.astype("f4")]
    for weights in forms:
        assert np.array_equal(pulink.Graph.from_edges(STAR.edges, weights=weights).weights, expected)
    assert values.flags.writeable
    assert np.array_equal(values, np.linspace(1, 2, STAR.n_edges))


@pytest.mark.parametrize("weights", [np.zeros(1), [-1.0], [np.inf], [1.0, 2.0], [[1.0]], 1.0, "1", [{}]])
def test_weights_that_are_none_are_refused(weights: Any) -> None:
    with pytest.raises(InputError, match="weight"):
        pulink.Graph.from_edges([[0, 1]], weights=weights)


FILES = {
    "no rows": ("source,target\n", 3),
    "self-loops only": ("source,target\na,a\nb,b\n", 3),
    "two nodes": ("source,target\na,b\n", 3),
    "one edge many times": ("source,target\n" + "a,b\nb,a\n" * 20, 3),
    "a triangle": ("source,target\na,b\nb,c\na,c\n", 3),
    "a path": ("source,target\na,b\nb,c\n", 0),
    "star": ("source,target\n" + "".join(f"a,n{k}\n" for k in range(12)), 0),
    "two parts": ("source,target\n" + "".join(f"{p}{k},{p}{(k + 1) % 7}\n" for p in "ab" for k in range(7)), 0),
}


@pytest.mark.parametrize("method", ["l3n", pytest.param("gcn-ce", marks=pytest.mark.slow)])
def test_the_command_ends_with_a_documented_status(method: str, tmp_path: Path) -> None:
    brief = ["--method", method, *(["--set", "gcn-ce.max_epochs=2"] if method == "gcn-ce" else [])]
    for name, (content, status) in FILES.items():
        path, out = tmp_path / f"{name}.csv", tmp_path / name
        path.write_text(content)
        found = call("find", str(path), "--out", str(out), *brief)
        assert (found.status, "Traceback" in found.err) == (status, False), found.err
        if status:
            assert found.err.strip().splitlines()[-1].startswith("pulink: ")
            continue
        asked = call("suggest", str(out / "model"), "a0" if name == "two parts" else "a")
        assert (asked.status, "Traceback" in asked.err) == (0, False), asked.err


def test_evaluating_odd_graphs_ends_with_a_documented_status(tmp_path: Path) -> None:
    fates = {}
    for name, (content, _) in FILES.items():
        path = tmp_path / f"{name}.csv"
        path.write_text(content)
        ended = call("evaluate", str(path), "--method", "l3n", "--seeds", "1")
        assert "Traceback" not in ended.err
        fates[name] = ended.status
    assert {name for name, status in fates.items() if status == 0} == {"star", "two parts"}
    assert set(fates.values()) == {0, 3}
