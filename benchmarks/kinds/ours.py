"""Methods of pulink on all edges that are not hidden as test edges."""

from __future__ import annotations

from typing import Any

import numpy as np

import pulink
from benchmarks.kinds.graphs import Pairs, Table
from benchmarks.kinds.measures import F64, Longs
from pulink.graph.split import Split


class Ours:
    """A fitted method of pulink: its scores, and the list that it gives."""

    def __init__(self, name: str, whole: Split, **settings: Any) -> None:
        """It chooses by edges that it hides itself, and learns from all in the end, as `pulink find` does."""
        self.settings: dict[str, Any] = {}
        self.table, self.space = Table.of(whole.train), whole.train.pair_space
        self.model = pulink.make(name, seed=whole.seed or 0, threads=1, **settings).fit(whole.train)

    def score(self, pairs: Pairs) -> F64:
        return self.model.decision_function(np.asarray(pairs))

    def rows(self, start: int, stop: int) -> F64:
        """Where a row and a column are one node, there is no pair: the lowest score."""
        columns = np.arange(self.table.n_columns) + self.table.offset
        pairs = np.stack([np.repeat(np.arange(start, stop), len(columns)), np.tile(columns, stop - start)], axis=1)
        scores = np.full(len(pairs), -np.inf)
        apart = pairs[:, 0] != pairs[:, 1]
        scores[apart] = self.score(pairs[apart])
        return scores.reshape(stop - start, len(columns))

    def best(self, k: int, known: Pairs) -> tuple[Longs, Longs]:
        """Its own list, with as many more as there are known pairs that it was not shown."""
        unseen = int((~self.model.graph_.has_edges(np.asarray(known))).sum())
        found, _ = self.model.best_pairs(k + unseen)
        listed = self.space.ordered(found[~self.space.isin(found, known)][:k].astype(np.int64))
        rows, columns = self.table.cells(listed)
        return np.asarray(rows, dtype=np.int64), np.asarray(columns, dtype=np.int64)
