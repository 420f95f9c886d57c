"""Small graphs whose latent states can all be listed, as the paper's appendix writes them.

z holds one 0 or 1 for every unconnected pair; observed pairs are always 1. φ_ij(1) is 1 for an observed pair and
σ(h_i · h_j) otherwise, φ_ij(0) = 1 − φ_ij(1).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink import Graph

Pair = tuple[int, int]


@dataclass(frozen=True)
class World:
    """An observed graph, and embeddings h of the current and of the new parameters."""

    graph: Graph
    h: npt.NDArray[np.float32]
    h_new: npt.NDArray[np.float32]

    @property
    def observed(self) -> list[Pair]:
        return [(int(i), int(j)) for i, j in self.graph.edges]

    @property
    def unconnected(self) -> list[Pair]:
        n = self.graph.n_nodes
        return [(i, j) for i in range(n) for j in range(i + 1, n) if (i, j) not in self.observed]

    def phi(self, pair: Pair, state: int) -> float:
        """The node potential φ of a pair in a state."""
        linked = 1.0 if pair in self.observed else sigmoid(self.h, pair)
        return linked if state else 1.0 - linked

    def states(self, fixed: dict[Pair, int] | None = None) -> Iterator[dict[Pair, int]]:
        """Every z, or every z in which some pairs are fixed."""
        free = [pair for pair in self.unconnected if pair not in (fixed or {})]
        for values in itertools.product((0, 1), repeat=len(free)):
            yield dict.fromkeys(self.observed, 1) | (fixed or {}) | dict(zip(free, values, strict=True))

    def probability(self, z: dict[Pair, int]) -> float:
        """p(z | X, E_P, θ), equation 2."""
        return float(np.prod([self.phi(pair, z[pair]) for pair in self.unconnected]))


def sigmoid(h: npt.NDArray[np.float32], pair: Pair) -> float:
    return float(1 / (1 + np.exp(-np.dot(h[pair[0]].astype(np.float64), h[pair[1]].astype(np.float64)))))


def world(edges: list[Pair], n_nodes: int, seed: int) -> World:
    rng = np.random.default_rng(seed)
    h, h_new = rng.normal(size=(2, n_nodes, 3)).astype(np.float32)
    return World(Graph.from_edges(edges, n_nodes), h, h_new)


WORLDS = [
    world([(0, 1), (1, 2), (2, 3)], 4, seed=0),
    world([(0, 1)], 4, seed=1),
    world([(0, 1), (0, 2), (0, 3), (0, 4)], 5, seed=2),
    world([(0, 1), (1, 2), (0, 2), (3, 4)], 5, seed=3),
    world([(0, 3), (1, 4)], 5, seed=4),
]
NAMES = ["path of 4", "one edge of 4", "star of 5", "triangle and edge", "two edges of 5"]
