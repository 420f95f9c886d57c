"""Planted graphs of every kind but the plain one, whose missing links are known because they were planted."""

from __future__ import annotations

from functools import cache

import numpy as np
import numpy.typing as npt

import pulink
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, TYPED

Pairs = npt.NDArray[np.int64]


def _drawn(pairs: Pairs, probability: npt.NDArray[np.float64], seed: int) -> Pairs:
    return pairs[np.random.default_rng(seed).random(len(pairs)) < probability]


def _cross(first: Pairs, second: Pairs) -> Pairs:
    """Every pair of one of `first` and one of `second` (k x 2)."""
    return np.stack([np.repeat(first, len(second)), np.tile(second, len(first))], axis=1)


def planted_ways(n_nodes: int, n_topics: int, p_in: float, p_out: float, seed: int) -> pulink.Graph:
    """Nodes come one after the other and are of topics in turn; a later one leads to an earlier one with chance
    `p_in` in its topic and `p_out` beyond. No link runs the other way.
    """
    earlier, later = np.triu_indices(n_nodes, k=1)
    same = later % n_topics == earlier % n_topics
    rows = _drawn(np.stack([later, earlier], axis=1), np.where(same, p_in, p_out), seed)
    return pulink.Graph.from_edges(rows, n_nodes, kind=DIRECTED)


def planted_sides(n_users: int, n_items: int, n_groups: int, p_in: float, p_out: float, seed: int) -> pulink.Graph:
    """Users come first; users and items are of groups in turn, and are linked with `p_in` in one, else `p_out`."""
    users, items = np.arange(n_users), np.arange(n_users, n_users + n_items)
    pairs = _cross(users, items)
    same = pairs[:, 0] % n_groups == (pairs[:, 1] - n_users) % n_groups
    rows = _drawn(pairs, np.where(same, p_in, p_out), seed)
    types = ["user"] * n_users + ["item"] * n_items
    return pulink.Graph.from_edges(
        rows, n_users + n_items, kind=BIPARTITE, node_types=types, between=[("user", "item")]
    )


def planted_types(n_of_type: int, n_groups: int, p_in: float, p_out: float, seed: int) -> pulink.Graph:
    """Drugs, proteins and diseases in groups by turns. Asked about are drugs with proteins, and diseases with
    drugs; links of proteins among themselves and with diseases are known beside them.
    """
    drugs, proteins, diseases = np.arange(3 * n_of_type).reshape(3, -1)
    among = proteins[np.stack(np.triu_indices(n_of_type, k=1), axis=1)]
    pairs = np.concatenate([_cross(drugs, proteins), _cross(diseases, drugs), _cross(proteins, diseases), among])
    group = np.arange(3 * n_of_type) % n_of_type % n_groups
    rows = _drawn(pairs, np.where(group[pairs[:, 0]] == group[pairs[:, 1]], p_in, p_out), seed)
    return pulink.Graph.from_edges(
        rows,
        3 * n_of_type,
        kind=TYPED,
        node_types=["drug"] * n_of_type + ["protein"] * n_of_type + ["disease"] * n_of_type,
        between=[("drug", "protein"), ("disease", "drug")],
    )


@cache
def small_planted(kind: str, seed: int = 0) -> pulink.Graph:
    """One that any method learns in a moment."""
    if kind == DIRECTED:
        return planted_ways(40, 2, 0.85, 0.02, seed)
    if kind == BIPARTITE:
        return planted_sides(30, 24, 2, 0.8, 0.03, seed)
    assert kind == TYPED
    return planted_types(18, 2, 0.8, 0.03, seed)
