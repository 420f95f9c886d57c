"""Part of a graph that is too large to be in memory: what explaining some of its pairs looks at."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pulink.graph.graph import Graph

Longs = npt.NDArray[np.int64]


def _none() -> Longs:
    return np.empty(0, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class Surroundings(Graph):
    """The ends of some pairs, their neighbours, and edges among these.

    Facts of these pairs are those of the whole graph; of others they are not. Nodes are in the order of the whole
    graph, so that ties are decided as they are there.

    nodes             which node of the whole graph each is (n)
    whole_degrees     how many neighbours each has there (n)
    n_read            what it cost to read them: entries of rows, and about as much for each row that was looked up
    attribute_counts  how many nodes there have each column of the features; None where these are no attributes
    """

    nodes: Longs = field(default_factory=_none)
    whole_degrees: Longs = field(default_factory=_none)
    attribute_counts: Longs | None = None
    n_read: int = 0

    @cached_property
    def degrees(self) -> Longs:
        """How many neighbours each node has in the whole graph (n)."""
        return self.whole_degrees

    def places(self, nodes: Longs) -> Longs:
        """The numbers here of nodes of the whole graph, which are all here."""
        return np.searchsorted(self.nodes, nodes).astype(np.int64)
