"""Probabilities from scores: they rise strictly, add up, beat steps on held-out edges, follow what is assumed."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.special import expit

from pulink.calibration.blocks import BlockCurve
from pulink.calibration.curve import Calibration, Knots, below_one
from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.calibration.rank_curve import LARGEST, RankCurve, level_shift
from pulink.calibration.rank_transfer import RankedScores

F64 = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]


def planted(share: float, seed: int = 0, n: int = 60_000) -> tuple[F64, Mask, Mask]:
    """Scores, which pairs are hidden edges, a share of all links, and which other pairs are links."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(-5, 3, n)
    links = rng.random(n) < expit(2 * scores - 1)
    hidden = links & (rng.random(n) < share)
    return scores, hidden, links & ~hidden


def fitted(scores: F64, hidden: Mask, theta: float) -> Calibration:
    weights = np.ones(len(scores))
    ranks = RankCurve.fit(HiddenRanks.of(scores, hidden, weights), theta)
    return Calibration.of(ranks, Knots.of(RankedScores.of(scores[~hidden], weights[~hidden]), ranks.n_others))


@pytest.mark.parametrize("share", [0.2, 0.5, 0.8])
def test_planted_probabilities_are_found(share: float) -> None:
    scores, hidden, links = planted(share)
    theta = links.sum() / hidden.sum()
    curve = fitted(scores, hidden, theta)
    found, shown = curve.probability(scores), curve.after_showing().probability(scores[~hidden])
    truth = expit(2 * scores - 1)
    for part in np.array_split(np.argsort(scores), 20):
        assert found[part].mean() == pytest.approx(truth[part].mean(), abs=0.03)
    assert found.sum() == pytest.approx(links.sum() + hidden.sum(), rel=0.03)
    assert shown.sum() == pytest.approx(links.sum(), rel=0.03)


def test_held_out_links_are_likelier_than_by_steps() -> None:
    """By the mean log-loss of the links that were neither hidden nor recorded."""
    for seed in range(6):
        scores, hidden, links = planted(0.5, seed, n=20_000)
        steps = BlockCurve.fit(scores, hidden, 0.5).probability(scores)
        steps = (steps / 2 / (1 - steps / 2))[~hidden]
        smooth = fitted(scores, hidden, 1.0).after_showing().probability(scores[~hidden])
        losses = [
            -np.where(links[~hidden], np.log(np.clip(p, 1e-9, None)), np.log1p(-p)).mean() for p in (smooth, steps)
        ]
        assert losses[0] < losses[1]


@settings(max_examples=25)
@given(
    scores=st.lists(st.floats(-50, 50), min_size=2, max_size=60, unique=True),
    labels=st.integers(0, 2**60),
    theta=st.floats(1e-6, 20),
    shown=st.booleans(),
)
def test_probabilities_rise_strictly(scores: list[float], labels: int, theta: float, shown: bool) -> None:
    own = np.unique(np.array(scores).round(3))
    assume(len(own) > 1)
    hidden = np.array([labels >> k & 1 for k in range(len(own))], dtype=np.bool_)
    hidden[0], hidden[1] = True, False
    curve = replace(fitted(own, hidden, theta), shown=shown)
    asked = np.unique(np.concatenate([own, [-60.0, 60.0]]))
    found = curve.probability(asked)
    assert (np.diff(found) > 0).all()
    assert 0 < found[0] < found[-1] < 1


def test_equal_scores_share_the_mean_of_what_their_ranks_are_worth() -> None:
    scores, hidden, _ = planted(0.5)
    rough = scores.round(0)
    fine, coarse = (fitted(values, hidden, 1.0).after_showing() for values in (scores, rough))
    for level in (-3.0, -1.0, 1.0):
        among = (rough == level) & ~hidden
        assert coarse.probability(np.array([level]))[0] == pytest.approx(
            fine.probability(scores[among]).mean(), abs=0.03
        )


def test_ranks_stay_when_scores_change() -> None:
    scores, hidden, _ = planted(0.5)
    weights = np.ones(len(scores))
    ranks = RankCurve.fit(HiddenRanks.of(scores, hidden, weights), 1.0)
    one, other = (
        Calibration.of(
            ranks, Knots.of(RankedScores.of(values[~hidden], weights[~hidden]), ranks.n_others)
        ).probability(values)
        for values in (scores, np.exp(scores / 10))
    )
    np.testing.assert_allclose(one, other, atol=2e-3)


def test_what_is_left_when_the_hidden_are_shown() -> None:
    """Of 1,000 pairs of a score 800 are links, half of them hidden: of the 600 others 400 are."""
    at = np.log(2 / 3 / LARGEST) - np.log1p(-2 / 3 / LARGEST)
    curve = Calibration(np.zeros(1), np.array([at]), np.zeros(1), 1.0)
    assert curve.probability(np.zeros(1)) == pytest.approx([0.8])
    assert curve.after_showing().probability(np.zeros(1)) == pytest.approx([400 / 600])


def test_another_number_of_missing_links_scales_probabilities() -> None:
    scores, hidden, _ = planted(0.5)
    curve = fitted(scores, hidden, 1.0).after_showing()
    few, many = (replace(curve, assumed=theta).probability(scores) for theta in (0.1, 10.0))
    np.testing.assert_allclose(few, 0.1 * curve.probability(scores), rtol=1e-6)
    order = np.argsort(scores)
    assert (np.diff(many[order]) >= 0).all()
    assert 0.97 < many.max() < 1
    assert replace(curve, assumed=10.0).label_frequency == pytest.approx(1 / 11)


def test_the_interval_holds_the_probability_and_widens_with_doubt() -> None:
    scores, hidden, _ = planted(0.5, n=5_000)
    curve = fitted(scores, hidden, 1.0).after_showing()
    middle = curve.probability(scores)
    low, high = curve.interval(scores, 0.5, 3.0, 1.645)
    assert (low < middle).all()
    assert (middle < high).all()
    narrow = curve.interval(scores, 1.0, 1.0, 1.645)
    assert ((narrow[0] > low) & (narrow[1] < high)).all()
    nothing, _ = curve.interval(scores, 0.0, 1.0, 1.645)
    assert not nothing.any()


@pytest.mark.slow
def test_ninety_in_a_hundred_intervals_hold_what_was_planted() -> None:
    """θ is known; of ranks 5 to 500 of 60 lists, nine in ten hold the true probability (it is held in 94%)."""
    held = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        truth = 0.9 * expit(2 - 1.2 * np.log(np.arange(1, 5_001) / 20))
        places = np.repeat(np.arange(5_000) + 0.5, rng.poisson(truth))
        ranks = RankCurve.fit(HiddenRanks(places, 5_000.0), 1.0)
        knots = Knots.of(RankedScores(-np.arange(5_000.0), np.arange(1.0, 5_001)), 5_000.0)
        curve = Calibration.of(ranks, knots).after_showing()
        low, high = curve.interval(-np.arange(5_000.0), 1.0, 1.0, 1.645)
        held.append(((low <= truth) & (truth <= high))[5:500].mean())
    assert 0.85 < np.mean(held) <= 1


def test_a_sum_of_log_odds_is_brought_to_what_is_expected() -> None:
    log_odds, exposure = np.linspace(-6, 2, 1_000), np.full(1_000, 3.0)
    shift = level_shift(log_odds, exposure, 50.0)
    assert 3 * expit(log_odds + shift).sum() == pytest.approx(50)
    assert level_shift(log_odds, exposure, 0.0) == level_shift(log_odds, exposure, 1e9) == 0


def test_expected_numbers_stay_themselves_until_they_near_one() -> None:
    expected = np.array([1e-9, 0.01, 0.5, 0.9])
    np.testing.assert_allclose(below_one(expected), expected, rtol=1e-3)
    many = below_one(np.geomspace(1e-6, 1e6, 5_000))
    assert (np.diff(many) > 0).all()
    assert many[-1] < 1


def test_a_curve_of_steps_from_an_earlier_folder_gives_the_same_probabilities() -> None:
    scores, shares = np.array([0.0, 1.0, 2.0]), np.array([0.0, 0.1, 0.3])
    old = shares / 0.4
    curve = Calibration.of_blocks(scores, shares, 0.4, shown=False)
    np.testing.assert_allclose(curve.probability(scores), old, atol=1e-9)
    shown = Calibration.of_blocks(scores, shares, 0.4, shown=True)
    np.testing.assert_allclose(shown.probability(scores), (old - 0.4 * old) / (1 - 0.4 * old), atol=1e-9)


@pytest.mark.parametrize(
    ("scores", "log_odds", "deviations", "theta"),
    [
        ([], [], [], 1.0),
        ([1.0, 2.0], [0.1], [0.0, 0.0], 1.0),
        ([2.0, 1.0], [0.1, 0.2], [0.0, 0.0], 1.0),
        ([1.0, 2.0], [0.2, 0.1], [0.0, 0.0], 1.0),
        ([1.0, 2.0], [0.2, 1e4], [0.0, 0.0], 1.0),
        ([1.0, 2.0], [0.2, 0.3], [0.0], 1.0),
        ([1.0, 2.0], [0.2, 0.3], [0.0, -1.0], 1.0),
        ([1.0, np.nan], [0.2, 0.3], [0.0, 0.0], 1.0),
        ([[1.0]], [[0.5]], [[0.0]], 1.0),
        ([1.0], [0.5], [0.0], 0.0),
        ([1.0], [0.5], [0.0], np.nan),
    ],
)
def test_curves_that_give_no_probabilities_are_refused(
    scores: list[float], log_odds: list[float], deviations: list[float], theta: float
) -> None:
    with pytest.raises(ValueError, match="its calibration"):
        Calibration(np.array(scores), np.array(log_odds), np.array(deviations), theta)
