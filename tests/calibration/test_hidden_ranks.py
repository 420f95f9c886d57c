"""Where hidden edges stand among other pairs: by hand, with ties, with pairs that stand for many, over splits."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pulink.calibration.hidden_ranks import HiddenRanks


def ranked(letters: str, weights: list[float] | None = None) -> HiddenRanks:
    """A list in words, best first: h for a hidden edge, . for another pair."""
    hidden = np.array([letter == "h" for letter in letters])
    counts = np.ones(len(hidden)) if weights is None else np.array(weights)
    return HiddenRanks.of(-np.arange(float(len(hidden))), hidden, counts)


def test_places_by_hand() -> None:
    """The two other pairs stand at 0.5 and 1.5; what lies between two of them lies between these."""
    assert ranked("h.h.h").places.tolist() == [0.25, 1.0, 1.75]
    assert ranked("hh.").places.tolist() == [0.125, 0.375]
    assert ranked(".").places.tolist() == []
    assert ranked("h.h.h").n_others == 2


def test_a_pair_that_stands_for_many_is_as_wide() -> None:
    """It stands from rank 1 to rank 11, at 6."""
    assert ranked(".h.h", [1.0, 1.0, 10.0, 1.0]).places.tolist() == [3.25, 8.5]


def test_hidden_edges_that_tie_with_others_are_spread_among_them() -> None:
    found = HiddenRanks.of(np.array([5.0, 5, 5, 5, 2]), np.array([1, 0, 1, 0, 0], np.bool_), np.ones(5))
    assert found.places.tolist() == [0.5, 1.5]


def test_without_other_pairs_all_stand_at_the_top() -> None:
    found = ranked("hhh")
    assert found.places.tolist() == [0.5, 0.5, 0.5]
    assert found.n_others == 0


def test_splits_are_put_together_by_ranks() -> None:
    """One of them has twice as many other pairs: its ranks count half as much, and so on."""
    one, two = ranked("h.."), ranked("..h..")
    both = HiddenRanks.pooled([one, two])
    assert both.n_others == 3
    assert both.places == pytest.approx([0.25 * 3 / 2, 2.0 * 3 / 4])
    assert (both.n_hidden, both.n_splits) == (1, 2)


def test_the_share_found_by_hand() -> None:
    """Of four hidden edges three are among the best four pairs."""
    assert ranked("hh.h.....h").found_share() == 0.75
    assert np.isnan(ranked("..").found_share())


@given(
    scores=st.lists(st.integers(-5, 5), min_size=1, max_size=40),
    labels=st.integers(0, 2**40),
    factor=st.floats(0.1, 10),
)
def test_places_follow_the_order_alone(scores: list[int], labels: int, factor: float) -> None:
    labelled = np.array([labels >> k & 1 for k in range(len(scores))], dtype=np.bool_)
    plain, other = (
        HiddenRanks.of(values, labelled, np.ones(len(scores)))
        for values in (np.array(scores, float), factor * np.array(scores, float) + 3)
    )
    assert plain.places.tolist() == other.places.tolist()
    assert len(plain.places) == labelled.sum()
    if plain.n_others:
        assert ((plain.places >= 0) & (plain.places <= plain.n_others)).all()
    backwards = HiddenRanks.of(np.array(scores[::-1], float), labelled[::-1], np.ones(len(scores)))
    assert backwards.places.tolist() == plain.places.tolist()
