"""Self-loops among the test edges, as in splits that keep a source's loops.

No graph here holds loops, and in a propagation that adds one to every node a stored loop changes nothing. But
hidden beside the edges, a loop (i, i) is a test edge that any inner product gets right: z_i·z_i is seldom small.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import numpy.typing as npt

from pulink.engine.random import permutation, stream_key
from pulink.graph.split import Split


def with_test_loops(data: Split, nodes: npt.NDArray[np.int64], share: float, seed: int) -> Split:
    """The split with the loops of a share of `nodes` among its test edges, and as many more test non-edges."""
    chosen = permutation(stream_key(seed, "loops"), len(nodes))[: math.floor(share * len(nodes) + 1e-9)]
    loops = np.repeat(nodes[chosen, np.newaxis], 2, axis=1).astype(np.int32)
    taken = [data.train.edges, data.hidden_edges, data.val_non_edges, data.test_non_edges]
    space = data.train.pair_space
    sampler = space.sampler(space.adjacency(space.unique(np.concatenate(taken))))
    more = sampler.draw_distinct(len(loops), stream_key(seed, "loops", "non-edges"))
    return replace(
        data,
        test_edges=np.concatenate([data.test_edges, loops]),
        test_non_edges=np.concatenate([data.test_non_edges, more]),
    )
