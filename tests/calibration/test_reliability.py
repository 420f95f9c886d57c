"""Reliability by hand, and that it tells a kept probability from a broken one."""

import numpy as np
import pytest

from pulink.calibration.blocks import BlockCurve
from pulink.calibration.reliability import Reliability, cross_fitted


def test_ten_bins_of_equal_mass_by_hand() -> None:
    """20 pairs above 0.05: two in a bin; of the two likeliest one is a link."""
    probs = np.concatenate([np.full(100, 0.01), np.linspace(0.05, 0.95, 20)])
    links = np.zeros(120)
    links[-1] = 1
    found = Reliability.of(probs, links, np.ones(120))
    assert found.n_pairs == (2,) * 10
    assert found.share_true == (0.0,) * 9 + (0.5,)
    means = np.linspace(0.05, 0.95, 20).reshape(10, 2).mean(axis=1)
    np.testing.assert_allclose(found.mean_probability, means)
    assert found.error == pytest.approx((means[:9].sum() + abs(means[9] - 0.5)) / 10)


def test_a_pair_counts_for_those_it_stands_for() -> None:
    probs, links, weights = np.array([0.2, 0.4]), np.array([0.0, 1.0]), np.array([9.0, 1.0])
    found = Reliability.of(probs, links, weights)
    assert found.n_pairs == (9, 1)
    assert found.error == pytest.approx((9 * 0.2 + 1 * 0.6) / 10)


def test_equal_probabilities_share_what_came_true() -> None:
    """A hundred pairs with one probability: a tenth are links, wherever they stand."""
    links = np.zeros(100)
    links[:10] = 1
    for order in (np.arange(100), np.arange(100)[::-1], np.random.default_rng(0).permutation(100)):
        found = Reliability.of(np.full(100, 0.1), links[order], np.ones(100))
        np.testing.assert_allclose(found.share_true, 0.1)
        assert found.error == pytest.approx(0)


def test_without_likely_pairs_there_is_nothing_to_judge() -> None:
    found = Reliability.of(np.array([0.01, 0.04]), np.zeros(2), np.ones(2))
    assert found.error is None
    assert found.bins == []
    assert Reliability.from_dict(found.to_dict()) == found


def drawn(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Scores, and labels with probability σ(score) / 2: half of all links are labelled."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(-2, 2, 40_000)
    return scores, rng.random(40_000) < 0.5 / (1 + np.exp(-scores))


def test_cross_fitting_finds_that_probabilities_are_kept() -> None:
    scores, labelled = drawn(0)
    found = cross_fitted([(scores, labelled, np.ones(len(scores)))], 1.0, seed=0)
    assert found.error is not None
    assert found.error < 0.02
    assert sum(found.n_pairs) == pytest.approx((1 / (1 + np.exp(-scores)) > 0.05).sum(), rel=0.15)
    assert Reliability.from_dict(found.to_dict()) == found


def test_a_curve_of_other_pairs_is_found_out() -> None:
    scores, labelled = drawn(0)
    wrong = BlockCurve.fit(scores + 1, labelled, 0.5).probability(scores)
    found = Reliability.of(wrong, labelled / 0.5, np.ones(len(scores)))
    assert found.error is not None
    assert found.error > 0.05
