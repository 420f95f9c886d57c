"""The best of all pairs against the bare blocked matrix product: 100,000 nodes, 16 dimensions, K = 100,000."""

from __future__ import annotations

import time

import numpy as np
import torch

from benchmarks.measure import finish, own_arguments
from pulink.data.generated import power_law_graph
from pulink.engine.random import normals, stream_key
from pulink.engine.search.top_by_embedding import _COLUMNS, _ROWS, top_by_embedding
from pulink.engine.threads import use_threads


def main() -> None:
    wanted = own_arguments()
    n, k = wanted["n_nodes"], wanted["k"]
    graph = power_law_graph(10 * n, n)
    z = normals(stream_key(0, "z"), n * 16).astype(np.float32).reshape(n, 16)
    if wanted["equal_norms"]:
        # The worst case for pruning: no block can be skipped by its norms.
        z /= np.linalg.norm(z, axis=1, keepdims=True)
    with use_threads(wanted["threads"]):
        top_by_embedding(z[:3000], power_law_graph(3000, 3000).adjacency, 10)
        rows = torch.from_numpy(z)
        started = time.perf_counter()
        for r in range(0, n, _ROWS):
            for c in range((r // _COLUMNS) * _COLUMNS, n, _COLUMNS):
                torch.mm(rows[r : r + _ROWS], rows[c : c + _COLUMNS].T)
        bare = time.perf_counter() - started
        started = time.perf_counter()
        found = top_by_embedding(z, graph.adjacency, k)
        seconds = time.perf_counter() - started
    assert len(found) == k
    finish(bare=bare, top_by_embedding=seconds, ratio=seconds / bare)


if __name__ == "__main__":
    main()
