"""Graphs of every kind: tiny ones, and strategies that draw them, with a twin of their pair space made of sets."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from hypothesis import strategies as st

from pulink import Graph
from pulink.graph.pair_space import PairSpace
from pulink.graph.spaces.roles import role_graph
from pulink.graph.spaces.typed_pairs import TypedPairs

Pair = tuple[int, int]

# What may be linked in typed graphs: two types, one with itself, several pairs of types, named backwards.
BETWEEN = (
    [("drug", "protein")],
    [("drug", "drug")],
    [("protein", "drug"), ("drug", "drug")],
    [("drug", "protein"), ("disease", "drug"), ("protein", "protein")],
)


def pairs_by_hand(space: PairSpace) -> set[Pair]:
    """Every pair of a space, as it is written there."""
    n = space.n_nodes
    if not isinstance(space, TypedPairs):
        every = {(i, j) for i in range(n) for j in range(n) if i != j}
        return every if space.kind == "directed" else {(i, j) for i, j in every if i < j}
    found = set()
    for a, b in space.between:
        for i in np.flatnonzero(space.types == a).tolist():
            for j in np.flatnonzero(space.types == b).tolist():
                if i != j and not (space.twins and i // 2 == j // 2):
                    found.add((min(i, j), max(i, j)) if a == b else (i, j))
    return found


def written_by_hand(space: PairSpace) -> dict[Pair, Pair]:
    """Every way to write a pair -> the pair as its space writes it."""
    every = pairs_by_hand(space)
    either_way = {} if space.kind == "directed" else {pair[::-1]: pair for pair in every}
    return either_way | {pair: pair for pair in every}


@st.composite
def _rows(draw: st.DrawFn, n_nodes: int) -> np.ndarray:
    nodes = st.integers(0, n_nodes - 1)
    return np.array(draw(st.lists(st.tuples(nodes, nodes), max_size=30)), dtype=np.int32).reshape(-1, 2)


@st.composite
def undirected(draw: st.DrawFn) -> Graph:
    n_nodes = draw(st.integers(1, 9))
    return Graph.from_edges(draw(_rows(n_nodes)), n_nodes)


@st.composite
def directed(draw: st.DrawFn) -> Graph:
    n_nodes = draw(st.integers(1, 9))
    return Graph.from_edges(draw(_rows(n_nodes)), n_nodes, kind="directed")


@st.composite
def bipartite(draw: st.DrawFn) -> Graph:
    """Two sides whose numbers are mixed, linked as user - item, or the other way round."""
    types = ["user", "item", *draw(st.lists(st.sampled_from(["user", "item"]), max_size=7))]
    rows = draw(_rows(len(types)))
    rows = rows[[types[i] != types[j] for i, j in rows.tolist()]]
    between = draw(st.sampled_from([("user", "item"), ("item", "user")]))
    return Graph.from_edges(rows, len(types), kind="bipartite", node_types=types, between=[between])


@st.composite
def typed(draw: st.DrawFn) -> Graph:
    """Three types, of which some may link; rows of the others are context."""
    kinds = ["drug", "protein", "disease"]
    types = [*kinds, *draw(st.lists(st.sampled_from(kinds), max_size=6))]
    between = draw(st.sampled_from(BETWEEN))
    return Graph.from_edges(draw(_rows(len(types))), len(types), kind="typed", node_types=types, between=between)


@st.composite
def linked_roles(draw: st.DrawFn) -> Graph:
    return role_graph(draw(directed()), linked=True)


@st.composite
def unlinked_roles(draw: st.DrawFn) -> Graph:
    return role_graph(draw(directed()), linked=False)


KINDS: dict[str, Callable[[], st.SearchStrategy[Graph]]] = {
    "undirected": undirected,
    "directed": directed,
    "bipartite": bipartite,
    "typed": typed,
    "linked roles": linked_roles,
    "unlinked roles": unlinked_roles,
}


def graphs() -> st.SearchStrategy[Graph]:
    """Graphs of any kind, roles of directed ones among them."""
    return st.one_of([kind() for kind in KINDS.values()])


def tiny_graphs() -> dict[str, Graph]:
    """One of every kind, with some pairs free in each."""
    ways = Graph.from_edges([[0, 1], [1, 0], [2, 1], [3, 0]], n_nodes=4, kind="directed")
    types = ["user", "item", "user", "item", "item"]
    kinds = ["drug", "protein", "drug", "disease", "protein", "drug"]
    rows = [[0, 1], [0, 2], [1, 4], [3, 0], [5, 3], [4, 3]]
    between = [("drug", "protein"), ("disease", "drug"), ("protein", "protein")]
    return {
        "undirected": Graph.from_edges([[1, 0], [2, 1], [1, 3]], n_nodes=5),
        "directed": ways,
        "bipartite": Graph.from_edges([[0, 1], [3, 2]], 5, kind="bipartite", node_types=types),
        "typed": Graph.from_edges(rows, kind="typed", node_types=kinds, between=between),
        "linked roles": role_graph(ways, linked=True),
        "unlinked roles": role_graph(ways, linked=False),
    }
