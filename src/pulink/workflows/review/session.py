"""One review of one model: what to ask next, what was answered, what that tells."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.design import ReviewDesign
from pulink.calibration.review.estimate import ReviewEstimate, review_estimate
from pulink.calibration.review.posterior import Posterior
from pulink.calibration.review.review import Review
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.methods.registry import load_model
from pulink.persistence.ledger import (
    CONTROL,
    LEDGER,
    LINK,
    NO_LINK,
    OWN,
    TAKEN_BACK,
    UNSURE,
    AnswerRow,
    Ledger,
    QuestionRow,
    SessionRow,
)  # fmt: skip
from pulink.persistence.manifest import MANIFEST
from pulink.predictor.link_lists import ordered
from pulink.predictor.predictor import LinkPredictor
from pulink.system.files import sha256
from pulink.text import short_path
from pulink.workflows.review.checks import check_answer, check_session
from pulink.workflows.review.decisions import Decision, decisions
from pulink.workflows.review.drawing import Drawing, pair_of, question_row, resolved

Pair = npt.NDArray[np.int64]
Value = TypeVar("Value")

# Of so many questions one is a recorded link, where controls are wanted.
_CONTROL_EVERY = 10


class ReviewSession:
    """A review, open; make one with `open_review`.

    Attributes
    ----------
    folder : Path
        What `find` wrote, and where the answers are kept.
    model : LinkPredictor
        Fitted; the answers are about its list.
    design : ReviewDesign
        Which pairs are drawn.
    ledger : Ledger
        The answers.

    Examples
    --------
    >>> import tempfile, networkx, pulink
    >>> folder = tempfile.mkdtemp()
    >>> pulink.find(pulink.from_networkx(networkx.karate_club_graph()), method="l3n").save(folder)
    >>> session = pulink.open_review(folder)
    >>> session.decisions()
    []
    """

    def __init__(self, folder: Path, model: LinkPredictor, design: ReviewDesign, ledger: Ledger) -> None:
        self.folder, self.model, self.design, self.ledger = folder, model, design, ledger
        self._lock = threading.RLock()
        self._remembered: dict[str, tuple[tuple[int, int], object]] = {}

    @property
    def graph(self) -> Graph:
        """That of the model."""
        return self.model.graph_

    @cached_property
    def _ranked(self) -> tuple[Pair, npt.NDArray[np.float64]]:
        found, _ = self.model.best_pairs(self.design.zone)
        return ordered(self.graph.pair_space, found, self.model._scored(found))

    @property
    def zone_pairs(self) -> Pair:
        """The pairs that may be drawn, best first (zone x 2)."""
        return self._ranked[0]

    @property
    def zone_scores(self) -> npt.NDArray[np.float64]:
        """Their scores (zone)."""
        return self._ranked[1]

    @cached_property
    def _drawing(self) -> Drawing:
        return Drawing(self.graph, self.design, self.ledger, self.zone_pairs)

    def pair_of(self, question: QuestionRow) -> Pair:
        """Give the node numbers of a question.

        Parameters
        ----------
        question : QuestionRow
            Of this review.

        Returns
        -------
        array (2)
        """
        return pair_of(self.graph, question)

    def resolved(self, first: tuple[str, str], second: tuple[str, str]) -> Pair:
        """Give the node numbers of two ends, as the pair is written.

        Parameters
        ----------
        first, second : (str, str)
            The name of each end, and its type; an empty one where nodes have none.

        Returns
        -------
        array (2)
        """
        return resolved(self.graph, first, second)

    def decisions(self) -> list[Decision]:
        """Tell what was decided about each question, in the order in which they were asked.

        Returns
        -------
        list of Decision
        """
        return self._current("decisions", lambda: decisions(self.ledger.questions(), self.ledger.answers()))

    def next_question(
        self, reviewer: str, *, taken: Iterable[int] = (), controls: bool = False, second_opinion: bool = False
    ) -> QuestionRow | None:
        """Choose the pair to ask a reviewer about: one that nobody has answered, else a new one is drawn.

        Parameters
        ----------
        reviewer : str
            Who is asked.
        taken : iterable of int
            Questions that others are just being asked.
        controls : bool
            Whether recorded links are mixed in.
        second_opinion : bool
            Whether to ask only what others have answered and this reviewer has not.

        Returns
        -------
        QuestionRow or None
            None where none is left.
        """
        with self._lock:
            known = self.decisions()
            busy = set(taken)
            if second_opinion:
                others = (d.question for d in known if d.lacks_only(reviewer))
                return next((question for question in others if question.id not in busy), None)
            waiting = (d.question for d in known if d.answer is None and d.question.kind != OWN)
            if (first := next((q for q in waiting if q.id not in busy), None)) is not None:
                return first
            asked = [d for d in known if d.question.kind != OWN]
            n_controls = sum(d.question.kind == CONTROL for d in asked)
            if controls and len(asked) % _CONTROL_EVERY == _CONTROL_EVERY - 1 and self.graph.n_edges > n_controls:
                return self._drawing.control(n_controls)
            return self._drawing.next_question(known, busy)

    def question_about(self, pair: Pair) -> QuestionRow:
        """Give the question about a pair that somebody looked up: the one that was drawn, or one of their own.

        Parameters
        ----------
        pair : array (2)
            Node numbers, as `resolved` gives them.

        Returns
        -------
        QuestionRow
        """
        row = question_row(self.graph, pair, OWN)
        with self._lock:
            added = self.ledger.add_question(row)
            return added or next(q for q in self.ledger.questions() if q.ends == row.ends)

    def answer(
        self,
        question: int,
        reviewer: str,
        answer: str,
        *,
        note: str = "",
        seconds: float | None = None,
        key: str | None = None,
    ) -> AnswerRow:
        """Write an answer; it is on the disk when this returns, and supersedes what the reviewer said before.

        Parameters
        ----------
        question : int
            Its number.
        reviewer : str
            Who answers.
        answer : str
            link, no link, unsure; or taken back, which leaves the question open again.
        note : str
            What the reviewer wants to keep.
        seconds : float, optional
            How long it took.
        key : str, optional
            The same key again is the same answer, written once.

        Returns
        -------
        AnswerRow
        """
        check_answer(answer, reviewer, note, seconds, key)
        with self._lock:
            found = next((d for d in self.decisions() if d.question.id == question), None)
            if found is None:
                raise ParameterError(f"question {question} was not asked")
            mine = [row for row in found.history if row.reviewer == reviewer]
            before = mine[-1].id if mine else None
            row = AnswerRow(0, question, reviewer, answer, note, seconds, before, key or uuid.uuid4().hex)
            return self.ledger.add_answer(row)

    def undo(self, reviewer: str, key: str | None = None) -> QuestionRow | None:
        """Take back the last answer of a reviewer, so that it is asked again.

        Parameters
        ----------
        reviewer : str
            Whose answer.
        key : str, optional
            The same key again takes nothing more back.

        Returns
        -------
        QuestionRow or None
            What is to be asked again; None if there is no answer.
        """
        with self._lock:
            known = self.decisions()
            done = [d.question for d in known for row in d.history if key is not None and row.key == key]
            if done:
                return done[0]
            mine = [(d, row) for d in known for row in d.standing if row.reviewer == reviewer]
            if not mine:
                return None
            last, row = max(mine, key=lambda found: found[1].id)
            self.answer(last.question.id, reviewer, TAKEN_BACK, note=row.note, key=key)
            return last.question

    def drawn_answers(self) -> DrawnAnswers:
        """Collect the answers that enter the estimates: those about pairs that were drawn.

        Returns
        -------
        DrawnAnswers
        """
        by_answer: dict[str, list[int]] = {LINK: [], NO_LINK: [], UNSURE: []}
        for rank, decision in self._drawing.sampled(self.decisions()):
            if decision.answer is not None:
                by_answer[decision.answer].append(rank)
        return DrawnAnswers.of(by_answer[LINK], by_answer[NO_LINK], by_answer[UNSURE])

    @cached_property
    def _posterior(self) -> Posterior:
        return Posterior(self.design)

    def estimate(self) -> ReviewEstimate:
        """Estimate how many links are missing, and how far down the list one may go, by the answers so far.

        Returns
        -------
        ReviewEstimate
        """
        return self._current("estimate", lambda: self._estimate(self.drawn_answers()))

    def unsure_bounds(self) -> tuple[ReviewEstimate, ReviewEstimate] | None:
        """Estimate the same, were pairs of which nobody is sure all no links, and all links.

        Returns
        -------
        (ReviewEstimate, ReviewEstimate) or None
            None where nobody is unsure.
        """
        if not len((answers := self.drawn_answers()).unsure):
            return None
        fewer, more = (answers.taking_unsure(are_links) for are_links in (False, True))
        return self._current("bounds", lambda: (self._estimate(fewer), self._estimate(more)))

    def _estimate(self, answers: DrawnAnswers) -> ReviewEstimate:
        found, before = review_estimate(self.design, answers, self._posterior), self.model.estimate_missing()
        # Before the first answer the graph alone speaks.
        return found if answers.n_decided or before is None else replace(found, missing=before)

    def review(self) -> Review:
        """Give the design and the answers, for `model.assuming(reviews=...)`.

        Returns
        -------
        Review
        """
        return Review(self.design, self.drawn_answers(), self.zone_scores)

    def reviewed_model(self) -> LinkPredictor:
        """Give the model with probabilities, number of missing links and lists as the answers tell.

        Returns
        -------
        LinkPredictor
        """
        return self._current("model", lambda: self.model.assuming(reviews=self.review()))

    def _current(self, what: str, compute: Callable[[], Value]) -> Value:
        """What was computed from the same rows, or is now."""
        with self._lock:
            state = self.ledger.state()
            kept = self._remembered.get(what)
            if kept is None or kept[0] != state:
                kept = self._remembered[what] = (state, compute())
            return kept[1]  # type: ignore[return-value]

    def close(self) -> None:
        """Let the ledger go."""
        self.ledger.close()


def open_review(results: str | Path, *, seed: int | None = None, read_only: bool = False) -> ReviewSession:
    """Open the review of what `find` wrote, or begin one.

    Parameters
    ----------
    results : str or Path
        The folder that `find` wrote, with its model.
    seed : int, optional
        Where the order of questions comes from: of a review that was begun, its own; else 0.
    read_only : bool
        Whether nothing may be written; there must be answers then.

    Returns
    -------
    ReviewSession

    Raises
    ------
    InputError
        If the folder holds no results, the answers there are about another model, or no edges could be hidden.

    Examples
    --------
    >>> import tempfile, networkx, pulink
    >>> folder = tempfile.mkdtemp()
    >>> pulink.find(pulink.from_networkx(networkx.karate_club_graph()), method="l3n").save(folder)
    >>> session = pulink.open_review(folder)
    >>> question = session.next_question("Ada")
    >>> session.answer(question.id, "Ada", "link").answer
    'link'
    >>> session.undo("Ada") == question
    True
    >>> session.close()
    """
    folder = Path(results)
    run, manifest = folder / "run.json", folder / "model" / MANIFEST
    for file in (run, manifest):
        if not file.is_file():
            raise InputError(
                f"{short_path(folder)}: holds no results of find, {file.relative_to(folder)} is missing"
            )
    model = load_model(folder)
    calibrator = model._ready_calibrator()
    if calibrator is None:
        raise InputError(f"{short_path(folder)}: nothing to review, too few edges are known to hide some")
    design = ReviewDesign.of(calibrator, seed or 0)
    if not design.zone:
        raise InputError(f"{short_path(folder)}: nothing to review, no pair is unconnected")
    ledger = Ledger(folder / LEDGER, read_only=read_only)
    try:
        wanted = SessionRow(sha256(run), sha256(manifest), design.seed, design.to_dict())
        session = ledger.session() or (wanted if read_only else ledger.begin(wanted))
        check_session(folder, session, wanted, seed)
        design = design.like(session.design, session.seed)
    except BaseException:
        ledger.close()
        raise
    return ReviewSession(folder, model, design, ledger)
