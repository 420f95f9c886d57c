"""A graph among the arrays of a checkpoint, and back, without names: no piece of work asks for them."""

from __future__ import annotations

from typing import Any

from pulink.graph.graph import Graph
from pulink.persistence.checkpoints import Arrays, Checkpoint
from pulink.persistence.stored_graph import graph_arrays, graph_of_arrays, kind_of

_GRAPH = "graph."


def packed_graph(graph: Graph) -> tuple[dict[str, Any], Arrays]:
    """Plain values, and arrays by names of their own."""
    plain = {"n_nodes": graph.n_nodes, "n_features": graph.n_features, "kind": kind_of(graph)}
    return plain, {f"{_GRAPH}{name}": array for name, array in graph_arrays(graph).items()}


def unpacked_graph(plain: dict[str, Any], packed: Checkpoint) -> Graph:
    """What `packed_graph` gave; its arrays are not copied."""
    arrays = packed.under(_GRAPH)
    return graph_of_arrays(
        arrays, plain["n_nodes"], plain["n_features"], None, None, plain["n_nodes"], plain["kind"]
    )
