"""Lists of every length: never more links than pairs, never fewer than are known."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.estimate import review_estimate
from pulink.calibration.review.posterior import Posterior
from pulink.calibration.review.prefixes import Prefixes
from tests.support.reviews import small_design

DESIGN = small_design([12, 20, 30], [8.0, 8.0, 8.0], tail=5.0)
POSTERIOR = Posterior(DESIGN)


@settings(max_examples=30)
@given(answers=st.dictionaries(st.integers(0, DESIGN.zone - 1), st.booleans()))
def test_lists_hold_what_is_known_and_no_more_than_can_be(answers: dict[int, bool]) -> None:
    links = [rank for rank, is_link in answers.items() if is_link]
    others = [rank for rank, is_link in answers.items() if not is_link]
    drawn = DrawnAnswers.of(links, others)
    prefixes = Prefixes.of(DESIGN, POSTERIOR.draws(drawn), drawn)
    lengths = prefixes.lengths
    assert lengths.tolist() == list(range(1, DESIGN.zone + 1))
    known = np.array([sum(rank < n for rank in links) for n in lengths])
    cannot = np.array([sum(rank < n for rank in others) for n in lengths])
    for share in (prefixes.certain, prefixes.expected, prefixes.most):
        assert (share * lengths >= known - 1e-9).all()
        assert (share * lengths <= lengths - cannot + 1e-9).all()
    assert (prefixes.certain <= prefixes.most).all()
    assert prefixes.certified(0.1) <= prefixes.certified(0.2)


def test_a_list_that_was_read_is_certain() -> None:
    drawn = DrawnAnswers.of([r for r in range(62) if r not in (4, 5, 6)], [4, 5, 6])
    prefixes = Prefixes.of(DESIGN, POSTERIOR.draws(drawn), drawn)
    assert np.allclose(prefixes.certain, prefixes.most)
    assert np.allclose(prefixes.at(10), 0.7)
    # 3 of 62 are a twentieth.
    assert prefixes.certified(0.1) == prefixes.expected_length(0.1) == 62
    assert prefixes.certified(0.04) == 4


def test_few_answers_certify_nothing_and_all_of_them_are_enough() -> None:
    few = review_estimate(DESIGN, DrawnAnswers.of(range(19)), POSTERIOR)
    more = review_estimate(DESIGN, DrawnAnswers.of(range(20)), POSTERIOR)
    assert (few.certified(0.5), few.is_enough) == (0, False)
    assert more.certified(0.5) >= 20
    every = review_estimate(DESIGN, DrawnAnswers.of(range(40), range(40, 62)), POSTERIOR)
    assert every.is_enough


def test_a_short_list_is_not_certified_by_answers_about_pairs_below_it() -> None:
    below = DrawnAnswers.of(range(30, 62))
    assert Prefixes.of(DESIGN, POSTERIOR.draws(below), below).certified_share[:30].max() == 0
