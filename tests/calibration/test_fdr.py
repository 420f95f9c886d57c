"""How far down a list one may go: by hand, and on lists whose false pairs are known."""

from dataclasses import replace

import numpy as np
import pytest

from pulink.calibration.fdr import FdrCurve
from pulink.calibration.hidden_ranks import HiddenRanks


def curve_of(scores: np.ndarray, hidden: np.ndarray, weights: np.ndarray, share: float) -> FdrCurve:
    return FdrCurve.of(HiddenRanks.of(scores, hidden, weights), share)


def listed(hidden: str, share: float) -> FdrCurve:
    """A list in words: h for a hidden edge, . for another pair."""
    marks = np.array([letter == "h" for letter in hidden])
    return curve_of(-np.arange(len(marks), dtype=np.float64), marks, np.ones(len(marks)), share)


def test_the_longest_list_by_hand() -> None:
    """Of 100 hidden edges (10 - 0.42)^2 = 91.78 count; half of all links are hidden.

    Behind them, with U others: false U - 91.78, and 1 + U - 91.78 <= 0.2 U up to U = 113.
    """
    false = listed("h" * 100 + "." * 150, 0.5)
    assert replace(false, shown=True).longest(0.2) == 113
    # While they are hidden they are in the list too: 1 + U - 91.78 <= 0.2 (U + 100).
    assert false.longest(0.2) == 100 + 138


def test_a_list_that_begins_with_other_pairs_is_empty() -> None:
    assert replace(listed("." * 50 + "hh" + "." * 50, 0.5), shown=True).longest(0.2) == 0
    assert replace(listed("hh........", 0.9), shown=True).longest(0.1) == 0


def test_hidden_edges_among_others_of_the_same_score_are_spread() -> None:
    """(√150 - 0.42)² = 139.9 count, and 1 + U - 139.9 <= 0.2 U up to U = 173."""
    scores, hidden = np.repeat([2.0, 1.0], [300, 300]), np.zeros(600, np.bool_)
    hidden[:150] = True
    false = replace(curve_of(scores, hidden, np.ones(600), 0.5), shown=True)
    assert false.longest(0.2) == 173


def test_several_splits_count_once_and_are_known_better() -> None:
    """Four splits of 100 hidden edges: (√400 - 0.42)² / 4 = 95.8 count, not 91.78."""
    one = HiddenRanks.of(-np.arange(250.0), np.arange(250) < 100, np.ones(250))
    four = FdrCurve.of(HiddenRanks.pooled([one] * 4), 0.5)
    assert replace(four, shown=True).longest(0.2) == int((95.8 - 1) / 0.8)


def test_a_pair_counts_for_those_it_stands_for() -> None:
    """(√40 - 0.42)² = 34.9 count, and 1 + U - 34.9 <= 0.1 (U + 40) up to U = 42, if there are so many."""
    hidden = np.arange(42) < 40
    few, many = (curve_of(-np.arange(42.0), hidden, np.append(np.ones(41), n), 0.5) for n in (10.0, 1000.0))
    assert few.longest(0.1) == 40 + 1 + 10
    assert many.longest(0.1) == 40 + 42


@pytest.mark.parametrize("level", [0.1, 0.2])
def test_the_share_of_false_pairs_stays_below_the_level(level: float) -> None:
    """Links and other pairs with normal scores; a third of the links is hidden, the others are to be found."""
    shares, kept, best = [], 0, 0
    for seed in range(40):
        rng = np.random.default_rng(seed)
        scores = np.concatenate([rng.normal(3, 1, 900), rng.normal(0, 1, 20_000)])
        links = np.arange(20_900) < 900
        hidden = links & (rng.random(20_900) < 1 / 3)
        length = replace(curve_of(scores, hidden, np.ones(20_900), 1 / 3), shown=True).longest(level)
        rest = np.flatnonzero(~hidden)
        found = links[rest[np.argsort(-scores[rest])]]
        right = np.cumsum(found)
        allowed = np.flatnonzero(1 - right / np.arange(1, len(right) + 1) <= level)
        shares.append(1 - found[:length].mean() if length else 0.0)
        kept, best = kept + int(found[:length].sum()), best + int(right[allowed[-1]])
    assert np.mean(shares) < level
    assert kept > best / 2


def test_long_lists_are_thinned_and_end_with_the_last_pair() -> None:
    false = listed("h" + "." * 99_999, 0.5)
    assert len(false.others) <= 4_000
    assert false.others[0] < 1
    assert false.others[-1] == 99_999


@pytest.mark.parametrize(
    ("others", "hidden", "share"),
    [([2.0, 1.0], [0.0, 1.0], 0.5), ([1.0], [-1.0], 0.5), ([np.nan], [1.0], 0.5), ([1.0], [1.0], 0.0)],
)
def test_counts_that_are_none_are_refused(others: list[float], hidden: list[float], share: float) -> None:
    with pytest.raises(ValueError, match="count of false links"):
        FdrCurve(np.array(others), np.array(hidden), share)
