"""How many links are missing: bounded by what the best pairs hold, assumed below that."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulink.models.prevalence import MissingLinks, estimate


def best_hold(share: float, n_hidden: int = 500) -> tuple[np.ndarray, np.ndarray]:
    """So large a share of the best pairs are hidden edges, evenly; behind them come 20,000 others."""
    n_best = round(n_hidden / share)
    labelled = np.zeros(n_best + 20_000, np.bool_)
    labelled[np.linspace(0, n_best - 1, n_hidden).round().astype(int)] = True
    return -np.arange(float(len(labelled))), labelled


def test_a_tenth_is_assumed_where_the_edges_allow_it() -> None:
    """500 of 4,500 known edges were hidden; a tenth of 5,000 links are 500, so half of the missing were hidden."""
    scores, labelled = best_hold(0.25)
    share, found = estimate(scores, labelled, 4500)
    assert share == pytest.approx(0.5)
    assert found.best == pytest.approx(500)
    # A quarter of the best 50 was hidden, which may be 16% by chance: no more than 500 / 0.16 are missing in all.
    assert found.bound == pytest.approx(500 / 0.16 - 500, rel=0.05)
    assert found.low == pytest.approx(4500 * 0.02 / 0.98)
    assert found.high == found.bound


def test_who_knows_better_is_believed() -> None:
    scores, labelled = best_hold(0.25)
    share, found = estimate(scores, labelled, 4500, missing_share=0.2)
    assert found.best == pytest.approx(4500 / 4)
    assert share == pytest.approx(500 / (500 + 4500 / 4))


def test_edges_may_prove_that_fewer_are_missing() -> None:
    """Nine in ten of the best pairs are hidden edges: nearly all that is missing was hidden."""
    scores, labelled = best_hold(0.9)
    share, found = estimate(scores, labelled, 4500)
    # Nine tenths of 50 may be 84% by chance.
    assert share == pytest.approx(0.84, abs=0.01)
    assert found.best == found.bound == found.high == pytest.approx(500 * 0.16 / 0.84, rel=0.1)
    assert found.low <= found.best


@given(
    scores=st.lists(st.floats(-9, 9), min_size=1, max_size=60),
    labels=st.integers(0, 2**60),
    n_train=st.integers(0, 200),
    missing=st.floats(0, 0.9),
)
def test_the_interval_holds_the_estimate(scores: list[float], labels: int, n_train: int, missing: float) -> None:
    labelled = np.array([labels >> k & 1 for k in range(len(scores))], dtype=np.bool_)
    share, found = estimate(np.array(scores), labelled, n_train + int(labelled.sum()), missing_share=missing)
    assert 0 < share <= 1
    assert 0 <= found.low <= found.best <= found.high
    assert found.best <= found.bound + 1e-9
    assert MissingLinks.from_dict(found.to_dict()) == found
