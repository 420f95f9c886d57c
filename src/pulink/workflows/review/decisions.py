"""What was decided about each pair, from all that anybody ever said of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from pulink.persistence.ledger import LINK, NO_LINK, TAKEN_BACK, UNSURE, AnswerRow, QuestionRow


@dataclass(frozen=True)
class Decision:
    """A question with the answers that stand, one per reviewer, in the order in which they were given.

    history  every answer, those that were superseded among them
    """

    question: QuestionRow
    standing: tuple[AnswerRow, ...]
    history: tuple[AnswerRow, ...]

    @property
    def answer(self) -> str | None:
        """`link`, `no link` or `unsure`; None where nobody has answered.

        Who is unsure leaves it to the others. Where others disagree, nobody knows: unsure, until they agree.
        """
        said = {row.answer for row in self.standing}
        decided = said - {UNSURE}
        if len(decided) == 1:
            return decided.pop()
        return UNSURE if said else None

    @property
    def disagreement(self) -> bool:
        """Whether one says a link and another none."""
        return {LINK, NO_LINK} <= {row.answer for row in self.standing}

    def lacks_only(self, reviewer: str) -> bool:
        """Whether others have answered, and this reviewer has not."""
        who = {row.reviewer for row in self.standing}
        return bool(who) and reviewer not in who


def decisions(questions: Iterable[QuestionRow], answers: Iterable[AnswerRow]) -> list[Decision]:
    """By question, in their order. Of each reviewer the last answer stands, unless it was taken back."""
    every: dict[int, list[AnswerRow]] = {}
    for row in answers:
        every.setdefault(row.question, []).append(row)
    found = []
    for question in questions:
        history = every.get(question.id, [])
        last = {row.reviewer: row for row in history}
        standing = tuple(sorted((r for r in last.values() if r.answer != TAKEN_BACK), key=lambda r: r.id))
        found.append(Decision(question, standing, tuple(history)))
    return found
