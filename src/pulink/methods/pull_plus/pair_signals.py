"""One graph, and the signals of pairs on it: rows that trees learn from and read.

Eigenpairs of the adjacency and of its normalised form, embeddings of two encoders and the means of features over
neighbours are worth computing once for all pairs. A fitted model keeps the names of its columns, and its rows hold
exactly these: signals that later versions have besides change nothing for it.
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.pace import paced, portion
from pulink.engine.random import stream_key
from pulink.engine.structure.eigenpairs import Eigenpairs, leading_eigenpairs
from pulink.engine.structure.weighted_walks import weighted_degrees
from pulink.graph.graph import Graph
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.graph.spaces.roles import role_graph
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.learned.encoders import ENCODERS
from pulink.methods.pull_plus.learned.pair_net import PairNetConfig
from pulink.methods.pull_plus.learned.parts import NOTHING_LEARNED, LearnedParts, under
from pulink.methods.pull_plus.quantities.pairs import (
    F32,
    LATEST_RANKING,
    MATRICES,
    RANKINGS,
    RANKS,
    SINGULAR,
    GraphQuantities,
    PairQuantities,
    Pairs,
    adjacency_matrix,
    normalised_adjacency,
)
from pulink.methods.pull_plus.signals import (
    ATTRIBUTES,
    ENCODED,
    FAMILIES,
    PAIR_NET,
    SOURCE_COUNT,
    SPECTRUM,
    STRUCTURE,
    signal_names,
    signals_called,
)
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.fitting.fit_run import State

FEATURES = "features."
_RANKING = "ranking"
# About which share of the time that a graph takes goes into eigenpairs; and signals that take much longer than
# others, in units of those: the first that reads the walks, and PageRank.
_SPECTRA = 0.2
# With more nodes than this, vectors of the largest rank would take gigabytes: the smallest counts for all.
_MOST_OF_ALL_RANKS = 500_000
_TIMES = {"common": 40.0, "pagerank": 160.0}

# The columns, by family, of every model folder that was made before folders kept the names of theirs: such folders
# are read by it, so it must never change, whatever becomes of the signals.
COLUMNS_BEFORE_NAMES_WERE_KEPT = (
    (STRUCTURE, ("degree_low", "degree_high", "common", "adamic_adar", "resource_allocation", "jaccard", "salton",
                 "hub_promoted", "l3", "l3_resource", "l3n", "pagerank")),
    (SPECTRUM, ("adjacency_entry_32", "adjacency_cosine_32", "adjacency_entry_128", "adjacency_cosine_128",
                "normalised_entry_32", "normalised_cosine_32", "normalised_entry_128", "normalised_cosine_128")),
    (ENCODED, ("gcn_dot", "gcn_cosine", "gcn_norm_low", "gcn_norm_high",
               "vgnae_dot", "vgnae_cosine", "vgnae_norm_low", "vgnae_norm_high")),
    (ATTRIBUTES, ("features", "features_plain", "features_shared", "features_around_low", "features_around_high",
                  "components", "components_around", "components_across_low", "components_across_high")),
)  # fmt: skip


@dataclass(frozen=True)
class SignalConfig:
    """How signals are made: the encoders' units, epochs and learning rate, the seed, and the families to use.

    kind, timed, n_nodes  of the graph: some signals are of one kind only, or of small graphs
    """

    n_units: int
    n_epochs: int
    learning_rate: float
    seed: int
    families: tuple[str, ...] = FAMILIES
    kind: str = UNDIRECTED
    timed: bool = False
    net: PairNetConfig | None = None
    n_nodes: int = 0

    @property
    def encoders(self) -> dict[str, type[EpochEmbedding]]:
        return ENCODERS if ENCODED in self.families else {}

    @property
    def pair_net(self) -> PairNetConfig | None:
        """How the network of pairs is trained, where there is one."""
        return self.net if PAIR_NET in self.families else None

    def signal_names(self, features: Attributes | None) -> tuple[str, ...]:
        """Of pairs whose signals are made so."""
        there = {ATTRIBUTES: features is not None, PAIR_NET: self._net_for(features) is not None}
        families = [family for family in self.families if there.get(family, True)]
        return signal_names(families, self.kind, timed=self.timed, n_nodes=self.n_nodes)

    def n_steps(self, features: Attributes | None) -> int:
        """Gradient steps that are taken for one graph."""
        net = self._net_for(features)
        return len(self.encoders) * self.n_epochs + (0 if net is None else net.n_steps)

    def _net_for(self, features: Attributes | None) -> PairNetConfig | None:
        return self.pair_net if features is not None and features.feeds_network else None


class PairSignals:
    """A graph with everything that its pairs' signals need.

    names    of the columns; by default all signals for which everything is there
    ranking  how PageRank is found, by its number among `RANKINGS`
    """

    def __init__(
        self,
        graph: Graph,
        spectra: dict[str, Eigenpairs],
        embeddings: dict[str, F32],
        features: Attributes | None,
        learned: LearnedParts = NOTHING_LEARNED,
        names: tuple[str, ...] | None = None,
        ranking: int = LATEST_RANKING,
    ) -> None:
        self.graph, self.spectra, self.embeddings, self.features = graph, spectra, embeddings, features
        self.learned, self.ranking = learned, ranking
        families = _held(spectra, embeddings, features, learned.pair_net)
        timed = graph.times is not None
        if names is None:
            names = signal_names(families, graph.kind, timed=timed, n_nodes=graph.n_nodes)
        self.names = names
        if {signal.family for signal in signals_called(self.names)} - {STRUCTURE} != {*families}:
            raise ValueError("its signals are not those of its arrays")
        if not {*self.names} <= {*signal_names(FAMILIES, graph.kind, timed=timed)}:
            raise ValueError(f"its signals are not those of a graph that is {graph.kind}")
        if learned.pair_net and not learned.pair_net.reads(None if features is None else features.leading):
            raise ValueError("its network of pairs does not fit its attributes")
        self._of_graph = GraphQuantities(graph, spectra, embeddings, features, learned.pair_net, ranking)

    @classmethod
    def make(
        cls, graph: Graph, features: Attributes | None, config: SignalConfig, learned: LearnedParts | None = None
    ) -> PairSignals:
        """Find eigenpairs, and embed nodes by what was learned.

        features  those of the nodes, prepared
        learned   from a graph without the edges that will be asked about; None: it is learned from this one
        """
        with portion(0.0, _SPECTRA if learned is None else 1.0):
            spectra = _spectra(graph, config.seed) if SPECTRUM in config.families else {}
        if learned is None:
            with portion(_SPECTRA, 1.0):
                learned = LearnedParts.train(graph, features, config)
        embeddings = learned.embeddings(graph, config.n_units)
        kept = features if ATTRIBUTES in config.families else None
        return cls(graph, spectra, embeddings, kept, learned)

    def state(self) -> State:
        """All arrays by name; the graph is kept elsewhere."""
        found: State = {f"embedding.{name}": z for name, z in self.embeddings.items()}
        if self.ranking:
            found[_RANKING] = np.array([self.ranking], dtype=np.int64)
        for name, spectrum in self.spectra.items():
            found |= {f"{name}.values": spectrum.values, f"{name}.vectors": spectrum.vectors}
        if self.features is not None:
            found |= {f"{FEATURES}{name}": array for name, array in self.features.state().items()}
        return found | self.learned.state()

    @classmethod
    def from_state(cls, graph: Graph, state: State, names: tuple[str, ...] | None) -> PairSignals:
        """What `state` gave, on the same graph; ValueError if it cannot be.

        names  of the columns; None: those that every model had before names were kept
        """
        spectra = {
            name: Eigenpairs(state[f"{name}.values"], state[f"{name}.vectors"])
            for name in (*MATRICES, SINGULAR)
            if f"{name}.values" in state
        }
        embeddings = {name: state[f"embedding.{name}"] for name in ENCODERS if f"embedding.{name}" in state}
        n_matrices = len(MATRICES) + graph.is_directed
        if len(embeddings) not in (0, len(ENCODERS)) or len(spectra) not in (0, n_matrices):
            raise ValueError("its arrays are not whole")
        tables = {name: spectrum.vectors for name, spectrum in spectra.items()} | embeddings
        if any(
            table.ndim != 2 or len(table) != graph.n_nodes * (1 + (name == SINGULAR))
            for name, table in tables.items()
        ):
            raise ValueError("its arrays do not fit its graph")
        if any(spectrum.values.shape != spectrum.vectors.shape[1:] for spectrum in spectra.values()):
            raise ValueError("its eigenvalues do not fit its eigenvectors")
        feature_arrays = under(state, FEATURES)
        features = Attributes.from_state(feature_arrays, graph.n_nodes) if feature_arrays else None
        if names is None:
            names = _names_before_they_were_kept(_held(spectra, embeddings, features))
        learned, ranking = LearnedParts.from_state(state), _stored_ranking(state)
        return cls(graph, spectra, embeddings, features, learned, names, ranking)

    def signals(self, pairs: npt.NDArray[np.integer], unread: Container[str] = ()) -> F32:
        """The signals of each pair (k x S), whichever of its nodes comes first.

        unread  columns that are 0 instead: nobody will look at them
        """
        ends: Pairs = np.ascontiguousarray(self.graph.pair_space.ordered(pairs), dtype=np.int64)
        quantities = PairQuantities(self._of_graph, ends)
        # Looked up here: whoever copies a model to another process copies names, not functions.
        found = np.empty((len(ends), len(self.names)), dtype=np.float32)
        columns = signals_called(self.names)
        ends_at = np.cumsum([_TIMES.get(signal.name, 1.0) for signal in columns])
        begin = 0.0
        for place, (signal, end) in enumerate(zip(columns, (ends_at / ends_at[-1]).tolist(), strict=True)):
            with portion(begin, end):
                found[:, place] = 0.0 if signal.name in unread else signal.of_pairs(quantities)
            begin = end
        return found

    def best_by_ease(self, count: int) -> npt.NDArray[np.int32] | None:
        """The best pairs by links of similar nodes; None where there are no sides or it is not affordable."""
        sides = self._of_graph.sides
        return None if sides is None or not sides.has_ease else sides.best_by_ease(count)

    def grouped(self, pairs: npt.NDArray[np.integer]) -> Pairs:
        """An order in which pairs from the same PageRank column stand together: it is the dearest signal."""
        rank = self._of_graph.pagerank
        if rank is None:
            return np.arange(len(pairs))
        place = np.empty(self.graph.n_nodes, dtype=np.int64)
        place[rank.order] = np.arange(self.graph.n_nodes)
        return np.argsort(place[pairs].min(axis=1), kind="stable")


def _stored_ranking(state: State) -> int:
    if _RANKING not in state:
        return 0
    found = state[_RANKING]
    if found.shape != (1,) or found.dtype != np.int64 or not 0 <= int(found[0]) < len(RANKINGS):
        raise ValueError("its PageRank is none that this pulink knows")
    return int(found[0])


def check_encoders(pair_signals: PairSignals, n_fitted: int) -> None:
    """ValueError if the encoders are not those of these signals: a stored model may hold anything."""
    n_columns = n_fitted if pair_signals.graph.features is None else pair_signals.graph.n_features
    for name, z in pair_signals.embeddings.items():
        found = {part: array.shape for part, array in pair_signals.learned.encoders.get(name, {}).items()}
        if found != ENCODERS[name](n_units=z.shape[1]).parameter_shapes(n_columns):
            raise ValueError("its encoders do not fit its graph")


def stored_names(learned: dict[str, Any]) -> tuple[str, ...] | None:
    """The signals of a stored model, by the plain values of its folder; ValueError if they cannot be.

    None if the folder was made before names were kept.
    """
    if "signals" not in learned:
        return None
    names = learned["signals"]
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise ValueError("its signals are no list of names")
    if (twice := next((name for name in names if names.count(name) > 1), None)) is not None:
        raise ValueError(f"it has two signals of the name {twice!r}")
    if names[-1:] != [SOURCE_COUNT]:
        raise ValueError(f"the last of its signals is not {SOURCE_COUNT!r}")
    return tuple(names[:-1])


def _names_before_they_were_kept(families: Container[str]) -> tuple[str, ...]:
    known = COLUMNS_BEFORE_NAMES_WERE_KEPT
    return tuple(
        name for family, columns in known if family == STRUCTURE or family in families for name in columns
    )


def _held(spectra: object, embeddings: object, features: object, pair_net: object = None) -> list[str]:
    """The families for which everything is there, besides structure."""
    parts = {SPECTRUM: spectra, ENCODED: embeddings, ATTRIBUTES: features, PAIR_NET: pair_net}
    return [family for family, part in parts.items() if part]


def spectral_matrices(graph: Graph) -> dict[str, sp.csr_array]:
    """The adjacency A (n x n) and D^-1/2 A D^-1/2; of a directed graph also that between roles (2n x 2n)."""
    plain = graph.without_direction
    matrix, degrees = adjacency_matrix(plain), weighted_degrees(plain.adjacency)
    found = dict(zip(MATRICES, (matrix, normalised_adjacency(matrix, degrees)), strict=True))
    return found | ({SINGULAR: adjacency_matrix(role_graph(graph, linked=False))} if graph.is_directed else {})


def n_eigenpairs(n_nodes: int) -> int:
    """Of each matrix of so many nodes."""
    return max(RANKS) if n_nodes <= _MOST_OF_ALL_RANKS else min(RANKS)


def _spectra(graph: Graph, seed: int) -> dict[str, Eigenpairs]:
    return {
        name: leading_eigenpairs(matrix, n_eigenpairs(graph.n_nodes), stream_key(seed, "eigenpairs", name))
        for name, matrix in paced([*spectral_matrices(graph).items()])
    }
