"""Rows of a graph folder beside the ends of pairs: as many as `strongest_paths` looks at, and each once.

Of a pair s, t the neighbours u of s are tried from the lowest degree up, as there: until their degrees add up to
`MOST_READ`, or until three paths s - u - v - t are stronger than any through what comes after. Here some rows more
may be read, never fewer: paths through common neighbours are not counted.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.explanation.facts import N_PATHS
from pulink.explanation.short_paths import MOST_READ
from pulink.persistence.sharded_graph import ShardedGraph

Longs = npt.NDArray[np.int64]
F32 = npt.NDArray[np.float32]

# Rows that are read before a first look whether more are needed; then twice as many, and so on.
_AT_FIRST = 32
# Looking a row up takes as long as reading so many entries of a long one.
_ROW_COST = 10_000
_FREE = np.iinfo(np.int64).max


class Rows(NamedTuple):
    """Entries of rows: whose each is, the neighbour, and the weight."""

    owners: Longs
    others: Longs
    weights: F32 | None


def split(nodes: Longs, apart: npt.NDArray[np.bool_]) -> list[Longs]:
    """Nodes in groups; apart: which of them do not belong to the group of the node after them."""
    return np.split(nodes, np.flatnonzero(apart) + 1) if len(nodes) else []


def rows_of(graph: ShardedGraph, nodes: Longs) -> Iterator[Rows]:
    """Rows of some nodes, which ascend, consecutive ones together."""
    for span in split(nodes, np.diff(nodes) > 1):
        indptr, indices, weights = graph.rows(int(span[0]), int(span[-1]) + 1)
        yield Rows(np.repeat(span, np.diff(indptr)), indices.astype(np.int64), weights)


def joined(parts: list[Rows], *, weighted: bool) -> Rows:
    """Entries one behind the other."""
    owners, others = (
        np.concatenate([part[side] for part in parts] or [np.empty(0, dtype=np.int64)]) for side in (0, 1)
    )
    if not weighted:
        return Rows(owners, others, None)
    weights = [part.weights for part in parts if part.weights is not None]
    return Rows(owners, others, np.concatenate(weights or [np.empty(0, dtype=np.float32)]))


class RowsBeside:
    """Rows of nodes beside ends; entries among the nodes that are there already are kept, no fact looks at others.

    nodes   all that are there, ascending; everything else is told by places among them
    whole   nodes whose rows are read already
    parts   what was read
    n_read  entries, and what looking rows up took
    """

    def __init__(self, graph: ShardedGraph, nodes: Longs, whole: Longs) -> None:
        self.parts: list[Rows] = []
        self.n_read = 0
        self._graph, self._nodes = graph, nodes
        self._rows: dict[int, Longs] = {int(place): _NONE for place in np.searchsorted(nodes, whole)}

    def read(self, places: Longs) -> None:
        """Rows that were not read yet."""
        new = np.sort(np.array([place for place in places.tolist() if place not in self._rows], dtype=np.int64))
        for rows in rows_of(self._graph, self._nodes[new]):
            self.n_read += len(rows.others) + _ROW_COST
            near = np.minimum(np.searchsorted(self._nodes, rows.others), len(self._nodes) - 1)
            kept = self._nodes[near] == rows.others
            weights = None if rows.weights is None else rows.weights[kept]
            self.parts.append(Rows(rows.owners[kept], rows.others[kept], weights))
            owners = np.searchsorted(self._nodes, rows.owners[kept])
            for own in split(np.arange(len(owners)), np.diff(owners) > 0):
                self._rows[int(owners[own[0]])] = near[kept][own]
        for place in new.tolist():
            self._rows.setdefault(place, _NONE)

    def row(self, place: int) -> Longs:
        """The neighbours of a node whose row was read beside ends; nothing of others."""
        return self._rows[place]


_NONE: Longs = np.empty(0, dtype=np.int64)


def follow_paths(own: Rows, pairs: Longs, degrees: Longs, beside: RowsBeside) -> None:
    """Read what `strongest_paths` looks at between the ends of pairs (k x 2, by their places).

    own      rows of all ends, by the numbers of their nodes, in order
    degrees  in the whole graph, by place
    """
    nodes = beside._nodes
    ends, places = np.unique(pairs, return_inverse=True)
    places = places.reshape(-1, 2)
    bounds = np.searchsorted(own.owners, nodes[ends]), np.searchsorted(own.owners, nodes[ends], side="right")
    others = np.searchsorted(nodes, own.others)
    rows = [others[first:stop] for first, stop in zip(*(bound.tolist() for bound in bounds), strict=True)]
    reach = np.array([int(degrees[row].sum()) for row in rows])[places] if len(pairs) else places
    turned = (reach[:, 1] < reach[:, 0]) | ((reach[:, 1] == reach[:, 0]) & (pairs[:, 1] < pairs[:, 0]))
    marked = np.zeros(len(nodes), dtype=np.bool_)
    for pair, (i, j), turn in zip(pairs.tolist(), places.tolist(), turned.tolist(), strict=True):
        if turn:
            _follow(pair[::-1], (rows[j], rows[i]), degrees, beside, marked)
        else:
            _follow(pair, (rows[i], rows[j]), degrees, beside, marked)


def _follow(
    pair: list[int],
    rows: tuple[Longs, Longs],
    degrees: Longs,
    beside: RowsBeside,
    marked: npt.NDArray[np.bool_],
) -> None:
    """Of one pair, from its first end; marked: an array of all places, none of them marked before and after."""
    s, t = pair
    near, far = rows
    tried = near[near != t]
    tried = tried[np.argsort(degrees[tried], kind="stable")]
    tried = tried[np.cumsum(degrees[tried]) <= MOST_READ]
    # A path takes two edges of each node on it.
    tried = tried[degrees[tried] > 1]
    last = far[(far != s) & (degrees[far] > 1)]
    if not len(last):
        return
    lowest = int(degrees[last].min())
    marked[last] = True
    shared = near[marked[near]]
    marked[shared] = False
    is_shared = np.isin(tried, shared)
    best = np.full(N_PATHS, _FREE)
    start, size = 0, _AT_FIRST
    while start < len(tried) and int(degrees[tried[start]]) * lowest <= best[-1]:
        some = slice(start, start + size)
        beside.read(tried[some])
        products = [best]
        for u in tried[some][~is_shared[some]].tolist():
            row = beside.row(u)
            products.append(degrees[u] * degrees[row[marked[row]]])
        best = np.sort(np.concatenate(products))[:N_PATHS]
        start, size = start + size, 2 * size
    marked[last] = False
