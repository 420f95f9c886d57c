"""Of what type new nodes are: as they say, or as their first edges tell."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.text import listed

Types = npt.NDArray[np.int16]


def new_types(graph: Graph, names: list[str], edges: object) -> tuple[list[str], Types | None]:
    """The plain names of new nodes, and their types where the graph's nodes have some.

    edges  pairs of names, or of node numbers as an array
    """
    space = graph.pair_space
    if not isinstance(space, TypedPairs):
        known = set(graph.names.series().to_list())
        taken = next((name for name in names if name in known), None)
        if taken is not None:
            raise InputError(f"a new node needs a new name: {taken!r} is a node already")
        return names, None
    parts = [_parts(space, name) for name in names]
    told = _told_by_edges(graph, space, [name for name, _ in parts], edges)
    types = [told.get(name, set()) if said is None else {said} for name, said in parts]
    for (name, _), found in zip(parts, types, strict=True):
        if len(found) != 1:
            why = "nothing tells" if not found else "edges tell more than one for"
            raise InputError(
                f"{why} the type of the new node {name!r}: write type:name, with one of {listed(space.type_names)}"
            )
        (number,) = found
        if graph.names.node_of_type(name, space.type_names[number]) is not None:
            raise InputError(f"a new node needs a new name: {name!r} is a node already")
    plain = [name for name, _ in parts]
    return plain, np.array([next(iter(found)) for found in types], dtype=np.int16)


def _parts(space: TypedPairs, name: str) -> tuple[str, int | None]:
    """A name without its type, and the number of the type; None where it says none."""
    for number, kind in enumerate(space.type_names):
        if name.startswith(f"{kind}:") and len(name) > len(kind) + 1:
            return name[len(kind) + 1 :], number
    return name, None


def _told_by_edges(graph: Graph, space: TypedPairs, names: list[str], edges: object) -> dict[str, set[int]]:
    """The types that edges tell of new names, by name."""
    told: dict[str, set[int]] = {name: set() for name in names}
    for pair in _pairs(edges):
        ends = [_node(graph, names, end) for end in pair]
        for place, (name, _) in enumerate(ends):
            if name in told:
                told[name] |= _possible(graph, space, name, place, ends[1 - place][1])
    return told


def _pairs(edges: object) -> list[tuple[object, object]]:
    if hasattr(edges, "to_numpy"):
        edges = edges.to_numpy()
    rows = edges.tolist() if isinstance(edges, np.ndarray) else edges
    if not isinstance(rows, Iterable) or isinstance(rows, str):
        return []
    return [(pair[0], pair[1]) for pair in rows if isinstance(pair, list | tuple) and len(pair) == 2]


def _node(graph: Graph, names: list[str], end: object) -> tuple[str, int | None]:
    """The name of an end, and its number where it may be a node of the graph."""
    if isinstance(end, int):
        is_new = graph.n_nodes <= end < graph.n_nodes + len(names)
        return (names[end - graph.n_nodes], None) if is_new else ("", end)
    try:
        return str(end), int(graph.names.index_of([str(end)])[0])
    except InputError:
        return str(end), None


def _possible(graph: Graph, space: TypedPairs, name: str, place: int, other: int | None) -> set[int]:
    """The types that a new name may have at one end of an edge, whose other end is a node of the graph or None."""
    if len(space.between) == 1 and space.between[0][0] != space.between[0][1]:
        number = space.between[0][place]
        return set() if graph.names.node_of_type(name, space.type_names[number]) is not None else {number}
    if other is None:
        return {pair[place] for pair in space.between}
    partner = int(space.types[other])
    return {a if b == partner else b for a, b in space.between if partner in (a, b)}
