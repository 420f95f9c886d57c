"""The curve of probabilities by rank: strictly falling, adding up, equal to a slow twin, modest at the top."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize
from scipy.special import expit

from pulink.calibration import rank_curve
from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.calibration.rank_curve import LARGEST, RankCurve


def evidence(
    seed: int, n_others: int = 20_000, theta: float = 0.5, n_splits: int = 1
) -> tuple[HiddenRanks, np.ndarray]:
    """Hidden edges drawn by a known probability of each rank, and that probability."""
    rng = np.random.default_rng(seed)
    truth = 0.9 * expit(2 - 1.2 * np.log(np.arange(1, n_others + 1) / 20))
    counts = rng.poisson(n_splits * truth / theta)
    places = np.repeat(np.arange(n_others) + 0.5, counts)
    return HiddenRanks(places, float(n_others), n_splits), truth


def probabilities(curve: RankCurve, n_others: int = 20_000) -> np.ndarray:
    return LARGEST * expit(curve.at(np.arange(n_others) + 0.5)[0])


@pytest.mark.parametrize("theta", [0.05, 0.5, 5.0])
def test_planted_probabilities_are_found(theta: float) -> None:
    known, truth = evidence(0, theta=theta, n_splits=8)
    found = probabilities(RankCurve.fit(known, theta))
    for start, end in ((0, 10), (10, 30), (30, 100), (100, 1000), (1000, 20_000)):
        expected = 8 * truth[start:end].sum() / theta
        slack = 0.05 + 3 / np.sqrt(expected)
        assert found[start:end].sum() == pytest.approx(truth[start:end].sum(), rel=slack)


def test_it_adds_up_to_the_links_that_are_missing() -> None:
    for seed in range(5):
        known, _ = evidence(seed)
        assert probabilities(RankCurve.fit(known, 0.5)).sum() == pytest.approx(0.5 * known.n_hidden, rel=0.02)


@settings(max_examples=25)
@given(
    places=st.lists(st.floats(0, 500), min_size=1, max_size=60),
    theta=st.floats(1e-6, 50),
    n_splits=st.integers(1, 10),
)
def test_it_falls_strictly_and_stays_a_probability(places: list[float], theta: float, n_splits: int) -> None:
    curve = RankCurve.fit(HiddenRanks(np.sort(places), 500.0, n_splits), theta)
    found = curve.at(np.arange(500) + 0.5)[0]
    assert np.isfinite(found).all()
    assert (np.diff(found) < 0).all()
    assert (np.diff(LARGEST * expit(found[:100])) < 0).all()


def test_the_most_likely_curve_is_that_of_a_slow_twin() -> None:
    """The same posterior, written with plain levels, by another optimiser, from another start."""
    known, _ = evidence(3, n_others=60)
    edges = rank_curve._bin_edges(60.0)
    counts = np.histogram(known.places, edges)[0].astype(float)
    log_ranks = np.log(np.concatenate([[0.5], np.sqrt(edges[1:-1] * edges[2:])]))
    gaps, widths = np.diff(log_ranks), np.diff(edges)
    curve = RankCurve.fit(known, 0.5)
    best = np.inf
    for steepness in (0.2, 0.4, 0.8, 1.6, 3.2):
        spread = rank_curve._prior_variances(counts, steepness**2 * gaps)

        def loss(levels: np.ndarray, spread: np.ndarray = spread) -> float:
            intensity = LARGEST * expit(levels) / 0.5
            value = (widths * intensity).sum() - counts @ np.log(intensity)
            return float(value + (np.diff(levels) ** 2 / (2 * spread)).sum() + levels[0] ** 2 / 18)

        falls = [{"type": "ineq", "fun": lambda levels: -np.diff(levels) - 0.01 * gaps}]
        start = np.linspace(1.0, -3.0, len(counts))
        found = minimize(loss, start, method="SLSQP", constraints=falls, options={"maxiter": 2000, "ftol": 1e-12})
        level = rank_curve.level_shift(found.x, widths * LARGEST / 0.5, counts.sum())
        best = min(best, float(np.abs(found.x + level - curve.log_odds[:-1]).max()))
    assert best < 0.02


def test_what_is_seen_more_often_is_known_better() -> None:
    one, many = (RankCurve.fit(evidence(1, n_splits=n)[0], 0.5).deviations for n in (1, 10))
    assert (many[5:30] < one[5:30]).all()


def test_a_lucky_first_pair_is_promised_little() -> None:
    """One pair in fifty is hidden, and by chance the very best one."""
    places = np.append(0.25, np.arange(25.0, 5_000.0, 50.0))
    found = probabilities(RankCurve.fit(HiddenRanks(places, 20_000.0), 1.0))
    assert found[0] < 0.06


def test_equal_scores_have_the_mean_of_their_ranks() -> None:
    curve = RankCurve.fit(evidence(0)[0], 0.5)
    every = expit(curve.at(np.arange(100, 400) + 0.5)[0])
    assert expit(curve.over(np.array([100.0]), np.array([400.0])))[0] == pytest.approx(every.mean(), rel=0.01)
