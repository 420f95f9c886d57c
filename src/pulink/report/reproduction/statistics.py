"""Means, spreads, paired tests and straight lines.

Signed-rank test (Wilcoxon 1945): with ranks r_i of the sizes of differences d_i, W = sum of r_i where d_i > 0.
Were every sign a fair coin, W would have a known distribution; p = 2 · P(W at least as far out as seen).
Student's paired test: mean(d) / (sd(d) / √n) against t with n − 1 degrees of freedom. It takes the d_i for normal,
and can be sure with few pairs, where the signed-rank test cannot whatever it sees.
Holm (1979): sort p_(1) <= ... <= p_(m); the corrected p_(i) is the largest of (m - j + 1) · p_(j) over j <= i.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.stats import ttest_1samp

# With 4 pairs, p cannot fall below 1/8 whatever the differences are: such a test says nothing.
MIN_PAIRS = 5

SIGNIFICANT = 0.05

# Scores that differ by less are equal but for rounding; in per cent.
_RESOLUTION = 9


def spread(values: Sequence[float]) -> float | None:
    """Sample standard deviation; None for a single value."""
    return statistics.stdev(values) if len(values) > 1 else None


def is_inside(difference: float, ours: float | None, paper: float) -> bool:
    """Whether a difference of two means is within two standard deviations of a difference of single runs.

    That is |difference| <= 2 · sqrt(ours² + paper²); a spread that is not known (one seed) counts as 0.
    """
    return abs(difference) <= 2 * math.hypot(ours or 0.0, paper) + 1e-9


@dataclass(frozen=True)
class Comparison:
    """First minus second over the seeds that both have.

    n_ahead  pairs in which the first is larger
    p        two-sided; None with fewer than MIN_PAIRS pairs
    p_holm   corrected for the other tests of its family
    """

    n_pairs: int
    lead: float
    n_ahead: int
    p: float | None
    p_holm: float | None = None


def compare(
    first: Mapping[int, float], second: Mapping[int, float], test: str = "signed-rank"
) -> Comparison | None:
    """Two methods by seed; None if no seed has both."""
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return None
    differences = [round(first[seed] - second[seed], _RESOLUTION) for seed in shared]
    return Comparison(
        n_pairs=len(shared),
        lead=statistics.fmean(differences),
        n_ahead=sum(difference > 0 for difference in differences),
        p=_TESTS[test](differences) if len(shared) >= MIN_PAIRS else None,
    )


def paired_t_p(differences: Sequence[float]) -> float:
    """Two-sided p of Student's paired test; differences without any spread are certain, or none."""
    if len(set(differences)) == 1:
        return 0.0 if differences[0] else 1.0
    return float(ttest_1samp(differences, 0.0).pvalue)


def signed_rank_p(differences: Sequence[float]) -> float:
    """Two-sided p, exact, also where sizes tie; differences of zero are left out, as Wilcoxon did."""
    sizes = np.abs([value for value in differences if value != 0])
    if not len(sizes):
        return 1.0
    ordered = np.sort(sizes)
    # Twice the rank, which is whole where ties share the mean of their ranks.
    ranks = np.searchsorted(ordered, sizes, "left") + np.searchsorted(ordered, sizes, "right") + 1
    signs = np.array([value > 0 for value in differences if value != 0])
    smaller = int(min(ranks[signs].sum(), ranks[~signs].sum()))
    return min(1.0, 2.0 * float(_rank_sum_shares(ranks)[: smaller + 1].sum()))


def _rank_sum_shares(ranks: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Share of all 2^n choices of signs whose positive ranks sum to 0, 1, 2, ..."""
    shares = np.zeros(int(ranks.sum()) + 1)
    shares[0] = 1.0
    for rank in ranks:
        moved = np.roll(shares, rank)
        moved[:rank] = 0.0
        shares = (shares + moved) / 2
    return shares


def smallest_p(n_pairs: int) -> float:
    """What `signed_rank_p` gives when all differences point the same way: 2^(1 - n)."""
    return 2.0 ** (1 - n_pairs)


def holm(values: Sequence[float]) -> list[float]:
    """Corrected p-values of a family, in the order given."""
    corrected = [0.0] * len(values)
    largest = 0.0
    for done, place in enumerate(sorted(range(len(values)), key=lambda k: values[k])):
        largest = max(largest, min(1.0, (len(values) - done) * values[place]))
        corrected[place] = largest
    return corrected


@dataclass(frozen=True)
class StraightLine:
    """y = intercept + slope · x by least squares; r2 is the share of y's variance that it explains."""

    slope: float
    intercept: float
    r2: float

    def at(self, x: float) -> float:
        return self.intercept + self.slope * x


def fit_line(x: Sequence[float], y: Sequence[float]) -> StraightLine | None:
    """None with fewer than three different x: two points lie on a line whatever they are."""
    if len(set(x)) < 3:
        return None
    slope, intercept = statistics.linear_regression(x, y)
    mean = statistics.fmean(y)
    total = sum((value - mean) ** 2 for value in y)
    left = sum((value - intercept - slope * place) ** 2 for place, value in zip(x, y, strict=True))
    return StraightLine(slope, intercept, 1 - left / total if total else 1.0)


_TESTS = {"signed-rank": signed_rank_p, "t": paired_t_p}
