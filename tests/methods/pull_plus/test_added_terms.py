"""Terms beside the trees: by hand, chosen where they help, 0 where they are noise, kept in what is stored."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from pulink import metrics
from pulink.methods.pull_plus.contributions import score_contributions
from pulink.methods.pull_plus.scoring.added_terms import UNREAD, Term, choose_terms, edge_precisions
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.signals import every_signal
from tests.methods.pull_plus.test_scorer import Settings, training_set

TERMS = (Term(1, False, 2.0), Term(3, True, 0.5))


@pytest.fixture(scope="module")
def plain() -> Scorer:
    return Scorer.fit(training_set(), Settings())


def asked(n: int, seed: int, strength: float) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """A tenth are edges; scores tell them a little, the first column as much as `strength` says."""
    rng = np.random.default_rng(seed)
    labelled = rng.random(n) < 0.1
    signals = rng.random((n, 2)).astype(np.float32)
    signals[:, 0] += strength * labelled
    return signals, rng.normal(size=n) + labelled, labelled, np.where(labelled, 1.0, 3.0)


def test_terms_by_hand() -> None:
    rows = np.array([[0.0, 3.0], [0.9, -1.0]], dtype=np.float32)
    assert Term(1, False, 2.0).of(rows).tolist() == [6.0, -2.0]
    # log((0.9 + 0.1) / 0.1), and nothing for what is below 0.
    assert Term(0, True, 0.5).of(rows) == pytest.approx([0.0, 0.5 * np.log(10)])
    assert Term(1, True, 0.5).of(rows)[1] == 0.0


def test_precisions_by_hand() -> None:
    """Scores 4 3 2 1 of an edge, a pair that stands for two, an edge and a pair."""
    scores, labelled = np.array([4.0, 3.0, 2.0, 1.0]), np.array([True, False, True, False])
    assert edge_precisions(scores, labelled, np.array([1.0, 2.0, 1.0, 1.0])).tolist() == [1.0, 0.5]
    assert edge_precisions(np.zeros(4), labelled, np.ones(4)).tolist() == [0.5, 0.5]


@pytest.mark.parametrize("seed", range(3))
def test_the_mean_of_precisions_is_the_average_precision(seed: int) -> None:
    _, scores, labelled, weights = asked(500, seed, 0.0)
    scores = scores.round(1)
    mean = edge_precisions(scores, labelled, weights).mean()
    assert mean == pytest.approx(metrics.auprc(scores[labelled], scores[~labelled], weights[~labelled]))


def test_a_term_that_tells_edges_is_added() -> None:
    (term,) = choose_terms(("linear_optimisation", "common"), *asked(3000, 0, 1.0))
    assert (term.place, term.logarithmic) == (0, False)
    assert term.weight > 0


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("n", [300, 3000])
def test_noise_is_not_added(n: int, seed: int) -> None:
    assert choose_terms(("linear_optimisation", "resource_allocation"), *asked(n, seed, 0.0)) == ()


def test_columns_that_are_not_there_are_not_tried() -> None:
    assert choose_terms(("common", "jaccard"), *asked(3000, 0, 1.0)) == ()
    signals, scores, labelled, weights = asked(300, 0, 1.0)
    assert choose_terms(("linear_optimisation",), signals, scores, labelled & False, weights) == ()


def test_terms_are_in_every_score(plain: Scorer) -> None:
    signals = training_set(seed=1).signals
    scorer, added = replace(plain, terms=TERMS), sum(term.of(signals) for term in TERMS)
    assert scorer.scores(signals) == pytest.approx(plain.scores(signals) + added)
    far = plain.far.scores(signals)
    assert scorer.joined(far, signals) == pytest.approx(plain.joined(far, signals) + added)


def test_contributions_add_up_with_terms(plain: Scorer) -> None:
    """By how much two rows differ in score is by how much all that their signals add differs."""
    signals, scorer = training_set(seed=1).signals, replace(plain, terms=TERMS)
    background = training_set(seed=2).signals[:50]
    inside = signals[:, -1] > 0
    found, scores = score_contributions(scorer, signals, background).sum(axis=1), scorer.scores(signals)
    for part in (inside, ~inside):
        assert np.diff(found[part]) == pytest.approx(np.diff(scores[part]), abs=1e-9)
    more = score_contributions(scorer, signals, background) - score_contributions(plain, signals, background)
    assert np.flatnonzero(np.abs(more).max(axis=0)).tolist() == [1, 3]
    assert more[:, 1] == pytest.approx(2.0 * (signals[:, 1] - background[:, 1].astype(np.float64).mean()))


def test_what_is_stored_has_its_terms_and_what_was_stored_before_has_none(plain: Scorer) -> None:
    signals, scorer = training_set(seed=3).signals, replace(plain, terms=TERMS)
    again = Scorer.from_state(scorer.state(), 5)
    assert again.terms == TERMS
    assert np.array_equal(again.scores(signals), scorer.scores(signals))
    assert "terms" not in plain.state()
    assert Scorer.from_state(plain.state(), 5).terms == ()


@pytest.mark.parametrize(
    "damaged",
    [
        [[1.0], [0.0]],
        [[5.0], [0.0], [1.0]],
        [[0.5], [0.0], [1.0]],
        [[1.0], [2.0], [1.0]],
        [[1.0], [0.0], [np.nan]],
        [1.0],
    ],
)
def test_damaged_terms_are_refused(plain: Scorer, damaged: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="its added terms"):
        Scorer.from_state(plain.state() | {"terms": np.array(damaged)}, 5)


def test_trees_do_not_read_what_only_terms_do() -> None:
    own = replace(training_set(), unread=(0,))
    before = own.signals.copy()
    scorer = Scorer.fit(own, Settings())
    assert np.array_equal(own.signals, before), "terms still read it"
    for trees in (scorer.far, scorer.near):
        assert 0 not in trees.columns
        assert 1 in trees.columns
    assert {*UNREAD} <= {*every_signal()}


def test_few_hidden_edges_have_small_trees() -> None:
    """90 of 900 rows are hidden edges: trees of 8 leaves, whatever is asked for beyond that."""
    large = Scorer.fit(training_set(), Settings(n_leaves=31))
    small = Scorer.fit(training_set(), Settings(n_leaves=8))
    signals = training_set(seed=1).signals
    assert np.array_equal(large.scores(signals), small.scores(signals))
    assert not np.array_equal(
        Scorer.fit(training_set(), Settings(n_leaves=4)).scores(signals), small.scores(signals)
    )
