"""How many links are missing: bounded by what the best pairs hold, and told by how rarely those are mistakes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.integrate import quad
from scipy.stats import beta, binom

from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.calibration.missing_links import MissingLinks, estimate, likelihoods


def best_hold(share: float, n_hidden: int = 500) -> HiddenRanks:
    """So large a share of the best pairs are hidden edges, evenly; behind them come 20,000 others."""
    n_best = round(n_hidden / share)
    labelled = np.zeros(n_best + 20_000, np.bool_)
    labelled[np.linspace(0, n_best - 1, n_hidden).round().astype(int)] = True
    return HiddenRanks.of(-np.arange(float(len(labelled))), labelled, np.ones(len(labelled)))


def chance_below(share: float, recorded: float) -> float:
    """Of μ, where it is known exactly which share of the best pairs is recorded: μ and ρ lie on (1 − μ) ρ = e."""

    def density(missing: float) -> float:
        right = recorded / (1 - missing)
        return (0.5 * 30 * right**29 + 0.5) / (missing * (1 - missing)) if right < 1 else 0.0

    top = min(0.5, 1 - recorded)
    return float(quad(density, 0.01, min(share, top))[0] / quad(density, 0.01, top)[0])


@pytest.mark.parametrize("held", [0.02, 0.15, 0.25, 0.5])
def test_with_many_hidden_edges_only_the_best_pairs_mistakes_are_in_doubt(held: float) -> None:
    """Each hidden edge stands for nine known ones: of the best pairs 9q / (9q + 1 - q) are recorded."""
    evidence = best_hold(held, n_hidden=100_000)
    _, found = estimate(evidence, 900_000)
    recorded = 9 * held / (9 * held + 1 - held)
    low, best, high = (own / (own + 900_000) for own in (found.low, found.best, found.high))
    assert [chance_below(own, recorded) for own in (low, high)] == pytest.approx([0.05, 0.95], abs=0.04)
    steps = np.geomspace(0.01, min(0.5, 1 - recorded), 400)
    each = np.diff([chance_below(own, recorded) for own in steps])
    assert np.log(best) == pytest.approx(each @ np.log(steps[1:]), abs=0.03)


def test_where_three_quarters_of_the_best_pairs_are_recorded_up_to_a_quarter_is_missing() -> None:
    """500 of 4,500 known edges were hidden, and a quarter of the best pairs that are left are those."""
    evidence = best_hold(0.25)
    theta, found = estimate(evidence, 4500)
    assert found.best / (found.best + 4500) == pytest.approx(0.116, abs=0.002)
    assert theta == pytest.approx(found.best / 500)
    # 500 of 2,000 may be 23.4% by chance: no more than 500 / 0.234 are missing in all.
    assert found.bound == pytest.approx(500 / beta.ppf(0.05, 500, 1501) - 500, rel=0.05)
    assert found.basis == "unknown", "the ends are more than twenty times apart"
    assert found.low < found.best < found.high <= found.bound
    assert found.high / (found.high + 4500) == pytest.approx(0.27, abs=0.01)


def test_where_the_best_pairs_hold_few_hidden_edges_the_share_is_as_likely_as_before() -> None:
    """One in 80 is hidden, so one in nine recorded, and any ρ as likely: density 1 / (μ (1 − μ)), whose integral,
    log μ / (1 − μ), runs from 1 : 99 to 1 : 1.
    """
    evidence = best_hold(500 / 40_000)
    _, found = estimate(evidence, 4500)
    low, best, high = (own / (own + 4500) for own in (found.low, found.best, found.high))
    shares = 1 / (1 + 99 ** np.linspace(0, 1, 1001))
    assert best == pytest.approx(np.exp(np.log(shares).mean()), rel=0.02)
    assert low == pytest.approx(1 / (1 + 99**0.95), rel=0.02)
    assert high == pytest.approx(1 / (1 + 99**0.05), rel=0.02)


@pytest.mark.parametrize(("hits", "others"), [(30, 5), (30, 900), (5_000, 4_000_000), (0, 50), (12, 0)])
def test_the_likelihoods_are_those_of_a_slow_sum(hits: int, others: int) -> None:
    """Over a fine grid of ρ, by the binomial distribution itself."""
    shares = np.geomspace(0.01, 0.5, 400)[::40]
    right = np.concatenate([np.geomspace(1e-5, 0.02, 20_000), np.linspace(0.02, 1, 40_000)[1:]])
    density = 0.5 * 30 * right**29 + 0.5
    slow = []
    for share in shares:
        recorded = (1 - share) * right
        hidden = recorded / (recorded + 9 * (1 - recorded))
        slow.append(np.trapezoid(density * binom.pmf(hits, hits + others, hidden), right))
    fast = likelihoods(hits, others, 9.0)[::40]
    assert fast / fast.sum() == pytest.approx(np.array(slow) / sum(slow), abs=0.002)


def test_who_knows_better_is_believed() -> None:
    evidence = best_hold(0.25)
    theta, found = estimate(evidence, 4500, missing_share=0.2)
    assert found.low == found.best == found.high == pytest.approx(4500 / 4)
    assert found.basis == "given"
    assert theta == pytest.approx(4500 / 4 / 500)
    assert str(found) == "about 1,125"


@pytest.mark.parametrize("said", [None, 0.1])
def test_edges_may_prove_that_fewer_are_missing(said: float | None) -> None:
    """Nine in ten of the best pairs are hidden edges: nearly all that is missing was hidden."""
    evidence = best_hold(0.9)
    theta, found = estimate(evidence, 4500, missing_share=said)
    # 450 of 500 may be 87.4% by chance.
    assert found.high <= found.bound == pytest.approx(500 * (1 / beta.ppf(0.05, 500, 56.6) - 1), rel=0.1)
    assert theta <= found.bound / 500
    assert found.low <= found.best <= found.high


@pytest.mark.parametrize("others", [0, 10, 300])
def test_where_nearly_all_of_the_best_pairs_are_recorded_the_graph_looks_complete(others: int) -> None:
    """As on ogbl-ddi, where the likelihood of every share is less than the smallest number."""
    hidden = np.ones(6674 + others + 500_000, np.bool_)
    hidden[6674 : 6674 + others] = False
    hidden[-400_000:] = False
    evidence = HiddenRanks.of(-np.arange(float(len(hidden))), hidden, np.ones(len(hidden)))
    theta, found = estimate(evidence, 1_067_911)
    assert found.basis == "complete"
    assert found.low == 0 < found.best <= found.high == found.bound < 0.01 * 1_067_911
    assert 0 < theta == found.best / evidence.n_hidden
    likely = likelihoods(6674.0, float(others), 10.0)
    assert np.isfinite(likely).all()
    assert likely.max() == likely[0] == 1


def test_nothing_is_known_where_nothing_was_hidden() -> None:
    theta, found = estimate(HiddenRanks(np.empty(0), 100.0), 50)
    assert (theta, found.basis) == (0.0, "unknown")


def test_several_splits_of_the_same_kind_narrow_the_bound() -> None:
    one = best_hold(0.25, n_hidden=100)
    _, alone = estimate(one, 900)
    _, together = estimate(HiddenRanks.pooled([one] * 9), 900)
    assert together.bound < alone.bound
    assert together.best == pytest.approx(alone.best, rel=0.3)


def test_a_number_that_is_not_nothing_is_not_written_as_0() -> None:
    assert str(MissingLinks(0.2, 0.0, 3.0, 3.0, "complete")) == "less than 1 (90% interval: 0 to 3)"


def test_folders_of_earlier_versions_do_not_say_what_a_number_rests_on() -> None:
    plain = {"best": 3.0, "low": 3.0, "high": 3.0, "bound": 9.0}
    assert MissingLinks.from_dict(plain).basis == "given"
    assert MissingLinks.from_dict(plain | {"low": 1.0}).basis == "estimated"
    with pytest.raises(ValueError, match="rests on nothing"):
        MissingLinks.from_dict(plain | {"basis": "hope"})


@given(
    scores=st.lists(st.floats(-9, 9), min_size=1, max_size=60),
    labels=st.integers(0, 2**60),
    n_train=st.integers(0, 200),
    missing=st.none() | st.floats(0, 0.9),
)
def test_the_interval_holds_the_estimate(
    scores: list[float], labels: int, n_train: int, missing: float | None
) -> None:
    labelled = np.array([labels >> k & 1 for k in range(len(scores))], dtype=np.bool_)
    evidence = HiddenRanks.of(np.array(scores), labelled, np.ones(len(scores)))
    theta, found = estimate(evidence, n_train + int(labelled.sum()), missing_share=missing)
    assert 0 <= theta < np.inf
    assert 0 <= found.low <= found.best <= found.high
    assert found.best <= found.bound + 1e-9
    assert MissingLinks.from_dict(found.to_dict()) == found


def test_the_bound_holds_where_the_same_pairs_are_left_in_every_split() -> None:
    """A tenth of 1,000 edges is hidden in each of ten splits, and stands among the same links that nobody
    recorded: these are counted once, however many splits there are. In 19 of 20 graphs there are no more than the
    bound.
    """
    held = {1: 0, 10: 0}
    for seed in range(60):
        rng = np.random.default_rng(seed)
        n_missing = int(rng.poisson(30))
        missing = np.sort(rng.random(n_missing))
        edges = rng.permutation(rng.random(1_000))
        splits = [
            HiddenRanks(np.sort(np.searchsorted(missing, part) + 0.0), n_missing + 50_000.0)
            for part in np.split(edges, 10)
        ]
        for n_splits in held:
            _, found = estimate(HiddenRanks.pooled(splits[:n_splits]), 1_000)
            held[n_splits] += found.bound >= n_missing
    assert min(held.values()) >= 53
