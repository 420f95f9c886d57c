"""What a pair is: which end comes first, its number, which pairs there are, and drawing unconnected ones.

All ask the pair space of their graph, `graph.pair_space`. A kind of graph is a subclass of `PairSpace`: here the
undirected one, the others in `spaces`. What follows from the
ordered pair alone (codes, repeats, membership) is written once, in the base.

    method           undirected                        directed                       two-sided or typed
    n_pairs          n (n − 1) / 2                     n (n − 1)                      pairs of allowed types
    ordered          lower node number first           as it came                     the type that is named first
    allowed          two different nodes               the same                       and of allowed types
    starting_at      the given end first               as it came                     as ordered
    adjacency        both orientations in rows         row of the source only         as in undirected ones

Arrays of pairs are k x 2 node numbers. Methods take them written in any way and give them in order, but for
`starting_at` and `pairs_with`, which begin at a node that somebody asks about.

Searches in `engine/search` go through the unordered pairs of a symmetric adjacency. Where nodes have types, the
adjacency carries `blocks` and searches pass over all other pairs; directed graphs are searched by way of the roles
of their nodes (`roles`) or of the graph without directions.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.edge_merge import Merged, merge_edges
from pulink.engine.non_edges import NonEdgeSampler, PairSampler, free_pairs, unlabelled_pairs

Ints = npt.NDArray[np.integer]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]
Pairs = npt.NDArray[np.int32]
F32 = npt.NDArray[np.float32]


class PairSpace(ABC):
    """The pairs that a graph of `n_nodes` nodes may link. A kind of graph provides what is abstract here.

    Codes are stored in model folders and checkpoints: what a pair's code is among so many nodes must never change.
    """

    n_nodes: int

    @property
    @abstractmethod
    def kind(self) -> str:
        """What kind of graph has such pairs: undirected, directed, bipartite or typed."""

    @abstractmethod
    def with_nodes(self, n_nodes: int, types: npt.NDArray[np.int16] | None = None) -> PairSpace:
        """The space of so many nodes; `types` are those of the nodes that come to it, where nodes have types."""

    @property
    @abstractmethod
    def n_pairs(self) -> int:
        """How many pairs there are, connected or not."""

    @property
    @abstractmethod
    def n_pairs_by_node(self) -> Longs:
        """Of how many pairs each node is an end (n)."""

    @abstractmethod
    def ordered(self, pairs: Ints) -> Ints:
        """The same pairs, each as this space writes it: every way to write one pair comes out the same.

        Loops, which no space allows, pass unchanged; the type of the numbers is kept.
        """

    @abstractmethod
    def allowed(self, pairs: Ints) -> Mask:
        """Which rows are pairs of this space, however they are written: of its nodes, and of nodes that may link.

        Any whole numbers may be asked about.
        """

    @abstractmethod
    def starting_at(self, pairs: Ints, nodes: Ints) -> Ints:
        """Each pair with its given end (k) first, where a pair may be written so without becoming another one."""

    @abstractmethod
    def pairs_with(self, node: int) -> Longs:
        """Every pair of one node (k x 2), written as by `starting_at`, in the order of the other ends."""

    @abstractmethod
    def merge(self, rows: Ints) -> Merged:
        """Rows (m x 2) as a source has them -> ordered pairs, sorted, each once; loops and repeats are counted."""

    @abstractmethod
    def adjacency(self, pairs: Ints, values: F32 | None = None) -> Adjacency:
        """Who is linked with whom, as sorted rows, with a value (k) for each link if there are any.

        A pair that is looked up there is found however it is written, and no other is. The given ones are ordered,
        sorted by code, each once.
        """

    @abstractmethod
    def sampler(self, known: Adjacency | None = None) -> PairSampler:
        """Draws pairs that are not in `known`; without it, any pairs. They are not ordered."""

    @abstractmethod
    def unconnected(self, known: Adjacency) -> Pairs:
        """All pairs that are not in `known`, ordered, sorted by code."""

    def codes(self, pairs: Ints) -> Longs:
        """One number per pair (k), the same however it is written; sorting by it sorts ordered pairs."""
        ends = self.ordered(pairs)
        return np.asarray(ends[:, 0].astype(np.int64) * self.n_nodes + ends[:, 1], dtype=np.int64)

    def pairs_of(self, codes: Longs) -> Pairs:
        """The pairs with these codes."""
        return self._split_codes(codes).astype(np.int32)

    def are_codes(self, codes: Longs) -> Mask:
        """Which of any whole numbers are codes of pairs of this space."""
        return self.are_ordered(self._split_codes(codes))

    def are_ordered(self, pairs: Ints) -> Mask:
        """Which rows are allowed, and written as `ordered` writes them."""
        as_they_should = (self.ordered(pairs) == pairs).all(axis=1)
        return np.asarray(self.allowed(pairs) & as_they_should, dtype=np.bool_)

    def unique(self, pairs: Ints) -> Pairs:
        """Each pair once, ordered, sorted by code."""
        codes = np.sort(self.codes(pairs))
        is_first = np.append(True, codes[1:] != codes[:-1])[: len(codes)]
        return self.pairs_of(codes[is_first])

    def isin(self, pairs: Ints, others: Ints) -> Mask:
        """Which of the pairs are among the others."""
        wanted, known = self.codes(pairs), np.sort(self.codes(others))
        if not len(known):
            return np.zeros(len(wanted), dtype=np.bool_)
        places = np.minimum(np.searchsorted(known, wanted), len(known) - 1)
        return np.asarray(known[places] == wanted, dtype=np.bool_)

    def _split_codes(self, codes: Longs) -> Longs:
        return np.stack(np.divmod(codes, max(self.n_nodes, 1)), axis=1)


@dataclass(frozen=True)
class UndirectedPairs(PairSpace):
    """Two different nodes, the lower number first; i - j and j - i are one pair.

    Examples
    --------
    >>> import numpy as np
    >>> from pulink.graph.pair_space import UndirectedPairs
    >>> space = UndirectedPairs(4)
    >>> space.n_pairs, space.ordered(np.array([[2, 0], [1, 3]])).tolist()
    (6, [[0, 2], [1, 3]])
    >>> space.codes(np.array([[2, 0], [0, 2]])).tolist(), space.pairs_of(np.array([2])).tolist()
    ([2, 2], [[0, 2]])
    """

    n_nodes: int

    @property
    def kind(self) -> str:
        return "undirected"

    def with_nodes(self, n_nodes: int, types: npt.NDArray[np.int16] | None = None) -> PairSpace:  # noqa: ARG002
        return UndirectedPairs(n_nodes)

    @property
    def n_pairs(self) -> int:
        return self.n_nodes * (self.n_nodes - 1) // 2

    @property
    def n_pairs_by_node(self) -> Longs:
        return np.full(self.n_nodes, self.n_nodes - 1, dtype=np.int64)

    def ordered(self, pairs: Ints) -> Ints:
        # A sort of each row takes several times as long.
        return np.stack(
            [np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])],
            axis=1,
        )

    def allowed(self, pairs: Ints) -> Mask:
        first, second = pairs[:, 0], pairs[:, 1]
        known = (first >= 0) & (second >= 0) & (first < self.n_nodes) & (second < self.n_nodes)
        return np.asarray(known & (first != second), dtype=np.bool_)

    def starting_at(self, pairs: Ints, nodes: Ints) -> Ints:
        return np.stack([nodes, pairs.sum(axis=1) - nodes], axis=1)

    def pairs_with(self, node: int) -> Longs:
        others = np.delete(np.arange(self.n_nodes, dtype=np.int64), node)
        return np.stack([np.full_like(others, node), others], axis=1)

    def merge(self, rows: Ints) -> Merged:
        return merge_edges(rows, self.n_nodes)

    def adjacency(self, pairs: Ints, values: F32 | None = None) -> Adjacency:
        return symmetric_adjacency(pairs, self.n_nodes, values)

    def sampler(self, known: Adjacency | None = None) -> PairSampler:
        return unlabelled_pairs(self.n_nodes) if known is None else NonEdgeSampler(known)

    def unconnected(self, known: Adjacency) -> Pairs:
        return free_pairs(known)
