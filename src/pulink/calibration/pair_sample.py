"""Every unconnected pair of a graph, for a model that is asked which of them are the hidden edges.

Pairs worth asking about one by one are listed: the best ones. So are the hidden edges. Of all other pairs a sample
is asked, and each pair of it weighs as many as it stands for. Pairs that are known to be no links are not asked
about: what is learned here is said of pairs of which nobody knows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.engine.random import stream_key
from pulink.graph.graph import Edges, Graph

# So many pairs that are not listed, if there are.
SAMPLE = 50_000


@dataclass(frozen=True)
class PairSample:
    """pairs (k x 2), weights (k): for how many each stands; labelled (k): whether a hidden edge."""

    pairs: Edges
    weights: npt.NDArray[np.float64]
    labelled: npt.NDArray[np.bool_]

    @classmethod
    def of(cls, graph: Graph, listed: Edges, hidden: Edges, seed: int) -> PairSample:
        """The listed pairs (unconnected, none twice), the hidden edges beyond them, a sample of the others."""
        space = graph.pair_space
        listed = listed[~graph.is_absent(listed)]
        sampler = space.sampler(graph.adjacency)
        missed = hidden[~space.isin(hidden, listed)]
        known = np.concatenate([listed, missed])
        drawn = sampler.draw_distinct(min(SAMPLE, sampler.n_free), stream_key(seed, "exam"))
        others = drawn[~space.isin(drawn, known) & ~graph.is_absent(drawn)]
        parts = [np.asarray(part, dtype=np.int32) for part in (listed, missed, others)]
        pairs = np.concatenate(parts)
        weight = max(sampler.n_free - graph.n_absent - len(known), 0) / max(len(others), 1)
        weights = np.repeat([1.0, 1.0, weight], [len(part) for part in parts])
        return cls(pairs, weights, space.isin(pairs, hidden))
