"""Chances that follow ranks from one model to another."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink.calibration.rank_transfer import RankedScores
from tests.support.planted import planted_graph


def test_ranks_and_scores_by_hand() -> None:
    own = RankedScores.of(np.array([1.0, 5.0, 3.0]), np.array([10.0, 1.0, 2.0]))
    assert own.total == 13
    assert own.scores.tolist() == [5, 3, 1]
    assert own.counts.tolist() == [1, 3, 13]


@pytest.mark.parametrize("name", ["l3n", "common-neighbours", "gcn-ce", "pull-plus"])
def test_a_refit_expects_as_many_links_as_are_missing(name: str) -> None:
    graph = planted_graph(25, 3, 0.5, 0.03, seed=1)
    brief = {
        "gcn-ce": {"max_epochs": 60, "min_epochs": 30},
        "pull-plus": {"n_epochs": 10, "n_trees": 20, "n_splits": 3},
    }
    model = pulink.make(name, missing_share=0.3, **brief.get(name, {})).fit(graph)
    missing = model.estimate_missing()
    assert missing is not None
    assert model.predict_proba(graph.pair_space.unconnected(graph.adjacency)).sum() == pytest.approx(
        missing.best, rel=0.1
    )
