"""Scores to probabilities: by hand, against scikit-learn, and never falling."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import expit, logit
from sklearn.linear_model import LogisticRegression

from pulink.calibration.platt import LogisticMap

SCORES = arrays(np.float64, st.integers(0, 12), elements=st.floats(-1e3, 1e3))


def test_two_values_by_hand() -> None:
    # Score 1: 6 edges of 8 and 1 non-edge of 4; score 0: the others. Labels: 9/10 and 1/6; each kind weighs 1.
    edges, non_edges = np.repeat([1.0, 0.0], [6, 2]), np.repeat([1.0, 0.0], [1, 3])
    at_one = (6 / 8 * 9 / 10 + 1 / 4 * 1 / 6) / (6 / 8 + 1 / 4)
    at_zero = (2 / 8 * 9 / 10 + 3 / 4 * 1 / 6) / (2 / 8 + 3 / 4)
    fitted = LogisticMap.fit(edges, non_edges)
    np.testing.assert_allclose(fitted(np.array([1.0, 0.0])), [at_one, at_zero], atol=1e-4)
    assert fitted.offset == pytest.approx(logit(at_zero), abs=1e-3)


def test_it_recovers_the_truth_as_scikit_learn_does() -> None:
    rng = np.random.default_rng(0)
    scores = rng.normal(300, 50, size=20_000)
    linked = rng.random(len(scores)) < expit(0.04 * (scores - 300))
    fitted = LogisticMap.fit(scores[linked], scores[~linked])
    other = LogisticRegression(C=np.inf, class_weight="balanced").fit(scores[:, None], linked)
    probs = other.predict_proba(scores[:, None])[:, 1]
    np.testing.assert_allclose(fitted(scores), probs, atol=2e-3)
    assert fitted.slope == pytest.approx(0.04, rel=0.05)


@given(SCORES, SCORES)
def test_it_never_falls(edges: np.ndarray, non_edges: np.ndarray) -> None:
    fitted = LogisticMap.fit(edges, non_edges)
    assert fitted.slope > 0
    probs = fitted(np.linspace(-2e3, 2e3, 101))
    assert ((probs >= 0) & (probs <= 1)).all()
    assert (np.diff(probs) >= 0).all()


def test_separable_scores_have_no_infinite_slope() -> None:
    fitted = LogisticMap.fit(np.full(98, 2.0), np.full(98, 1.0))
    np.testing.assert_allclose(fitted(np.array([2.0, 1.0])), [0.99, 0.01], atol=1e-3)


def test_scores_that_mislead_are_not_turned_round() -> None:
    rng = np.random.default_rng(1)
    fitted = LogisticMap.fit(rng.normal(0, 1, 500), rng.normal(3, 1, 500))
    probs = fitted(np.array([-1.0, 4.0]))
    assert probs[0] <= probs[1] == pytest.approx(0.5, abs=0.01)


def test_it_survives_as_an_array() -> None:
    fitted = LogisticMap.fit(np.array([1.0, 3.0]), np.array([0.0, 2.0]))
    assert LogisticMap.from_array(fitted.to_array()) == fitted
