"""Probabilities once answers are known: they still fall with the rank, and sum to the number that was learned."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pulink
from pulink.errors import InputError, ParameterError
from pulink.workflows.review.session import ReviewSession, open_review
from tests.support.planted import planted_graph
from tests.support.reviews import results


@pytest.fixture(scope="module")
def session(tmp_path_factory: pytest.TempPathFactory) -> ReviewSession:
    """Forty answers: the better half of the zone holds links two times out of three, the rest none."""
    opened = open_review(results(tmp_path_factory.mktemp("reviewed")))
    half = opened.design.n_strata / 2
    for k in range(40):
        question = opened.next_question("Ada")
        assert question is not None
        is_link = (question.stratum or 0) < half and k % 3
        opened.answer(question.id, "Ada", "link" if is_link else "no link")
    return opened


def test_probabilities_fall_with_the_rank_and_sum_to_the_estimate(session: ReviewSession) -> None:
    probabilities = session.reviewed_model().predict_proba(session.zone_pairs)
    assert (np.diff(probabilities) <= 1e-12).all()
    assert probabilities.sum() == pytest.approx(session.estimate().zone, rel=0.25)
    before = session.model.predict_proba(session.zone_pairs).sum()
    assert abs(probabilities.sum() - session.estimate().zone) < abs(before - session.estimate().zone)


def test_the_order_of_pairs_stays(session: ReviewSession) -> None:
    before, after = (model.best_pairs(30)[0].tolist() for model in (session.model, session.reviewed_model()))
    assert before == after


def test_a_reviewed_model_is_saved_and_loaded(session: ReviewSession, tmp_path: Path) -> None:
    model = session.reviewed_model()
    model.save(tmp_path / "model")
    loaded = pulink.load_model(tmp_path / "model")
    pairs = session.zone_pairs[:200]
    assert (loaded.predict_proba(pairs) == model.predict_proba(pairs)).all()
    assert loaded.estimate_missing() == model.estimate_missing() == session.estimate().missing


def test_answers_about_another_model_are_refused(session: ReviewSession) -> None:
    other = pulink.L3N().fit(planted_graph(30, 2, 0.3, 0.02, seed=5))
    with pytest.raises(InputError, match="another model"):
        other.assuming(reviews=session.review())


def test_a_share_and_answers_are_not_taken_together(session: ReviewSession) -> None:
    with pytest.raises(ParameterError, match="one of them"):
        session.model.assuming(0.1, reviews=session.review())
