"""The posterior against slow integration, and against planted strata whose links are known."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import binom, norm

from pulink.calibration.rank_curve import LARGEST
from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.design import ReviewDesign
from pulink.calibration.review.estimate import review_estimate
from pulink.calibration.review.posterior import Posterior
from tests.support.reviews import small_design

SPREADS = {0.05: 0.30, 0.15: 0.45, 0.35: 0.25}
# Of ε, in standard deviations.
STEPS = np.linspace(-8, 8, 2_001)
DRIFTS = {-0.5: 0.12, -0.25: 0.23, 0.0: 0.50, 0.25: 0.15}


def slow_mean_level(design: ReviewDesign, links: list[int], asked: list[int]) -> float:
    """E[θ], from the formulas of the design note, ε by a sum over small steps."""
    sizes, hidden = design.sizes, design.hidden
    n_hidden, n_known, bound = design.n_hidden, design.n_known, design.bound
    x = np.minimum(np.log(hidden / sizes), np.log(n_hidden / bound))
    x = x - (x * hidden).sum() / hidden.sum()
    levels = np.geomspace(0.005 * n_known / n_hidden, max(3 * bound, n_known) / n_hidden, 50)
    total = weighted = 0.0
    for theta in levels:
        for tau, tau_weight in SPREADS.items():
            for beta, beta_weight in DRIFTS.items():
                weight = tau_weight * beta_weight
                for k in range(len(sizes)):
                    deviation = np.sqrt(tau**2 + 1 / (hidden[k] + 0.5))
                    mean = np.log(theta) + np.log(hidden[k] / sizes[k]) + beta * x[k]
                    p = np.minimum(LARGEST, np.exp(mean + deviation * STEPS))
                    weight *= (binom.pmf(links[k], asked[k], p) * norm.pdf(STEPS)).sum()
                total += weight
                weighted += weight * theta
    return weighted / total


def answered(design: ReviewDesign, links: list[int], asked: list[int]) -> DrawnAnswers:
    yes, no = [], []
    for k, (n_links, n_asked) in enumerate(zip(links, asked, strict=True)):
        start = int(design.starts[k])
        yes += list(range(start, start + n_links))
        no += list(range(start + n_links, start + n_asked))
    return DrawnAnswers.of(yes, no)


@pytest.mark.parametrize("links", [[3, 1], [0, 0]])
def test_the_level_is_that_of_slow_integration(links: list[int]) -> None:
    design, asked = small_design([60, 200], [15.0, 15.0]), [5, 5]
    draws = Posterior(design).draws(answered(design, links, asked))
    assert draws.levels.mean() == pytest.approx(slow_mean_level(design, links, asked), rel=0.02)


def test_what_is_known_bounds_what_may_be() -> None:
    design = small_design([10, 20], [5.0, 5.0])
    answers = answered(design, [6, 2], [10, 12])
    draws = Posterior(design).draws(answers)
    # The first stratum was answered as a whole; of the second 8 pairs are open.
    assert (draws.links[:, 0] == 6).all()
    assert draws.links[:, 1].min() >= 2
    assert draws.links[:, 1].max() <= 10
    assert not draws.tail.any()
    assert (draws.number == draws.links.sum(axis=1)).all()


def test_answers_narrow_the_interval_and_move_it() -> None:
    design = small_design([100] * 4, [30.0] * 4, tail=20.0)
    none = review_estimate(design, DrawnAnswers.of())
    few, many = (review_estimate(design, answered(design, [n] * 4, [2 * n] * 4)) for n in (3, 25))
    assert none.width > few.width > many.width
    assert none.certified(0.1) == 0
    half = review_estimate(design, answered(design, [1] * 4, [10] * 4))
    assert half.missing.best < few.missing.best
    assert few.plain == 200
    assert none.plain is None


def test_the_interval_covers_planted_links() -> None:
    """200 planted lists: the model's own p_k, 40 answers; 90% are promised, 85% are asked for here."""
    design = small_design([80, 120, 200, 400], [25.0] * 4)
    posterior = Posterior(design)
    rng = np.random.default_rng(1)
    covered = 0
    for _ in range(200):
        theta = np.exp(rng.uniform(np.log(0.3), np.log(3.0)))
        p = np.minimum(0.99, theta * design.hidden / design.sizes * np.exp(rng.normal(0, 0.25, 4)))
        is_link = rng.random(design.zone) < np.repeat(p, design.sizes)
        orders = [rng.permutation(int(size))[:10] for size in design.sizes]
        ranks = np.concatenate([start + own for start, own in zip(design.starts, orders, strict=True)])
        answers = DrawnAnswers.of(ranks[is_link[ranks]], ranks[~is_link[ranks]])
        low, high = np.quantile(posterior.draws(answers).number, [0.05, 0.95])
        covered += low <= is_link.sum() <= high
    assert covered >= 170


def test_the_same_answers_give_the_same_draws() -> None:
    design = small_design([60, 200], [15.0, 15.0], tail=9.0)
    one, other = (Posterior(design).draws(answered(design, [2, 1], [4, 4])).number for _ in range(2))
    assert (one == other).all()


def test_too_many_unsure_answers_certify_nothing() -> None:
    design = small_design([50] * 3, [40.0] * 3)
    answers = answered(design, [20] * 3, [20] * 3)
    sure = review_estimate(design, answers)
    assert sure.certified(0.2) > 0
    doubtful = DrawnAnswers.of(answers.links, answers.no_links, range(40, 48))
    assert review_estimate(design, doubtful).certified(0.2) == 0
    assert [len(doubtful.taking_unsure(are).links) for are in (True, False)] == [68, 60]
