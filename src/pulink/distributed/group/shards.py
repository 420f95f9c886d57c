"""Which rows of a graph belong together, and to which worker: the same shards for any number of workers.

A graph is cut into 256 shards of consecutive nodes with about as much work in each. A worker owns as many shards
as any other, one after the other, so that the number of workers divides 256. Whatever is summed over nodes is
summed within shards first, and then over shards as a binary tree: a worker's shards are a whole branch of it, and
no sum depends on how many workers there are.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pulink.errors import ParameterError

N_SHARDS = 256
# What a node costs beside its entries, in entries: rows are projected, activated and moved. And non-edges are
# drawn, whose ends are any nodes, in proportion to all entries.
_NODE_COST, _DRAWS = 4, 1.5

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Shards:
    """bounds  257 node numbers: shard s holds the nodes from bounds[s] up to bounds[s + 1]"""

    bounds: Longs

    @classmethod
    def of_degrees(cls, degrees: npt.NDArray[np.integer]) -> Shards:
        """Shards with about as many entries and nodes in each.

        >>> import numpy as np
        >>> from pulink.distributed.group.shards import Shards
        >>> Shards.of_degrees(np.ones(512, dtype=np.int64)).bounds[:4].tolist()
        [0, 2, 4, 6]
        """
        before = np.zeros(len(degrees) + 1, dtype=np.int64)
        np.cumsum(degrees, out=before[1:])
        n_entries = int(before[-1])
        before += node_cost(n_entries, len(degrees)) * np.arange(len(before), dtype=np.int64)
        goals = shard_goals(n_entries, len(degrees))
        bounds = np.searchsorted(before, goals)
        bounds[-1] = len(degrees)
        return cls(bounds.astype(np.int64))

    @property
    def n_nodes(self) -> int:
        return int(self.bounds[-1])

    def of_worker(self, rank: int, n_workers: int) -> range:
        """The shards of one worker."""
        require_workers(n_workers)
        each = N_SHARDS // n_workers
        return range(rank * each, (rank + 1) * each)

    def rows_of_worker(self, rank: int, n_workers: int) -> tuple[int, int]:
        """The first of its nodes, and the one after the last."""
        shards = self.of_worker(rank, n_workers)
        return int(self.bounds[shards.start]), int(self.bounds[shards.stop])

    def within(self, shards: range) -> Iterator[tuple[int, int]]:
        """First and end of each of these shards, counted from the first node of the first one."""
        local = self.bounds[shards.start : shards.stop + 1] - self.bounds[shards.start]
        return pairwise(local.tolist())


def node_cost(n_entries: int, n_nodes: int) -> int:
    """What each node of a graph costs beside its entries, in entries."""
    return _NODE_COST + int(_DRAWS * n_entries) // max(n_nodes, 1)


def shard_goals(n_entries: int, n_nodes: int) -> Longs:
    """How much of the work, in entries, stands before each shard, and how much there is."""
    work = n_entries + node_cost(n_entries, n_nodes) * n_nodes
    return work * np.arange(N_SHARDS + 1, dtype=np.int64) // N_SHARDS


def require_workers(n_workers: int) -> None:
    """ParameterError unless so many workers can own as many shards each."""
    if not 1 <= n_workers <= N_SHARDS or N_SHARDS % n_workers:
        raise ParameterError(f"n_workers must be 1, 2, 4, ... or {N_SHARDS}, got {n_workers}")
