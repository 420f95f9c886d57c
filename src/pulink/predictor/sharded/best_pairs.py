"""The best unconnected pairs by inner product, of a graph whose rows several workers hold.

Every worker looks for those with an end among its own nodes, keeps as many as are asked for, and the best of all
workers are put together. Up to `exact_nodes` nodes all pairs are searched: nodes stand by falling norm, and a row
ends where no pair can reach a score that very likely as many pairs exceed as are asked for. Beyond, pairs of the
largest degrees and norms are, and pairs that share a neighbour of a worker's.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.group import Group
from pulink.distributed.group.own_rows import OwnRows
from pulink.engine.own_rows.best_cells import Columns, collect_cells, collect_wedges, words_of
from pulink.engine.random import random_words, stream_key
from pulink.engine.row_dots import row_dots
from pulink.engine.search.best_pairs import best_first
from pulink.nn.sharded.nth_word import count_of, nth_word
from pulink.nn.sharded.top_degrees import largest_degrees
from pulink.predictor.answers import EXACT_NODES
from pulink.predictor.search_scope import AllPairs, HubsAndNorms, SearchScope, TooManyNodes

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]

N_HUBS, N_NORMS = 100, 1_000
_SAMPLE = 1 << 17
# Pairs that are held besides those that are kept.
_BUFFER = 1 << 20
# Neighbours of more nodes are passed over: they would cost degree² each, and say little about their pairs.
_MOST_WEDGES = 100

# Of pairs (k x 2), whose first end is any node: which of them are connected.
Connected = Callable[[Pairs], npt.NDArray[np.bool_]]


class BestPairSearch:
    """Searches one graph by one model; z: embeddings of all nodes.

    connected  asked about pairs two steps apart; None: only hubs and long embeddings are searched on large graphs
    """

    def __init__(
        self, rows: OwnRows, group: Group, z: F32, connected: Connected | None, exact_nodes: int = EXACT_NODES
    ) -> None:
        self._rows, self._group, self._z, self._connected = rows, group, z, connected
        self._exact_nodes = exact_nodes
        self._norms = np.sqrt(np.einsum("ij,ij->i", z, z, dtype=np.float64))

    def best(self, count: int) -> tuple[Pairs, SearchScope]:
        """The best `count` pairs of all workers, best first; fewer if fewer were found."""
        n = len(self._z)
        count = min(count, n * (n - 1) // 2 - self._rows.n_edges)
        if count <= 0:
            return np.empty((0, 2), dtype=np.int32), AllPairs()
        if n <= self._exact_nodes:
            return self._cut(*self._all_pairs(count), count), AllPairs()
        best = self._special_pairs(count)
        if self._connected is not None:
            least = self._least(best[0], count)
            best = _joined(best, self._wedges(count, least), count)
        reason = TooManyNodes(n, self._exact_nodes)
        return self._cut(*best, count), HubsAndNorms(N_HUBS, N_NORMS, reason)

    def _all_pairs(self, count: int) -> tuple[F32, Pairs]:
        columns = self._columns(np.argsort(-self._norms, kind="stable"))
        least = self._likely(count)
        found = self._among(columns, count, least)
        n_found = int(self._group.counted(np.array([len(found[0])]))[0])
        return found if n_found >= count or least == -math.inf else self._among(columns, count, -math.inf)

    def _special_pairs(self, count: int) -> tuple[F32, Pairs]:
        """Pairs of the largest degrees and norms."""
        large = np.argsort(-self._norms, kind="stable")[:N_NORMS]
        special = np.union1d(largest_degrees(self._rows, self._group, N_HUBS), large)
        columns = self._columns(special[np.argsort(-self._norms[special], kind="stable")])
        return self._among(columns, count, -math.inf)

    def _columns(self, numbers: npt.NDArray[np.integer]) -> Columns:
        nodes = numbers.astype(np.int32)
        position = np.full(len(self._z), len(nodes), dtype=np.int32)
        position[nodes] = np.arange(len(nodes), dtype=np.int32)
        return Columns(nodes, self._norms[nodes], position)

    def _likely(self, count: int) -> float:
        """A score that very likely more than `count` unconnected pairs exceed; -inf where that saves little."""
        n = len(self._z)
        n_pairs = n * (n - 1) // 2
        if n_pairs < _SAMPLE:
            return -math.inf
        words = random_words(stream_key(0, "threshold"), 2 * _SAMPLE).reshape(-1, 2)
        drawn = (words % np.uint64(n)).astype(np.int64)
        drawn = drawn[drawn[:, 0] != drawn[:, 1]]
        # Some of them are connected.
        expected = len(drawn) * (count + self._rows.n_edges) / n_pairs
        place = int(expected + 4 * math.sqrt(expected) + 4)
        if place > len(drawn) / 10:
            return -math.inf
        return float(np.partition(row_dots(self._z, self._z, drawn), len(drawn) - place)[len(drawn) - place])

    def _among(self, columns: Columns, count: int, least: float) -> tuple[F32, Pairs]:
        """The best pairs of own rows and columns."""
        rows = self._rows
        size = max(_BUFFER, 2 * count) + columns.nodes.size
        scores, pairs = np.empty(size, dtype=np.float32), np.empty((size, 2), dtype=np.int32)
        best = _nothing()
        row = 0
        while row < rows.n_rows:
            row, filled = collect_cells(
                self._z, rows.first, rows.indptr, rows.indices, columns, row, least, scores, pairs
            )
            best = _joined(best, (scores[:filled], pairs[:filled]), count)
            if len(best[0]) == count:
                least = max(least, float(best[0].min()))
        return best

    def _least(self, scores: F32, count: int) -> float:
        """The score that the `count`th best of all workers has; -inf if there are fewer."""
        n_found = int(self._group.counted(np.array([len(scores)]))[0])
        if n_found < count:
            return -math.inf
        words = _words(scores, np.zeros((len(scores), 2), dtype=np.int32))
        upper = np.uint32(nth_word(self._group, count, count_of(words)) >> np.uint64(32))
        top = np.uint32(0x80000000)
        bits = upper if upper & top else ~upper & ~top
        return float(np.array([bits], dtype=np.uint32).view(np.float32)[0])

    def _wedges(self, count: int, least: float) -> tuple[F32, Pairs]:
        """The best unconnected pairs that share a neighbour among the own nodes."""
        assert self._connected is not None
        rows = self._rows
        size = max(_BUFFER, _MOST_WEDGES**2)
        scores, pairs = np.empty(size, dtype=np.float32), np.empty((size, 2), dtype=np.int32)
        best = _nothing()
        row = 0
        while row < rows.n_rows:
            row, filled = collect_wedges(
                self._z, rows.indptr, rows.indices, row, _MOST_WEDGES, least, scores, pairs
            )
            found, ends = _each_once(scores[:filled], pairs[:filled])
            is_free = ~self._connected(ends)
            best = _joined(best, (found[is_free], ends[is_free]), count)
            if len(best[0]) == count:
                least = max(least, float(best[0].min()))
        return best

    def _cut(self, scores: F32, pairs: Pairs, count: int) -> Pairs:
        """The best of all workers, in every worker."""
        words = _words(scores, pairs)
        n_found = int(self._group.counted(np.array([len(words)]))[0])
        if n_found > count:
            kept = words <= nth_word(self._group, count, count_of(words))
            scores, pairs = scores[kept], pairs[kept]
        every = np.concatenate(self._group.collected(pairs))
        values = np.concatenate(self._group.collected(scores))
        values, every = _each_once(values, every)
        return every[best_first(values, every)[:count]]


def _nothing() -> tuple[F32, Pairs]:
    return np.empty(0, dtype=np.float32), np.empty((0, 2), dtype=np.int32)


def _joined(best: tuple[F32, Pairs], more: tuple[F32, Pairs], count: int) -> tuple[F32, Pairs]:
    """The `count` best of both, none twice."""
    scores, pairs = _each_once(np.concatenate([best[0], more[0]]), np.concatenate([best[1], more[1]]))
    kept = best_first(scores, pairs)[:count]
    return scores[kept], pairs[kept]


def _each_once(scores: F32, pairs: Pairs) -> tuple[F32, Pairs]:
    codes = (pairs[:, 0].astype(np.int64) << 32) + pairs[:, 1]
    _, once = np.unique(codes, return_index=True)
    return scores[once], pairs[once]


def _words(scores: F32, pairs: Pairs) -> Words:
    words = np.empty(len(scores), dtype=np.uint64)
    words_of(np.ascontiguousarray(scores), np.ascontiguousarray(scores).view(np.uint32), pairs, words)
    return words
