"""The E-step: the expected graph, and its approximation by K confident pairs.

Equation 4: the expected adjacency of an unconnected pair is its linking probability,
    A_ij = φ_ij(z_ij = 1) = 1 if (i, j) is observed, σ(h_i · h_j) otherwise.
Approximation: all observed edges, and the most probable candidates until K pairs are in.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.pair_loss import pair_logits
from pulink.engine.search.top_by_embedding import top_by_embedding
from pulink.graph.edge_rows import Cleaning, merged_edges
from pulink.graph.graph import Graph, frozen

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]

CANDIDATES = ("hubs", "all")
SELECTIONS = ("top", "sample")

# A weight of zero is no edge; σ underflows to it below a logit of −103.
_LEAST_WEIGHT = np.float32(1e-30)


@dataclass(frozen=True)
class ExpectedGraph:
    """The observed edges, and the added pairs with their probabilities.

    added   k x 2, each pair once
    probs   k, σ of the logit
    counts  k: 2 where both cells (i, j) and (j, i) of a pair of hubs were selected, else 1
    """

    observed: Graph
    added: Pairs
    probs: F32
    counts: F32

    @property
    def n_cells(self) -> int:
        """How many cells were selected: K less the observed edges."""
        return int(self.counts.sum())

    @cached_property
    def pairs(self) -> Pairs:
        """Observed edges, then added pairs."""
        return np.concatenate([self.observed.edges, self.added])

    @cached_property
    def targets(self) -> F32:
        """Labels of `pairs`: 1 where observed, the probability where added (equation 5)."""
        return np.concatenate([np.ones(self.observed.n_edges, dtype=np.float32), self.probs])

    @cached_property
    def entry_counts(self) -> F32:
        """How many entries of the two-way edge list each of `pairs` stands for."""
        return 2 * np.concatenate([np.ones(self.observed.n_edges, dtype=np.float32), self.counts])

    @cached_property
    def adjacency(self) -> Adjacency:
        """Weighted, both orientations: what is propagated over."""
        return self._weighted(self.counts)

    def graph(self) -> Graph:
        """As a weighted Graph, each added pair once with its probability as weight."""
        if not len(self.added):
            return self.observed
        pairs, weights = self._sorted(np.ones_like(self.counts))
        return Graph(
            edges=frozen(pairs),
            n_nodes=self.observed.n_nodes,
            weights=frozen(weights),
            names=self.observed.names,
            space=self.observed.space,
            ends=self.observed.ends,
        )

    def _weighted(self, counts: F32) -> Adjacency:
        if not len(self.added):
            return self.observed.adjacency
        pairs, weights = self._sorted(counts)
        return self.observed.pair_space.adjacency(pairs, weights)

    def _sorted(self, counts: F32) -> tuple[Pairs, F32]:
        observed = self.observed.weights
        if observed is None:
            observed = np.ones(self.observed.n_edges, dtype=np.float32)
        # On a weighted graph a certain pair weighs as much as the average observed edge.
        added = np.maximum(self.probs * counts * observed.mean(), _LEAST_WEIGHT).astype(np.float32)
        order = np.argsort(self.observed.pair_space.codes(self.pairs), kind="stable")
        return self.pairs[order], np.concatenate([observed, added])[order]


def unchanged(observed: Graph) -> ExpectedGraph:
    """The expected graph of the first iteration: the observed one."""
    none = np.empty(0, dtype=np.float32)
    return ExpectedGraph(observed, np.empty((0, 2), dtype=np.int32), none, none)


def with_new_nodes(expected: Graph, observed: Graph) -> Graph:
    """An expected graph with the nodes and edges that were appended to the observed one."""
    is_new = (observed.edges >= expected.n_nodes).any(axis=1)
    edges = np.concatenate([expected.edges, observed.edges[is_new]])
    values = None
    if expected.weights is not None:
        values = np.concatenate([expected.weights, _all_weights(observed)[is_new]])
    kept, weights, _, _ = merged_edges(observed.pair_space, edges, values)
    return replace(
        observed,
        edges=frozen(kept),
        weights=None if weights is None else frozen(weights),
        features=None,
        feature_names=None,
        feature_recipe=None,
        absent=None,
        times=None,
        accepted=None,
        cleaning=Cleaning(n_rows=len(kept)),
    )


def _all_weights(graph: Graph) -> F32:
    return np.ones(graph.n_edges, dtype=np.float32) if graph.weights is None else graph.weights


def n_added_pairs(n_edges: int, growth: float, iteration: int) -> int:
    """K − |E_P| in iteration t: r · (t − 1) · |E_P|, floored as over a two-way edge list."""
    return math.floor(math.floor(growth * (iteration - 1) * 2 * n_edges + 1e-9) / 2)


def expect(
    observed: Graph,
    embeddings: F32,
    n_added: int,
    *,
    candidates: str,
    n_hubs: int,
    hub_pairs_twice: bool,
    sample_key: np.uint64 | None,
) -> ExpectedGraph:
    """Select `n_added` unconnected pairs by their logits h_i · h_j and weigh them by σ; none that is known absent.

    candidates  "hubs": pairs with an end among the `n_hubs` largest degrees; "all": every unconnected pair
    sample_key  draw pairs with probabilities in proportion to σ instead of taking the largest
    """
    rows = None
    if candidates == "hubs":
        rows = np.argsort(-observed.degrees, kind="stable")[:n_hubs]
    cells = top_by_embedding(
        embeddings,
        observed.known_pairs,
        n_added,
        rows=rows,
        ordered=candidates == "hubs" and hub_pairs_twice and observed.space is None,
        noise=sample_key,
    )
    codes, counts = np.unique(observed.pair_space.codes(cells), return_counts=True)
    added = observed.pair_space.pairs_of(codes)
    probs = expit(pair_logits(embeddings, added)).astype(np.float32)
    return ExpectedGraph(observed, added, probs, counts.astype(np.float32))
