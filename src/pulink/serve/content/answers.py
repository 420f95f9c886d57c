"""Questions and answers: what to ask a browser next, what it answered, and what everybody has said."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pulink.calibration.review.estimate import ENOUGH
from pulink.errors import ParameterError
from pulink.persistence.ledger import CONTROL, LINK, OWN, TAKEN_BACK, UNSURE, AnswerRow
from pulink.serve.content.estimates import Estimates
from pulink.serve.content.nodes import Nodes
from pulink.serve.content.pairs import Pairs, answer_values, question_values
from pulink.serve.leases import Leases
from pulink.serve.refusals import Refused
from pulink.workflows.review.decisions import Decision
from pulink.workflows.review.session import ReviewSession

_OTHER_CONTENT = "this key belongs to another answer"


@dataclass(frozen=True)
class AnswersQuery:
    """Which answers are asked for.

    Attributes
    ----------
    reviewer : str or None
        Only pairs that this person has answered.
    answer : str or None
        Only pairs about which this was decided; "disagreement": where people disagree.
    page, size : int
        Which page, from 1, and how many are on one.
    """

    reviewer: str | None = None
    answer: str | None = None
    page: int = 1
    size: int = 50


class Answers:
    """The ledger of a review, for several browsers at once.

    Parameters
    ----------
    session : ReviewSession
        The review.
    nodes : Nodes
        Of its graph.
    pairs : Pairs
        Who says why a pair may be a link.
    estimates : Estimates
        Who says whether more answers are needed.
    controls : bool
        Whether recorded links are mixed among the questions.
    """

    def __init__(
        self, session: ReviewSession, nodes: Nodes, pairs: Pairs, estimates: Estimates, controls: bool
    ) -> None:
        self._session, self._nodes, self._pairs, self._controls = session, nodes, pairs, controls
        self._estimates = estimates
        self.leases = Leases()

    def counts(self) -> dict[str, int]:
        """How many questions were asked and answered, but for pairs that people looked up."""
        asked = [d for d in self._session.decisions() if d.question.kind != OWN]
        return {"asked": len(asked), "answered": sum(d.answer is not None for d in asked), "goal": ENOUGH}

    def next_question(self, reviewer: str, client: str, second_opinion: bool) -> dict[str, Any]:
        """A pair with what the graph tells about it; never what the model thinks of it."""
        holder = f"{client}\n{reviewer}"
        taken = self.leases.of_others(holder)
        asked = self._session.next_question(
            reviewer, taken=taken, controls=self._controls, second_opinion=second_opinion
        )
        counts = self.counts()
        values: dict[str, Any] = {
            "question": None,
            "goal": ENOUGH,
            "n_answered": counts["answered"],
            "enough": counts["answered"] >= ENOUGH and self._estimates.enough(),
        }
        if asked is None:
            return values
        self.leases.take(asked.id, holder)
        why = self._pairs.blind_reasons(self._session.pair_of(asked))
        return values | {
            "question": question_values(asked)
            | {"reasons": [reason.text for reason in why], "number": counts["answered"] + 1}
        }

    def write(self, given: Mapping[str, Any]) -> tuple[AnswerRow, bool]:
        """Keep an answer; whether it is a new one. It is on the disk when this returns."""
        if (key := given.get("key")) is not None and (known := self._with_key(key)) is not None:
            self._check_same(known, given)
            return known, False
        if given.get("undo"):
            return self._undo(given["reviewer"], key), True
        question = self._question(given)
        try:
            row = self._session.answer(
                question,
                given["reviewer"],
                given["answer"],
                note=given.get("note", ""),
                seconds=given.get("seconds"),
                key=key,
            )
        except ParameterError as error:
            raise Refused(404 if "was not asked" in str(error) else 422, str(error)) from error
        # Another process may have used the key meanwhile.
        self._check_same(row, {**given, "question": question})
        self.leases.release(row.question)
        return row, True

    def _question(self, given: Mapping[str, Any]) -> int:
        if "question" in given:
            return int(given["question"])
        return self._session.question_about(self._nodes.pair(given["source"], given["target"])).id

    def _undo(self, reviewer: str, key: str | None) -> AnswerRow:
        undone = self._session.undo(reviewer, key)
        if undone is None:
            raise Refused(409, "there is nothing to undo")
        row = max(self._decision(undone.id).history, key=lambda own: own.id)
        self.leases.release(row.question)
        return row

    def _decision(self, question: int) -> Decision:
        return next(d for d in self._session.decisions() if d.question.id == question)

    def _with_key(self, key: str) -> AnswerRow | None:
        rows = (row for d in self._session.decisions() for row in d.history)
        return next((row for row in rows if row.key == key), None)

    def _check_same(self, row: AnswerRow, given: Mapping[str, Any]) -> None:
        """409 if the answer that has the key is another one."""
        if given.get("undo"):
            same = (row.reviewer, row.answer) == (given["reviewer"], TAKEN_BACK)
        else:
            kept = (row.reviewer, row.answer, row.note, row.seconds)
            same = kept == (given["reviewer"], given["answer"], given.get("note", ""), given.get("seconds"))
            same = same and self._is_about(row, given)
        if not same:
            raise Refused(409, _OTHER_CONTENT)

    def _is_about(self, row: AnswerRow, given: Mapping[str, Any]) -> bool:
        if "question" in given:
            return row.question == int(given["question"])
        pair = self._nodes.pair(given["source"], given["target"])
        return bool((self._session.pair_of(self._decision(row.question).question) == pair).all())

    def page(self, query: AnswersQuery) -> dict[str, Any]:
        """What was answered, the latest first, and how far people agree."""
        said = [d for d in self._session.decisions() if d.history]
        found = [d for d in said if _is_wanted(d, query)]
        found.sort(key=lambda d: -d.history[-1].id)
        start = (query.page - 1) * query.size
        controls = [d for d in said if d.question.kind == CONTROL and d.answer is not None]
        return {
            "answers": [_values(d) for d in found[start : start + query.size]],
            "n_answers": len(found),
            "page": query.page,
            "size": query.size,
            "controls": {"asked": len(controls), "recognised": sum(d.answer == LINK for d in controls)},
            "reviewers": _reviewers(said),
        }


def _is_wanted(decision: Decision, query: AnswersQuery) -> bool:
    if query.reviewer is not None and query.reviewer not in {row.reviewer for row in decision.standing}:
        return False
    if query.answer == "disagreement":
        return decision.disagreement
    return query.answer is None or (decision.answer or TAKEN_BACK) == query.answer


def _values(decision: Decision) -> dict[str, Any]:
    return {
        "question": question_values(decision.question) | {"kind": decision.question.kind},
        "answer": decision.answer,
        "disagreement": decision.disagreement,
        "standing": [answer_values(row) for row in decision.standing],
        "history": [answer_values(row) for row in decision.history],
    }


def _reviewers(said: Sequence[Decision]) -> list[dict[str, Any]]:
    """Who has answered how many pairs; and of those that others decided too, the share in which they agree."""
    names = dict.fromkeys(row.reviewer for d in said for row in d.standing)
    found = []
    for name in names:
        mine = [(d, row) for d in said for row in d.standing if row.reviewer == name]
        beside = [
            other.answer == row.answer
            for d, row in mine
            for other in d.standing
            if other.reviewer != name and UNSURE not in (other.answer, row.answer)
        ]
        agrees = sum(beside) / len(beside) if beside else None
        found.append({"name": name, "n_answers": len(mine), "agrees": agrees})
    return found
