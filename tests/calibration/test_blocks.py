"""Probabilities in steps: near the truth where that is planted, rising, and modest where scores tell nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from pulink.calibration.blocks import BlockCurve

F64 = npt.NDArray[np.float64]


def planted(labelled_share: float, n: int = 60_000, seed: int = 0) -> tuple[F64, npt.NDArray[np.bool_], F64]:
    """Scores, which pairs are labelled, and the probability of a link, which nears 1 for the highest scores."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(-5, 3, n)
    probabilities = expit(2 * scores - 1)
    links = rng.random(n) < probabilities
    return scores, links & (rng.random(n) < labelled_share), probabilities


@pytest.mark.parametrize("share", [0.2, 0.5, 1.0])
def test_planted_probabilities_are_found(share: float) -> None:
    scores, labelled, truth = planted(share)
    found = BlockCurve.fit(scores, labelled, share).probability(scores)
    for part in np.array_split(np.argsort(scores), 20):
        assert found[part].mean() == pytest.approx(min(truth[part].mean(), 0.99), abs=0.09)
    assert found.sum() == pytest.approx(truth.sum(), rel=0.1)


def test_scores_that_tie_count_together() -> None:
    """Were ties ranked as they stand, labelled ones that happen to stand first would seem to be the best."""
    scores = np.repeat([1.0, 0.0], 100)
    labelled = np.zeros(200, np.bool_)
    labelled[:20] = True
    back = BlockCurve.fit(scores[::-1], labelled[::-1], 0.2)
    np.testing.assert_allclose(back.labelled, BlockCurve.fit(scores, labelled, 0.2).labelled, rtol=1e-12)
    np.testing.assert_allclose(back.probability(np.array([0.0, 1.0])), [0, 0.99])


@given(
    scores=st.lists(st.floats(-50, 50), min_size=1, max_size=80),
    labels=st.integers(0, 2**80),
    share=st.floats(0.01, 1),
)
def test_probabilities_rise_and_are_no_more_than_is_known(scores: list[float], labels: int, share: float) -> None:
    own = np.array(scores)
    labelled = np.array([labels >> k & 1 for k in range(len(own))], dtype=np.bool_)
    calibration = BlockCurve.fit(own, labelled, share)
    asked = np.sort(np.concatenate([own, np.nextafter(own, np.inf), np.nextafter(own, -np.inf), [-1e9, 1e9]]))
    found = calibration.probability(asked)
    assert (np.diff(found) >= 0).all()
    assert found[0] >= 0
    assert found[-1] <= 0.99
    assert calibration.probability(own).sum() <= labelled.sum() / share + 1e-6


def test_a_point_just_below_a_knot_stays_below_it() -> None:
    """Interpolated, some points just below a knot near 0 would be rounded above it."""
    rng = np.random.default_rng(0)
    above = 0
    for _ in range(1000):
        knots, heights = np.array([-3 * rng.random(), 1e-9 * rng.random()]), np.sort(rng.random(2))
        below = np.nextafter(knots[1:], -np.inf)
        above += int(np.interp(below, knots, heights)[0] > heights[1])
        calibration = BlockCurve(knots, heights, 1.0)
        assert calibration.probability(below)[0] <= calibration.probability(knots)[1] == min(heights[1], 0.99)
    assert above > 0


def test_nothing_labelled_means_no_links() -> None:
    assert not BlockCurve.fit(np.arange(9.0), np.zeros(9, np.bool_), 1.0).probability(np.arange(-1.0, 12)).any()


def test_a_sampled_pair_counts_as_many_as_it_stands_for() -> None:
    """Equal with every pair written out as often as it weighs."""
    rng = np.random.default_rng(0)
    scores, labelled = rng.normal(size=400).round(1), rng.random(400) < 0.2
    weights = np.where(labelled, 1, rng.integers(1, 5, 400)).astype(np.float64)
    often = weights.astype(np.int64)
    written = np.repeat(scores, often), np.repeat(labelled, often)
    sampled, written_out = BlockCurve.fit(scores, labelled, 0.5, weights), BlockCurve.fit(*written, 0.5)
    assert sampled.probability(scores) == pytest.approx(written_out.probability(scores))


def test_one_lucky_pair_does_not_decide() -> None:
    """Of the best pairs one in fifty is labelled, and by chance the very best one."""
    labelled = np.arange(20_000) % 50 == 0
    labelled[10_000:] = False
    scores = -np.arange(20_000.0)
    found = BlockCurve.fit(scores, labelled, 1.0).probability(scores)
    assert found[0] == pytest.approx(0.02, abs=0.003)
    assert found[9_000] == pytest.approx(0.02, abs=0.003)
    assert found[-1] == 0
    assert found.sum() == pytest.approx(labelled.sum())


@pytest.mark.parametrize("n_labelled", [4, 7, 30, 100])
def test_few_labelled_pairs_are_averaged_over_several(n_labelled: int) -> None:
    """One pair in ten is labelled, the best one among them: nobody may be promised more than one in six."""
    labelled = np.arange(10 * n_labelled + 500) % 10 == 0
    labelled[10 * n_labelled :] = False
    scores = -np.arange(float(len(labelled)))
    found = BlockCurve.fit(scores, labelled, 1.0).probability(scores)
    assert found.max() <= 1 / 6
    assert found.sum() == pytest.approx(n_labelled)
