"""Five families of graphs whose links are known, because we drew them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

import pulink

N_NODES = 1_000

Drawn = tuple[npt.NDArray[np.int64], npt.NDArray[np.float32] | None]


@dataclass(frozen=True)
class Planted:
    """A graph from which links were removed, and those links."""

    graph: pulink.Graph
    removed: npt.NDArray[np.int64]

    @property
    def share(self) -> float:
        return len(self.removed) / (len(self.removed) + self.graph.n_edges)


def communities(rng: np.random.Generator, n: int = N_NODES) -> Drawn:
    """Forty groups: four in five pairs of a group are links, of others one in 500. No pair is certain."""
    pairs, group = _pairs(n), rng.integers(0, 40, n)
    same = group[pairs[:, 0]] == group[pairs[:, 1]]
    return pairs[rng.random(len(pairs)) < np.where(same, 0.8, 0.002)], None


def places(rng: np.random.Generator, n: int = N_NODES) -> Drawn:
    """Points in a square: those that are close are links, all of them."""
    pairs, points = _pairs(n), rng.random((n, 2))
    distance = np.linalg.norm(points[pairs[:, 0]] - points[pairs[:, 1]], axis=1)
    return pairs[distance < 0.07], None


def tastes(rng: np.random.Generator, n: int = N_NODES) -> Drawn:
    """Four tastes of each node: the better two nodes agree, the likelier their link."""
    pairs, tastes = _pairs(n), rng.normal(size=(n, 4))
    agreement = (tastes[pairs[:, 0]] * tastes[pairs[:, 1]]).sum(axis=1)
    return pairs[rng.random(len(pairs)) < 1 / (1 + np.exp(16 - 3 * agreement))], None


def attributes(rng: np.random.Generator, n: int = N_NODES) -> Drawn:
    """Sixty attributes, which are given: nodes that share three or more are links nine times in ten."""
    pairs, owned = _pairs(n), (rng.random((n, 60)) < 0.07).astype(np.float32)
    shared = (owned[pairs[:, 0]] * owned[pairs[:, 1]]).sum(axis=1)
    probability = np.select([shared >= 3, shared == 2], [0.9, 0.02], 0.001)
    return pairs[rng.random(len(pairs)) < probability], owned


def roles(rng: np.random.Generator, n: int = N_NODES) -> Drawn:
    """Thirty pairs of roles: links run between a role and its counterpart, never within one: hardly a triangle."""
    pairs, role = _pairs(n), rng.integers(0, 60, n)
    first, second = role[pairs[:, 0]], role[pairs[:, 1]]
    fitting = (first // 2 == second // 2) & (first != second)
    return pairs[rng.random(len(pairs)) < np.where(fitting, 0.97, 0.001)], None


FAMILIES: dict[str, Callable[[np.random.Generator], Drawn]] = {
    family.__name__: family for family in (communities, places, tastes, attributes, roles)
}


def planted(family: str, seed: int) -> Planted:
    """A graph of the family from which 5 to 40 in a hundred links were removed."""
    rng = np.random.default_rng([seed, list(FAMILIES).index(family)])
    edges, features = FAMILIES[family](rng)
    removed = rng.random(len(edges)) < rng.uniform(0.05, 0.4)
    return Planted(pulink.Graph.from_edges(edges[~removed], N_NODES, features=features), edges[removed])


def _pairs(n: int) -> npt.NDArray[np.int64]:
    return np.stack(np.triu_indices(n, k=1), axis=1)
