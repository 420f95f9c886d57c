"""Pairs of nodes with types: only some types may link, as users with items."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.block_sampler import free_in_blocks, sampler_in_blocks
from pulink.engine.edge_merge import Merged
from pulink.engine.non_edges import PairSampler
from pulink.engine.pair_blocks import PairBlocks
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.pair_space import F32, Ints, Longs, Mask, Pairs, PairSpace

_NO_PAIRS = np.empty((0, 2), dtype=np.int32)


@dataclass(frozen=True, eq=False)
class TypedPairs(PairSpace):
    """Two nodes of types that may link: the type that is named first comes first, within a type the lower number.

    types       the type of each node (n), as a number
    type_names  what the types are called
    between     which types may link, by their numbers: the first and the second end of a pair
    context     links of other types (k x 2): known, part of the structure, and never asked about
    context_weights, context_times  of these links (k); without weights all are 1
    bipartite   whether these are two kinds of nodes and nothing else
    twins       whether nodes 2i and 2i + 1 stand for one node, which has no link with itself

    Examples
    --------
    >>> import numpy as np
    >>> from pulink.graph.spaces.typed_pairs import TypedPairs
    >>> space = TypedPairs(np.array([0, 0, 1], dtype=np.int16), ("user", "item"), ((0, 1),), bipartite=True)
    >>> space.n_pairs, space.ordered(np.array([[2, 0]])).tolist(), space.allowed(np.array([[0, 1]])).tolist()
    (2, [[0, 2]], [False])
    """

    types: npt.NDArray[np.int16]
    type_names: tuple[str, ...]
    between: tuple[tuple[int, int], ...]
    context: Pairs | None = None
    context_weights: F32 | None = None
    bipartite: bool = False
    twins: bool = False
    context_times: EdgeTimes | None = None

    @property
    def n_nodes(self) -> int:  # type: ignore[override]
        return len(self.types)

    @property
    def kind(self) -> str:
        return "bipartite" if self.bipartite else "typed"

    @cached_property
    def blocks(self) -> PairBlocks:
        """The same for searches."""
        linkable = np.zeros((len(self.type_names),) * 2, dtype=np.bool_)
        for a, b in self.between:
            linkable[a, b] = linkable[b, a] = True
        return PairBlocks(self.types, linkable, self.twins)

    @cached_property
    def _backwards(self) -> Mask:
        """Of which types (first, second) a pair is written the other way round (t x t)."""
        named = np.zeros((len(self.type_names),) * 2, dtype=np.bool_)
        for a, b in self.between:
            named[a, b] = not named[b, a]
        return np.asarray(named.T & ~named, dtype=np.bool_)

    @property
    def n_pairs(self) -> int:
        return self.blocks.n_pairs

    @property
    def n_pairs_by_node(self) -> Longs:
        return self.blocks.n_pairs_by_node

    def with_nodes(self, n_nodes: int, types: npt.NDArray[np.int16] | None = None) -> PairSpace:
        assert types is not None and len(types) == n_nodes - self.n_nodes
        return replace(self, types=np.concatenate([self.types, types]))

    def before(self, time: float) -> TypedPairs:
        """The same pairs, with those links of other types that were seen before a time."""
        if self.context is None or self.context_times is None:
            return self
        past = self.context_times.before(time)
        keep = np.bincount(past.edges, minlength=len(self.context)) > 0
        times = past.of_edges(keep)
        return replace(
            self, context=self.context[keep], context_weights=times.largest_weights, context_times=times
        )

    def ordered(self, pairs: Ints) -> Ints:
        first, second = self.types[pairs[:, 0]], self.types[pairs[:, 1]]
        by_number = (pairs[:, 0] > pairs[:, 1]) & ~self._backwards[second, first]
        turn = self._backwards[first, second] | by_number
        return np.where(turn[:, None], pairs[:, ::-1], pairs)

    def allowed(self, pairs: Ints) -> Mask:
        known: Mask = np.asarray(((pairs >= 0) & (pairs < self.n_nodes)).all(axis=1), dtype=np.bool_)
        known[known] = self.blocks.allowed(pairs[known].astype(np.int64))
        return known

    def are_ordered(self, pairs: Ints) -> Mask:
        found = self.allowed(pairs)
        found[found] = (self.ordered(pairs[found]) == pairs[found]).all(axis=1)
        return found

    def starting_at(self, pairs: Ints, nodes: Ints) -> Ints:
        """Types say which end is which, so that their order stays; within one type the given end comes first."""
        same = self.types[pairs[:, 0]] == self.types[pairs[:, 1]]
        turn = same & (pairs[:, 0] != nodes)
        return np.where(turn[:, None], pairs[:, ::-1], pairs)

    def pairs_with(self, node: int) -> Longs:
        others = np.arange(self.n_nodes, dtype=np.int64)
        pairs = np.stack([np.full_like(others, node), others], axis=1)
        pairs = pairs[self.blocks.allowed(pairs)]
        return self.starting_at(self.ordered(pairs), np.full(len(pairs), node)).astype(np.int64)

    def merge(self, rows: Ints) -> Merged:
        proper = rows[rows[:, 0] != rows[:, 1]]
        ends = self.ordered(proper)
        codes = np.unique(self.codes(ends))
        written = np.unique(proper[:, 0].astype(np.int64) * self.n_nodes + proper[:, 1])
        n_same = len(proper) - len(written)
        return Merged(self.pairs_of(codes), len(rows) - len(proper), n_same, len(written) - len(codes))

    def adjacency(self, pairs: Ints, values: F32 | None = None) -> Adjacency:
        if self.context is not None and len(self.context):
            pairs = np.concatenate([pairs, self.context])
            if values is not None or self.context_weights is not None:
                known = np.ones(len(pairs) - len(self.context), np.float32) if values is None else values
                values = np.concatenate([known, self._weights_of_context()])
        ends = np.sort(pairs, axis=1)
        order = np.lexsort((ends[:, 1], ends[:, 0]))
        found = symmetric_adjacency(ends[order], self.n_nodes, None if values is None else values[order])
        return replace(found, blocks=self.blocks)

    def _weights_of_context(self) -> F32:
        assert self.context is not None
        weights = self.context_weights
        return np.ones(len(self.context), dtype=np.float32) if weights is None else weights

    def sampler(self, known: Adjacency | None = None) -> PairSampler:
        return sampler_in_blocks(self.adjacency(_NO_PAIRS) if known is None else known)

    def unconnected(self, known: Adjacency) -> Pairs:
        return self.pairs_of(np.sort(self.codes(free_in_blocks(known))))
