"""Mini-batches of training edges, each with as many fresh non-edges.

Every epoch goes through all edges once, in an order of its own, and draws one new non-edge per edge.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.random import permutation, stream_key
from pulink.graph.graph import Graph

# Fewer would take too much of a small graph away at a time, where a batch's edges are removed from the graph.
_FEWEST = 5


@dataclass(frozen=True)
class EdgeBatch:
    """One gradient step's pairs: edges first, then non-edges.

    chosen  which edges of the graph these are
    pairs   k x 2, ordered as in the graph's pair space
    labels  k: 1 for edges, 0 for non-edges
    """

    chosen: npt.NDArray[np.int64]
    pairs: npt.NDArray[np.int64]
    labels: Tensor


def batch_count(n_edges: int, size: int) -> int:
    """At most `size` edges in each batch, and at least five batches."""
    return max(-(-n_edges // size), min(_FEWEST, n_edges))


class EdgeBatches:
    """All batches of a training on one graph: at most `size` edges in each, and at least five an epoch."""

    def __init__(self, graph: Graph, size: int, seed: int) -> None:
        self._graph, self._seed = graph, seed
        self._sampler = graph.pair_space.sampler(graph.adjacency)
        self.n_batches = batch_count(graph.n_edges, size)

    def epoch(self, number: int) -> Iterator[EdgeBatch]:
        """The batches of an epoch, whatever came before it."""
        m = self._graph.n_edges
        order = permutation(stream_key(self._seed, "batches", number), m)
        # Empty where every pair is connected.
        drawn = self._sampler.draw(m, stream_key(self._seed, "non-edges", number))
        free = self._graph.pair_space.ordered(drawn)
        for first, end in pairwise(m * k // self.n_batches for k in range(self.n_batches + 1)):
            edges, others = self._graph.edges[order[first:end]], free[first:end]
            labels = torch.cat([torch.ones(len(edges)), torch.zeros(len(others))])
            yield EdgeBatch(order[first:end], np.concatenate([edges, others]).astype(np.int64), labels)
