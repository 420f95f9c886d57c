"""What every link predictor shares: fit, score, probabilities, the list of missing links."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt
import polars as pl
from scipy.special import expit

from pulink import metrics
from pulink.errors import InputError, LeakError, NotFittedError, ParameterError
from pulink.graph.graph import Edges, Graph
from pulink.graph.pairs import resolve_pairs
from pulink.graph.split import Split, audit, split
from pulink.models.parameters import Parametrised, check_count, check_flag, check_share


@dataclass(frozen=True)
class Progress:
    """Where a fit stands; handed to the `progress` function now and then."""

    stage: str  # "choose" while validation edges are held out, "refit" on the whole graph
    done: int
    total: int
    iteration: int | None  # None for methods without an outer loop
    val_auroc: float | None


ProgressFunction = Callable[[Progress], None]


@dataclass(frozen=True)
class Validation:
    """Hidden pairs by which a fit chooses when to stop."""

    edges: Edges
    non_edges: Edges


class LinkPredictor(Parametrised, ABC):
    """Base of all predictors. Subclasses store settings in `__init__` and learn in `_learn`.

    Learned: `graph_`, the graph whose edges are known and never proposed again.
    """

    seed: int
    val_ratio: float
    refit: bool
    graph_: Graph

    def fit(self, data: Graph | Split, *, progress: ProgressFunction | None = None) -> Self:
        """Learn from a split's training graph, or from a graph that hides its own validation edges.

        With a graph and `refit`, the budget is chosen on held-out validation edges, and the model is then
        trained once more on every edge with that budget.
        """
        self._judge()
        report = progress or _silent
        if isinstance(data, Split):
            audit(data)
            _refuse_unfit(data.train)
            self._learn(data.train, _validation(data), None, "choose", report)
            self.graph_ = data.train
        elif isinstance(data, Graph):
            _refuse_unfit(data)
            held = split(data, val=self.val_ratio, test=0.0, seed=self.seed)
            budget = self._learn(held.train, _validation(held), None, "choose", report)
            if self.refit and len(held.val_edges):
                self._learn(data, None, budget, "refit", report)
            self.graph_ = data
        else:
            raise ParameterError(f"fit takes a Graph or a Split, got {type(data).__name__}")
        return self

    @abstractmethod
    def _learn(
        self,
        train: Graph,
        validation: Validation | None,
        budget: int | None,
        stage: str,
        progress: ProgressFunction,
    ) -> int:
        """Train; return the chosen budget (iterations or epochs). With a budget given, spend exactly that."""

    @abstractmethod
    def _pair_scores(self, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """Logits of pairs (k x 2)."""

    @abstractmethod
    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[npt.NDArray[np.int32], str]:
        """The best unconnected pairs, best first, and in words how they were searched."""

    def _judge(self) -> None:
        """Check the settings; subclasses add theirs."""
        check_count("seed", self.seed, 0)
        check_share("val_ratio", self.val_ratio)
        check_flag("refit", self.refit)

    def _check_fitted(self) -> None:
        if not hasattr(self, "graph_"):
            raise NotFittedError(f"this {type(self).__name__} is not fitted yet: call fit first")

    def decision_function(self, pairs: object) -> npt.NDArray[np.float64]:
        """Scores of pairs (names, or k x 2 node numbers): any real number, larger for likelier links."""
        self._check_fitted()
        return self._pair_scores(resolve_pairs(self.graph_, pairs))

    def predict_proba(self, pairs: object) -> npt.NDArray[np.float64]:
        """σ(score): the model's probability of a link for each pair."""
        return np.asarray(expit(self.decision_function(pairs)), dtype=np.float64)

    def score(self, split: Split) -> dict[str, float]:
        """How well the split's test edges are told from its test non-edges, in fractions of 1."""
        self._check_fitted()
        if not isinstance(split, Split):
            raise ParameterError(f"score takes a Split, got {type(split).__name__}")
        if split.train.n_nodes != self.graph_.n_nodes:
            raise InputError(
                f"the split has {split.train.n_nodes} nodes, the model was fitted on {self.graph_.n_nodes}: "
                "score the split that it was fitted on"
            )
        if not len(split.test_edges):
            raise InputError("the split holds no test edges to score: split with test > 0")
        if n_seen := int(self.graph_.has_edges(split.test_edges).sum()):
            raise LeakError(f"the model was fitted on {n_seen} of the test edges: fit the split, not the graph")
        edges = self._pair_scores(split.test_edges.astype(np.int64))
        non_edges = self._pair_scores(split.test_non_edges.astype(np.int64))
        return {
            "auroc": metrics.auroc(edges, non_edges),
            "auprc": metrics.auprc(edges, non_edges),
            "hits_at_50": metrics.hits_at(50, edges, non_edges),
            "mrr": metrics.mean_reciprocal_rank(edges, non_edges),
        }

    def best_pairs(self, top: int, *, exact_nodes: int = 200_000) -> tuple[npt.NDArray[np.int32], str]:
        """The `top` likeliest unconnected pairs as node numbers, and in words how they were searched.

        All unconnected pairs are searched up to `exact_nodes` nodes. Above that: pairs with a node of large
        degree or large norm, and pairs two steps apart.
        """
        self._check_fitted()
        check_count("top", top, 0)
        check_count("exact_nodes", exact_nodes, 0)
        return self._best_pairs(top, exact_nodes)

    def missing_links(
        self, top: int = 100, *, min_probability: float = 0.0, exact_nodes: int = 200_000
    ) -> pl.DataFrame:
        """The likeliest unconnected pairs: source, target, probability; best first."""
        return self.search_links(top, min_probability=min_probability, exact_nodes=exact_nodes)[0]

    def search_links(
        self, top: int = 100, *, min_probability: float = 0.0, exact_nodes: int = 200_000
    ) -> tuple[pl.DataFrame, str]:
        """What `missing_links` gives, and in words which pairs were searched."""
        if not 0 <= min_probability <= 1:
            raise ParameterError(f"min_probability must lie in [0, 1], got {min_probability!r}")
        pairs, searched = self.best_pairs(top, exact_nodes=exact_nodes)
        # The smaller node number first, so that a pair looks the same wherever it was found.
        pairs = np.sort(pairs, axis=1)
        scores = self._pair_scores(pairs.astype(np.int64))
        # The search ranks in single precision; the list is in the order of the numbers that it shows.
        order = np.lexsort((pairs[:, 1], pairs[:, 0], -scores))
        pairs, scores = pairs[order], scores[order]
        frame = pl.DataFrame(
            {
                "source": self.graph_.names.take(pairs[:, 0]),
                "target": self.graph_.names.take(pairs[:, 1]),
                "probability": expit(scores),
            }
        )
        return frame.filter(pl.col("probability") >= min_probability), searched


def _validation(data: Split) -> Validation | None:
    return Validation(data.val_edges, data.val_non_edges) if len(data.val_edges) else None


def _refuse_unfit(graph: Graph) -> None:
    if graph.n_edges == 0:
        raise InputError(f"nothing to learn from: the graph has {graph.n_nodes} nodes and no edges")


def _silent(_: Progress) -> None:
    return None
