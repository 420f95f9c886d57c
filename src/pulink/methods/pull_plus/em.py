"""Expectation and maximisation over the labels of unconnected pairs.

    expect     p = P(link | score) for every unconnected pair that is trained on, calibrated at the true prevalence
    maximise   new near trees, by cross-entropy with labels 1 for hidden edges and p for unconnected pairs

In the first round all p are 0. Rounds go on while the average precision of validation edges among all unconnected
pairs rises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pulink.calibration.calibrator import curve_of
from pulink.methods.pull_plus import scorer as trees
from pulink.methods.pull_plus.scorer import Scorer
from pulink.methods.pull_plus.training_set import Lessons
from pulink.methods.pull_plus.validation_set import Exam, Round
from pulink.persistence.checkpoints import Piece, Pieces

Floats = npt.NDArray[np.float64]

# Validation edges that one label is averaged over; what is told to people is averaged over more.
ROUGH = 10


class Settings(trees.Settings, Protocol):
    """Of the rounds, and of the trees."""

    max_rounds: int
    missing_share: float | None


@dataclass(frozen=True)
class Chosen:
    """The round that is kept, how all of them went, and what the kept one answered in the exam, if any."""

    number: int
    scorer: Scorer
    history: list[Round]
    exam: Exam | None = None
    scores: Floats | None = None


def choose_round(
    lessons: Lessons,
    exam_of: Callable[[Scorer], Exam] | None,
    n_train: int,
    settings: Settings,
    pieces: Pieces,
    on_round: Callable[[Round], None],
) -> Chosen:
    """The best round by the validation edges; the first one where there are none.

    exam_of  the exam that asks for them, given the first round's trees
    n_train  edges of the training graph
    """

    def trees_of(number: int, learn: Callable[[], Scorer]) -> Scorer:
        return pieces.remember(
            f"trees-{number}",
            lambda: Piece({}, learn().state()),
            lambda kept: Scorer.from_state(kept.arrays, lessons.signals.shape[1]),
        )

    scorer = trees_of(0, lambda: Scorer.fit(lessons, settings))
    if exam_of is None:
        return Chosen(0, scorer, [Round.unseen(0)])
    exam, far, best = exam_of(scorer), scorer.far.scores(lessons.signals), -np.inf
    history: list[Round] = []
    for number in range(settings.max_rounds + 1):
        scores = exam.take(scorer)
        curve, _ = curve_of(scores, exam.asked, n_train, settings.missing_share, block=ROUGH)
        result = exam.result(number, scorer, scores, curve)
        history.append(result)
        on_round(result)
        if result.val_average_precision is not None and result.val_average_precision <= best:
            break
        best = result.val_average_precision or 0.0
        chosen = Chosen(number, scorer, history, exam, scores)
        if number < settings.max_rounds:
            chances = curve.chance(scorer.joined(far, lessons.signals))
            labels = np.where(lessons.labels > 0, 1.0, np.where(lessons.settled, 0.0, chances))
            scorer = trees_of(number + 1, partial(scorer.with_labels, lessons, labels, settings))
    return chosen
