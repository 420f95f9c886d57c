"""Unconnected pairs worth the trees' time: the best by several cheap scores, each good where others are blind.

two steps     resource allocation, exactly over all pairs that share a neighbour
three steps   walks over degrees, exactly over all pairs, where rows of all nodes can be computed
hubs          pairs with one of the largest degrees, by the GCN's inner product
gcn, vgnae    inner products of embeddings, exactly over all pairs
direction     cosines of the VGNAE's embeddings, for nodes of few edges
features      cosines of the features' components
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency
from pulink.engine.row_dots import unit_rows
from pulink.engine.top_pairs import top_pairs
from pulink.graph.graph import Edges, Graph
from pulink.graph.pairs import pair_codes
from pulink.models.candidates import best_by_three_steps, best_by_two_steps
from pulink.plus.view import View

Pairs = npt.NDArray[np.int32]

N_SOURCES = 7

_HUBS = 100
_FEWEST = 30_000
_PER_EDGE = 2
_MOST = 1_000_000


@dataclass(frozen=True)
class Candidates:
    """pairs (k x 2, lower number first, sorted, none twice), and by source which pairs it gave."""

    pairs: Pairs
    sources: dict[str, Pairs]

    def recall(self, hidden: Edges, n_nodes: int) -> dict[str, float]:
        """By source, and in all, the share of these hidden edges that is found."""
        wanted = pair_codes(hidden, n_nodes)
        found = {name: np.isin(wanted, pair_codes(own, n_nodes)) for name, own in self.sources.items()}
        together = np.any(list(found.values()), axis=0)
        return {name: float(own.mean()) for name, own in found.items()} | {"all": float(together.mean())}


def find_candidates(view: View, known: Adjacency, count: int) -> Candidates:
    """The best `count` pairs of each source that are not in `known`."""
    sources = walk_sources(known, count)
    if view.embeddings:
        gcn, vgnae = view.embeddings["gcn"], view.embeddings["vgnae"]
        hubs = np.argsort(-np.diff(known.indptr), kind="stable")[:_HUBS]
        sources["hubs"] = top_pairs(gcn, known, count, rows=hubs)
        sources["gcn"] = top_pairs(gcn, known, count)
        sources["vgnae"] = top_pairs(vgnae, known, count)
        sources["direction"] = top_pairs(np.ascontiguousarray(unit_rows(vgnae)), known, count)
    if view.features is not None:
        sources["features"] = top_pairs(view.features.components, known, count)
    codes = np.unique(np.concatenate([pair_codes(own, known.n_nodes) for own in sources.values()]))
    return Candidates(np.stack(np.divmod(codes, known.n_nodes), axis=1).astype(np.int32), sources)


def walk_sources(known: Adjacency, count: int) -> dict[str, Pairs]:
    """Pairs by walks of two and, where that is affordable, of three steps."""
    sources = {"two steps": best_by_two_steps(known, count)}
    three = best_by_three_steps(known, count)
    return sources if three is None else sources | {"three steps": three}


def candidate_count(graph: Graph) -> int:
    """How many pairs each source gives."""
    return min(max(_FEWEST, _PER_EDGE * graph.n_edges), _MOST)
