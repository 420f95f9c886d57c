"""One review of one model: what to ask next, what was answered, what that tells."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Iterable
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
from pulink.engine.random import permutation, stream_key
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.explanation.node_names import type_of
from pulink.graph.graph import Graph
from pulink.methods.registry import load_model
from pulink.persistence.ledger import (
    ANSWERS,
    CONTROL,
    LEDGER,
    LINK,
    MAX_KEY,
    MAX_NOTE,
    MAX_REVIEWER,
    NO_LINK,
    OWN,
    SAMPLE,
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
from pulink.workflows.review.decisions import Decision, decisions

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
    """

    def __init__(self, folder: Path, model: LinkPredictor, design: ReviewDesign, ledger: Ledger) -> None:
        self.folder, self.model, self.design, self.ledger = folder, model, design, ledger
        self._lock = threading.RLock()
        self._remembered: dict[str, tuple[tuple[int, int], object]] = {}

    @property
    def graph(self) -> Graph:
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
        return self._ranked[1]

    def pair_of(self, question: QuestionRow) -> Pair:
        """The node numbers of a question (2)."""
        return self.resolved((question.source, question.source_type), (question.target, question.target_type))

    def resolved(self, first: tuple[str, str], second: tuple[str, str]) -> Pair:
        """Node numbers (2) of two ends by name and type, as the pair is written."""
        ends = []
        for name, kind in (first, second):
            node = self.graph.names.node_of_type(name, kind) if kind else None
            ends.append(int(self.graph.names.index_of([name])[0]) if node is None else node)
        if ends[0] == ends[1]:
            raise InputError(f"{first[0]!r} is both nodes; a link needs two")
        pair = np.array([ends], dtype=np.int64)
        if not self.graph.pair_space.allowed(pair)[0]:
            raise InputError(f"{first[0]!r} and {second[0]!r} are not of types whose links are asked about")
        return np.asarray(self.graph.pair_space.ordered(pair)[0].astype(np.int64))

    def decisions(self) -> list[Decision]:
        """What was decided about each question, in the order in which they were asked."""
        return self._current("decisions", lambda: decisions(self.ledger.questions(), self.ledger.answers()))

    def next_question(
        self, reviewer: str, *, taken: Iterable[int] = (), controls: bool = False, second_opinion: bool = False
    ) -> QuestionRow | None:
        """The pair to ask this reviewer about; None where none is left.

        A question that nobody has answered comes first, then a new one is drawn.

        taken           questions that others are just being asked
        controls        whether recorded links are mixed in
        second_opinion  whether to ask only what others have answered and this reviewer has not
        """
        with self._lock:
            known = self.decisions()
            busy = set(taken)
            if second_opinion:
                return next(
                    (d.question for d in known if _by_others(d, reviewer) and d.question.id not in busy), None
                )
            waiting = (d.question for d in known if d.answer is None and d.question.kind != OWN)
            if (first := next((q for q in waiting if q.id not in busy), None)) is not None:
                return first
            asked = [d for d in known if d.question.kind != OWN]
            n_controls = sum(d.question.kind == CONTROL for d in asked)
            if controls and len(asked) % _CONTROL_EVERY == _CONTROL_EVERY - 1 and self.graph.n_edges > n_controls:
                return self._control(n_controls)
            return self._drawn(known)

    def _drawn(self, known: list[Decision]) -> QuestionRow | None:
        """A new pair of the stratum whose turn it is; another takes the place of one that is unsure."""
        sampled = [d for d in known if d.question.kind == SAMPLE]
        drawn, counted = ([0] * self.design.n_strata for _ in range(2))
        for decision in sampled:
            stratum = decision.question.stratum
            assert stratum is not None
            drawn[stratum] += 1
            counted[stratum] += decision.answer != UNSURE
        places = list(drawn)
        while (stratum := self.design.next_stratum(counted, places)) is not None:
            rank = self.design.draw(stratum, places[stratum])
            places[stratum] += 1
            row = self._row(self.zone_pairs[rank], SAMPLE, rank, stratum)
            if (asked := self.ledger.add_question(row)) is not None:
                return asked
        return None

    def _control(self, count: int) -> QuestionRow | None:
        order = permutation(stream_key(self.design.seed, "review controls"), self.graph.n_edges)
        for place in order[count:].tolist():
            pair = self.graph.edges[place].astype(np.int64)
            if (asked := self.ledger.add_question(self._row(pair, CONTROL))) is not None:
                return asked
        return None

    def _row(self, pair: Pair, kind: str, rank: int | None = None, stratum: int | None = None) -> QuestionRow:
        first, second = pair.tolist()
        names, graph = self.graph.names, self.graph
        return QuestionRow(
            0, names[first], names[second], type_of(graph, first), type_of(graph, second), kind, rank, stratum
        )

    def question_about(self, pair: Pair) -> QuestionRow:
        """The question about a pair that somebody looked up: the one that was drawn, or one of their own."""
        row = self._row(pair, OWN)
        with self._lock:
            added = self.ledger.add_question(row)
            return added or self._known(row)

    def _known(self, row: QuestionRow) -> QuestionRow:
        ends = (row.source, row.target, row.source_type, row.target_type)
        alike = (q for q in self.ledger.questions() if (q.source, q.target, q.source_type, q.target_type) == ends)
        return next(alike)

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
        if answer not in ANSWERS:
            raise UnknownNameError("answer", answer, ANSWERS)
        _check_text("reviewer", reviewer, MAX_REVIEWER, least=1)
        _check_text("note", note, MAX_NOTE)
        if key is not None:
            _check_text("key", key, MAX_KEY, least=1)
        if seconds is not None and not 0 <= seconds < 1e9:
            raise ParameterError(f"seconds must be a number from 0, got {seconds!r}")
        with self._lock:
            found = next((d for d in self.decisions() if d.question.id == question), None)
            if found is None:
                raise ParameterError(f"question {question} was not asked")
            mine = [row for row in found.history if row.reviewer == reviewer]
            before = mine[-1].id if mine else None
            row = AnswerRow(0, question, reviewer, answer, note, seconds, before, key or uuid.uuid4().hex)
            return self.ledger.add_answer(row)

    def undo(self, reviewer: str, key: str | None = None) -> QuestionRow | None:
        """Take back the last answer of a reviewer, so that it is asked again; None if there is none."""
        with self._lock:
            mine = [(d, row) for d in self.decisions() for row in d.standing if row.reviewer == reviewer]
            if not mine:
                return None
            last, row = max(mine, key=lambda found: found[1].id)
            self.answer(last.question.id, reviewer, TAKEN_BACK, note=row.note, key=key)
            return last.question

    def drawn_answers(self) -> DrawnAnswers:
        """The answers that enter the estimates: those about drawn pairs."""
        by_answer: dict[str, list[int]] = {LINK: [], NO_LINK: [], UNSURE: []}
        for decision in self.decisions():
            if decision.question.kind == SAMPLE and decision.answer is not None:
                assert decision.question.rank is not None
                by_answer[decision.answer].append(decision.question.rank)
        return DrawnAnswers.of(by_answer[LINK], by_answer[NO_LINK], by_answer[UNSURE])

    @cached_property
    def _posterior(self) -> Posterior:
        return Posterior(self.design)

    def estimate(self) -> ReviewEstimate:
        """How many links are missing, and how far down the list one may go, by the answers so far."""
        return self._current(
            "estimate", lambda: review_estimate(self.design, self.drawn_answers(), self._posterior)
        )

    def review(self) -> Review:
        """The design and the answers, for `model.assuming(reviews=...)`."""
        return Review(self.design, self.drawn_answers(), self.zone_scores)

    def reviewed_model(self) -> LinkPredictor:
        """The model with probabilities, number of missing links and lists as the answers tell."""
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
        _check_session(folder, session, wanted, seed)
        design = design.like(session.design, session.seed)
    except BaseException:
        ledger.close()
        raise
    return ReviewSession(folder, model, design, ledger)


def _check_session(folder: Path, session: SessionRow, wanted: SessionRow, seed: int | None) -> None:
    file = short_path(folder / LEDGER)
    if (session.run, session.model) != (wanted.run, wanted.model):
        raise InputError(
            f"{file}: its answers are about another model than the one in {short_path(folder)}; hand them to find "
            f"with --reviews {file}, or move the file away"
        )
    if seed is not None and seed != session.seed:
        raise ParameterError(f"{file} was begun with seed {session.seed}; leave out the seed, got {seed}")


def _by_others(decision: Decision, reviewer: str) -> bool:
    """Whether others have answered, and this reviewer has not."""
    who = {row.reviewer for row in decision.standing}
    return bool(who) and reviewer not in who


def _check_text(what: str, given: object, most: int, least: int = 0) -> None:
    if not isinstance(given, str) or not least <= len(given) <= most:
        raise ParameterError(f"{what} must be text of {least} to {most:,} characters")
    if any(0xD800 <= ord(letter) <= 0xDFFF for letter in given):
        raise ParameterError(f"{what} holds what is no letter")
