"""A graph as the arrays of a model folder, and back: nothing that they say is believed.

Kernels read without looking where arrays end, so a graph that is not whole must not come back from a folder.

edges      m x 2 node numbers (int32), ordered and ascending as in their pair space; weights (m), positive
absent     k x 2, as edges are
accepted   those of the edges that people accepted (k x 2)
types      of every node, where nodes have types (n, int16); context (k x 2) and its weights: links of other types
seen.edges, seen.times, seen.weights   when edges were seen, and how heavy; context_seen.*: the same of context
features   n x d (float32), or the three arrays of a sparse matrix
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy.sparse as sp

from pulink.errors import ParameterError
from pulink.graph.building import frozen, type_names_of
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.graph.names import Names
from pulink.graph.pair_space import PairSpace, UndirectedPairs
from pulink.graph.spaces.directed_pairs import DirectedPairs
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, MOST_TYPES, TYPED, UNDIRECTED, check_end_names
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.graph.tables.frames import WHOLE_TYPES

Arrays = dict[str, np.ndarray]

_SPARSE = ("data", "indices", "indptr")
# Nodes that nothing but a number tells of: as many as in files that users name (data/formats/limits.py).
_FREE_NODES = 10_000_000


def graph_arrays(graph: Graph) -> Arrays:
    """All of a graph but names."""
    found: dict[str, np.ndarray | None] = {"edges": graph.edges, "weights": graph.weights, "absent": graph.absent}
    if isinstance(graph.space, TypedPairs):
        found |= {"types": graph.space.types, "context": graph.space.context}
        found |= {"context_weights": graph.space.context_weights}
        found |= _time_arrays("context_seen", graph.space.context_times)
    found |= _time_arrays("seen", graph.times)
    found["accepted"] = graph.accepted
    if isinstance(graph.features, np.ndarray):
        found["features"] = graph.features
    elif graph.features is not None:
        found |= {f"features.{name}": getattr(graph.features, name) for name in _SPARSE}
    return {name: array for name, array in found.items() if array is not None}


def _time_arrays(name: str, seen: EdgeTimes | None) -> dict[str, np.ndarray | None]:
    if seen is None:
        return {}
    return {f"{name}.edges": seen.edges, f"{name}.times": seen.times, f"{name}.weights": seen.weights}


def kind_of(graph: Graph) -> dict[str, Any]:
    """What kind of graph it is, as plain values; nothing of an undirected one whose nodes are called by texts."""
    found: dict[str, Any] = {} if graph.id_types is None else {"id_types": [*graph.id_types]}
    if graph.space is None:
        return found
    found |= {"kind": graph.kind, "ends": [*graph.ends]}
    if isinstance(graph.space, TypedPairs):
        found |= {"types": [*graph.space.type_names], "between": [[*pair] for pair in graph.space.between]}
    return found


def graph_of_arrays(
    arrays: Arrays,
    n_nodes: int,
    n_features: int,
    names: pl.Series | None,
    called: pl.Series | None,
    n_rows: int,
    kind: dict[str, Any] | None = None,
) -> Graph:
    """KeyError, TypeError and ValueError mean that there is no such graph.

    names, called  of nodes and of features; n_rows: the largest number of rows of any array of the folder
    kind           what `kind_of` gave
    """
    known = max(_FREE_NODES + 10 * len(arrays["edges"]), n_rows, 0 if names is None else len(names))
    if not 0 <= n_nodes <= min(known, 2**31 - 1) or n_features < 0:
        raise ValueError(f"{n_nodes:,} nodes and {n_features:,} features are more than it tells of")
    if called is not None and len(called) != n_features:
        raise ValueError("its features have other names")
    if kind is not None and not isinstance(kind, dict):
        raise TypeError("it does not say what kind of graph it is")
    space = _space(arrays, n_nodes, kind or {})
    first, second = _texts((kind or {}).get("ends", ["source", "target"]))
    edges = frozen(_pairs(arrays["edges"], space, "edges"))
    return Graph(
        edges=edges,
        n_nodes=n_nodes,
        weights=_weights(arrays.get("weights"), len(arrays["edges"])),
        features=_features(arrays, n_nodes, n_features),
        feature_names=None if called is None else tuple(called.to_list()),
        names=Names(n_nodes, names, type_names_of(space)),
        space=None if isinstance(space, UndirectedPairs) else space,
        ends=_end_names(first, second),
        id_types=_id_types((kind or {}).get("id_types")),
        times=_times(arrays, "seen", len(arrays["edges"])),
        absent=frozen(_pairs(arrays["absent"], space, "known non-links")) if "absent" in arrays else None,
        accepted=_accepted(arrays["accepted"], edges, space) if "accepted" in arrays else None,
    )


def _end_names(*ends: str) -> tuple[str, str]:
    try:
        check_end_names(ends)
    except ParameterError as error:
        raise ValueError("its ends cannot be called so") from error
    first, second = ends
    return first, second


def _id_types(types: object) -> tuple[str | None, str | None] | None:
    if types is None:
        return None
    if not isinstance(types, list) or len(types) != 2 or any(own not in (None, *WHOLE_TYPES) for own in types):
        raise ValueError("its nodes are called by no numbers that this pulink knows")
    return types[0], types[1]


def _space(arrays: Arrays, n_nodes: int, kind: dict[str, Any]) -> PairSpace:
    name = kind.get("kind", UNDIRECTED)
    if name == UNDIRECTED:
        return UndirectedPairs(n_nodes)
    if name == DIRECTED:
        return DirectedPairs(n_nodes)
    if name not in (BIPARTITE, TYPED):
        raise ValueError("it is no kind of graph that this pulink knows")
    types, called = arrays["types"], _texts(kind["types"])
    between = tuple((_number(a, called), _number(b, called)) for a, b in kind["between"])
    if types.dtype != np.int16 or types.shape != (n_nodes,) or len(set(called)) != len(called):
        raise ValueError("its types do not fit its nodes")
    if (len(types) and not 0 <= types.min() <= types.max() < len(called)) or len(called) > MOST_TYPES:
        raise ValueError("its types do not fit its nodes")
    if name == BIPARTITE and (len(called) != 2 or between not in (((0, 1),), ((1, 0),)) or "context" in arrays):
        raise ValueError("it does not have two sides")
    space = TypedPairs(frozen(types), called, between, bipartite=name == BIPARTITE)
    return space if "context" not in arrays else _with_context(space, arrays)


def _with_context(space: TypedPairs, arrays: Arrays) -> TypedPairs:
    context = frozen(_pairs(arrays["context"], UndirectedPairs(space.n_nodes), "links of other types"))
    if space.allowed(context).any():
        raise ValueError("its links of other types are of those that are asked about")
    weights = _weights(arrays.get("context_weights"), len(context))
    times = _times(arrays, "context_seen", len(context))
    return replace(space, context=context, context_weights=weights, context_times=times)


def _texts(values: object) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(own, str) for own in values):
        raise TypeError("it does not say what kind of graph it is")
    return tuple(values)


def _number(value: object, types: tuple[str, ...]) -> int:
    """The number of a type."""
    if type(value) is not int or not 0 <= value < len(types):
        raise ValueError("its types do not fit its nodes")
    return value


def _times(arrays: Arrays, name: str, n_edges: int) -> EdgeTimes | None:
    if f"{name}.edges" not in arrays:
        return None
    edges, times = arrays[f"{name}.edges"], arrays[f"{name}.times"]
    if edges.dtype != np.int64 or times.dtype != np.float64 or edges.shape != times.shape or edges.ndim != 1:
        raise ValueError("its times do not fit its edges")
    if not np.isfinite(times).all() or not np.array_equal(np.unique(edges), np.arange(n_edges)):
        raise ValueError("its times do not fit its edges")
    return EdgeTimes.of(edges, times, _weights(arrays.get(f"{name}.weights"), len(edges)))


def _pairs(pairs: np.ndarray, space: PairSpace, what: str) -> npt.NDArray[np.int32]:
    if pairs.dtype != np.int32 or pairs.ndim != 2 or pairs.shape[1] != 2:
        raise ValueError(f"its {what} are no pairs of node numbers")
    if not space.are_ordered(pairs).all():
        raise ValueError(f"its {what} are no pairs of its nodes")
    if (np.diff(space.codes(pairs)) <= 0).any():
        raise ValueError(f"its {what} are not in order")
    return pairs


def _accepted(pairs: np.ndarray, edges: npt.NDArray[np.int32], space: PairSpace) -> npt.NDArray[np.int32]:
    found = frozen(_pairs(pairs, space, "accepted links"))
    if not space.isin(found, edges).all():
        raise ValueError("its accepted links are no edges")
    return found


def _weights(weights: np.ndarray | None, n_edges: int) -> npt.NDArray[np.float32] | None:
    if weights is None:
        return None
    if weights.dtype != np.float32 or weights.shape != (n_edges,):
        raise ValueError("its weights do not fit its edges")
    if not (np.isfinite(weights) & (weights > 0)).all():
        raise ValueError("its weights are not positive")
    return frozen(weights)


def _features(arrays: Arrays, n_nodes: int, n_features: int) -> Features | None:
    features: Features | None = arrays.get("features")
    if "features.data" in arrays:
        data, indices, indptr = (frozen(arrays[f"features.{name}"]) for name in _SPARSE)
        matrix = sp.csr_array((data, indices, indptr), shape=(n_nodes, n_features))
        matrix.check_format()
        features = matrix
    if features is None:
        return None
    values = features if isinstance(features, np.ndarray) else features.data
    if features.shape != (n_nodes, n_features) or values.dtype != np.float32:
        raise ValueError("its features do not fit its nodes")
    if not np.isfinite(values).all():
        raise ValueError("its features are not finite")
    return frozen(features) if isinstance(features, np.ndarray) else features
