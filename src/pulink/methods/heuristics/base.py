"""What all heuristics share: nothing to train, and a map that makes scores into probabilities.

    P(link) = σ(slope · log(1 + score / scale) + offset)

Counts and PageRank are no logits. The map is fitted on hidden validation edges against their non-edges, and scale
is the median of their scores above zero. Edge weights and node features are ignored.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.calibration.platt import LogisticMap
from pulink.engine.random import permutation, stream_key
from pulink.engine.search.best_pairs import best_first
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import KINDS
from pulink.persistence.model_folder import Stored
from pulink.predictor.fitting.fit_run import FitRun, Learned, State, Validation
from pulink.predictor.fitting.structure_view import without_nan
from pulink.predictor.new_nodes import NewNodes
from pulink.predictor.predictor import LinkPredictor

F64 = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int32]
Numbers = npt.NDArray[np.integer]

_MAP = "probability"
_STAND_INS = 10_000


@dataclass(kw_only=True, eq=False, repr=False)
class Heuristic(LinkPredictor):
    """Scores pairs by a formula of the known edges. `fit` keeps the graph and learns the map to probabilities.

    Attributes
    ----------
    val_auroc_ : float or None
        Of the validation edges; None without any.
    state_ : dict of arrays
        The map, and the settings of the formula as they were when fitted.
    """

    kinds: ClassVar[tuple[str, ...]] = KINDS
    by_roles: ClassVar[str | None] = "apart"
    formula_settings: ClassVar[tuple[str, ...]] = ()

    val_auroc_: float | None = field(init=False)

    @abstractmethod
    def _scores(self, graph: Graph, pairs: Numbers) -> F64:
        """Scores of at least 0 of pairs (k x 2)."""

    def _setting(self, name: str) -> float:
        """A setting of the formula as it was when fitted."""
        return float(self.state_[name][0])

    def _pair_scores(self, pairs: npt.NDArray[np.int64]) -> F64:
        return self._scores(self._structure, pairs)

    def _probabilities(self, scores: F64) -> F64:
        scale, slope, offset = self.state_[_MAP].tolist()
        return LogisticMap(slope, offset)(np.log1p(scores / scale))

    def _learn(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        if run.chosen is not None:
            run.report(1, 1, None, None)
            return replace(run.chosen, n_steps=0)
        settings = {name: np.array([getattr(self, name)], dtype=np.float64) for name in self.formula_settings}
        formula = self._holding(Learned(0, settings), train)
        known = formula._sampled(self._stand_ins(train) if validation is None else validation, train)
        edges, non_edges = (
            without_nan(formula._scores(train, pairs), self) for pairs in (known.edges, known.non_edges)
        )
        auroc = None if validation is None else metrics.auroc(edges, non_edges)
        state = settings | {_MAP: _fitted_map(edges, non_edges)}
        run.report(1, 1, None, auroc)
        return Learned(0, state, attributes={"val_auroc_": auroc})

    def _most_judged(self, graph: Graph) -> int | None:  # noqa: ARG002
        """How many edges, and as many non-edges, `fit` may score; None: any number."""
        return None

    def _sampled(self, known: Validation, graph: Graph) -> Validation:
        most = self._most_judged(graph)
        if most is None or most >= len(known.edges):
            return known
        edges, non_edges = (
            pairs[permutation(stream_key(self.seed, "judged", kind), len(pairs))[:most]]
            for kind, pairs in (("edges", known.edges), ("non-edges", known.non_edges))
        )
        return Validation(edges, non_edges)

    def _stand_ins(self, graph: Graph) -> Validation:
        """Without validation edges, known edges: they score higher than hidden ones would."""
        chosen = permutation(stream_key(self.seed, "map", "edges"), graph.n_edges)[:_STAND_INS]
        sampler = graph.pair_space.sampler(graph.adjacency)
        return Validation(
            graph.edges[chosen], sampler.draw_distinct(len(chosen), stream_key(self.seed, "map", "non-edges"))
        )

    @property
    def best_val_auroc_(self) -> float | None:
        return self.val_auroc_

    @property
    def training_summary_(self) -> str:
        return "no training"

    def _learned(self) -> tuple[dict[str, Any], State]:
        return {"n_steps": self.n_steps_, "val_auroc": self.val_auroc_}, {}

    def _restore(self, stored: Stored) -> None:
        missing = {_MAP, *self.formula_settings} - set(self.state_)
        if missing or self.state_[_MAP].shape != (3,):
            raise ValueError(f"its arrays are not those of a {type(self).__name__}")
        auroc = stored.learned["val_auroc"]
        self.val_auroc_ = None if auroc is None else float(auroc)

    def _grown_state(self, new_nodes: NewNodes) -> State:  # noqa: ARG002 (formulas look at the graph alone)
        return self.state_

    def _best_of(self, pairs: Pairs, count: int) -> Pairs:
        """The best of these pairs, each counted once, best first."""
        pairs = self._structure.pair_space.unique(pairs)
        return pairs[best_first(self._scores(self._structure, pairs), pairs)[:count]]


def _fitted_map(edges: F64, non_edges: F64) -> F64:
    """Scale, slope and offset."""
    above = np.concatenate([edges, non_edges])
    above = above[above > 0]
    scale = float(np.median(above)) if above.size else 1.0
    line = LogisticMap.fit(np.log1p(edges / scale), np.log1p(non_edges / scale))
    return np.array([scale, line.slope, line.offset], dtype=np.float64)
