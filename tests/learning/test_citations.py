"""PULL+ learns which way links run: papers cite older ones of their topic, nobody what is yet to come."""

import numpy as np
import pytest

import pulink
from tests.support.quick import BRIEF, make

N_PAPERS, N_TOPICS, N_YEARS = 120, 3, 12


def citations(seed: int) -> tuple[pulink.Graph, np.ndarray]:
    """Papers in random order with a year each, which the graph does not know; and the years."""
    rng = np.random.default_rng(seed)
    years = rng.integers(0, N_YEARS, N_PAPERS)
    topics = rng.integers(0, N_TOPICS, N_PAPERS)
    newer, older = np.nonzero(years[:, None] > years)
    chance = np.where(topics[newer] == topics[older], 0.3, 0.01)
    cited = rng.random(len(newer)) < chance
    return pulink.Graph.from_edges(
        np.stack([newer[cited], older[cited]], axis=1), N_PAPERS, kind="directed"
    ), years


@pytest.mark.parametrize(
    "seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)]
)
def test_of_the_best_hundred_proposals_ninety_five_cite_older_papers(seed: int) -> None:
    graph, years = citations(seed)
    assert (years[graph.edges[:, 0]] > years[graph.edges[:, 1]]).all()
    model = make("pull-plus", BRIEF | {"n_trees": 60, "n_folds": 3}).fit(graph)
    best, _ = model.best_pairs(100)
    assert len(best) == 100
    assert (years[best[:, 0]] > years[best[:, 1]]).sum() >= 95
