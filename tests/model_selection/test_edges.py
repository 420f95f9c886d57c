"""Edges as rows for scikit-learn: what each part sees, splitters, scorers, searches."""

from __future__ import annotations

import pickle
import re
from collections.abc import Callable
from itertools import combinations, permutations, product
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import polars as pl
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, RandomizedSearchCV, cross_val_score, cross_validate
from sklearn.pipeline import Pipeline

import pulink
from pulink.errors import InputError, LeakError, ParameterError, UnknownNameError
from pulink.model_selection import EdgeKFold, EdgeRows, EdgeShuffleSplit, edges, scorer
from tests.support.planted import planted_graph


def undirected() -> pulink.Graph:
    return planted_graph(12, 3, 0.6, 0.05, seed=1)


def directed() -> pulink.Graph:
    return pulink.from_networkx(nx.gnp_random_graph(25, 0.15, seed=2, directed=True))


def bipartite() -> pulink.Graph:
    rows = [(f"u{i}", f"v{j}") for i, j in product(range(12), range(9)) if (i * j + i + j) % 3]
    return pulink.from_frame(pl.DataFrame(rows, schema=["user", "item"], orient="row"), kind="bipartite")


KINDS = [undirected, directed, bipartite]


def allowed_pairs(graph: pulink.Graph) -> set[tuple[int, int]]:
    if graph.kind == "directed":
        return set(permutations(range(graph.n_nodes), 2))
    if graph.kind == "bipartite":
        firsts, seconds = {i for i, _ in graph.edges.tolist()}, {j for _, j in graph.edges.tolist()}
        return set(product(firsts, seconds))
    return set(combinations(range(graph.n_nodes), 2))


def complete_bipartite(n_each: int) -> pulink.Graph:
    """As an undirected graph: links join the two halves, and nodes of one half share all neighbours."""
    return pulink.Graph.from_edges([[i, n_each + j] for i in range(n_each) for j in range(n_each)])


@pytest.mark.parametrize("make", KINDS)
def test_training_sees_its_own_edges_alone_and_every_node(make: Callable[[], pulink.Graph]) -> None:
    graph = make()
    rows = edges(graph)
    for train, test in EdgeKFold(4, seed=3).split(rows):
        seen = rows[train].train_graph()
        assert seen.edges.tolist() == sorted(rows.edges[train].tolist())
        assert (seen.n_nodes, seen.kind, seen.names[3]) == (graph.n_nodes, graph.kind, graph.names[3])
        assert not seen.has_edges(rows[test].edges).any()


@pytest.mark.parametrize("make", KINDS)
def test_held_out_edges_are_compared_with_pairs_that_are_no_edges_of_the_whole_graph(
    make: Callable[[], pulink.Graph],
) -> None:
    graph = make()
    recorded = set(map(tuple, graph.edges.tolist()))
    rows = edges(graph)
    for _, test in EdgeShuffleSplit(3, test=0.3).split(rows):
        split = rows[test].held_out()
        pulink.audit(split)
        others = set(map(tuple, split.test_non_edges.tolist()))
        assert sorted(map(tuple, split.test_edges.tolist())) == sorted(map(tuple, rows.edges[test].tolist()))
        assert len(others) == min(len(test), len(allowed_pairs(graph) - recorded))
        assert others <= allowed_pairs(graph) - recorded


@pytest.mark.parametrize("make", KINDS)
def test_the_score_is_auroc_of_a_model_that_saw_the_training_edges(make: Callable[[], pulink.Graph]) -> None:
    rows = edges(make())
    cv = EdgeKFold(2, seed=5)
    found = cross_validate(pulink.L3N(n_splits=1), rows, cv=cv, return_estimator=True, return_indices=True)
    other = cross_val_score(pulink.L3N(n_splits=1), rows, cv=cv, scoring=scorer("auprc"))
    for k, (model, train, test) in enumerate(
        zip(found["estimator"], found["indices"]["train"], found["indices"]["test"], strict=True)
    ):
        assert model.graph_.edges.tolist() == sorted(rows[train].edges.tolist())
        split = rows[test].held_out()
        given_scores = np.concatenate(
            [model.decision_function(pairs) for pairs in (split.test_edges, split.test_non_edges)]
        )
        labels = np.repeat([1, 0], [len(split.test_edges), len(split.test_non_edges)])
        assert found["test_score"][k] == pytest.approx(roc_auc_score(labels, given_scores), abs=1e-12)
        assert other[k] == pytest.approx(average_precision_score(labels, given_scores), abs=1e-12)


def test_a_model_that_has_seen_them_is_refused() -> None:
    rows = edges(undirected())
    with pytest.raises(LeakError, match="fitted on 5 of the test edges"):
        pulink.L3N(n_splits=1).fit(rows).score(rows[:5])


@pytest.mark.parametrize("search", ["grid", "random"])
def test_a_search_finds_the_setting_that_is_right_by_hand(search: str) -> None:
    """Of K(10, 10), a hidden edge has walks of three steps alone, two nodes of one half walks of two alone.

    With a third hidden, nodes of one half share 1 to 10 neighbours, and a hidden edge has 3 to 100 walks of three
    steps: β² · 10 < β³ · 3 for β = 5, AUROC 1, and β² > β³ · 100 for β = 0.001, AUROC 0.
    """
    rows, cv, grid = edges(complete_bipartite(10)), EdgeKFold(3, seed=2), {"beta": [0.001, 5.0]}
    if search == "grid":
        found = GridSearchCV(pulink.Katz(n_splits=1), grid, cv=cv).fit(rows)
    else:
        found = RandomizedSearchCV(pulink.Katz(n_splits=1), grid, n_iter=2, cv=cv, random_state=0).fit(rows)
    scores = found.cv_results_["mean_test_score"]
    assert {p["beta"]: s for p, s in zip(found.cv_results_["params"], scores, strict=True)} == {
        0.001: 0.0,
        5.0: 1.0,
    }
    assert found.best_params_ == {"beta": 5.0}
    assert found.best_estimator_.graph_.n_edges == 100
    assert found.best_estimator_.missing_links(3).height == 3


def test_methods_can_be_steps_of_a_pipeline_and_compared() -> None:
    """Nodes of one half share neighbours and are never linked: shared neighbours are always wrong, L3 is right."""
    rows = edges(complete_bipartite(8))
    grid = {"method": [pulink.CommonNeighbours(n_splits=1), pulink.L3(n_splits=1)]}
    search = GridSearchCV(Pipeline([("method", pulink.L3N())]), grid, cv=EdgeShuffleSplit(2, test=0.2)).fit(rows)
    assert search.cv_results_["mean_test_score"].tolist() == [0.0, 1.0]
    assert isinstance(search.best_params_["method"], pulink.L3)


def test_a_trained_method_needs_room_for_its_groups() -> None:
    """Six groups cannot be told apart by one number per node."""
    rows = edges(planted_graph(8, 6, 0.8, 0.0, seed=0))
    model = pulink.PULL(max_iterations=1, n_epochs=60, refit=False)
    search = GridSearchCV(model, {"n_units": [1, 16]}, cv=EdgeKFold(3), scoring=scorer("auprc")).fit(rows)
    low, high = search.cv_results_["mean_test_score"]
    assert search.best_params_ == {"n_units": 16}
    assert high > low + 0.1


@pytest.mark.slow
def test_two_processes_give_the_same_answer() -> None:
    rows = edges(undirected())
    model = pulink.PULL(max_iterations=1, n_epochs=5, threads=1)
    one, two = (
        GridSearchCV(model, {"n_units": [2, 8]}, cv=EdgeKFold(3), n_jobs=n)
        .fit(rows)
        .cv_results_["mean_test_score"]
        for n in (1, 2)
    )
    assert one.tolist() == two.tolist()


@pytest.mark.parametrize("name", list(pulink.METHODS))
def test_every_method_is_cloned_and_pickled_unfitted(name: str) -> None:
    model = pulink.make(name, seed=4).set_output(transform="pandas")
    for copy in (clone(model), pickle.loads(pickle.dumps(model))):  # noqa: S301 (our own)
        assert type(copy) is type(model)
        assert copy.get_params() == model.get_params()
        assert copy._sklearn_output_config == {"transform": "pandas"}


def test_rows_can_be_pickled_with_their_graph() -> None:
    rows = edges(bipartite())[[0, 5, 7]]
    again = pickle.loads(pickle.dumps(rows))  # noqa: S301 (our own)
    assert again.edges.tolist() == rows.edges.tolist()
    assert again.train_graph().kind == "bipartite"
    assert again.graph.names[4] == rows.graph.names[4]


@given(st.integers(2, 40), st.integers(2, 7), st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_folds_hold_out_every_edge_once(n_edges: int, n_splits: int, seed: int) -> None:
    rows = edges(pulink.Graph.from_edges([[i, i + 1] for i in range(n_edges)]))
    splitter = EdgeKFold(n_splits, seed)
    if n_edges < n_splits:
        with pytest.raises(InputError, match="cannot be divided"):
            list(splitter.split(rows))
        return
    parts = list(splitter.split(rows))
    assert len(parts) == splitter.get_n_splits(rows) == n_splits
    assert np.sort(np.concatenate([test for _, test in parts])).tolist() == list(range(n_edges))
    for train, test in parts:
        assert sorted([*train.tolist(), *test.tolist()]) == list(range(n_edges))
        assert len(test) in (n_edges // n_splits, -(-n_edges // n_splits))


def test_shuffled_splits_differ_from_each_other_and_by_seed_alone() -> None:
    rows = edges(undirected())
    first, second = (test.tolist() for _, test in EdgeShuffleSplit(2, test=0.2, seed=1).split(rows))
    again, other = (next(EdgeShuffleSplit(1, 0.2, seed).split(rows))[1].tolist() for seed in (1, 2))
    assert first == again
    assert len({*map(tuple, (first, second, other))}) == 3
    assert len(first) == int(0.2 * len(rows))


def test_rows_are_indexed_as_arrays_are() -> None:
    rows = edges(undirected())
    for index in ([3, 1], np.array([3, 1]), slice(2, 9, 3), np.arange(len(rows)) % 2 == 0, (np.array([2]), ...)):
        plain = index[0] if isinstance(index, tuple) else index
        assert rows[index].edges.tolist() == rows.edges[plain].tolist()
    assert rows[4].shape == (1, 2)
    assert repr(rows[:3]) == f"EdgeRows(3 of {len(rows)} edges)"


def test_folds_of_neighbouring_rows_hide_no_whole_nodes() -> None:
    """cv=2 of scikit-learn divides rows as they stand: of sorted ones, half of the nodes would have no edge."""
    star = pulink.Graph.from_edges([[i, 40 * (i + 1) + k] for i in range(4) for k in range(40)], n_nodes=240)
    rows = edges(star)
    assert sorted(rows.edges.tolist()) == star.edges.tolist()
    for train, _ in KFold(2).split(rows):
        assert rows[train].train_graph().degrees[:4].min() > 10
    assert rows.rows.tolist() == edges(star).rows.tolist()
    random = pulink.from_networkx(nx.gnp_random_graph(60, 0.1, seed=4))
    assert cross_val_score(pulink.L3N(n_splits=1), edges(random), cv=3).mean() > 0.35


def test_accepted_edges_are_always_known() -> None:
    graph = undirected().with_accepted([(0, 30), (1, 31)])
    rows = edges(graph)
    assert len(rows) == graph.n_recorded == graph.n_edges - 2
    assert rows[:1].train_graph().n_edges == 3


@pytest.mark.parametrize(
    ("what", "message"),
    [
        (lambda: edges([(1, 2)]), "edges takes a Graph, got list"),
        (lambda: next(EdgeKFold(1).split(edges(undirected()))), "n_splits must be a whole number from 2, got 1"),
        (lambda: next(EdgeKFold().split(undirected())), r"give pulink.model_selection.edges\(graph\)"),
        (lambda: next(EdgeShuffleSplit(test=1.0).split(range(9))), "test must lie between 0 and 1, got 1.0"),
        (lambda: next(EdgeShuffleSplit(test=0.1).split(range(9))), "is none: hold out a larger share"),
        (lambda: scorer("roc_auc"), "unknown measure 'roc_auc'"),
        (lambda: pulink.L3N().set_output(transform="arrow"), "Did you mean 'pyarrow'"),
        (lambda: pulink.L3N().fit(EdgeRows(undirected(), np.arange(0))), "no edge is left for training"),
    ],
)
def test_what_is_not_allowed_is_said_in_one_line(what: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, InputError, UnknownNameError), match=message) as refused:
        what()
    assert "\n" not in str(refused.value)


def test_frames_are_those_that_were_chosen() -> None:
    graph = undirected()
    model = pulink.L3N(n_splits=1).fit(graph)
    kinds = {"pandas": "pandas", "polars": "polars", "pyarrow": "pyarrow", "default": "polars"}
    wanted = model.missing_links(4)["source"].to_list()
    for choice, library in kinds.items():
        assert model.set_output(transform=choice) is model
        for found in (model.missing_links(4), model.suggest(0, 4), clone(model).fit(graph).missing_links(4)):
            assert type(found).__module__.partition(".")[0] == library
        column = model.missing_links(4)["source"]
        assert (column.to_pylist() if choice == "pyarrow" else column.to_list()) == wanted
    assert model.set_output().missing_links(1).height == 1


def test_the_choice_for_all_of_scikit_learn_counts_where_none_was_made() -> None:
    model = pulink.L3N(n_splits=1).fit(undirected())
    with sklearn.config_context(transform_output="pandas"):
        assert type(model.missing_links(2)).__module__.startswith("pandas")
        assert type(pulink.find(undirected(), method="l3n", top=2, n_splits=1).links).__module__.startswith(
            "pandas"
        )
        assert type(model.set_output(transform="default").missing_links(2)).__module__.startswith("polars")


def test_the_page_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    page = Path(__file__).resolve().parents[2] / "docs" / "scikit-learn.md"
    (code,) = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    monkeypatch.setattr(pulink, "load", lambda _: complete_bipartite(8), raising=False)
    names: dict[str, Any] = {}
    exec(code, names)  # noqa: S102 (our own page)
    assert names["search"].best_params_ in ({"beta": 0.001}, {"beta": 0.05})
