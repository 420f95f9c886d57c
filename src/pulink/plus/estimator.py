"""PULL+: expectation and maximisation over the labels of unconnected pairs.

Edges are hidden once more in folds, and trees learn to tell them from unconnected pairs by signals of a graph that
does not hold them. Unconnected pairs are unlabelled, not negative: some of them are the links that are missing.

    expect     p = P(link | score) for every unconnected pair that is trained on, calibrated at the true prevalence
    maximise   new trees, by cross-entropy with labels 1 for hidden edges and p for unconnected pairs

In the first round all p are 0. Rounds go on while the average precision of validation edges among all candidates
rises. Pairs are scored on a view of the whole training graph.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.engine.best_pairs import best_first
from pulink.engine.memory import require_memory
from pulink.errors import ParameterError
from pulink.graph.graph import Graph
from pulink.graph.pairs import pair_codes
from pulink.models.pair_scorer import all_unconnected
from pulink.models.parameters import check_count, check_positive
from pulink.models.predictor import LinkPredictor, Progress, ProgressFunction, Validation
from pulink.models.store import Stored
from pulink.plus.attributes import Attributes
from pulink.plus.calibration import Calibration
from pulink.plus.candidates import N_SOURCES, Candidates, candidate_count, find_candidates
from pulink.plus.folds import n_used
from pulink.plus.lessons import Lessons, gather
from pulink.plus.scorer import Scorer
from pulink.plus.trees import MOST_LEAVES
from pulink.plus.view import RANKS, Recipe, View, signal_names

Floats = npt.NDArray[np.float64]

_CHUNK = 1 << 18
# Of sums over walks and of signals in float64 while they are computed.
_PAIR_BYTES = 250
_TREES = "trees."


@dataclass(frozen=True)
class Round:
    """One round of expectation and maximisation.

    val_average_precision  of the validation edges among all candidates, which hold other missing links too
    n_expected             missing links expected among the candidates: the sum of their chances
    n_likely               candidates that are more likely links than not
    """

    round: int
    val_auroc: float | None
    val_average_precision: float | None
    n_expected: float | None
    n_likely: int | None

    def to_dict(self) -> dict[str, Any]:
        return dict(vars(self))


@dataclass(kw_only=True, eq=False, repr=False)
class PULLPlus(LinkPredictor):
    """Boosted trees over signals of a pair, trained with expected labels.

    Parameters
    ----------
    n_folds
        Each fold of the edges is hidden from the graph on which its signals are taken. Where edges are many, trees
        learn from the first folds only.
    n_units, n_epochs, learning_rate
        Of the two encoders among the signals.
    n_trees, n_leaves, tree_rate
        Of the trees.
    far_per_edge, near_per_edge
        Unconnected pairs trained on for each hidden edge: any, and candidates.
    max_rounds
        Rounds after the first one; 0: all unconnected pairs count as non-links.
    """

    exact_pairs: ClassVar[int] = 3_000_000

    n_folds: int = 8
    n_units: int = 64
    n_epochs: int = 150
    learning_rate: float = 0.01
    n_trees: int = 400
    n_leaves: int = 31
    tree_rate: float = 0.05
    far_per_edge: int = 5
    near_per_edge: int = 10
    max_rounds: int = 3

    history_: list[Round] = field(init=False)
    recall_: dict[str, float] = field(init=False)
    n_rounds_: int = field(init=False)
    _scorer: Scorer = field(init=False)
    _calibration: Calibration = field(init=False)
    _view: View | None = field(init=False, default=None)

    def _judge(self) -> None:
        super()._judge()
        check_count("n_folds", self.n_folds, 2)
        for name in ("n_units", "n_epochs", "n_trees"):
            check_count(name, getattr(self, name), 1)
        check_count("n_leaves", self.n_leaves, 2)
        check_count("far_per_edge", self.far_per_edge, 1)
        check_count("near_per_edge", self.near_per_edge, 0)
        check_count("max_rounds", self.max_rounds, 0)
        check_positive("learning_rate", self.learning_rate)
        check_positive("tree_rate", self.tree_rate)
        for name, most in (("n_leaves", MOST_LEAVES), ("tree_rate", 1)):
            if getattr(self, name) > most:
                raise ParameterError(f"{name} must be at most {most}, got {getattr(self, name)!r}")

    def _refuse(self, graph: Graph) -> None:
        super()._refuse(graph)
        require_memory(
            self._fit_bytes(graph),
            f"the signals of candidates among {graph.n_nodes:,} nodes and {graph.n_edges:,} edges",
            "use a method that scores by embeddings, such as pull",
        )

    def _fit_bytes(self, graph: Graph) -> int:
        """About what a fit takes beyond the encoders: signals of candidates and of lessons, eigenpairs."""
        n_folds = min(self.n_folds, graph.n_edges)
        n_hidden = n_used(graph.n_edges, n_folds) * -(-graph.n_edges // n_folds)
        n_lessons = n_hidden * (1 + self.far_per_edge + self.near_per_edge)
        n_candidates = min(N_SOURCES * candidate_count(graph), graph.n_pairs)
        row = 4 * len(signal_names(graph.features is not None))
        eigenpairs = 5 * 8 * graph.n_nodes * max(RANKS)
        return n_candidates * (row + _PAIR_BYTES) + 2 * n_lessons * row + eigenpairs

    def _learn(
        self,
        train: Graph,
        validation: Validation | None,
        budget: int | None,  # noqa: ARG002 (the trees of the chosen round are kept)
        stage: str,
        progress: ProgressFunction,
    ) -> int:
        features = None if train.features is None else Attributes.of(train.features, self.seed)
        recipe = Recipe(self.n_units, self.n_epochs, self.learning_rate, self.seed)
        n_views = 1
        if stage == "choose":
            lessons = gather(
                train, features, recipe, self, lambda k, n: progress(Progress(stage, k, n, None, None))
            )
            n_views += lessons.n_views
        view = View.make(train, features, recipe)
        if stage == "choose":
            self._choose(lessons, view, validation, stage, progress)
            self.n_steps_ = 0
        self._view, self.state_ = view, view.state()
        self.n_steps_ += n_views * view.n_steps(recipe)
        return self.n_rounds_

    def _choose(
        self, lessons: Lessons, view: View, validation: Validation | None, stage: str, progress: ProgressFunction
    ) -> None:
        """Rounds of expectation and maximisation; the best one by the validation edges is kept."""
        known = view.graph.adjacency
        candidates = find_candidates(view, known, candidate_count(view.graph))
        exam = _Exam(candidates, view, validation) if validation is not None else None
        self.recall_ = {} if validation is None else candidates.recall(validation.edges, view.graph.n_nodes)
        self.history_, best = [], -np.inf
        scorer = Scorer.fit(lessons, self)
        for number in range(1 if exam is None else self.max_rounds + 1):
            scores, labelled = (
                (scorer.scores(lessons.signals), lessons.labels > 0) if exam is None else exam.take(scorer)
            )
            calibration = Calibration.fit(scores, labelled, 0 if exam is None else view.graph.n_edges)
            self.history_.append(
                _unseen(number) if exam is None else exam.result(number, scorer, scores, calibration)
            )
            precision = self.history_[-1].val_average_precision
            progress(Progress(stage, number + 1, self.max_rounds + 1, number, self.history_[-1].val_auroc))
            if precision is not None and precision <= best:
                break
            best = -np.inf if precision is None else precision
            self._scorer, self._calibration, self.n_rounds_ = scorer, calibration, number
            if number < self.max_rounds and exam is not None:
                expected = calibration.chance(scorer.scores(lessons.signals))
                scorer = scorer.with_labels(lessons, np.where(lessons.labels > 0, 1.0, expected), self)

    def _pair_scores(self, pairs: npt.NDArray[np.int64]) -> Floats:
        view = self._ready_view()
        scores = np.empty(len(pairs), dtype=np.float64)
        order = np.arange(len(pairs)) if len(pairs) <= _CHUNK else view.grouped(pairs)
        for start in range(0, len(pairs), _CHUNK):
            part = order[start : start + _CHUNK]
            scores[part] = self._scorer.scores(view.signals(pairs[part]))
        return scores

    def _probabilities(self, scores: Floats) -> Floats:
        return self._calibration.chance(scores)

    def _ready_view(self) -> View:
        if self._view is None:
            self._view = View.from_state(self.graph_, self.state_)
        return self._view

    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[npt.NDArray[np.int32], str]:
        graph = self.graph_
        if graph.n_pairs - graph.n_edges <= self.exact_pairs and graph.n_nodes <= exact_nodes:
            pairs, words = all_unconnected(graph), "all unconnected pairs, exactly"
        else:
            found = find_candidates(self._ready_view(), graph.adjacency, max(candidate_count(graph), 2 * count))
            pairs = found.pairs
            words = f"{len(pairs):,} candidates: the best pairs by {', '.join(found.sources)}"
        scores = self._pair_scores(pairs.astype(np.int64))
        return pairs[best_first(scores, pairs)[:count]], words

    @property
    def best_val_auroc_(self) -> float | None:
        """Of the kept round; None without validation edges."""
        return self.history_[self.n_rounds_].val_auroc

    @property
    def budget_words_(self) -> str:
        return f"{self.n_rounds_} round{'s' * (self.n_rounds_ != 1)} of expected labels"

    def _learned(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        learned = {
            "n_rounds": self.n_rounds_,
            "history": [own.to_dict() for own in self.history_],
            "recall": self.recall_,
        }
        arrays: dict[str, npt.NDArray[Any]] = {
            **{f"{_TREES}{name}": array for name, array in self._scorer.state().items()},
            "calibration.scores": self._calibration.scores,
            "calibration.chances": self._calibration.chances,
        }
        return learned, arrays

    def _restore(self, stored: Stored) -> None:
        learned, arrays = stored.learned, stored.tensors
        self.n_rounds_ = int(learned["n_rounds"])
        self.history_ = [Round(**own) for own in learned["history"]]
        self.recall_ = {str(name): float(share) for name, share in learned["recall"].items()}
        self._view = View.from_state(stored.graph, self.state_)
        trees = {name.removeprefix(_TREES): own for name, own in arrays.items() if name.startswith(_TREES)}
        self._scorer = Scorer.from_state(trees, len(signal_names(self._view.features is not None)))
        self._calibration = Calibration(arrays["calibration.scores"], arrays["calibration.chances"])
        if not 0 <= self.n_rounds_ < len(self.history_):
            raise ValueError("its history does not hold its round")


def _unseen(number: int) -> Round:
    """A round without validation edges."""
    return Round(number, None, None, None, None)


class _Exam:
    """All candidates on the whole training graph, some of which are validation edges."""

    def __init__(self, candidates: Candidates, view: View, validation: Validation) -> None:
        n = view.graph.n_nodes
        self._signals = view.signals(candidates.pairs)
        self._labelled = np.isin(pair_codes(candidates.pairs, n), pair_codes(validation.edges, n))
        self._sides = view.signals(validation.edges), view.signals(validation.non_edges)

    def take(self, scorer: Scorer) -> tuple[Floats, npt.NDArray[np.bool_]]:
        """Every candidate's score, and which are validation edges."""
        return scorer.scores(self._signals), self._labelled

    def result(self, number: int, scorer: Scorer, scores: Floats, calibration: Calibration) -> Round:
        """Average precision is over all pairs, those that are no candidates behind all others."""
        edges, non_edges = (scorer.scores(side) for side in self._sides)
        found = scores[self._labelled]
        precision = metrics.auprc(found, scores[~self._labelled]) * len(found) / len(edges) if len(found) else 0.0
        chances = calibration.chance(scores)
        auroc = metrics.auroc(edges, non_edges) if len(non_edges) else None
        return Round(number, auroc, precision, float(chances.sum()), int((chances >= 0.5).sum()))
