"""Effort: one setting that stands for many, and gives way to each of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from sklearn.base import clone

import pulink
from pulink.cli.parsing import completion
from pulink.errors import ParameterError
from pulink.methods.pull_plus.effort import EFFORTS, FitSettings, signal_config
from tests.support.small_views import random_graph, words

OPEN = ("max_folds", "n_epochs", "n_trees", "tree_rate", "max_rounds")
GRAPH = random_graph(30, 90, 0, features=words(30, 6, 0))


@pytest.mark.parametrize(
    ("effort", "wanted", "n_splits"),
    [
        ("fast", (3, 1, 100, 0.1, 0), 1),
        ("normal", (None, 50, 200, 0.05, 1), None),
        ("high", (None, 100, 200, 0.05, 3), None),
    ],
)
def test_what_an_effort_sets(effort: str, wanted: tuple[Any, ...], n_splits: int | None) -> None:
    model = pulink.PULLPlus(effort=effort)
    settings = FitSettings.of(model)
    assert tuple(getattr(settings, name) for name in OPEN) == wanted
    assert model._n_splits() == n_splits
    families = signal_config(model, GRAPH).families
    assert {"encoders", "pair-net"} & {*families} == (set() if effort == "fast" else {"encoders", "pair-net"})
    assert {"spectrum", "attributes"} <= {*families}


def test_normal_is_usual_and_the_shell_offers_every_effort() -> None:
    assert pulink.PULLPlus().effort == "normal"
    assert tuple(EFFORTS) == completion.EFFORTS


@pytest.mark.parametrize("effort", list(EFFORTS))
def test_a_setting_that_is_given_counts(effort: str) -> None:
    given = {"max_folds": 2, "n_epochs": 7, "n_trees": 9, "tree_rate": 0.3, "max_rounds": 4}
    model = pulink.PULLPlus(effort=effort, n_splits=5, **given)  # type: ignore[arg-type]
    settings = FitSettings.of(model)
    assert {name: getattr(settings, name) for name in OPEN} == given
    assert model._n_splits() == 5
    assert FitSettings.of(pulink.PULLPlus(effort=effort, max_rounds=0)).max_rounds == 0


@pytest.mark.parametrize("effort", ["slow", "Fast", "", None, 3])
def test_an_unknown_effort_is_refused_with_the_names_that_there_are(effort: Any) -> None:
    with pytest.raises(ParameterError) as caught:
        pulink.PULLPlus(effort=effort).fit(GRAPH)
    assert all(name in str(caught.value) for name in ("effort", *EFFORTS))


@pytest.mark.parametrize("name", ["n_folds", "n_units", "n_leaves", "far_per_edge", "near_per_edge"])
def test_what_no_effort_sets_cannot_be_left_open(name: str) -> None:
    with pytest.raises(ParameterError, match=name):
        pulink.PULLPlus(**{name: None}).fit(GRAPH)


def test_fast_trains_nothing_but_trees() -> None:
    model = pulink.PULLPlus(effort="fast", n_trees=5, threads=1).fit(GRAPH)
    assert (model.n_steps_, model.n_rounds_, len(model.history_)) == (0, 0, 1)
    assert not [name for name in model.state_ if name.startswith(("encoders", "embedding", "pair_net"))]
    assert "pair_net" not in model.signals_ and "gcn_dot" not in model.signals_
    assert "components" in model.signals_


def test_parameters_are_those_that_were_given() -> None:
    model = pulink.PULLPlus(effort="high", n_trees=9)
    again = clone(model)
    assert again is not model
    for own in (model, again, pulink.PULLPlus().set_params(**model.get_params())):
        assert (own.effort, own.n_trees, own.n_epochs) == ("high", 9, None)
    assert repr(again.set_params(effort="fast")) == "PULLPlus(effort='fast', n_trees=9)"


def test_high_effort_averages_fits_of_one_split_and_of_several() -> None:
    """Scores are means over four fits that saw no hidden edge; with n_splits=1 there is one fit."""
    graph = random_graph(60, 240, 0)
    brief = {"n_folds": 2, "n_epochs": 2, "n_trees": 5, "max_rounds": 0, "threads": 1, "leave_out": "pair-net"}
    data = pulink.split(graph, val=0.1, test=0.1, seed=0)
    model = pulink.PULLPlus(effort="high", **brief).fit(data)  # type: ignore[arg-type]
    every = [model, *model._members]
    assert len(every) == 4
    assert len({one._scorer.far.leaves.tobytes() for one in every}) == 4
    pairs = data.test_non_edges
    each = [one._average.at(one._tree_scores(pairs.astype(np.int64))) for one in every]
    assert np.allclose(model.decision_function(pairs), np.mean(each, axis=0))
    assert all(not one.graph_.has_edges(data.hidden_edges).any() for one in every)
    found = model.predict_proba(data.test_edges)
    assert ((found >= 0) & (found <= 1)).all()
    assert not pulink.PULLPlus(effort="high", n_splits=1, **brief).fit(data)._members  # type: ignore[arg-type]
    assert not pulink.PULLPlus(**brief).fit(data)._members  # type: ignore[arg-type]
    assert pulink.PULLPlus(effort="high").splits_for(graph) >= 4


@pytest.mark.parametrize("n_edges", [60, 240, 900])
def test_high_effort_averages_no_fewer_splits_than_normal(n_edges: int) -> None:
    graph = random_graph(80, n_edges, 0, features=words(80, 6, 0))
    assert pulink.PULLPlus(effort="high").splits_for(graph) >= pulink.PULLPlus().splits_for(graph)


@pytest.mark.parametrize("effort", list(EFFORTS))
@pytest.mark.parametrize("n_edges", [1, 2, 3])
def test_a_few_edges_and_attributes_are_enough_to_answer(effort: str, n_edges: int) -> None:
    graph = random_graph(6, n_edges, 0, features=words(6, 6, 0))
    model = pulink.PULLPlus(effort=effort, n_epochs=2, n_trees=2, threads=1).fit(graph)
    assert np.isfinite(model.decision_function(np.array([[0, 1], [4, 5]]))).all()


def test_a_network_is_no_wider_than_there_is_to_read() -> None:
    for n_columns, n_units in ((1, 64), (200, 128)):
        graph = pulink.Graph.from_edges([[0, 1]], 10_001, features=np.ones((10_001, n_columns), np.float32))
        net = signal_config(pulink.PULLPlus(), graph).pair_net
        assert net is not None
        assert net.n_units == n_units


def test_attributes_that_say_nothing_feed_no_network() -> None:
    graph = random_graph(40, 120, 0, features=np.zeros((40, 3), np.float32))
    model = pulink.PULLPlus(n_folds=2, n_epochs=2, n_trees=5, n_splits=1, threads=1).fit(graph)
    assert "pair_net" not in model.signals_
    assert "features" in model.signals_
