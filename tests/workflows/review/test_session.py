"""A review: which pair comes next, what counts, and that nothing else does."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pulink
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.persistence.ledger import (
    ANSWERS,
    CONTROL,
    LEDGER,
    LINK,
    NO_LINK,
    OWN,
    SAMPLE,
    TAKEN_BACK,
    UNSURE,
    AnswerRow,
    QuestionRow,
)  # fmt: skip
from pulink.workflows.review.decisions import decisions
from pulink.workflows.review.session import ReviewSession, open_review
from tests.support.reviews import results


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return results(tmp_path)


@pytest.fixture
def session(folder: Path) -> Iterator[ReviewSession]:
    opened = open_review(folder)
    yield opened
    opened.close()


def asked(session: ReviewSession, who: str = "Ada", **wanted: bool) -> QuestionRow:
    question = session.next_question(who, **wanted)
    assert question is not None
    return question


def answer(
    session: ReviewSession, n: int, said: str = LINK, who: str = "Ada", **wanted: bool
) -> list[QuestionRow]:
    found = []
    for _ in range(n):
        found.append(asked(session, who, **wanted))
        session.answer(found[-1].id, who, said)
    return found


def test_each_round_asks_about_one_pair_of_every_stratum(session: ReviewSession) -> None:
    n_strata = session.design.n_strata
    assert n_strata >= 3
    strata = [question.stratum for question in answer(session, 4 * n_strata)]
    rounds = [tuple(strata[k : k + n_strata]) for k in range(0, len(strata), n_strata)]
    assert all(sorted(own) == list(range(n_strata)) for own in rounds)
    assert len(set(rounds)) > 1, "strata are shuffled"


def test_a_question_is_a_pair_of_the_list_at_its_rank(session: ReviewSession) -> None:
    question = asked(session)
    assert question.rank is not None
    assert session.pair_of(question).tolist() == session.zone_pairs[question.rank].tolist()
    assert session.design.stratum_of(question.rank) == question.stratum
    assert session.design.draw(question.stratum or 0, session.design.place_of(question.rank)) == question.rank


def test_a_question_waits_for_its_answer_and_others_get_another(session: ReviewSession) -> None:
    first = asked(session)
    assert asked(session) == first
    second = session.next_question("Eve", taken=[first.id])
    assert second is not None
    assert second.stratum != first.stratum


def test_another_pair_of_the_stratum_takes_the_place_of_one_that_is_unsure(session: ReviewSession) -> None:
    (unsure,) = answer(session, 1, UNSURE)
    rest = answer(session, session.design.n_strata)
    assert Counter(q.stratum for q in rest) == dict.fromkeys(range(session.design.n_strata), 1)
    assert unsure.stratum in [q.stratum for q in rest]
    assert len(session.drawn_answers().unsure) == 1


def test_what_is_taken_back_is_asked_again(session: ReviewSession) -> None:
    first, second = answer(session, 2)
    assert session.undo("Ada") == second
    assert asked(session) == second
    assert session.undo("Ada") == first
    assert session.undo("Ada") is None
    assert session.drawn_answers().n_decided == 0
    assert asked(session) == first


def test_undo_with_the_same_key_takes_back_once(session: ReviewSession) -> None:
    _, second = answer(session, 2)
    assert session.undo("Ada", key="k") == session.undo("Ada", key="k") == second
    assert session.drawn_answers().n_decided == 1


def test_an_answer_supersedes_the_same_persons_one(session: ReviewSession) -> None:
    (question,) = answer(session, 1)
    last = session.answer(question.id, "Ada", NO_LINK, note="looked again")
    assert last.supersedes == 1
    assert session.decisions()[0].answer == NO_LINK
    assert [row.answer for row in session.decisions()[0].history] == [LINK, NO_LINK]


def test_reviewers_who_disagree_leave_it_unsure_until_they_agree(session: ReviewSession) -> None:
    (question,) = answer(session, 1)
    assert session.next_question("Ada", second_opinion=True) is None
    assert asked(session, "Eve", second_opinion=True) == question
    session.answer(question.id, "Eve", NO_LINK)
    (decision,) = session.decisions()
    assert decision.disagreement
    assert decision.answer == UNSURE
    session.answer(question.id, "Eve", UNSURE)
    assert session.decisions()[0].answer == LINK


def test_controls_are_recorded_links_one_in_ten_and_do_not_count(session: ReviewSession) -> None:
    found = answer(session, 30, controls=True)
    mixed = [k for k, question in enumerate(found) if question.kind == CONTROL]
    assert mixed == [9, 19, 29]
    pairs = np.array([session.pair_of(found[k]) for k in mixed])
    assert session.graph.has_edges(pairs).all()
    assert len({tuple(pair) for pair in pairs.tolist()}) == 3
    assert session.drawn_answers().n_decided == 27


def test_a_pair_that_was_looked_up_counts_once_its_turn_has_come(session: ReviewSession) -> None:
    design = session.design
    mine = [session.question_about(session.zone_pairs[design.draw(0, place)]) for place in (1, 30)]
    assert [question.kind for question in mine] == [OWN, OWN]
    for question in mine:
        session.answer(question.id, "Ada", LINK)
    assert session.drawn_answers().n_decided == 0, "nothing was drawn"
    first_rounds = answer(session, 3 * design.n_strata - 1, NO_LINK)
    # Place 1 of stratum 0 had its turn, and is not asked again; place 30 did not.
    assert mine[0].ends not in [question.ends for question in first_rounds]
    assert session.drawn_answers().links.tolist() == [design.draw(0, 1)]
    assert session.drawn_answers().n_decided == 3 * design.n_strata
    assert {design.place_of(q.rank or 0) for q in first_rounds if q.stratum == 0} == {0, 2}


def test_a_pair_that_was_looked_up_and_not_answered_is_asked_in_its_turn(session: ReviewSession) -> None:
    mine = session.question_about(session.zone_pairs[session.design.draw(0, 0)])
    assert mine in answer(session, session.design.n_strata)
    assert session.question_about(session.pair_of(mine)) == mine


def test_another_session_goes_on_with_the_same_order(folder: Path) -> None:
    first = open_review(folder, seed=4)
    before = answer(first, 5)
    first.close()
    again = open_review(folder)
    assert again.design.seed == 4
    assert [d.question for d in again.decisions()] == before
    with pytest.raises(ParameterError, match="begun with seed 4"):
        open_review(folder, seed=5)
    only_read = open_review(folder, read_only=True)
    assert only_read.drawn_answers().links.tolist() == again.drawn_answers().links.tolist()
    assert only_read.estimate().missing == again.estimate().missing


def test_answers_about_another_model_are_refused(folder: Path) -> None:
    open_review(folder).close()
    run = folder / "run.json"
    run.write_text(run.read_text() + "\n")
    with pytest.raises(InputError, match="about another model") as refused:
        open_review(folder)
    assert LEDGER in str(refused.value)


def test_a_folder_without_results_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no results of find"):
        open_review(tmp_path)


def test_what_is_no_answer_is_refused(session: ReviewSession) -> None:
    question = asked(session)
    with pytest.raises(UnknownNameError, match="taken back"):
        session.answer(question.id, "Ada", "perhaps")
    for wrong in ({"reviewer": ""}, {"reviewer": "a" * 101}, {"note": "\ud800"}, {"seconds": -1.0}, {"key": ""}):
        with pytest.raises(ParameterError):
            session.answer(**({"question": question.id, "reviewer": "Ada", "answer": LINK} | wrong))  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="was not asked"):
        session.answer(77, "Ada", LINK)
    assert session.ledger.answers() == []


def test_bounds_where_somebody_is_unsure(session: ReviewSession) -> None:
    answer(session, 6)
    answer(session, 6, NO_LINK)
    assert session.unsure_bounds() is None
    answer(session, 3, UNSURE)
    bounds = session.unsure_bounds()
    assert bounds is not None
    fewer, more = (bound.missing.best for bound in bounds)
    assert fewer < session.estimate().missing.best < more
    assert session.estimate().too_unsure


def test_the_model_follows_the_answers(session: ReviewSession) -> None:
    answer(session, 30)
    model = session.reviewed_model()
    missing = model.estimate_missing()
    assert missing is not None
    assert missing.basis == "reviewed"
    assert missing == session.estimate().missing


WHO = ("Ada", "Eve")
STEPS = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(WHO), st.integers(0, 3), st.sampled_from(ANSWERS)),
        st.tuples(st.sampled_from(WHO), st.none(), st.just("undo")),
    ),
    max_size=20,
)


def slowly(steps: list[tuple[str, int | None, str]], n_questions: int) -> list[str | None]:
    """What is decided, by going through the steps with one dictionary."""
    said: dict[tuple[str, int], tuple[int, str]] = {}
    for when, (who, question, step) in enumerate(steps):
        if step == "undo":
            mine = [(time, place) for place, (time, _) in said.items() if place[0] == who]
            if mine:
                del said[max(mine)[1]]
        elif step == TAKEN_BACK:
            said.pop((who, question or 0), None)
        else:
            said[who, question or 0] = (when, step)
    decided = []
    for question in range(n_questions):
        words = {word for (_, place), (_, word) in said.items() if place == question}
        sure = words & {LINK, NO_LINK}
        decided.append(next(iter(sure)) if len(sure) == 1 else UNSURE if words else None)
    return decided


@pytest.fixture(scope="module")
def template() -> Iterator[Path]:
    with tempfile.TemporaryDirectory() as folder:
        yield results(Path(folder))


@settings(max_examples=15)
@given(steps=STEPS)
def test_any_answers_and_undos_give_what_a_slow_twin_gives(
    template: Path, steps: list[tuple[str, int | None, str]]
) -> None:
    for part in template.glob(f"{LEDGER}*"):
        part.unlink()
    session = open_review(template)
    taken: list[QuestionRow] = []
    for _ in range(4):
        question = session.next_question("Ada", taken=[q.id for q in taken])
        assert question is not None
        taken.append(question)
    for who, place, step in steps:
        if step == "undo":
            session.undo(who)
        else:
            session.answer(taken[place or 0].id, who, step)
    expected = slowly(steps, 4)
    assert [d.answer for d in session.decisions()] == expected
    drawn = session.drawn_answers()
    assert len(drawn.links) == expected.count(LINK)
    assert len(drawn.unsure) == expected.count(UNSURE)
    session.close()


def test_decisions_by_hand() -> None:
    question = QuestionRow(1, "a", "b", "", "", SAMPLE, 0, 0)
    rows = [
        AnswerRow(1, 1, "Ada", LINK, "", None, None, "1"),
        AnswerRow(2, 1, "Eve", NO_LINK, "", None, None, "2"),
        AnswerRow(3, 1, "Eve", TAKEN_BACK, "", None, 2, "3"),
    ]
    answers = [decisions([question], rows[:n])[0].answer for n in range(4)]
    assert answers == [None, LINK, UNSURE, LINK]


def test_it_is_public() -> None:
    assert pulink.open_review is open_review
