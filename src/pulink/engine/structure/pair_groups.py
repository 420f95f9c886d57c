"""Pairs grouped by one of their ends, so that what an end needs is computed once for all of its pairs."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Ints
from pulink.engine.compile import kernel
from pulink.engine.pace import is_heard
from pulink.engine.threads import threads_in_use

_HEARD = 16


@dataclass(frozen=True)
class PairGroups:
    """Pairs by their source: those of node i stand in `starts[i] .. starts[i + 1]`.

    targets  the other end of each pair (k)
    places   where each pair stood in the list (k)
    """

    starts: npt.NDArray[np.int64]
    targets: npt.NDArray[np.int32]
    places: npt.NDArray[np.int64]

    def sources(self) -> npt.NDArray[np.int64]:
        """The nodes that have pairs, ascending."""
        return np.flatnonzero(np.diff(self.starts))

    def shares(self) -> list[tuple[int, int]]:
        """Ranges of nodes with about equally many pairs, one per thread; more where somebody is told how far."""
        n_shares = threads_in_use() * (_HEARD if is_heard() else 1)
        goals = np.arange(1, n_shares) * (len(self.targets) / n_shares)
        cuts = [0, *np.searchsorted(self.starts[:-1], goals).tolist(), len(self.starts) - 1]
        return list(pairwise(cuts))


def group_pairs(pairs: Ints, rank: Ints) -> PairGroups:
    """Group pairs (k x 2) by the end of lower rank: which end that is depends on the pair alone."""
    pairs = np.ascontiguousarray(pairs)
    starts = np.zeros(len(rank) + 1, dtype=np.int64)
    _count(pairs, rank, starts)
    np.cumsum(starts, out=starts)
    targets = np.empty(len(pairs), dtype=np.int32)
    places = np.empty(len(pairs), dtype=np.int64)
    _place(pairs, rank, starts[:-1].copy(), targets, places)
    return PairGroups(starts, targets, places)


@kernel
def _count(pairs: Ints, rank: Ints, starts: Ints) -> None:
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        starts[(i if rank[i] <= rank[j] else j) + 1] += 1


@kernel
def _place(pairs: Ints, rank: Ints, cursor: Ints, targets: Ints, places: Ints) -> None:
    for p in range(pairs.shape[0]):
        i, j = pairs[p, 0], pairs[p, 1]
        if rank[i] > rank[j]:
            i, j = j, i
        targets[cursor[i]] = j
        places[cursor[i]] = p
        cursor[i] += 1


def by_number(n_nodes: int) -> npt.NDArray[np.int32]:
    """Ranks that make the lower node number the source."""
    return np.arange(n_nodes, dtype=np.int32)


def by_degree(indptr: Ints) -> npt.NDArray[np.int32]:
    """Ranks that make the end of larger degree the source; among equals the lower node number."""
    order = np.argsort(-np.diff(indptr), kind="stable")
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order), dtype=np.int32)
    return rank
