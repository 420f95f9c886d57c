"""What facts about some pairs of a graph folder look at, read into memory: their surroundings.

    ends of pairs          all of their rows
    beside the walked end  rows of its neighbours, as far as `strongest_paths` looks at them
    for a drawing          rows of the neighbours that most ends share, as far as the budget goes

Of rows beside the ends only entries among the nodes that are there already are kept: no fact looks at others.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.explanation.surroundings import Surroundings
from pulink.graph.graph import frozen
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.report.find.build import AROUND
from pulink.system.memory import require_memory
from pulink.workflows.sharded.answers.outline import FolderNames
from pulink.workflows.sharded.answers.rows import Rows, RowsBeside, follow_paths, joined, rows_of, split

Longs = npt.NDArray[np.int64]
F32 = npt.NDArray[np.float32]

# Entries of rows that are read for a drawing: of the ends, and of the neighbours that they share.
DRAWN = 20_000_000
# What an entry of the ends' rows takes until the graph is made.
_BYTES_PER_ENTRY = 150
# Nodes that stand no further apart are read together, at most so many at a time.
_GAP, _SPAN = 256, 65_536


def surroundings_of(
    graph: ShardedGraph, pairs: Longs, attribute_counts: Longs | None, *, to_draw: bool = False
) -> Surroundings:
    """What facts about pairs of node numbers (k x 2) look at; TooLargeError where there is no room for it.

    to_draw  read what a drawing of the pairs shows instead of short paths; of very many entries, not all
    """
    ends = np.unique(pairs)
    of_ends = degrees_of(graph, ends)
    whole = ends
    if to_draw:
        n_entries = np.cumsum(of_ends[np.searchsorted(ends, pairs)].sum(axis=1))
        whole = np.unique(pairs[n_entries <= DRAWN])
        of_ends = of_ends[np.searchsorted(ends, whole)]
    n_bytes = _BYTES_PER_ENTRY * int(of_ends.sum())
    require_memory(n_bytes, "the neighbours of these nodes", "use a machine with more memory")
    own = joined(list(rows_of(graph, whole)), weighted=graph.weighted)
    nodes = np.union1d(ends, own.others)
    degrees = degrees_of(graph, nodes)
    beside = RowsBeside(graph, nodes, whole)
    if to_draw:
        beside.read(_shared(own, whole, nodes, degrees, len(pairs)))
    else:
        follow_paths(own, np.searchsorted(nodes, pairs), degrees, beside)
    edges, weights = _edges(joined([own, *beside.parts], weighted=graph.weighted), nodes)
    features = None
    if attribute_counts is not None:
        features = _attributes(graph, ends, nodes)
    return Surroundings(
        edges=frozen(edges),
        n_nodes=len(nodes),
        weights=None if weights is None else frozen(weights),
        features=features,
        feature_names=graph.summary.feature_names,
        names=FolderNames(graph, nodes),
        cleaning=graph.cleaning,
        ends=graph.summary.ends,
        nodes=nodes,
        whole_degrees=degrees,
        n_read=len(own.others) + beside.n_read,
        attribute_counts=attribute_counts,
    )


def degrees_of(graph: ShardedGraph, nodes: Longs) -> Longs:
    """How many neighbours some nodes have, which ascend."""
    return _gathered(nodes, graph.degrees, np.empty(0, dtype=np.int64))


def _gathered(nodes: Longs, read: Callable[[int, int], Longs], nothing: Longs) -> Longs:
    """Values of some nodes by a function that reads those of consecutive ones."""
    found = []
    for span in split(nodes, (np.diff(nodes) > _GAP) | (np.diff(nodes // _SPAN) > 0)):
        first = int(span[0])
        found.append(read(first, int(span[-1]) + 1)[span - first])
    return np.concatenate(found) if found else nothing


def _shared(own: Rows, ends: Longs, nodes: Longs, degrees: Longs, n_pairs: int) -> Longs:
    """Places of the neighbours that a drawing shows, the lowest degree first, as far as the budget goes."""
    touched = np.bincount(np.searchsorted(nodes, own.others), minlength=len(nodes))
    touched[np.searchsorted(nodes, ends)] = 0
    order = np.argsort(-touched, kind="stable")[: AROUND * n_pairs]
    drawn = order[touched[order] > 1]
    drawn = drawn[np.argsort(degrees[drawn], kind="stable")]
    return drawn[np.cumsum(degrees[drawn]) <= DRAWN]


def _edges(rows: Rows, nodes: Longs) -> tuple[npt.NDArray[np.int32], F32 | None]:
    """Entries as edges of the graph of these nodes, each once."""
    ends = np.searchsorted(nodes, np.stack([rows.owners, rows.others], axis=1))
    codes, first = np.unique(ends.min(axis=1) * len(nodes) + ends.max(axis=1), return_index=True)
    edges = np.stack(np.divmod(codes, max(len(nodes), 1)), axis=1).astype(np.int32)
    return edges, None if rows.weights is None else rows.weights[first]


def _attributes(graph: ShardedGraph, ends: Longs, nodes: Longs) -> sp.csr_array:
    """Features of the ends, as sparse rows among those of all nodes, which are empty."""
    found = [np.empty((0, graph.n_features), dtype=np.float32)]
    found += [row for node in ends.tolist() if (row := graph.features(node, node + 1)) is not None]
    own = sp.csr_array(np.concatenate(found))
    n_entries = np.zeros(len(nodes), dtype=np.int64)
    n_entries[np.searchsorted(nodes, ends)] = np.diff(own.indptr)
    starts = np.concatenate([[0], np.cumsum(n_entries)])
    return sp.csr_array((own.data, own.indices, starts), shape=(len(nodes), graph.n_features))
