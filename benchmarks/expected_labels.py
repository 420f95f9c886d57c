"""What do expected labels bring to PULL+, and what could better ones?

The near trees of a finished fit are grown anew with other labels of the unconnected pairs, and asked for the test
edges among all unconnected pairs (average precision; validation edges are left out):

    none      0, as in the first round
    expected  the probabilities, as in the second
    right     the probabilities, but 0 where a pair is no hidden edge
    true      whether a pair is a hidden edge: more than anybody could know
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import pulink
from benchmarks.measure import finish, own_arguments
from pulink import metrics
from pulink.calibration.blocks import block_curve
from pulink.graph.split import Split, split
from pulink.methods.pull_plus.candidates import Candidates
from pulink.methods.pull_plus.scoring.em import ROUGH, Chosen
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.scoring.validation_set import ValidationSet
from pulink.methods.pull_plus.training_set import TrainingSet
from pulink.predictor.fitting.fit_run import Validation


class Watched(pulink.PULLPlus):
    """Keeps what it learns from, and the pairs behind it."""

    training_set: TrainingSet

    def _choose(self, training_set: TrainingSet, *others: Any) -> Chosen:
        self.training_set = training_set
        return super()._choose(training_set, *others)


def one_split(data: Split, seed: int) -> dict[str, float]:
    asked: list[npt.NDArray[Any]] = []
    rows = Candidates.rows

    def listening(self: Candidates, pair_signals: Any, pairs: npt.NDArray[Any]) -> Any:
        asked.append(pairs)
        return rows(self, pair_signals, pairs)

    Candidates.rows = listening  # type: ignore[method-assign]
    model = Watched(seed=seed, threads=1, max_rounds=0, missing_share=0.1).fit(data)
    Candidates.rows = rows  # type: ignore[method-assign]
    # The folds' pairs were asked about first.
    pairs = np.concatenate(asked)[: len(model.training_set.labels)]
    return _precisions(model, data.train.pair_space.isin(pairs, data.hidden_edges), data)


def _precisions(model: Watched, is_hidden: npt.NDArray[np.bool_], data: Split) -> dict[str, float]:
    first, pair_signals, training_set = model._scorer, model._ready_signals(), model.training_set
    held = Validation(data.val_edges, data.val_non_edges)
    validation_set = ValidationSet(model._candidates, pair_signals, held, first.far, model.seed)
    is_test = data.train.pair_space.isin(validation_set.asked.pairs, data.test_edges)
    is_other = ~is_test & ~validation_set.asked.labelled

    def precision(scorer: Scorer) -> float:
        scores = validation_set.score(scorer)
        return metrics.auprc(scores[is_test], scores[is_other], validation_set.asked.weights[is_other])

    curve = block_curve(validation_set.score(first), validation_set.asked, pair_signals.graph.n_edges, 0.1, ROUGH)
    probabilities = curve.probability(first.joined(first.far.scores(training_set.signals), training_set.signals))
    unlabelled = training_set.labels == 0
    found = {"none": precision(first)}
    for name, labels in {
        "expected": probabilities,
        "right": probabilities * is_hidden,
        "true": is_hidden * 1.0,
    }.items():
        found[name] = precision(first.with_labels(training_set, np.where(unlabelled, labels, 1.0), model))
    return found


def main() -> None:
    arguments = own_arguments()
    graph, seed = pulink.load(str(arguments["dataset"])), int(arguments["seed"])
    finish(**one_split(split(graph, val=0.1, test=0.1, seed=seed), seed))


if __name__ == "__main__":
    main()
