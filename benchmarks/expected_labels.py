"""What do expected labels bring to PULL+, and what could better ones?

The near trees of a finished fit are grown anew with other labels of the unconnected pairs, and asked for the test
edges among all unconnected pairs (average precision; validation edges are left out):

    none      0, as in the first round
    expected  the chances, as in the second
    right     the chances, but 0 where a pair is no hidden edge
    true      whether a pair is a hidden edge: more than anybody could know
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import pulink
from benchmarks.measure import finish, own_arguments
from pulink import metrics
from pulink.calibration.calibrator import curve_of
from pulink.graph.pairs import pair_codes
from pulink.graph.split import Split, split
from pulink.methods.pull_plus.candidates import Candidates
from pulink.methods.pull_plus.em import ROUGH
from pulink.methods.pull_plus.scorer import Scorer
from pulink.methods.pull_plus.training_set import Lessons
from pulink.methods.pull_plus.validation_set import Exam
from pulink.predictor.predictor import Validation


class Watched(pulink.PULLPlus):
    """Keeps what it learns from, and the pairs behind it."""

    lessons: Lessons

    def _choose(self, lessons: Lessons, *others: Any) -> None:
        self.lessons = lessons
        super()._choose(lessons, *others)


def one_split(data: Split, seed: int) -> dict[str, float]:
    asked: list[npt.NDArray[Any]] = []
    rows = Candidates.rows

    def listening(self: Candidates, view: Any, pairs: npt.NDArray[Any]) -> Any:
        asked.append(pairs)
        return rows(self, view, pairs)

    Candidates.rows = listening  # type: ignore[method-assign]
    model = Watched(seed=seed, threads=1, max_rounds=0, missing_share=0.1).fit(data)
    Candidates.rows = rows  # type: ignore[method-assign]
    lessons, n_nodes = model.lessons, data.train.n_nodes
    # The folds' pairs were asked about first.
    pairs = np.concatenate(asked)[: len(lessons.labels)]
    is_hidden = np.isin(pair_codes(pairs, n_nodes), pair_codes(data.hidden_edges, n_nodes))
    return _precisions(model, is_hidden, data)


def _precisions(model: Watched, is_hidden: npt.NDArray[np.bool_], data: Split) -> dict[str, float]:
    first, view, lessons = model._scorer, model._ready_view(), model.lessons
    held = Validation(data.val_edges, data.val_non_edges)
    exam = Exam(model._candidates, view, held, first.far, model.seed)
    is_test = np.isin(*(pair_codes(own, data.train.n_nodes) for own in (exam.asked.pairs, data.test_edges)))
    is_other = ~is_test & ~exam.asked.labelled

    def precision(scorer: Scorer) -> float:
        scores = exam.take(scorer)
        return metrics.auprc(scores[is_test], scores[is_other], exam.asked.weights[is_other])

    curve, _ = curve_of(exam.take(first), exam.asked, view.graph.n_edges, 0.1, block=ROUGH)
    chances = curve.chance(first.joined(first.far.scores(lessons.signals), lessons.signals))
    unlabelled = lessons.labels == 0
    found = {"none": precision(first)}
    for name, labels in {"expected": chances, "right": chances * is_hidden, "true": is_hidden * 1.0}.items():
        found[name] = precision(first.with_labels(lessons, np.where(unlabelled, labels, 1.0), model))
    return found


def main() -> None:
    arguments = own_arguments()
    graph, seed = pulink.load(str(arguments["dataset"])), int(arguments["seed"])
    finish(**one_split(split(graph, val=0.1, test=0.1, seed=seed), seed))


if __name__ == "__main__":
    main()
