"""Chances that follow ranks from one model to another."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pulink
from pulink.calibration.rank_transfer import RankedScores, carried_over, order_and_ends
from tests.support.planted import planted_graph

UNIT = np.ones(4)


def test_ranks_and_scores_by_hand() -> None:
    own = RankedScores.of(np.array([1.0, 5.0, 3.0]), np.array([10.0, 1.0, 2.0]))
    assert own.total == 13
    assert own.rank_of(np.array([6.0, 5.0, 4.0, 3.0, 1.0, 0.0])).tolist() == [0, 1, 1, 3, 13, 13]
    assert own.at(np.array([1.0, 2.0, 3.0, 4.0, 13.0])).tolist() == [5, 3, 3, 1, 1]


def test_the_best_stays_the_best_by_hand() -> None:
    """Ranks 1 to 4 have heights .8, .4, .2, .1; afterwards the scores of these ranks are 40, 30, 20, 10."""
    knots, heights = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.1, 0.2, 0.4, 0.8])
    before, after = RankedScores.of(knots, UNIT), RankedScores.of(np.array([20.0, 40.0, 10.0, 30.0]), UNIT)
    scores, found = carried_over(knots, heights, before, after)
    assert scores.tolist() == [10, 20, 30, 40]
    assert np.interp([40, 10], scores, found) == pytest.approx([0.8, 0.1])


def test_pairs_that_tie_now_share_their_chances() -> None:
    """The two in the middle, .4 and .2, tie: both get .3, but for the ranks between whole ones."""
    knots, heights = np.array([1.0, 2.0, 3.0, 4.0]), np.array([0.1, 0.2, 0.4, 0.8])
    before, after = RankedScores.of(knots, UNIT), RankedScores.of(np.array([9.0, 7.0, 7.0, 1.0]), UNIT)
    scores, found = carried_over(knots, heights, before, after)
    assert scores.tolist() == [1, 7, 9]
    assert found == pytest.approx([0.1, 0.3, 0.8], abs=0.01)


@given(seed=st.integers(0, 1000), factor=st.floats(0.1, 10), shift=st.floats(-5, 5))
def test_scores_on_another_scale_change_nothing(seed: int, factor: float, shift: float) -> None:
    rng = np.random.default_rng(seed)
    scores, weights = rng.normal(size=300), rng.choice([1.0, 7.0], 300)
    knots = np.sort(rng.choice(scores, 12, replace=False))
    heights = np.sort(rng.random(12))
    moved = carried_over(
        knots, heights, RankedScores.of(scores, weights), RankedScores.of(factor * scores + shift, weights)
    )
    one, other = np.interp(scores, knots, heights), np.interp(factor * scores + shift, *moved)
    assert weights @ other == pytest.approx(weights @ one, rel=0.02)
    assert np.abs(one - other).max() < 0.1


@pytest.mark.parametrize("name", ["l3n", "common-neighbours", "gcn-ce", "pull-plus"])
def test_a_refit_expects_as_many_links_as_are_missing(name: str) -> None:
    graph = planted_graph(25, 3, 0.5, 0.03, seed=1)
    brief = {"gcn-ce": {"max_epochs": 60, "min_epochs": 30}, "pull-plus": {"n_epochs": 10, "n_trees": 20}}
    model = pulink.make(name, missing_share=0.3, **brief.get(name, {})).fit(graph)
    missing = model.estimate_missing()
    assert missing is not None
    assert model.predict_proba(graph.pair_space.unconnected(graph.adjacency)).sum() == pytest.approx(
        missing.best, rel=0.1
    )


def test_equal_scores_keep_their_order_and_end_together() -> None:
    order, ends = order_and_ends(np.array([0.5, 2.0, 0.5, 3.0, 2.0]))
    assert order.tolist() == [3, 1, 4, 0, 2]
    assert ends.tolist() == [0, 2, 4]


def test_no_pairs_have_no_ends() -> None:
    order, ends = order_and_ends(np.empty(0))
    assert len(order) == len(ends) == 0
