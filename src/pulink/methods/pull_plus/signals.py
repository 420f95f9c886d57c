"""Every signal of a pair, declared once: a column of what the trees learn from.

To add a signal, add it to `SIGNALS` and write about it in docs/pull-plus.md. Its function gets the pairs of a
batch as `PairQuantities`: what several signals read is computed there, once for a batch and when it is first asked
for, from `GraphQuantities`, which are computed once for a graph.

Edges may have weights, which PageRank and the encoders do not know. A pair that is itself an edge does not see it
in its degrees and short walks, but does in all other signals.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.row_dots import row_dots, unit_rows
from pulink.engine.structure.eigenpairs import Eigenpairs
from pulink.engine.structure.pagerank import PageRank
from pulink.engine.structure.weighted_walks import local_walks, weighted_degrees
from pulink.errors import UnknownNameError
from pulink.graph.graph import Graph
from pulink.methods.pull_plus.attribute_signals import Attributes, Surroundings
from pulink.methods.pull_plus.encoders import ENCODERS

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]
Column: TypeAlias = npt.NDArray[np.floating[Any]]

STRUCTURE, SPECTRUM, ENCODED, ATTRIBUTES = "structure", "spectrum", "encoders", "attributes"
# Families that may be left out; structure is always there.
FAMILIES = (SPECTRUM, ENCODED, ATTRIBUTES)

MATRICES = ("adjacency", "normalised")
RANKS = (32, 128)

# The last column of a model's rows, which candidates add to the signals, and what it is about.
SOURCE_COUNT, NAMED_BY = "sources", "sources that name it"

# What signals are about; those of one subject are told together.
DEGREES, COMMON, THREE_STEPS, PAGERANK = "degrees", "common neighbours", "walks of three steps", "PageRank"
EIGENVECTORS, OF_ENDS, AROUND = "eigenvectors", "attributes", "attributes of the neighbours"

_RESTART, _TOLERANCE = 0.15, 1e-4
# PageRank takes a product with the whole adjacency for each node: beyond so many nodes it is left out.
_MOST_RANKED = 100_000
# What divisors are at least.
_TINY = 1e-12


class GraphQuantities:
    """What the signals of a graph's pairs are computed from, once for all pairs.

    matrix           the adjacency A (n x n), with weights where edges have them; `degrees` its row sums (n)
    squared_lengths  |a_i|² (n); None without weights: they are the degrees
    pagerank         None on graphs that are too large for it
    spectra          eigenpairs by the name of their matrix; embeddings (n x d) by the name of their encoder
    attributes       None on graphs without features
    """

    def __init__(
        self, graph: Graph, spectra: dict[str, Eigenpairs], embeddings: dict[str, F32], features: Attributes | None
    ) -> None:
        self.graph, self.spectra, self.embeddings = graph, spectra, embeddings
        self.matrix = adjacency_matrix(graph)
        self.degrees = weighted_degrees(graph.adjacency)
        weighted = graph.adjacency.values is not None
        self.squared_lengths: F64 | None = (
            np.asarray(self.matrix.power(2).sum(axis=1)).ravel() if weighted else None
        )
        ranked = graph.n_nodes <= _MOST_RANKED
        self.pagerank = PageRank(graph.adjacency, _RESTART, _TOLERANCE) if ranked else None
        steps = sp.csr_array(sp.diags_array(1.0 / np.where(self.degrees > 0, self.degrees, 1.0)) @ self.matrix)
        self.attributes = None if features is None else features.around(steps)


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
        return Walks(*local_walks(self.of_graph.graph.adjacency, self.pairs).T)

    @cached_property
    def edge_weights(self) -> F64:
        """The weight of the edge that a pair is in this graph (k); 0 if it is none."""
        known = self.of_graph.graph.has_edges(self.pairs)
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
        return np.asarray(np.sqrt(np.maximum(self.degree_low * self.degree_high, _TINY)))

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
        return np.asarray(np.sqrt(np.maximum(np.multiply(*self.squared_lengths.T), _TINY)))

    @cached_property
    def pagerank(self) -> F64:
        """Both ways; 0 on graphs that are too large for it."""
        rank = self.of_graph.pagerank
        return np.zeros(len(self.pairs)) if rank is None else rank.pair_scores(self.pairs)

    def spectrum(self, matrix: str) -> F32:
        """Entry and cosine for each of `RANKS` (k x 4)."""
        if matrix not in self._spectra:
            self._spectra[matrix] = self.of_graph.spectra[matrix].pair_signals(self.pairs, RANKS)
        return self._spectra[matrix]

    def embedding_dots(self, encoder: str) -> F32:
        z = self.of_graph.embeddings[encoder]
        return row_dots(z, z, self.pairs)

    def embedding_cosines(self, encoder: str) -> F32:
        unit = unit_rows(self.of_graph.embeddings[encoder])
        return row_dots(unit, unit, self.pairs)

    def embedding_norms(self, encoder: str) -> F32:
        """Of both ends (k x 2)."""
        if encoder not in self._norms:
            norms = np.linalg.norm(self.of_graph.embeddings[encoder], axis=1)
            self._norms[encoder] = norms[self.pairs].astype(np.float32)
        return self._norms[encoder]

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


@dataclass(frozen=True)
class Signal:
    """One column.

    name      what models are stored with: never change it, and never give another signal a name that was used
    family    structure, or what `leave_out` may name: spectrum, encoders, attributes
    subject   what it is about, by which signals are told together; `explanation/signal_words.py` has its words
    of_pairs  its value for each pair of a batch (k)
    """

    name: str
    family: str
    subject: str
    of_pairs: Callable[[PairQuantities], Column]


def _spectral(pairs: PairQuantities, matrix: str, place: int) -> Column:
    return pairs.spectrum(matrix)[:, place]


def _norm_low(pairs: PairQuantities, encoder: str) -> Column:
    return np.asarray(np.minimum(*pairs.embedding_norms(encoder).T))


def _norm_high(pairs: PairQuantities, encoder: str) -> Column:
    return np.asarray(np.maximum(*pairs.embedding_norms(encoder).T))


_ENTRIES = [f"{what}_{rank}" for rank in RANKS for what in ("entry", "cosine")]
_EMBEDDED = {
    "dot": PairQuantities.embedding_dots,
    "cosine": PairQuantities.embedding_cosines,
    "norm_low": _norm_low,
    "norm_high": _norm_high,
}

# In the order of the columns.
SIGNALS: tuple[Signal, ...] = (
    Signal("degree_low", STRUCTURE, DEGREES, lambda p: p.degree_low),
    Signal("degree_high", STRUCTURE, DEGREES, lambda p: p.degree_high),
    Signal("common", STRUCTURE, COMMON, lambda p: p.walks.common),
    Signal("adamic_adar", STRUCTURE, COMMON, lambda p: p.walks.adamic_adar),
    Signal("resource_allocation", STRUCTURE, COMMON, lambda p: p.walks.resource_allocation),
    Signal(
        "jaccard",
        STRUCTURE,
        COMMON,
        lambda p: p.walks.common / np.maximum(np.add(*p.squared_lengths.T) - p.walks.common, _TINY),
    ),
    Signal("salton", STRUCTURE, COMMON, lambda p: p.walks.common / p.length_root),
    Signal(
        "hub_promoted",
        STRUCTURE,
        COMMON,
        lambda p: p.walks.common / np.maximum(np.minimum(*p.squared_lengths.T), _TINY),
    ),
    Signal("l3", STRUCTURE, THREE_STEPS, lambda p: p.walks.l3),
    Signal("l3_resource", STRUCTURE, THREE_STEPS, lambda p: p.walks.l3_resource),
    Signal("l3n", STRUCTURE, THREE_STEPS, lambda p: p.walks.l3_resource / p.degree_root),
    Signal("pagerank", STRUCTURE, PAGERANK, lambda p: p.pagerank),
    *(
        Signal(f"{matrix}_{entry}", SPECTRUM, EIGENVECTORS, partial(_spectral, matrix=matrix, place=place))
        for matrix in MATRICES
        for place, entry in enumerate(_ENTRIES)
    ),
    *(
        Signal(f"{encoder}_{what}", ENCODED, encoder.upper(), partial(take, encoder=encoder))
        for encoder in ENCODERS
        for what, take in _EMBEDDED.items()
    ),
    Signal("features", ATTRIBUTES, OF_ENDS, lambda p: p.attributes.features(p.pairs)),
    Signal("features_plain", ATTRIBUTES, OF_ENDS, lambda p: p.attributes.features_plain(p.pairs)),
    Signal("features_shared", ATTRIBUTES, OF_ENDS, lambda p: p.attributes.words_shared(p.pairs)),
    Signal("features_around_low", ATTRIBUTES, AROUND, lambda p: np.minimum(*p.features_across)),
    Signal("features_around_high", ATTRIBUTES, AROUND, lambda p: np.maximum(*p.features_across)),
    Signal("components", ATTRIBUTES, OF_ENDS, lambda p: p.attributes.components(p.pairs)),
    Signal("components_around", ATTRIBUTES, AROUND, lambda p: p.attributes.components_around(p.pairs)),
    Signal("components_across_low", ATTRIBUTES, AROUND, lambda p: np.minimum(*p.components_across)),
    Signal("components_across_high", ATTRIBUTES, AROUND, lambda p: np.maximum(*p.components_across)),
)


def signal_names(families: Container[str] = FAMILIES) -> tuple[str, ...]:
    """All signals of the structure and of these families, in the order of the columns."""
    return tuple(signal.name for signal in SIGNALS if signal.family == STRUCTURE or signal.family in families)


def signals_called(names: Sequence[str]) -> list[Signal]:
    """The signals of these names, in this order; ValueError for a name that no signal has."""
    known = {signal.name: signal for signal in SIGNALS}
    if (strange := next((name for name in names if name not in known), None)) is not None:
        raise ValueError(f"this pulink does not know the signal {strange!r}")
    return [known[name] for name in names]


def subject_of(column: str) -> str:
    """In plain words, what a column of a model's rows is about."""
    subjects = {signal.name: signal.subject for signal in SIGNALS} | {SOURCE_COUNT: NAMED_BY}
    if column not in subjects:
        raise UnknownNameError("signal", column, subjects)
    return subjects[column]


def adjacency_matrix(graph: Graph) -> sp.csr_array:
    """A (n x n), with weights where edges have them."""
    a = graph.adjacency
    values = np.ones(a.indices.size) if a.values is None else a.values.astype(np.float64)
    return sp.csr_array((values, a.indices, a.indptr), shape=(graph.n_nodes, graph.n_nodes))
