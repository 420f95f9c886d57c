"""Nodes by name in sentences: what nobody sees made visible, the type where a name alone says too little."""

from __future__ import annotations

import unicodedata

from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs

# Controls, invisible marks, lone surrogates, and what breaks a line.
_HIDDEN = ("Cc", "Cf", "Cs", "Zl", "Zp")


def quoted(graph: Graph, node: int) -> str:
    """`"Ada"`, or `user "1"` where nodes of several types are called so."""
    name = f'"{visible(graph.names[node])}"'
    return f"{visible(type_of(graph, node))} {name}" if shares_name(graph, node) else name


def looked_up(graph: Graph, node: int) -> str:
    """The name by which a node can be asked about: `Ada`, or `user:1` where another type has that name too."""
    name = graph.names[node]
    return f"{type_of(graph, node)}:{name}" if shares_name(graph, node) else name


def shares_name(graph: Graph, node: int) -> bool:
    """Whether a node of another type has the same name."""
    space = graph.pair_space
    if not isinstance(space, TypedPairs):
        return False
    alike = (graph.names.node_of_type(graph.names[node], kind) for kind in space.type_names)
    return any(other not in (None, node) for other in alike)


def type_of(graph: Graph, node: int) -> str:
    """What the type of a node is called; empty where nodes have none."""
    space = graph.pair_space
    return space.type_names[space.types[node]] if isinstance(space, TypedPairs) else ""


def visible(text: str) -> str:
    """Names come from other people's files: what cannot be seen is written as `\\x1b`."""
    return "".join(c.encode("unicode_escape").decode() if unicodedata.category(c) in _HIDDEN else c for c in text)
