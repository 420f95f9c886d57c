"""What a worker of a group holds at most, before any work: from the sizes of a graph and the number of workers.

Held against measured peaks by `python -m benchmarks group-cost`: see docs/distributed.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from pulink.distributed.executor import executor_in_use
from pulink.system.memory import require_memory
from pulink.text import counted

# Python with the libraries and compiled kernels, and buffers of fixed sizes.
_PROCESS = 470_000_000
# For each entry of the own rows: neighbours, twice while edges are hidden, where each goes, and a bit set.
_ENTRY, _WEIGHT = 20.0, 8.0
# For each pair that was added between own nodes and hubs: its ends now and before, and what it takes to sort them.
_ADDED = 80.0
# Matrices of n_units columns with a row for each own node: gradients, inputs and outputs of layers, what is kept.
_MATRICES_AND_LAYERS = 8
# With a row for each own node where there are no features: weights, their gradient, two moments, what is kept.
_FIRST_WEIGHTS = 7
# For every node of the graph: norms and places while the best pairs are searched.
_SEARCH = 48.0
# Copies of the embeddings of all nodes: two for training, two to search by.
_ALL_ROWS = 4
# For each pair that is listed to calibrate by, of which there are at most so many times the edges, and so many.
_LISTED, _LISTED_PER_EDGE, _MOST_LISTED = 160.0, 0.8, 1_000_000


@dataclass(frozen=True)
class GroupSizes:
    """Of a graph, of a model, and of the group.

    n_added  pairs that the last expected graph adds at most
    """

    n_nodes: int
    n_edges: int
    n_features: int
    weighted: bool
    n_units: int
    n_layers: int
    n_workers: int
    n_added: int = 0


def worker_bytes(sizes: GroupSizes, n_sharing: int = 1) -> int:
    """Bytes at the peak; n_sharing: workers of one machine, which share the rows of all nodes."""
    own_nodes, own_entries = sizes.n_nodes / sizes.n_workers, 2 * sizes.n_edges / sizes.n_workers
    row = 4 * sizes.n_units
    n_bytes = _PROCESS + own_entries * (_ENTRY + (_WEIGHT if sizes.weighted else 0.0))
    n_bytes += _ADDED * sizes.n_added / sizes.n_workers
    n_bytes += own_nodes * row * (_MATRICES_AND_LAYERS + 2 * sizes.n_layers)
    if sizes.n_features:
        n_bytes += 2 * own_nodes * 4 * sizes.n_features
    else:
        n_bytes += own_nodes * row * _FIRST_WEIGHTS
    n_bytes += sizes.n_nodes * (_SEARCH + _ALL_ROWS * row / n_sharing)
    n_bytes += _LISTED * min(_LISTED_PER_EDGE * sizes.n_edges, _MOST_LISTED)
    return round(n_bytes)


def require_group_room(sizes: GroupSizes, what: str, way_out: str, n_bytes_here: int = 0) -> None:
    """Refuse a graph before any work if the workers of this machine, or one on any node, would find no room.

    n_bytes_here  what this process needs beside them
    """
    executor = executor_in_use()
    n_here = min(executor.n_here, sizes.n_workers)
    own = worker_bytes(sizes, max(n_here, 1))
    if n_here:
        what = f"{what}, in {counted(n_here, 'process', 'processes')} of this machine"
        require_memory(n_bytes_here + n_here * own, what, way_out)
    else:
        executor.require(max(own, n_bytes_here), what, way_out)
