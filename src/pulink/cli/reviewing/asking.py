"""One question after the other: what is shown, and what keys do."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from pulink.cli.reviewing.keys import END, Keys
from pulink.cli.terminal.console import Screen
from pulink.persistence.ledger import LINK, MAX_NOTE, NO_LINK, UNSURE, QuestionRow
from pulink.workflows.review.question_text import blind_reasons, pair_text
from pulink.workflows.review.session import ReviewSession
from pulink.workflows.words.review_words import review_sentences, review_warnings

KEYS = "[a] link  [x] no link  [space] unsure  [u] undo  [w] why  [n] note  [?] help  [q] leave"
_ANSWERS = {"a": LINK, "x": NO_LINK, " ": UNSURE, "link": LINK, "no link": NO_LINK, "unsure": UNSURE}
_UNDO, _WHY, _NOTE, _HELP = "u", "w", "n", "?"
# Reasons that are shown without being asked for.
_REASONS = 2
_EXPLAINED = (
    "a: the two are linked, although nobody recorded it",
    "x: they are not linked",
    "space: you cannot tell; another pair takes its place",
    "u: take your last answer back and answer it again",
    "w: all that speaks for the link",
    "n: a note, kept with your answer to this question",
    "q: leave; every answer is kept, and the same command goes on",
)


@dataclass
class Asking:
    """A reviewer at work.

    goal       so many drawn pairs with an answer are wanted in all; of second opinions, so many in this run
    criterion  what counts as a link
    """

    session: ReviewSession
    reviewer: str
    goal: int
    screen: Screen
    keys: Keys
    criterion: str
    controls: bool = False
    second_opinion: bool = False
    n_answered: int = field(default=0, init=False)
    _told_at: int = field(default=0, init=False)

    def run(self) -> bool:
        """Ask until the goal is reached or nothing is left; False if the reviewer left before."""
        again: QuestionRow | None = None
        while again is not None or self._n_done() < self.goal:
            question = again or self.session.next_question(
                self.reviewer, controls=self.controls, second_opinion=self.second_opinion
            )
            if question is None:
                self.screen.note("no pair is left to ask about")
                return True
            said = self._asked(question)
            if said == END:
                return False
            again = self._undone(question) if said == _UNDO else None
            if said != _UNDO:
                self._tell()
        return True

    def _n_done(self) -> int:
        return self.n_answered if self.second_opinion else self.session.drawn_answers().n_decided

    def _asked(self, question: QuestionRow) -> str:
        """Show a question until it is answered; what was pressed in the end."""
        self._show(question)
        self.keys.forget()
        self.screen.note(KEYS)
        note, started = self._earlier_note(question), time.monotonic()
        while (said := self.keys.key()) not in (END, _UNDO):
            if said in _ANSWERS:
                seconds = round(time.monotonic() - started, 3)
                self.session.answer(question.id, self.reviewer, _ANSWERS[said], note=note, seconds=seconds)
                self.n_answered += 1
                self.screen.note(f"kept: {_ANSWERS[said]}")
                return said
            if said == _NOTE:
                self.screen.note("note, then Enter:")
                note = self.keys.line()[:MAX_NOTE]
                self.screen.note("noted; now answer" if note else "no note; now answer")
            else:
                self._help(question, said)
        return said

    def _earlier_note(self, question: QuestionRow) -> str:
        """An answer that is given anew keeps its note."""
        history = (d.history for d in self.session.decisions() if d.question.id == question.id)
        notes = [row.note for rows in history for row in rows if row.reviewer == self.reviewer]
        return notes[-1] if notes else ""

    def _show(self, question: QuestionRow) -> None:
        done = self._n_done()
        self.screen.note("")
        self.screen.note(f"{done + 1} of {max(self.goal, done + 1)}: is there a link?")
        self.screen.note(f"  {pair_text(self.session, question)}")
        for reason in blind_reasons(self.session, question)[:_REASONS]:
            self.screen.note(f"  {reason}")
        self.screen.note(f"  counts as a link: {self.criterion}")

    def _help(self, question: QuestionRow, said: str) -> None:
        """What was asked for; anything else that was pressed is no answer."""
        if said == _WHY:
            for reason in blind_reasons(self.session, question):
                self.screen.note(f"  {reason}")
        elif said == _HELP:
            for line in _EXPLAINED:
                self.screen.note(f"  {line}")
        else:
            self.screen.note(f"not an answer; {KEYS}")

    def _undone(self, shown: QuestionRow) -> QuestionRow:
        """The question to ask now."""
        taken_back = self.session.undo(self.reviewer)
        if taken_back is None:
            self.screen.note("there is no answer to take back")
            return shown
        self.n_answered -= 1
        self.screen.note("taken back; once more:")
        return taken_back

    def _tell(self) -> None:
        """After each round what the answers tell, unless it is told at the end anyway."""
        done = self._n_done()
        if done % self.session.design.n_strata or done in (0, self._told_at) or done >= self.goal:
            return
        self._told_at = done
        self.screen.note("")
        for warning in review_warnings(self.session):
            self.screen.warn(warning)
        for sentence in review_sentences(self.session):
            self.screen.note(sentence)
