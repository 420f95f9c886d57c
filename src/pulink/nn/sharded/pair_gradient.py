"""A loss term's value and its gradient in a worker's rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.group import Group, tree_sum
from pulink.distributed.group.own_rows import OwnRows
from pulink.engine.own_rows.aligned import aligned_zeros
from pulink.engine.own_rows.pair_terms import (
    Rows,
    Sums,
    added_terms,
    edge_terms,
    free_terms,
    own_draws,
    own_redraws,
    rows_of,
)
from pulink.errors import ParameterError
from pulink.nn.sharded.added_pairs import AddedPairs
from pulink.nn.sharded.propagation import Propagation

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]

# Which share of all pairs may be connected.
MOST_DENSE = 0.9

# Draws at a time: they stay in the processor's cache.
_SLICE = 1 << 15


@dataclass(frozen=True, eq=False)
class ShardedTerm:
    """Cross-entropy of edges and of added pairs against freshly drawn non-edges, as `nn.trainer.LossTerm`.

    operator      what embeddings are propagated over
    outside       the pairs that were added: non-edges are drawn beside them too
    added         those that are learned from, or none
    edge_weight   of each observed edge
    pair_weight   of each entry of a non-edge, and of an added pair by its count
    n_non_edges   how many are drawn per epoch
    """

    operator: Propagation
    outside: AddedPairs
    learns_added: bool
    edge_weight: float
    pair_weight: float
    non_edge_weight: float
    n_non_edges: int

    @classmethod
    def of_observed(cls, operator: Propagation, outside: AddedPairs, n_edges: int, reduction: str) -> Self:
        """Observed edges, each counted once, against as many non-edges."""
        weight, weight_free = entry_weights(n_edges, n_edges, reduction)
        return cls(operator, outside, False, weight, weight, weight_free, n_edges)


def entry_weights(n_edges: int, n_non_edges: int, reduction: str) -> tuple[float, float]:
    """What an edge's entry and a non-edge count for, as in `nn.trainer`."""
    if reduction == "per_class":
        return 1.0 / max(n_edges, 1), 1.0 / max(n_non_edges, 1)
    if reduction == "mean":
        return 1.0 / max(n_edges + n_non_edges, 1), 1.0 / max(n_edges + n_non_edges, 1)
    return 1.0, 1.0


def refuse_dense(n_connected: int, n_pairs: int) -> None:
    """Where nearly all pairs are connected, drawing would mostly hit these."""
    if n_pairs - n_connected < (1 - MOST_DENSE) * n_pairs:
        raise ParameterError(f"more than {MOST_DENSE:.0%} of all pairs are connected: train without a cluster")


class PairGradient:
    """What one worker adds up over pairs."""

    def __init__(self, rows: OwnRows, group: Group) -> None:
        self._own, self._group = rows, group
        self._bounds = rows.local_bounds
        bounds = self._bounds + rows.first
        self.rows: Rows = rows_of(rows.indptr, rows.indices, bounds, rows.first, rows.shards.n_nodes)
        self._pairs = np.empty((_SLICE + 1, 2), dtype=np.int32)
        self._counters = np.empty(_SLICE + 1, dtype=np.uint64)
        self._rejected = np.empty(_SLICE + 1, dtype=np.uint64)

    def of(self, term: ShardedTerm, z: F32, key: np.uint64) -> tuple[F64, F32]:
        """The loss of each own shard, and the gradient of the own rows; z: of all nodes."""
        own, hubs = self._own, term.outside.hubs
        sums = Sums(
            aligned_zeros((own.n_rows, z.shape[1]), np.float32),
            np.zeros((len(self._bounds) - 1, len(hubs.nodes), z.shape[1]), dtype=np.float32),
            np.zeros(len(self._bounds) - 1, dtype=np.float64),
        )
        weight = np.float32(term.edge_weight)
        edge_terms(z, own.first, own.indptr, own.indices, self._bounds, weight, sums.gradient, sums.losses)
        if term.learns_added:
            weights = (2 * term.outside.counts * np.float32(term.pair_weight)).astype(np.float32)
            added_terms(z, term.outside.probs, weights, self.rows, hubs, sums)
        self._add_non_edges(term, z, key, sums)
        if len(hubs.nodes):
            self._add_at_hubs(hubs.nodes, sums)
        return sums.losses, sums.gradient

    def _add_non_edges(self, term: ShardedTerm, z: F32, key: np.uint64, sums: Sums) -> None:
        rows, n, weight = self.rows, self._own.shards.n_nodes, np.float32(term.non_edge_weight)
        rejected = []
        for start in range(0, term.n_non_edges, _SLICE):
            size = min(_SLICE, term.n_non_edges - start)
            kept = own_draws(key, start, n, rows.first, rows.end, self._pairs, self._counters[:size])
            rejected.append(self._add(kept, z, weight, term, sums))
        while True:
            again = np.sort(np.concatenate(self._group.few(np.concatenate([*rejected, _NONE]))))
            if not len(again):
                return
            rejected = []
            for start in range(0, len(again), _SLICE):
                part = again[start : start + _SLICE]
                kept = own_redraws(key, part, n, rows.first, rows.end, self._pairs, self._counters[: len(part)])
                rejected.append(self._add(kept, z, weight, term, sums))

    def _add(
        self, count: int, z: F32, weight: np.float32, term: ShardedTerm, sums: Sums
    ) -> npt.NDArray[np.uint64]:
        pairs, counters = self._pairs[:count], self._counters[:count]
        found = free_terms(z, pairs, counters, weight, self.rows, term.outside.hubs, sums, self._rejected)
        return self._rejected[:found].copy()

    def _add_at_hubs(self, nodes: npt.NDArray[np.int32], sums: Sums) -> None:
        total = self._group.summed(tree_sum(sums.of_hubs))
        here = np.flatnonzero((nodes >= self.rows.first) & (nodes < self.rows.end))
        sums.gradient[nodes[here] - self.rows.first] += total[here]


_NONE = np.empty(0, dtype=np.uint64)
