"""What the signals of a batch of pairs are computed from, and what that is computed from for the whole graph."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.adjacency import Adjacency
from pulink.engine.row_dots import row_dots, unit_rows
from pulink.engine.structure.eigenpairs import Eigenpairs
from pulink.engine.structure.pagerank import PageRank
from pulink.engine.structure.pushed_pagerank import PushedPageRank
from pulink.engine.structure.regression.linear_optimisation import linear_optimisation
from pulink.engine.structure.weighted_walks import local_walks, weighted_degrees
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED
from pulink.graph.spaces.roles import roles
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.methods.pull_plus.attribute_signals import Attributes, Surroundings
from pulink.methods.pull_plus.learned.pair_net import PairNet
from pulink.methods.pull_plus.quantities.dense_walks import DenseWalks
from pulink.methods.pull_plus.quantities.directed import DirectedQuantities, TwoSteps
from pulink.methods.pull_plus.quantities.timed import TimeQuantities
from pulink.methods.pull_plus.quantities.two_sided import TwoSidedQuantities

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]

MATRICES = ADJACENCY, NORMALISED = "adjacency", "normalised"
# Of directed graphs: the adjacency between roles of nodes, whose eigenvectors are singular vectors.
SINGULAR = "singular"
RANKS = (32, 128)

# Walks of two steps between source i and target j: whether the row of i, and that of j, is who leads to it.
TWO_STEPS = {
    "through": (False, True),
    "back": (True, False),
    "common_targets": (False, False),
    "common_sources": (True, True),
}

# What divisors are at least.
TINY = 1e-12

_RESTART = 0.15


@dataclass(frozen=True)
class Ranking:
    """How PageRank of pairs is found.

    tolerance  of whole columns, on graphs of at most `most_nodes` nodes: they take products with all edges. Edges
               do not count, lest graphs without some of their edges be ranked in another way
    pushes     whether it is pushed from both ends on larger graphs; else it is 0 there
    fine_nodes  up to so many nodes without attributes, the tolerance is that of the first ranking: far from each
                other, they have little else in common
    """

    tolerance: float
    most_nodes: int
    pushes: bool
    fine_nodes: int = 0

    def of(self, adjacency: Adjacency, with_attributes: bool) -> PageRank | PushedPageRank | None:
        if adjacency.n_nodes > self.most_nodes:
            return PushedPageRank(adjacency, _RESTART) if self.pushes else None
        is_fine = not with_attributes and adjacency.n_nodes <= self.fine_nodes
        return PageRank(adjacency, _RESTART, RANKINGS[0].tolerance if is_fine else self.tolerance)


# By the numbers that models keep, never to be changed: trees read values as they were when they were grown.
# Models without a number have the first. On four graphs ranks by the second tolerance correlate by 0.9994 with
# those by the first (Spearman); on Power, whose nodes are many steps apart, AUROC fell from 0.905 to 0.893.
RANKINGS = (
    Ranking(1e-4, 100_000, False),
    Ranking(3e-3, 40_000, True),
    Ranking(3e-3, 40_000, True, fine_nodes=10_000),
)
LATEST_RANKING = len(RANKINGS) - 1
# Linear optimisation grows with the cube of the nodes, everything else with edges: beyond so many nodes it is left
# out below this mean degree. On Power (4,941 nodes, degree 2.7) it took 6.6 s a graph, and was given no weight.
_ALWAYS_SOLVED, _FEWEST_LINKS = 2_000, 20


class GraphQuantities:
    """What the signals of a graph's pairs are computed from, once for all pairs.

    matrix           the adjacency A (n x n), with weights where edges have them; `degrees` its row sums (n)
    squared_lengths  |a_i|² (n); None without weights: they are the degrees
    pagerank         None on graphs that are too large for the ranking of their model
    spectra          eigenpairs by the name of their matrix; embeddings (n x d) by the name of their encoder
    attributes       None on graphs without features
    plain            the graph without directions, of which all of this is
    directed, sides, times
                     what signals of directed, of two-sided and of timed graphs need; None elsewhere
    """

    def __init__(
        self,
        graph: Graph,
        spectra: dict[str, Eigenpairs],
        embeddings: dict[str, F32],
        features: Attributes | None,
        pair_net: PairNet | None = None,
        ranking: int = LATEST_RANKING,
    ) -> None:
        self.spectra, self.embeddings = spectra, embeddings
        self.pair_net, self._leading = pair_net, None if features is None else features.leading
        self.directed = DirectedQuantities(graph) if graph.is_directed else None
        self.sides = TwoSidedQuantities(graph) if graph.kind in (DIRECTED, BIPARTITE) else None
        self.times = None if graph.times is None else TimeQuantities(graph)
        self.space = graph.pair_space
        self.plain = graph = graph.without_direction
        self.matrix = adjacency_matrix(graph)
        self.degrees = weighted_degrees(graph.adjacency)
        weighted = graph.adjacency.values is not None
        self.squared_lengths: F64 | None = (
            np.asarray(self.matrix.power(2).sum(axis=1)).ravel() if weighted else None
        )
        self.pagerank = RANKINGS[ranking].of(graph.adjacency, features is not None)
        steps = sp.csr_array(sp.diags_array(1.0 / np.where(self.degrees > 0, self.degrees, 1.0)) @ self.matrix)
        self.attributes = None if features is None else features.around(steps)
        self.components = None if features is None else features.components

    @cached_property
    def net_vectors(self) -> F32:
        """What the network of pairs reads of each node on this graph (n x units)."""
        assert self.pair_net is not None and self._leading is not None
        return self.pair_net.vectors(self.plain, self._leading)

    @cached_property
    def unit_embeddings(self) -> dict[str, F32]:
        """Of length 1, by encoder."""
        return {name: unit_rows(z) for name, z in self.embeddings.items()}

    @cached_property
    def embedding_norms(self) -> dict[str, F32]:
        """Lengths (n), by encoder."""
        return {name: np.linalg.norm(z, axis=1).astype(np.float32) for name, z in self.embeddings.items()}

    @cached_property
    def linear_optimisation(self) -> F32 | None:
        """Scores of all pairs (n x n); None where nodes are many and edges few."""
        n_nodes, n_entries = self.matrix.shape[0], self.matrix.nnz
        if n_nodes > _ALWAYS_SOLVED and n_entries < _FEWEST_LINKS * n_nodes:
            return None
        return linear_optimisation(self.matrix)

    @cached_property
    def dense_walks(self) -> DenseWalks:
        return DenseWalks(normalised_adjacency(self.matrix, self.degrees))

    @cached_property
    def role_components(self) -> tuple[F32, F32]:
        """Mean components of whom each node leads to, and of who leads to it (n x 64 each), of length 1."""
        assert self.directed is not None and self.components is not None
        matrix = self.directed.matrix
        forth, back = (some @ self.components for some in (matrix, matrix.T))
        return unit_rows(np.ascontiguousarray(forth, np.float32)), unit_rows(
            np.ascontiguousarray(back, np.float32)
        )


class Walks(NamedTuple):
    """Sums over the walks between the ends of each pair (k each): over two steps, and over three."""

    common: F64
    adamic_adar: F64
    resource_allocation: F64
    l3: F64
    l3_resource: F64


class PairQuantities:
    """What the signals of a batch of pairs (k x 2, ordered as in their pair space) are computed from."""

    def __init__(self, of_graph: GraphQuantities, pairs: Pairs) -> None:
        self.of_graph, self.pairs = of_graph, pairs
        self._spectra: dict[str, F32] = {}
        self._norms: dict[str, F32] = {}

    @cached_property
    def walks(self) -> Walks:
        return Walks(*local_walks(self.of_graph.plain.adjacency, self.pairs).T)

    @cached_property
    def edge_weights(self) -> F64:
        """The weight of the edge that a pair is in this graph (k); 0 if it is none."""
        known = self.of_graph.plain.has_edges(self.pairs)
        weights = np.zeros(len(self.pairs))
        if known.any():
            ends = self.pairs[known]
            weights[known] = np.asarray(self.of_graph.matrix[ends[:, 0], ends[:, 1]]).ravel()
        return weights

    @cached_property
    def degrees(self) -> F64:
        """Of both ends, without their own edge (k x 2)."""
        return np.asarray(self.of_graph.degrees[self.pairs] - self.edge_weights[:, None])

    @cached_property
    def degree_low(self) -> F64:
        return np.asarray(np.minimum(*self.degrees.T))

    @cached_property
    def degree_high(self) -> F64:
        return np.asarray(np.maximum(*self.degrees.T))

    @cached_property
    def degree_root(self) -> F64:
        """√(d_i d_j)."""
        return np.asarray(np.sqrt(np.maximum(self.degree_low * self.degree_high, TINY)))

    @cached_property
    def squared_lengths(self) -> F64:
        """Of both rows of the adjacency, without their own edge (k x 2); they keep Jaccard and Salton within 1."""
        lengths = self.of_graph.squared_lengths
        if lengths is None:
            return self.degrees
        return np.maximum(lengths[self.pairs] - self.edge_weights[:, None] ** 2, 0.0)

    @cached_property
    def length_root(self) -> F64:
        """|a_i| |a_j|."""
        if self.of_graph.squared_lengths is None:
            return self.degree_root
        return np.asarray(np.sqrt(np.maximum(np.multiply(*self.squared_lengths.T), TINY)))

    @cached_property
    def pagerank(self) -> F64:
        """Both ways; 0 where there is none."""
        rank = self.of_graph.pagerank
        return np.zeros(len(self.pairs)) if rank is None else rank.pair_scores(self.pairs)

    def spectrum(self, matrix: str) -> F32:
        """Entry and cosine for each of `RANKS` (k x 4)."""
        if matrix not in self._spectra:
            ends = roles(self.pairs).astype(np.int64) if matrix == SINGULAR else self.pairs
            self._spectra[matrix] = self.of_graph.spectra[matrix].pair_signals(ends, RANKS)
        return self._spectra[matrix]

    @cached_property
    def linear_optimisation(self) -> F32:
        """0 where it is not affordable."""
        scores = self.of_graph.linear_optimisation
        if scores is None:
            return np.zeros(len(self.pairs), dtype=np.float32)
        return scores[self.pairs[:, 0], self.pairs[:, 1]]

    @cached_property
    def directed(self) -> DirectedQuantities:
        assert self.of_graph.directed is not None
        return self.of_graph.directed

    @cached_property
    def sides(self) -> TwoSidedQuantities:
        assert self.of_graph.sides is not None
        return self.of_graph.sides

    @cached_property
    def times(self) -> TimeQuantities:
        assert self.of_graph.times is not None
        return self.of_graph.times

    @cached_property
    def types(self) -> F64:
        """Of both ends, as numbers (k x 2)."""
        space = self.of_graph.space
        assert isinstance(space, TypedPairs)
        return space.types[self.pairs].astype(np.float64)

    @cached_property
    def role_degrees(self) -> tuple[F64, F64, F64, F64]:
        """Links from the source, to it, from the target and to it."""
        return self.directed.degrees(self.pairs)

    @cached_property
    def role_components(self) -> tuple[F32, F32]:
        """ȳ_i·y_j over whom i leads to, and y_i·ȳ_j over who leads to j."""
        forth, back = self.of_graph.role_components
        own = self.of_graph.components
        assert own is not None
        return row_dots(forth, own, self.pairs), row_dots(own, back, self.pairs)

    @cached_property
    def _back(self) -> PairQuantities:
        """The same of the reversed pairs."""
        return PairQuantities(self.of_graph, np.ascontiguousarray(self.pairs[:, ::-1]))

    @cached_property
    def turned(self) -> dict[str, F64]:
        """By how much i -> j stands above j -> i."""
        back, degrees = self._back, self.role_degrees
        over = [np.sqrt(np.maximum(degrees[a] * degrees[b], 1.0)) for a, b in ((0, 3), (2, 1))]
        walks = self.three_steps[1] / over[0] - back.three_steps[1] / over[1]
        both = [self.sides.ease(self.pairs, number) - self.sides.ease(back.pairs, number) for number in (2, 3)]
        return {"l3": walks, "ease": both[0] + both[1]}

    @cached_property
    def turned_singular(self) -> F64:
        """By how much the entry of i -> j of rank 32 stands above that of j -> i."""
        there, back = self.spectrum(SINGULAR), self._back.spectrum(SINGULAR)
        return np.asarray(there[:, 0] - back[:, 0], dtype=np.float64)

    @cached_property
    def two_steps(self) -> dict[str, TwoSteps]:
        """By the ways of `TWO_STEPS`."""
        return {name: self.directed.two_steps(self.pairs, *ways) for name, ways in TWO_STEPS.items()}

    @cached_property
    def three_steps(self) -> tuple[F64, F64]:
        """Along the direction, whole and over degrees."""
        return self.directed.three_steps(self.pairs)

    def embedding_dots(self, encoder: str) -> F32:
        z = self.of_graph.embeddings[encoder]
        return row_dots(z, z, self.pairs)

    def embedding_cosines(self, encoder: str) -> F32:
        unit = self.of_graph.unit_embeddings[encoder]
        return row_dots(unit, unit, self.pairs)

    def embedding_norms(self, encoder: str) -> F32:
        """Of both ends (k x 2)."""
        if encoder not in self._norms:
            self._norms[encoder] = self.of_graph.embedding_norms[encoder][self.pairs]
        return self._norms[encoder]

    @cached_property
    def pair_net(self) -> F32:
        """The network's logits."""
        net = self.of_graph.pair_net
        assert net is not None
        return net.logits(self.of_graph.net_vectors, self.pairs)

    @cached_property
    def attributes(self) -> Surroundings:
        assert self.of_graph.attributes is not None
        return self.of_graph.attributes

    @cached_property
    def features_across(self) -> tuple[F32, F32]:
        return self.attributes.features_across(self.pairs)

    @cached_property
    def components_across(self) -> tuple[F32, F32]:
        return self.attributes.components_across(self.pairs)


def adjacency_matrix(graph: Graph) -> sp.csr_array:
    """A (n x n), with weights where edges have them."""
    a = graph.adjacency
    values = np.ones(a.indices.size) if a.values is None else a.values.astype(np.float64)
    return sp.csr_array((values, a.indices, a.indptr), shape=(graph.n_nodes, graph.n_nodes))


def normalised_adjacency(matrix: sp.csr_array, degrees: F64) -> sp.csr_array:
    """D^-1/2 A D^-1/2 (n x n)."""
    scale = sp.diags_array(1.0 / np.sqrt(np.where(degrees > 0, degrees, 1.0)))
    return sp.csr_array(scale @ matrix @ scale)
