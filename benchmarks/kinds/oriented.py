"""Methods for undirected graphs on the graph without directions, with orientation by degree.

score(i -> j) = P(i and j are linked) · P(i -> j | linked)     of unconnected pairs, the first by the method
score(i -> j) = P(i -> j | j -> i)                             where the reverse is a training edge

The method learns from all edges but the test edges, and is told which share of all these are. Which way links run
is learned on the training graph with its validation edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import pulink
from benchmarks.kinds.graphs import Pairs
from benchmarks.kinds.measures import F64, Longs, best_places
from benchmarks.kinds.orientation import Orientation, log_degrees
from pulink.graph.split import Split

_TIES = 20_241


class Oriented:
    """A method of ours that knows no directions, with an orientation."""

    def __init__(self, name: str, split: Split, whole: Split, **settings: Any) -> None:
        self.settings: dict[str, Any] = {}
        self.train = whole.train
        seed = split.seed or 0
        plain = whole.train.without_direction
        hidden = plain.pair_space.unique(whole.test_edges)
        n_hidden = int((~plain.has_edges(hidden)).sum())
        share = n_hidden / (plain.n_edges + n_hidden)
        self.model = pulink.make(name, seed=seed, threads=1, missing_share=share, **settings).fit(plain)
        self.orientation = Orientation(split.train.edges, split.val_edges, split.train.n_nodes, seed)
        self.orientation.degrees = log_degrees(whole.train.edges, whole.train.n_nodes)

    def score(self, pairs: Pairs) -> F64:
        half = self.train.has_edges(pairs[:, ::-1])
        scores = np.empty(len(pairs))
        scores[half] = self.orientation.of_half(pairs[half])
        free = pairs[~half]
        scores[~half] = self._linked(free) * self.orientation.of_free(free)
        return scores

    def _linked(self, pairs: Pairs) -> F64:
        return self.model.predict_proba(np.asarray(pairs))

    def rows(self, start: int, stop: int) -> F64:
        raise NotImplementedError("too slow for all pairs, and no measure of directed graphs needs it")

    def best(self, k: int, known: Pairs) -> tuple[Longs, Longs]:
        """The best of all pairs: none scores above what its unordered pair does, so the search may end early."""
        n_asked = 4 * k
        most = self.model.graph_.n_pairs - self.model.graph_.n_edges
        while True:
            unordered, _ = self.model.best_pairs(n_asked)
            bound = float(self._linked(unordered[-1:])[0])
            pairs = np.concatenate([unordered, unordered[:, ::-1], self.train.edges[:, ::-1]]).astype(np.int64)
            space = self.train.pair_space
            pairs = pairs[~space.isin(pairs, known) & ~self.train.has_edges(pairs)]
            scores = self.score(pairs)
            ties = np.random.default_rng(_TIES).random(len(pairs))
            best = best_places(scores, ties, k)
            if len(unordered) < n_asked or n_asked >= most or scores[best[-1]] >= bound:
                return pairs[best, 0], pairs[best, 1]
            n_asked *= 4
