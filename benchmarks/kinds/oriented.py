"""Methods for undirected graphs on the graph without directions, with orientation by degree.

score(i -> j) = P(i and j are linked) · P(i -> j | linked)     of unconnected pairs, the first by the method
score(i -> j) = P(i -> j | j -> i)                             where the reverse is a training edge

The method's probability p is of validation and test edges together, which are as many. Validation edges are not
asked about, which leaves P(linked) = (p / 2) / (1 - p / 2).
"""

from __future__ import annotations

from typing import Any

import numpy as np

import pulink
from benchmarks.kinds.graphs import Pairs
from benchmarks.kinds.measures import F64, Longs, best_places
from benchmarks.kinds.orientation import Orientation
from pulink.graph.split import Split

_TIES = 20_241


def without_directions(split: Split) -> Split:
    """The split of the unordered pairs; test pairs are left out, as no fit looks at them."""
    train = split.train.without_direction
    space = train.pair_space
    edges, non_edges = space.unique(split.val_edges), space.unique(split.val_non_edges)
    edges = edges[~train.has_edges(edges)]
    non_edges = non_edges[~train.has_edges(non_edges) & ~space.isin(non_edges, edges)][: len(edges)]
    none = np.empty((0, 2), dtype=np.int32)
    return Split(train, edges, non_edges, none, none, seed=split.seed)


class Oriented:
    """A method of ours that knows no directions, with an orientation."""

    def __init__(self, name: str, split: Split, **settings: Any) -> None:
        self.settings: dict[str, Any] = {}
        self.train = split.train
        seed = split.seed or 0
        plain = without_directions(split)
        # As many pairs are linked by test edges alone as by validation edges alone, so it is told their share.
        share = len(plain.val_edges) / (plain.train.n_edges + len(plain.val_edges))
        self.model = pulink.make(name, seed=seed, threads=1, **settings).fit(plain).assuming(share)
        self.orientation = Orientation(split.train.edges, split.val_edges, split.train.n_nodes, seed)

    def score(self, pairs: Pairs) -> F64:
        half = self.train.has_edges(pairs[:, ::-1])
        scores = np.empty(len(pairs))
        scores[half] = self.orientation.of_half(pairs[half])
        free = pairs[~half]
        scores[~half] = self._linked(free) * self.orientation.of_free(free)
        return scores

    def _linked(self, pairs: Pairs) -> F64:
        either = self.model.predict_proba(np.asarray(pairs))
        return np.asarray(either / (2 - either), dtype=np.float64)

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
