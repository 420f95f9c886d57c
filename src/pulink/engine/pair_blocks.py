"""Which pairs may be linked where nodes have types: a drug with a protein, and never two drugs.

An adjacency carries them (`Adjacency.blocks`), so that every search through it passes over all other pairs.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

Ints = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]
Nodes = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class PairBlocks:
    """types (n): the type of each node; linkable (t x t, symmetric): which types may link.

    twins  whether nodes 2i and 2i + 1 stand for one node, which has no link with itself
    """

    types: npt.NDArray[np.int16]
    linkable: Mask
    twins: bool = False

    def allowed(self, pairs: Ints) -> Mask:
        """Which pairs (k x 2, of these nodes) may be linked, however they are written."""
        first, second = pairs[:, 0], pairs[:, 1]
        may = self.linkable[self.types[first], self.types[second]] & (first != second)
        return np.asarray(may & (first >> 1 != second >> 1) if self.twins else may, dtype=np.bool_)

    @cached_property
    def nodes(self) -> list[Nodes]:
        """The nodes of each type, ascending."""
        return [np.flatnonzero(self.types == t).astype(np.int32) for t in range(len(self.linkable))]

    @cached_property
    def blocks(self) -> list[tuple[Nodes, Nodes]]:
        """Types that may link, as nodes of one and of the other; the same array twice where a type is its own."""
        first, second = np.nonzero(np.triu(self.linkable))
        return [(self.nodes[a], self.nodes[b]) for a, b in zip(first.tolist(), second.tolist(), strict=True)]

    @property
    def n_pairs(self) -> int:
        """How many pairs may be linked."""
        n_all = sum(
            len(lines) * (len(lines) - 1) // 2 if lines is columns else len(lines) * len(columns)
            for lines, columns in self.blocks
        )
        return n_all - len(self.types) // 2 if self.twins else n_all

    @property
    def n_pairs_by_node(self) -> npt.NDArray[np.int64]:
        """Of how many such pairs each node is an end (n)."""
        sizes = np.array([len(nodes) for nodes in self.nodes], dtype=np.int64)
        per_type = self.linkable @ sizes - np.diag(self.linkable)
        return np.asarray(per_type[self.types] - int(self.twins), dtype=np.int64)
