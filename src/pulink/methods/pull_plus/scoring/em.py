"""Expectation and maximisation over the labels of unconnected pairs.

    expect     p = P(link | score) for every unconnected pair that is trained on, calibrated at the true prevalence
    maximise   new near trees, by cross-entropy with labels 1 for hidden edges and p for unconnected pairs

In the first round all p are 0. Its scores decide which terms are added to the trees' (`added_terms`); a term of a
column that the training set does not hold has no part in p, neither in the scores nor in their curve. Rounds go on
while the average precision of validation edges among all unconnected pairs rises.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pulink.calibration.blocks import BlockCurve, block_curve
from pulink.engine.pace import paced, portion
from pulink.methods.pull_plus.scoring import scorer as trees
from pulink.methods.pull_plus.scoring.scorer import Scorer, near_grower
from pulink.methods.pull_plus.scoring.validation_set import Round, ValidationSet
from pulink.methods.pull_plus.training_set import TrainingSet
from pulink.persistence.checkpoints import Checkpoint, FitCheckpoints
from pulink.predictor.fitting.early_stopping import EarlyStopping
from pulink.predictor.fitting.fit_run import Asked

F64 = npt.NDArray[np.float64]

# Validation edges that one label is averaged over; what is told to people is averaged over more.
ROUGH = 10
# About which share of the time is over once the first trees are grown, and have scored the validation set; and of
# a round after each look at its scores.
_GROWN, _SCORED, _ROUND_SCORED = 0.3, 0.5, 0.1


class Settings(trees.Settings, Protocol):
    """Of the rounds, and of the trees."""

    max_rounds: int
    missing_share: float | None


@dataclass(frozen=True)
class Chosen:
    """The round that is kept, and how all of them went.

    asked  pairs of the validation set and the scores that the kept round gives them; None without validation edges
    """

    number: int
    scorer: Scorer
    history: list[Round]
    asked: Asked | None = None


def choose_round(
    training_set: TrainingSet,
    validation_set_of: Callable[[Scorer], ValidationSet] | None,
    n_train: int,
    settings: Settings,
    checkpoints: FitCheckpoints,
    on_round: Callable[[Round], None],
) -> Chosen:
    """The best round by the validation edges; the first one where there are none.

    validation_set_of  the set that holds them, given the first round's trees
    n_train            recorded edges of the training graph
    """

    def trees_of(number: int, learn: Callable[[], Scorer]) -> Scorer:
        return checkpoints.remember(
            f"trees-{number}",
            lambda: Checkpoint({}, learn().state()),
            lambda kept: Scorer.from_state(kept.arrays, training_set.signals.shape[1]),
        )

    def curve_of(scores: F64) -> BlockCurve:
        return block_curve(scores, validation_set.asked, n_train, settings.missing_share, ROUGH)

    near = near_grower(training_set, settings)
    with portion(0.0, _GROWN):
        scorer = trees_of(0, lambda: Scorer.fit(training_set, settings, near))
    if validation_set_of is None:
        return Chosen(0, scorer, [Round.unseen(0)])
    with portion(_GROWN, _SCORED):
        validation_set, far = validation_set_of(scorer), scorer.far.scores(training_set.signals)
        scorer = validation_set.with_terms(scorer)
    stopping = EarlyStopping()
    history: list[Round] = []
    for number in paced(range(settings.max_rounds + 1), _SCORED):
        with portion(0.0, _ROUND_SCORED):
            scores = validation_set.score(scorer)
        curve = curve_of(scores)
        with portion(_ROUND_SCORED, 2 * _ROUND_SCORED):
            result = validation_set.result(number, scorer, scores, curve)
        history.append(result)
        on_round(result)
        stopping.look(number, result.val_average_precision)
        if stopping.is_over(number):
            break
        chosen = Chosen(number, scorer, history, (validation_set.asked, scores))
        if number < settings.max_rounds:
            with portion(2 * _ROUND_SCORED, 3 * _ROUND_SCORED):
                blind = scorer.without_terms_of(training_set.unread)
                if blind is not scorer:
                    curve = curve_of(validation_set.score(blind))
                probabilities = curve.probability(blind.joined(far, training_set.signals))
            labels = np.where(training_set.labels > 0, 1.0, np.where(training_set.absent, 0.0, probabilities))
            with portion(3 * _ROUND_SCORED, 1.0):
                scorer = trees_of(number + 1, partial(scorer.with_labels, training_set, labels, near))
    return chosen
