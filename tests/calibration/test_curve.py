"""Chances from scores: near the truth where that is planted, rising, and modest where scores tell nothing."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit

from pulink.calibration.curve import Calibration, largest_label_frequency

F64 = npt.NDArray[np.float64]


def planted(labelled_share: float, n: int = 60_000, seed: int = 0) -> tuple[F64, npt.NDArray[np.bool_], F64]:
    """Scores, which pairs are labelled, and the chance of a link, which nears 1 for the highest scores."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(-5, 3, n)
    probabilities = expit(2 * scores - 1)
    links = rng.random(n) < probabilities
    return scores, links & (rng.random(n) < labelled_share), probabilities


@pytest.mark.parametrize(("share", "slack"), [(0.2, 0.06), (0.5, 0.04), (1.0, 0.02)])
def test_planted_chances_are_found(share: float, slack: float) -> None:
    """The largest of noisy shares is more often too large than too small, and chances are off by as much."""
    scores, labelled, truth = planted(share)
    c = largest_label_frequency(scores, labelled)
    assert c == pytest.approx(share, abs=slack)
    found = Calibration.fit(scores, labelled, c).probability(scores)
    for part in np.array_split(np.argsort(scores), 20):
        assert found[part].mean() == pytest.approx(min(truth[part].mean() * share / c, 0.99), abs=0.09)
    assert found.sum() == pytest.approx(truth.sum() * share / c, rel=0.1)


def test_the_share_of_labelled_by_hand() -> None:
    """Of 60 scores the best 50 hold 30 labelled, the best 51 hold 31, the others none."""
    scores = -np.arange(60.0)
    labelled = np.isin(np.arange(60), [*range(20, 51)])
    assert largest_label_frequency(scores, labelled) == pytest.approx(31 / 51)
    # Were no more links missing than the one known, 31 of 32 would be labelled.
    assert largest_label_frequency(scores[:3], np.array([True, False, False])) == pytest.approx(1 / 3)
    assert largest_label_frequency(scores, np.zeros(60, np.bool_)) == 1


def test_scores_that_tie_count_together() -> None:
    """Were ties ranked as they stand, labelled ones that happen to stand first would seem to be the best."""
    scores = np.repeat([1.0, 0.0], 100)
    labelled = np.zeros(200, np.bool_)
    labelled[:20] = True
    assert largest_label_frequency(scores, labelled) == pytest.approx(0.2)
    back = Calibration.fit(scores[::-1], labelled[::-1], 0.2)
    np.testing.assert_allclose(back.labelled, Calibration.fit(scores, labelled, 0.2).labelled, rtol=1e-12)
    np.testing.assert_allclose(back.probability(np.array([0.0, 1.0])), [0, 0.99])


@given(
    scores=st.lists(st.floats(-50, 50), min_size=1, max_size=80),
    labels=st.integers(0, 2**80),
    share=st.floats(0.01, 1),
)
def test_chances_rise_and_are_no_more_than_is_known(scores: list[float], labels: int, share: float) -> None:
    own = np.array(scores)
    labelled = np.array([labels >> k & 1 for k in range(len(own))], dtype=np.bool_)
    calibration = Calibration.fit(own, labelled, share)
    asked = np.sort(np.concatenate([own, np.nextafter(own, np.inf), np.nextafter(own, -np.inf), [-1e9, 1e9]]))
    found = calibration.probability(asked)
    assert (np.diff(found) >= 0).all()
    assert found[0] >= 0
    assert found[-1] <= 0.99
    assert calibration.probability(own).sum() <= labelled.sum() / share + 1e-9


def test_a_point_just_below_a_knot_stays_below_it() -> None:
    """Interpolated, some points just below a knot near 0 would be rounded above it."""
    rng = np.random.default_rng(0)
    above = 0
    for _ in range(1000):
        knots, heights = np.array([-3 * rng.random(), 1e-9 * rng.random()]), np.sort(rng.random(2))
        below = np.nextafter(knots[1:], -np.inf)
        above += int(np.interp(below, knots, heights)[0] > heights[1])
        calibration = Calibration(knots, heights, 1.0)
        assert calibration.probability(below)[0] <= calibration.probability(knots)[1] == min(heights[1], 0.99)
    assert above > 0


def test_nothing_labelled_means_no_links() -> None:
    assert not Calibration.fit(np.arange(9.0), np.zeros(9, np.bool_), 1.0).probability(np.arange(-1.0, 12)).any()


@pytest.mark.parametrize(
    ("scores", "probabilities"),
    [
        ([], []),
        ([1.0, 2.0], [0.1]),
        ([2.0, 1.0], [0.1, 0.2]),
        ([1.0, 2.0], [0.2, 0.1]),
        ([1.0, 2.0], [0.2, 1.1]),
        ([1.0, 2.0], [-0.2, 0.1]),
        ([1.0, np.nan], [0.2, 0.3]),
        ([[1.0]], [[0.5]]),
    ],
)
def test_curves_that_give_no_chances_are_refused(scores: list[float], probabilities: list[float]) -> None:
    with pytest.raises(ValueError, match="its calibration"):
        Calibration(np.array(scores), np.array(probabilities), 0.5)


@pytest.mark.parametrize("share", [0.0, -0.1, 1.5, np.nan])
def test_a_share_that_is_none_is_refused(share: float) -> None:
    with pytest.raises(ValueError, match="knows no share"):
        Calibration(np.zeros(1), np.zeros(1), share)


def test_a_sampled_pair_counts_as_many_as_it_stands_for() -> None:
    """Equal with every pair written out as often as it weighs."""
    rng = np.random.default_rng(0)
    scores, labelled = rng.normal(size=400).round(1), rng.random(400) < 0.2
    weights = np.where(labelled, 1, rng.integers(1, 5, 400)).astype(np.float64)
    often = weights.astype(np.int64)
    written = np.repeat(scores, often), np.repeat(labelled, often)
    share = largest_label_frequency(scores, labelled, weights)
    assert share == pytest.approx(largest_label_frequency(*written))
    sampled, written_out = Calibration.fit(scores, labelled, share, weights), Calibration.fit(*written, share)
    assert sampled.probability(scores) == pytest.approx(written_out.probability(scores))


def test_what_is_left_when_the_labelled_are_shown() -> None:
    """Of 1,000 pairs 800 are links, half of them labelled: of the 600 others 400 are."""
    curve = Calibration(np.array([0.0, 1.0]), np.array([0.0, 0.4]), 0.5)
    assert curve.probability(np.array([0.0, 1.0])) == pytest.approx([0, 0.8])
    assert curve.after_showing().probability(np.array([0.0, 1.0])) == pytest.approx([0, 400 / 600])
    certain = Calibration(np.zeros(1), np.full(1, 1.0), 1.0)
    assert certain.after_showing().probability(np.zeros(1)) == pytest.approx([0])


def test_shown_chances_are_those_of_the_planted_links() -> None:
    scores, labelled, truth = planted(0.5)
    links = np.random.default_rng(9).random(len(scores)) < (truth - 0.5 * truth) / (1 - 0.5 * truth)
    left = ~labelled
    found = Calibration.fit(scores, labelled, 0.5).after_showing().probability(scores[left])
    assert found.sum() == pytest.approx(links[left].sum(), rel=0.2)


def test_one_lucky_pair_does_not_decide() -> None:
    """Of the best pairs one in fifty is labelled, and by chance the very best one."""
    labelled = np.arange(20_000) % 50 == 0
    labelled[10_000:] = False
    scores = -np.arange(20_000.0)
    found = Calibration.fit(scores, labelled, 1.0).probability(scores)
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
    found = Calibration.fit(scores, labelled, 1.0).probability(scores)
    assert found.max() <= 1 / 6
    assert found.sum() == pytest.approx(n_labelled)
