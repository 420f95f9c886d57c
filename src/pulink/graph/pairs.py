"""Node pairs as users write them: names or numbers, in any order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.text import plural


def resolve_pairs(graph: Graph, pairs: object) -> npt.NDArray[np.int64]:
    """k x 2 node numbers from pairs of names or numbers: a list, an array or a frame of two columns."""
    if hasattr(pairs, "to_numpy"):
        pairs = pairs.to_numpy().tolist()
    array: npt.NDArray[Any] | None = pairs if isinstance(pairs, np.ndarray) else None
    if array is None:
        listed = _listed(pairs)
        if not listed:
            return np.empty((0, 2), dtype=np.int64)
        if not all(
            isinstance(node, int | np.integer) and not isinstance(node, bool) for p in listed for node in p
        ):
            return _named(graph, listed)
        # Whoever called nodes by whole numbers in a frame or list means these; places come as an array.
        if graph.id_types is not None:
            return _named(graph, listed)
        _refuse_ambiguous(graph, listed)
        array = np.array(listed)
        # Numbers too large for 64 bits stay objects.
        if array.dtype == object:
            raise InputError(
                f"node numbers must lie in 0 .. {graph.n_nodes - 1}, got {array.min()} .. {array.max()}"
            )
    if array.ndim != 2 or array.shape[1] != 2:
        raise InputError(f"pairs must be a k x 2 array, got shape {array.shape}")
    if array.dtype.kind in "OUT":
        return resolve_pairs(graph, array.tolist())
    if array.dtype.kind not in "iu":
        raise InputError(f"pairs must be node names or whole node numbers, got {array.dtype}")
    if array.size and (array.min() < 0 or array.max() >= graph.n_nodes):
        raise InputError(f"node numbers must lie in 0 .. {graph.n_nodes - 1}, got {array.min()} .. {array.max()}")
    return np.array(array, dtype=np.int64)


def resolve_absent(graph: Graph, pairs: object) -> npt.NDArray[np.int64]:
    """Pairs that are no links, as node numbers; one that is an edge is refused, one that may not link left out."""
    array = resolve_pairs(graph, pairs)
    apart = array[graph.pair_space.allowed(array)]
    edges = graph.has_edges(apart)
    if edges.any():
        are = plural(int(edges.sum()), "is an edge", "are edges")
        first = pair_text(graph, apart[np.flatnonzero(edges)[0]])
        raise InputError(
            f"{edges.sum():,} of the pairs that are no links {are} of the graph, the first is {first}"
        )
    return apart


def pair_text(graph: Graph, pair: npt.NDArray[np.integer]) -> str:
    """A pair of node numbers as messages write it.

    >>> import numpy as np
    >>> from pulink import Graph
    >>> from pulink.graph.pairs import pair_text
    >>> pair_text(Graph.from_edges([[0, 1]], names=["Ada", "Bob"], kind="directed"), np.array([1, 0]))
    "'Bob' -> 'Ada'"
    """
    first, second = (repr(graph.names[node]) for node in pair.tolist())
    return f"{first} {'->' if graph.is_directed else '-'} {second}"


def _named(graph: Graph, pairs: list[tuple[Any, ...]]) -> npt.NDArray[np.int64]:
    """Pairs of names; where nodes have types, the first name is looked for among nodes of the first type."""
    if graph.id_types is not None:
        pairs = [
            tuple(str(node) if isinstance(node, int | np.integer) else node for node in pair) for pair in pairs
        ]
    space = graph.pair_space
    if not isinstance(space, TypedPairs) or len(space.between) != 1:
        return graph.names.index_of([node for pair in pairs for node in pair]).reshape(-1, 2)
    types = [space.type_names[number] for number in space.between[0]]
    found = np.empty((len(pairs), 2), dtype=np.int64)
    for row, pair in enumerate(pairs):
        ends = [
            graph.names.node_of_type(name, kind) if isinstance(name, str) else None
            for name, kind in zip(pair, types, strict=True)
        ]
        known = [end for end in ends if end is not None]
        found[row] = np.array(known) if len(known) == 2 else graph.names.index_of(list(pair))
    return found


def resolve_node(graph: Graph, node: object) -> int:
    """The number of one node, given by its name or number."""
    if isinstance(node, str):
        return int(graph.names.index_of([node])[0])
    return int(resolve_pairs(graph, [(node, node)])[0, 0])


def _refuse_ambiguous(graph: Graph, pairs: list[tuple[Any, ...]]) -> None:
    """A plain number may be meant as a node's name or as its place; only in an array is it surely a place."""
    names = graph.names.series() if graph.names.given else None
    if names is None or not names.str.contains(r"^[0-9]+$").any():
        return
    raise InputError(
        f"{pairs[0]!r} may mean names or numbers of nodes, and these nodes are called by numbers: "
        "write names as text, or hand numbers over as a NumPy array"
    )


def _listed(pairs: object) -> list[tuple[object, ...]]:
    if not isinstance(pairs, Iterable) or isinstance(pairs, str):
        raise InputError(f"pairs must be a list of pairs or a k x 2 array, got {type(pairs).__name__}")
    listed: list[tuple[object, ...]] = []
    for pair in pairs:
        nodes = tuple(pair) if isinstance(pair, Iterable) and not isinstance(pair, str) else (pair,)
        if len(nodes) != 2:
            raise InputError(f"pairs must hold two nodes each, got {pair!r}")
        listed.append(nodes)
    return listed
