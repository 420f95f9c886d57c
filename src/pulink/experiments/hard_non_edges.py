"""Hard non-edges: for each test edge, pairs of its ends that heuristics take for links.

The rule is that of HeaRT (Li et al., NeurIPS 2023). Of the m non-edges of an edge (a, b), one half keep a and
replace b, the others keep b and replace a. The nodes v that replace are the best for the end u that stays, by

    RA       Σ_w 1 / d_w                 over the common neighbours w of u and v in the training graph
    PPR      p_u[v]                      personalised PageRank in it, restart 0.15
    cosine   x_u·x_v / (|x_u| |x_v|)     where nodes have features

Each heuristic gives places to the candidates that it scores above zero. The best have the first; any other stands
behind all that are not worse but the best, so that equals share the last place of theirs. Those that it scores
zero share the place behind all others. A candidate's place is the least that any heuristic gives it. So does the
authors' program. As few nodes share neighbours with u, many candidates are then equal, and chance decides between
them, here by the seed.

Two departures. No non-edge is an edge of the whole graph, where theirs may be another test edge. And their program
overwrites the cosines of a node by its places, so that its second test edge gets the least similar nodes.

Nothing here depends on the other end: a node's half is the same for all of its test edges.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.random import random_words, stream_key
from pulink.engine.structure.pagerank import PageRank
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.split import Split
from pulink.predictor.predictor import LinkPredictor

F64 = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

_RESTART, _TOLERANCE = 0.15, 1e-6
# Rows of scores that are held at once, and pairs that are scored at once.
_ROWS, _PAIRS = 64, 200_000


@dataclass(frozen=True)
class HardNonEdges:
    """Hard non-edges of a split.

    nodes    the ends of test edges, each once
    others   of each of them the nodes that replace its partners (n x m/2)
    places   of each test edge the places of its two ends in `nodes` (k x 2)
    """

    nodes: Longs
    others: Longs
    places: Longs

    @property
    def pairs(self) -> Longs:
        """All of them by the end that stays (n m/2 x 2)."""
        kept = np.repeat(self.nodes, self.others.shape[1])
        return np.stack([kept, self.others.ravel()], axis=1)

    def scores(self, model: LinkPredictor) -> npt.NDArray[np.floating]:
        """Of each test edge those of its non-edges (k x m)."""
        pairs = self.pairs
        parts = [model.decision_function(pairs[i : i + _PAIRS]) for i in range(0, len(pairs), _PAIRS)]
        by_node = np.concatenate(parts).reshape(self.others.shape)
        return by_node[self.places].reshape(len(self.places), -1)


def hard_non_edges(data: Split, count: int, seed: int) -> HardNonEdges:
    """`count` hard non-edges for each test edge; count is even."""
    nodes, places = np.unique(data.test_edges.astype(np.int64), return_inverse=True)
    others = np.empty((len(nodes), count // 2), dtype=np.int64)
    whole = data.train.pair_space.adjacency(
        data.train.pair_space.unique(np.concatenate([data.train.edges, data.hidden_edges]))
    )
    for row, (node, scores) in enumerate(zip(nodes.tolist(), _heuristics(data.train, nodes), strict=True)):
        is_free = np.ones(data.train.n_nodes, dtype=np.bool_)
        is_free[node] = False
        is_free[whole.indices[whole.indptr[node] : whole.indptr[node + 1]]] = False
        candidates = np.flatnonzero(is_free)
        if len(candidates) < count // 2:
            raise InputError(
                f"{count // 2} hard non-edges are needed at each end of a test edge, but node {node} has "
                f"only {len(candidates)} unconnected pairs"
            )
        places_here = least_places([own[candidates] for own in scores])
        others[row] = candidates[_first(places_here, count // 2, stream_key(seed, "hard non-edges", node))]
    return HardNonEdges(nodes, others, places.reshape(-1, 2).astype(np.int64))


def least_places(scores: list[F64]) -> Longs:
    """The least of each candidate's places by the heuristics, from 1."""
    ranked = [np.sort(own[own > 0]) for own in scores]
    # How many are worse than the best, which with those beside it has the first place.
    worse = [int(np.searchsorted(own, own[-1])) if len(own) else -1 for own in ranked]
    # Nobody stands behind those that a heuristic scores zero: further places need not be looked up.
    last = min(worse) + 2
    places = np.full(len(scores[0]), last, dtype=np.int64)
    for own, row, n_worse in zip(scores, ranked, worse, strict=True):
        ahead = np.flatnonzero(own > (row[n_worse + 1 - last] if n_worse + 1 >= last else 0.0))
        places[ahead] = np.minimum(places[ahead], 1 + n_worse - np.searchsorted(row, own[ahead]))
    return places


def _first(places: Longs, count: int, key: np.uint64) -> Longs:
    """The candidates in the first places, so many; chance decides between those that share the last of these."""
    bound = np.partition(places, count - 1)[count - 1]
    ahead, tied = np.flatnonzero(places < bound), np.flatnonzero(places == bound)
    n_drawn = count - len(ahead)
    drawn = np.argpartition(random_words(key, len(tied)), n_drawn - 1)[:n_drawn]
    return np.concatenate([ahead, tied[np.sort(drawn)]])


def _heuristics(graph: Graph, nodes: Longs) -> Iterator[list[F64]]:
    """Of each node its rows of scores with all nodes, one for each heuristic."""
    links = graph.adjacency
    ones = np.ones(len(links.indices), dtype=np.float64)
    joined = sp.csr_array((ones, links.indices, links.indptr), shape=(graph.n_nodes, graph.n_nodes))
    shared = sp.diags_array(1 / np.maximum(graph.degrees, 1)) @ joined
    rank = PageRank(links, _RESTART, _TOLERANCE)
    features = _unit_rows(graph)
    for start in range(0, len(nodes), _ROWS):
        block = nodes[start : start + _ROWS]
        pagerank = rank.vectors(block)
        # Below its tolerance a score is chance.
        pagerank[pagerank <= _TOLERANCE] = 0.0
        rows = [(joined[block] @ shared).toarray(), pagerank]
        if features is not None:
            rows.append((features[block] @ features.T).toarray())
        yield from (list(own) for own in zip(*rows, strict=True))


def _unit_rows(graph: Graph) -> sp.csr_array | None:
    if graph.features is None:
        return None
    rows = sp.csr_array(graph.features, dtype=np.float64)
    lengths = np.sqrt(np.asarray(rows.multiply(rows).sum(axis=1)).ravel())
    return sp.csr_array(sp.diags_array(1 / np.where(lengths > 0, lengths, 1.0)) @ rows)
