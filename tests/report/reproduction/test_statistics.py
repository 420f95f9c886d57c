"""Statistics against answers worked out by hand, by enumeration and by SciPy."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from pulink.report.reproduction.statistics import (
    MIN_PAIRS,
    compare,
    fit_line,
    holm,
    is_inside,
    paired_t_p,
    signed_rank_p,
    smallest_p,
    spread,
)


def test_the_spread_is_the_sample_standard_deviation() -> None:
    # Mean 5, squared deviations 9, 1, 1, 9: 20 / 3.
    assert spread([2.0, 4.0, 6.0, 8.0]) == pytest.approx(math.sqrt(20 / 3))
    assert spread([96.3]) is None


def test_inside_adds_the_variances() -> None:
    # 2 · sqrt(0.3² + 0.4²) = 1
    assert is_inside(1.0, 0.3, 0.4)
    assert is_inside(-1.0, 0.3, 0.4)
    assert not is_inside(1.01, 0.3, 0.4)


def test_one_seed_is_judged_by_the_paper_alone() -> None:
    assert is_inside(0.4, None, 0.2)
    assert not is_inside(0.41, None, 0.2)


def test_holm_on_a_worked_example() -> None:
    # Sorted 0.005, 0.01, 0.03, 0.04 times 4, 3, 2, 1: 0.02, 0.03, 0.06, 0.04; the last may not fall below 0.06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])


def test_holm_never_exceeds_one_and_leaves_a_single_test_alone() -> None:
    assert holm([0.7, 0.9]) == [1.0, 1.0]
    assert holm([0.2]) == [0.2]
    assert holm([]) == []


def by_enumeration(differences: list[float]) -> float:
    """Every choice of signs, one by one: the slow twin."""
    kept = [value for value in differences if value]
    ranks = rankdata([abs(value) for value in kept])
    observed = sum(rank for rank, value in zip(ranks, kept, strict=True) if value > 0)
    middle = sum(ranks) / 2
    sums = [sum(itertools.compress(ranks, signs)) for signs in itertools.product((False, True), repeat=len(kept))]
    return sum(abs(own - middle) >= abs(observed - middle) - 1e-9 for own in sums) / len(sums)


def test_signed_rank_by_hand() -> None:
    # Ranks 1 to 5, only rank 2 negative: W- = 2. Sums up to 2: {}, {1}, {2}; twice 3 of 32.
    assert signed_rank_p([0.1, -0.2, 0.3, 0.4, 0.5]) == pytest.approx(6 / 32)


def test_all_on_one_side_gives_the_smallest_p() -> None:
    for n in (5, 6, 10):
        assert signed_rank_p([0.1 * k for k in range(1, n + 1)]) == pytest.approx(smallest_p(n))
    assert smallest_p(10) == 2 / 1024


def test_zeros_are_left_out_and_nothing_but_zeros_says_nothing() -> None:
    assert signed_rank_p([0.0, 1.0, 2.0, 3.0]) == pytest.approx(2 / 8)
    assert signed_rank_p([0.0, 0.0]) == 1.0


@given(st.lists(st.integers(-4, 4).map(float), min_size=1, max_size=9))
def test_ties_are_exact(differences: list[float]) -> None:
    expected = by_enumeration(differences) if any(differences) else 1.0
    assert signed_rank_p(differences) == pytest.approx(expected)


@given(st.lists(st.integers(1, 1000), min_size=1, max_size=12, unique=True), st.integers(0, 4095))
def test_without_ties_it_is_scipys(sizes: list[int], signs: int) -> None:
    differences = [float(size) if signs >> k & 1 else -float(size) for k, size in enumerate(sizes)]
    assert signed_rank_p(differences) == pytest.approx(wilcoxon(differences, method="exact").pvalue)


def test_students_paired_test_by_hand() -> None:
    """Mean 2, standard deviation 1, five pairs: t = 2 √5 with four degrees of freedom."""
    differences = [2 - math.sqrt(2), 2, 2, 2, 2 + math.sqrt(2)]
    t = 2 * math.sqrt(5)
    # The distribution of t with four degrees of freedom in closed form.
    upper = 0.5 - 0.375 * (u := t / math.sqrt(t * t / 4 + 1)) * (1 - u * u / 12)
    assert paired_t_p(differences) == pytest.approx(2 * upper, rel=1e-6)
    assert paired_t_p([1.0] * 5) == 0
    assert paired_t_p([0.0] * 5) == 1
    five = dict(enumerate([1.0, 1.1, 1.2, 1.1, 1.0]))
    sure = compare(five, dict.fromkeys(range(5), 0.0), "t")
    assert sure is not None
    assert sure.p is not None
    assert sure.p < 0.001 < signed_rank_p(list(five.values()))


def test_a_comparison_takes_the_seeds_that_both_have() -> None:
    first = {0: 97.0, 1: 98.0, 2: 99.0, 7: 50.0}
    second = {2: 97.0, 1: 98.5, 0: 96.0, 8: 10.0}
    found = compare(first, second)
    assert found is not None
    assert (found.n_pairs, found.n_ahead) == (3, 2)
    assert found.lead == pytest.approx((1 - 0.5 + 2) / 3)
    assert found.p is None
    assert compare({0: 1.0}, {1: 1.0}) is None


def test_a_test_needs_five_pairs() -> None:
    first = {seed: 97.0 + seed for seed in range(MIN_PAIRS)}
    second = dict.fromkeys(range(MIN_PAIRS), 96.0)
    assert (found := compare(first, second)) is not None
    assert found.p == pytest.approx(smallest_p(MIN_PAIRS))


def test_differences_that_only_rounding_makes_are_none() -> None:
    first = dict.fromkeys(range(6), 100 * (0.1 + 0.2))
    second = dict.fromkeys(range(6), 100 * 0.3)
    assert first[0] != second[0]
    assert (found := compare(first, second)) is not None
    assert (found.p, found.n_ahead, found.lead) == (1.0, 0, 0.0)


def test_a_line_by_hand() -> None:
    # Means 2 and 4; slope 3 / 2; left over 0.25 + 1 + 0.25 of 6.
    line = fit_line([1.0, 2.0, 3.0], [3.0, 3.0, 6.0])
    assert line is not None
    assert (line.slope, line.intercept) == (pytest.approx(1.5), pytest.approx(1.0))
    assert line.r2 == pytest.approx(1 - 1.5 / 6)
    assert line.at(4.0) == pytest.approx(7.0)


def test_two_places_make_no_fit_and_a_level_line_is_one() -> None:
    assert fit_line([1.0, 1.0, 2.0], [1.0, 2.0, 3.0]) is None
    level = fit_line([1.0, 2.0, 3.0], [5.0, 5.0, 5.0])
    assert level is not None
    assert (level.slope, level.r2) == (0.0, 1.0)
