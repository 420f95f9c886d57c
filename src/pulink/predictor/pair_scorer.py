"""Predictors whose score is a network on a pair: scored in batches of one size, searched among candidates."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.search.best_pairs import best_first
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.pair_space import PairSpace
from pulink.predictor.by_epochs import EpochPredictor
from pulink.predictor.costs import Sizes
from pulink.predictor.search_scope import AllPairs, SearchScope
from pulink.predictor.walk_candidates import n_walked, walk_candidates

Pairs = npt.NDArray[np.integer]
Scores = npt.NDArray[np.float64]

_CHUNK = 1 << 18
_FEWEST = 1_000


def in_fixed_batches(score: Callable[[Pairs], Tensor], pairs: Pairs, size: int, space: PairSpace) -> Scores:
    """Scores of pairs (k x 2) by a function of exactly `size` pairs, ordered as in their space.

    Matrix products round by the shape of a batch, so all batches have one shape (the last is filled up with its
    own first pair): a score is the same to the bit however a pair is written and in any company.
    """
    ends = space.ordered(np.asarray(pairs, dtype=np.int64))
    scores = np.empty(len(pairs), dtype=np.float64)
    with torch.no_grad():
        for start in range(0, len(pairs), size):
            batch = ends[start : start + size]
            filled = np.concatenate([batch, np.repeat(batch[:1], size - len(batch), axis=0)])
            scores[start : start + len(batch)] = score(filled).numpy().astype(np.float64)[: len(batch)]
    if not np.isfinite(scores).all():
        raise InputError("training diverged: scores are not finite; lower learning_rate, or rescale features")
    return scores


@dataclass(kw_only=True, eq=False, repr=False)
class PairScorer(EpochPredictor):
    """Scores a pair by a network. All unconnected pairs are searched if there are at most `exact_pairs`.

    Beyond that, the best by walks of two and of three steps are, `candidate_factor` times as many as asked for of
    each; the list may then be shorter than asked for.
    """

    exact_pairs: ClassVar[int] = 3_000_000
    candidate_factor: ClassVar[int] = 5
    cheap_long_search: ClassVar[bool] = False

    def _best_pairs(self, count: int, exact_nodes: int) -> tuple[npt.NDArray[np.int32], SearchScope]:
        graph = self._structure
        n_free = graph.n_pairs - graph.n_edges
        if n_free <= max(self.exact_pairs, count) and graph.n_nodes <= exact_nodes:
            free = graph.pair_space.unconnected(graph.adjacency)
            return self._best_of(free, count), AllPairs()
        found, scope = walk_candidates(graph, max(self.candidate_factor * count, _FEWEST))
        return self._best_of(found, count), scope

    def sizes(self, graph: Graph) -> Sizes:
        sizes = super().sizes(graph)
        n_free = graph.n_pairs - graph.n_edges
        if n_free <= self.exact_pairs:
            return sizes | {"searched": n_free, "walks": 0.0}
        n_candidates = 2 * max(self.candidate_factor * sizes["listed"], _FEWEST)
        return sizes | {"searched": n_candidates, "walks": n_walked(graph.adjacency)}

    def _best_of(self, pairs: npt.NDArray[np.int32], count: int) -> npt.NDArray[np.int32]:
        """The best of these pairs, best first."""
        scores = np.concatenate(
            [self._pair_scores(pairs[k : k + _CHUNK].astype(np.int64)) for k in range(0, len(pairs), _CHUNK)]
            or [np.empty(0)]
        )
        return pairs[best_first(scores, pairs)[:count]]
