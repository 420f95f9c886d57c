"""One graph, and the signals of pairs on it: what trees learn from.

A view holds what is worth computing once for all pairs: eigenpairs of the adjacency and of its normalised form,
embeddings of two encoders, the means of features over neighbours. Edges may have weights, which PageRank and the
encoders do not know. A pair that is itself an edge does not see it in its degrees and short walks, but does in all
other signals.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.random import stream_key
from pulink.engine.row_dots import row_dots, unit_rows
from pulink.engine.structure.eigenpairs import Eigenpairs, leading_eigenpairs
from pulink.engine.structure.pagerank import PageRank
from pulink.engine.structure.weighted_walks import local_walks, weighted_degrees
from pulink.graph.graph import Graph
from pulink.methods.baselines.autoencoder.vgnae import VGNAE
from pulink.methods.baselines.gnn.gcn_ce import GCNCE
from pulink.methods.pull_plus import attribute_signals
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.predictor import State

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int64]

RANKS = (32, 128)
ENCODERS: dict[str, type[EpochEmbedding]] = {"gcn": GCNCE, "vgnae": VGNAE}

# Families that may be left out; structure is always there.
FAMILIES = ("spectrum", "encoders", "attributes")

_RESTART, _TOLERANCE = 0.15, 1e-4
# PageRank takes a product with the whole adjacency for each node: beyond so many nodes it is left out.
_MOST_RANKED = 100_000

STRUCTURE = (
    "degree_low",
    "degree_high",
    "common",
    "adamic_adar",
    "resource_allocation",
    "jaccard",
    "salton",
    "hub_promoted",
    "l3",
    "l3_resource",
    "l3n",
    "pagerank",
)
SPECTRUM = tuple(
    f"{matrix}_{what}_{rank}"
    for matrix in ("adjacency", "normalised")
    for rank in RANKS
    for what in ("entry", "cosine")
)
EMBEDDINGS = {
    name: tuple(f"{name}_{what}" for what in ("dot", "cosine", "norm_low", "norm_high")) for name in ENCODERS
}


@dataclass(frozen=True)
class SignalConfig:
    """How a view is made: the encoders' units, epochs and learning rate, the seed, and the families to use."""

    n_units: int
    n_epochs: int
    learning_rate: float
    seed: int
    families: tuple[str, ...] = FAMILIES

    @property
    def encoders(self) -> dict[str, type[EpochEmbedding]]:
        return ENCODERS if "encoders" in self.families else {}

    def signal_names(self, features: Attributes | None) -> tuple[str, ...]:
        """Of a view that is made so."""
        return signal_names([own for own in self.families if own != "attributes" or features is not None])

    @property
    def n_steps(self) -> int:
        """Gradient steps that making a view takes."""
        return len(self.encoders) * self.n_epochs


def signal_names(families: Container[str] = FAMILIES) -> tuple[str, ...]:
    """The columns of `PairSignals.signals`, of a graph with features."""
    names = {
        "spectrum": SPECTRUM,
        "encoders": tuple(name for own in EMBEDDINGS.values() for name in own),
        "attributes": attribute_signals.NAMES,
    }
    return (*STRUCTURE, *(name for family, own in names.items() if family in families for name in own))


class PairSignals:
    """A graph with everything that its pairs' signals need."""

    def __init__(
        self,
        graph: Graph,
        spectra: dict[str, Eigenpairs],
        embeddings: dict[str, F32],
        features: Attributes | None,
        encoders: dict[str, State] | None = None,
    ) -> None:
        self.graph, self.spectra, self.embeddings, self.features = graph, spectra, embeddings, features
        self.encoders = encoders or {}
        self._matrix = _matrix(graph)
        self._degrees = weighted_degrees(graph.adjacency)
        weighted = graph.adjacency.values is not None
        self._lengths = np.asarray(self._matrix.power(2).sum(axis=1)).ravel() if weighted else None
        ranked = graph.n_nodes <= _MOST_RANKED
        self._rank = PageRank(graph.adjacency, _RESTART, _TOLERANCE) if ranked else None
        steps = sp.csr_array(sp.diags_array(1.0 / np.where(self._degrees > 0, self._degrees, 1.0)) @ self._matrix)
        self._surroundings = None if features is None else features.around(steps)

    @classmethod
    def make(cls, graph: Graph, features: Attributes | None, config: SignalConfig) -> PairSignals:
        """Find eigenpairs and train encoders; `features` are those of the nodes, prepared."""
        spectra = _spectra(graph, config.seed) if "spectrum" in config.families else {}
        states = {name: _trained(kind, graph, config) for name, kind in config.encoders.items()}
        embeddings = {name: np.ascontiguousarray(state.pop("embeddings")) for name, state in states.items()}
        return cls(graph, spectra, embeddings, features if "attributes" in config.families else None, states)

    @property
    def names(self) -> tuple[str, ...]:
        """The columns of `signals`."""
        parts = {"spectrum": self.spectra, "encoders": self.embeddings, "attributes": self.features}
        return signal_names([family for family, own in parts.items() if own])

    def state(self) -> State:
        """All arrays by name; the graph and the encoders are kept elsewhere."""
        found: State = {f"embedding.{name}": z for name, z in self.embeddings.items()}
        for name, spectrum in self.spectra.items():
            found |= {f"{name}.values": spectrum.values, f"{name}.vectors": spectrum.vectors}
        if self.features is not None:
            found |= {f"features.{name}": array for name, array in self.features.state().items()}
        return found

    @classmethod
    def from_state(cls, graph: Graph, state: State) -> PairSignals:
        """What `state` gave, on the same graph."""
        spectra = {
            name: Eigenpairs(state[f"{name}.values"], state[f"{name}.vectors"])
            for name in ("adjacency", "normalised")
            if f"{name}.values" in state
        }
        embeddings = {name: state[f"embedding.{name}"] for name in ENCODERS if f"embedding.{name}" in state}
        if len(embeddings) not in (0, len(ENCODERS)) or len(spectra) not in (0, 2):
            raise ValueError("its arrays are not whole")
        tables = *embeddings.values(), *(own.vectors for own in spectra.values())
        if any(own.ndim != 2 or len(own) != graph.n_nodes for own in tables):
            raise ValueError("its arrays do not fit its graph")
        if any(own.values.shape != own.vectors.shape[1:] for own in spectra.values()):
            raise ValueError("its eigenvalues do not fit its eigenvectors")
        own = {
            name.removeprefix("features."): array for name, array in state.items() if name.startswith("features.")
        }
        features = Attributes.from_state(own, graph.n_nodes) if own else None
        return cls(graph, spectra, embeddings, features)

    def signals(self, pairs: npt.NDArray[np.integer]) -> F32:
        """The signals of each pair (k x S), whichever of its nodes comes first."""
        ends: Pairs = np.ascontiguousarray(self.graph.pair_space.ordered(pairs), dtype=np.int64)
        found = np.empty((len(ends), len(self.names)), dtype=np.float32)
        done = 0
        for part in self._parts(ends):
            found[:, done : done + part.shape[1]] = part
            done += part.shape[1]
        return found

    def grouped(self, pairs: npt.NDArray[np.integer]) -> Pairs:
        """An order in which pairs from the same PageRank column stand together: it is the dearest signal."""
        if self._rank is None:
            return np.arange(len(pairs))
        place = np.empty(self.graph.n_nodes, dtype=np.int64)
        place[self._rank.order] = np.arange(self.graph.n_nodes)
        return np.argsort(place[pairs].min(axis=1), kind="stable")

    def _parts(self, pairs: Pairs) -> Iterator[npt.NDArray[np.floating]]:
        yield self._structure(pairs)
        for spectrum in self.spectra.values():
            yield spectrum.pair_signals(pairs, RANKS)
        for z in self.embeddings.values():
            yield _embedding_signals(z, pairs)
        if self._surroundings is not None:
            yield self._surroundings.pair_signals(pairs)

    def _structure(self, pairs: Pairs) -> npt.NDArray[np.float64]:
        common, by_log, by_degree, l3, l3_resource = local_walks(self.graph.adjacency, pairs).T
        own = self._own_weights(pairs)[:, None]
        ends = self._degrees[pairs] - own
        low, high = ends.min(axis=1), ends.max(axis=1)
        root = np.sqrt(np.maximum(low * high, 1e-12))
        # Without weights, squared lengths of rows are degrees; with them, they keep Jaccard and Salton within 1.
        lengths = ends if self._lengths is None else np.maximum(self._lengths[pairs] - own**2, 0.0)
        short, total = lengths.min(axis=1), lengths.sum(axis=1)
        product = root if self._lengths is None else np.sqrt(np.maximum(lengths.prod(axis=1), 1e-12))
        return np.stack(
            [
                low,
                high,
                common,
                by_log,
                by_degree,
                common / np.maximum(total - common, 1e-12),
                common / product,
                common / np.maximum(short, 1e-12),
                l3,
                l3_resource,
                l3_resource / root,
                np.zeros(len(pairs)) if self._rank is None else self._rank.pair_scores(pairs),
            ],
            axis=1,
        )

    def _own_weights(self, pairs: Pairs) -> npt.NDArray[np.float64]:
        """The weight of the edge that a pair is in this graph; 0 if it is none."""
        known = self.graph.has_edges(pairs)
        weights = np.zeros(len(pairs))
        if known.any():
            weights[known] = np.asarray(self._matrix[pairs[known, 0], pairs[known, 1]]).ravel()
        return weights


def _embedding_signals(z: F32, pairs: Pairs) -> F32:
    norms = np.linalg.norm(z, axis=1)[pairs].astype(np.float32)
    unit = unit_rows(z)
    return np.stack(
        [row_dots(z, z, pairs), row_dots(unit, unit, pairs), norms.min(axis=1), norms.max(axis=1)], axis=1
    )


def spectral_matrices(graph: Graph) -> dict[str, sp.csr_array]:
    """The adjacency A (n x n) and D^-1/2 A D^-1/2."""
    matrix, degrees = _matrix(graph), weighted_degrees(graph.adjacency)
    scale = sp.diags_array(1.0 / np.sqrt(np.where(degrees > 0, degrees, 1.0)))
    return {"adjacency": matrix, "normalised": sp.csr_array(scale @ matrix @ scale)}


def _spectra(graph: Graph, seed: int) -> dict[str, Eigenpairs]:
    return {
        name: leading_eigenpairs(own, max(RANKS), stream_key(seed, "eigenpairs", name))
        for name, own in spectral_matrices(graph).items()
    }


def _trained(kind: type[EpochEmbedding], graph: Graph, config: SignalConfig) -> State:
    """Embeddings, and the parameters of the encoder that made them."""
    model = kind(n_units=config.n_units, learning_rate=config.learning_rate, seed=config.seed)
    training = model._training(graph)
    training.advance(config.n_epochs)
    return training.snapshot()


def _matrix(graph: Graph) -> sp.csr_array:
    a = graph.adjacency
    values = np.ones(a.indices.size) if a.values is None else a.values.astype(np.float64)
    return sp.csr_array((values, a.indices, a.indptr), shape=(graph.n_nodes, graph.n_nodes))
