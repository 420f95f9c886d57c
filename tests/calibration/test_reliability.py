"""Reliability by hand, and that it tells a kept probability from a broken one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

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


def test_more_hidden_edges_than_pairs_are_a_share_of_one() -> None:
    """Four pairs, each hidden edge stands for three links: 3 x 1/2 of them would be links."""
    found = Reliability.of(np.full(4, 0.9), np.array([3.0, 3.0, 0.0, 0.0]), np.ones(4))
    assert set(found.share_true) == {1.0}
    assert found.error == pytest.approx(0.1)
    later = found.scaled(4.0)
    assert set(later.share_true) == set(later.mean_probability) == {1.0}


def test_shares_above_one_that_an_earlier_version_kept_are_cut() -> None:
    kept = {"mean_probability": [0.5, 0.9], "share_true": [0.4, 1.3], "n_pairs": [7, 7], "error": 0.25}
    found = Reliability.from_dict(kept)
    found.check()
    assert found.to_dict()["share_true"] == [0.4, 1.0]


@pytest.mark.parametrize("share", [-0.1, float("nan"), float("inf")])
def test_what_is_no_share_is_refused(share: float) -> None:
    kept = {"mean_probability": [0.5], "share_true": [share], "n_pairs": [7], "error": 0.25}
    with pytest.raises(ValueError, match="its bins hold"):
        Reliability.from_dict(kept).check()


PAIRS = st.lists(st.tuples(st.floats(0, 1), st.booleans(), st.floats(0.01, 1e6)), min_size=1, max_size=40)


@given(PAIRS, st.floats(0, 50), st.floats(0, 20))
def test_shares_stay_within_0_and_1(pairs: list[tuple[float, bool, float]], theta: float, factor: float) -> None:
    probs, hidden, weights = (np.array(values, dtype=np.float64) for values in zip(*pairs, strict=True))
    found = Reliability.of(probs, hidden * (1 + theta), weights)
    for bins in (found, found.scaled(factor), Reliability.from_dict(found.to_dict())):
        shares = [*bins.share_true, *bins.mean_probability, *([] if bins.error is None else [bins.error])]
        assert all(0 <= share <= 1 for share in shares)
