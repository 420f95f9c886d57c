"""Pairs with a direction: i -> j and j -> i are two pairs."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, source_rows
from pulink.engine.block_sampler import BlockSampler
from pulink.engine.edge_merge import Merged
from pulink.engine.non_edges import PairSampler
from pulink.graph.pair_space import F32, Ints, Longs, Mask, Pairs, PairSpace

_NO_PAIRS = np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True)
class DirectedPairs(PairSpace):
    """Two different nodes, the source first.

    Examples
    --------
    >>> import numpy as np
    >>> from pulink.graph.spaces.directed_pairs import DirectedPairs
    >>> space = DirectedPairs(4)
    >>> space.n_pairs, space.codes(np.array([[2, 0], [0, 2]])).tolist()
    (12, [8, 2])
    """

    n_nodes: int

    @property
    def kind(self) -> str:
        return "directed"

    @property
    def n_pairs(self) -> int:
        return self.n_nodes * (self.n_nodes - 1)

    @property
    def n_pairs_by_node(self) -> Longs:
        return np.full(self.n_nodes, 2 * (self.n_nodes - 1), dtype=np.int64)

    def with_nodes(self, n_nodes: int, types: npt.NDArray[np.int16] | None = None) -> PairSpace:  # noqa: ARG002
        return DirectedPairs(n_nodes)

    def ordered(self, pairs: Ints) -> Ints:
        return pairs.copy()

    def allowed(self, pairs: Ints) -> Mask:
        first, second = pairs[:, 0], pairs[:, 1]
        known = (first >= 0) & (second >= 0) & (first < self.n_nodes) & (second < self.n_nodes)
        return np.asarray(known & (first != second), dtype=np.bool_)

    def starting_at(self, pairs: Ints, nodes: Ints) -> Ints:  # noqa: ARG002 (another order is another pair)
        return pairs.copy()

    def pairs_with(self, node: int) -> Longs:
        others = np.delete(np.arange(self.n_nodes, dtype=np.int64), node)
        from_it = np.stack([np.full_like(others, node), others], axis=1)
        return np.concatenate([from_it, from_it[:, ::-1]])

    def merge(self, rows: Ints) -> Merged:
        proper = rows[rows[:, 0] != rows[:, 1]]
        edges = self.unique(proper)
        return Merged(edges, len(rows) - len(proper), len(proper) - len(edges), 0)

    def adjacency(self, pairs: Ints, values: F32 | None = None) -> Adjacency:
        return source_rows(pairs, self.n_nodes, values)

    def sampler(self, known: Adjacency | None = None) -> PairSampler:
        known = self.adjacency(_NO_PAIRS) if known is None else known
        nodes = np.arange(self.n_nodes, dtype=np.int32)
        n_free = self.n_pairs - known.indices.size
        return BlockSampler(
            known, [(nodes, nodes)], n_free, self.n_pairs, lambda: self.unconnected(known), self.codes
        )

    def unconnected(self, known: Adjacency) -> Pairs:
        free = ~np.eye(self.n_nodes, dtype=np.bool_)
        free[np.repeat(np.arange(self.n_nodes), np.diff(known.indptr)), known.indices] = False
        return np.argwhere(free).astype(np.int32)
