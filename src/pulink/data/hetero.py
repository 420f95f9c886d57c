"""PyG's HeteroData: several types of nodes, and several relations between them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp

from pulink.errors import InputError, ParameterError
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import BIPARTITE, TYPED
from pulink.text import counted, listed


def from_hetero(data: Any, kind: str | None = None) -> Graph:
    """A bipartite graph, or a typed one where there are more than two types or links within a type.

    A relation and its reverse are one; of several relations between two types all links count.
    """
    if kind not in (None, BIPARTITE):
        raise ParameterError(f"kind of a HeteroData object is bipartite or typed, by its relations; got {kind!r}")
    named = [name for first, _, last in data.edge_types for name in (first, last)]
    types = list(dict.fromkeys([*data.node_types, *named]))
    relations = [
        relation for relation in data.edge_types if getattr(data[relation], "edge_index", None) is not None
    ]
    if not relations:
        raise InputError("the HeteroData object has no relation with an edge_index")
    between = _between([(first, last) for first, _, last in relations])
    sided = len(types) == 2 and len(between) == 1 and between[0][0] != between[0][1]
    if kind == BIPARTITE and not sided:
        raise InputError(f"a bipartite graph links nodes of two types; this one has the types {listed(types)}")
    types = [*between[0], *(name for name in types if name not in between[0])] if sided else types
    sizes = [int(data[name].num_nodes) for name in types]
    offsets = dict(zip(types, np.cumsum([0, *sizes[:-1]]).tolist(), strict=True))
    edges = np.concatenate([_rows(data[relation], offsets, relation) for relation in relations])
    features, notes = _features(data, types, sizes)
    graph = Graph.from_edges(
        edges,
        sum(sizes),
        features=features,
        names=[
            str(node) if sided else f"{name}:{node}"
            for name, n in zip(types, sizes, strict=True)
            for node in range(n)
        ],
        notes=notes,
        kind=BIPARTITE if sided else TYPED,
        node_types=[name for name, n in zip(types, sizes, strict=True) for _ in range(n)],
        between=between,
        ends=between[0] if sided else ("source", "target"),
    )
    told = f"its nodes are of {counted(len(types), 'type')}, {listed(types)}"
    return replace(graph, cleaning=replace(graph.cleaning, kind_seen=told))


def pyg_features(x: Any) -> Features:
    """A tensor of features, sparse where it is mostly zeros."""
    import torch

    array = (x.to_dense() if x.layout is not torch.strided else x).cpu().numpy()
    # Words are mostly zeros: stored sparsely they cost a fraction.
    return sp.csr_array(array) if np.count_nonzero(array) < 0.25 * array.size else array


def _between(ends: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Each pair of types once, as the first relation between them has it."""
    found: list[tuple[str, str]] = []
    for pair in ends:
        if pair not in found and pair[::-1] not in found:
            found.append(pair)
    return found


def _rows(store: Any, offsets: dict[str, int], relation: tuple[str, str, str]) -> Any:
    rows = store.edge_index.cpu().numpy().T.astype(np.int64)
    return rows + np.array([offsets[relation[0]], offsets[relation[2]]])


def _features(data: Any, types: list[str], sizes: list[int]) -> tuple[Features | None, tuple[str, ...]]:
    """All types' features below one another, where their columns are as many; what else to tell a reader."""
    found = {name: getattr(data[name], "x", None) for name in types}
    given = {name: x for name, x in found.items() if x is not None}
    if not given:
        return None, ()
    widths = {int(x.shape[1]) for x in given.values()}
    if len(widths) > 1:
        told = listed(f"{name}: {int(x.shape[1]):,}" for name, x in given.items())
        return None, (f"features left out: types have other numbers of columns ({told})",)
    (width,) = widths
    blocks = [
        sp.csr_array((n, width), dtype=np.float32)
        if found[name] is None
        else sp.csr_array(pyg_features(found[name]))
        for name, n in zip(types, sizes, strict=True)
    ]
    stacked = sp.csr_array(sp.vstack(blocks, format="csr", dtype=np.float32))
    return (stacked if stacked.nnz < 0.25 * np.prod(stacked.shape) else stacked.toarray()), ()
