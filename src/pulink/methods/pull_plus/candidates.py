"""Unconnected pairs worth the trees' time: the best by several cheap scores, each good where others are blind.

two steps     resource allocation, exactly over all pairs that share a neighbour
three steps   walks over degrees, exactly over all pairs; where nodes times edges exceed 10^10, those that walks
              past the largest hubs find
hubs          pairs with one of the largest degrees, by the GCN's inner product, or by the spectrum's, exactly
spectrum      entries of the adjacency's best approximation by eigenpairs of positive value
vgnae         inner products of its embeddings
direction     cosines of the VGNAE's embeddings, for nodes of few edges, where they have no attributes
surroundings  cosines of the attributes' components of each node and of those within two steps of it
features      cosines of the attributes' components

The last five are exact over all pairs of up to `_EXACT_NODES` nodes. Beyond, pairs are searched where vectors are
near each other, which finds most of the best, but not all (`near_by_embedding`).
"""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.distributed.ahead import begin
from pulink.distributed.task import Task
from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.pace import paced, portion
from pulink.engine.row_dots import unit_rows
from pulink.engine.search.near_by_embedding import n_near_cells, near_by_embedding
from pulink.engine.search.top_by_embedding import top_by_embedding
from pulink.graph.graph import Edges, Graph
from pulink.graph.pair_space import PairSpace
from pulink.graph.spaces.kinds import BIPARTITE
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.learned.pair_net import N_HOPS, around
from pulink.methods.pull_plus.learned.parts import LearnedParts
from pulink.methods.pull_plus.pair_signals import PairSignals, SignalConfig, check_encoders
from pulink.methods.pull_plus.quantities.pairs import ADJACENCY
from pulink.methods.pull_plus.signals import ATTRIBUTES, ENCODED, SOURCE_COUNT, SPECTRUM
from pulink.methods.pull_plus.work import Work, packed_parts, unpacked_parts
from pulink.persistence.checkpoints import Checkpoint, FitCheckpoints
from pulink.persistence.checks import finite, require_finite
from pulink.predictor.fitting.fit_run import FitRun, State, Validation
from pulink.predictor.walk_candidates import best_by_three_steps, best_by_two_steps

Pairs = npt.NDArray[np.int32]
F32 = npt.NDArray[np.float32]

SOURCES = ("two steps", "three steps", "hubs", "spectrum", "vgnae", "direction", "surroundings", "features")
# Sources that one graph has at most: directions are for nodes without attributes.
_MOST_SOURCES = 7
# Of directed graphs, and of those whose pairs have two sides.
REVERSES, BY_EASE = "reverses", "ease"

_STATE = "candidates."
# Validation edges among the arrays of a piece.
_HIDDEN = "hidden"
_HUBS = 100
_FEWEST = 30_000
_PER_EDGE = 2
_MOST = 1_000_000
# Scoring all pairs takes time in proportion to the square of the nodes.
_EXACT_NODES = 100_000
# Where the cuts of a search that is not exact come from: the same for all seeds.
_CUTS = 0
# Pairs whose signals are taken at a time.
_CHUNK = 1 << 18
# About which share of the time is over: of a search after walks, of walks after those of two steps, and of looking
# at a graph once candidates are searched.
_BY_WALKS, _BY_TWO_STEPS, _MADE = 0.4, 0.2, 0.5


@dataclass(frozen=True)
class Candidates:
    """Pairs as codes (ascending, none twice), by how many sources each was given, and the names of the sources."""

    codes: npt.NDArray[np.int64]
    counts: npt.NDArray[np.int8]
    names: tuple[str, ...]
    space: PairSpace

    def __post_init__(self) -> None:
        """ValueError if these are no pairs: a stored model may hold anything."""
        if self.codes.ndim != 1 or self.codes.shape != self.counts.shape or self.codes.dtype != np.int64:
            raise ValueError("its candidates are not whole")
        if (np.diff(self.codes) <= 0).any() or not self.space.are_codes(self.codes).all():
            raise ValueError("its candidates are no pairs of its nodes")

    @classmethod
    def of(cls, sources: dict[str, Pairs], space: PairSpace) -> Candidates:
        """The union of what the sources gave."""
        found = [space.codes(pairs) for pairs in sources.values()]
        codes, counts = np.unique(np.concatenate(found), return_counts=True)
        return cls(codes.astype(np.int64), counts.astype(np.int8), tuple(sources), space)

    def state(self) -> State:
        """Its arrays by name."""
        return {f"{_STATE}codes": self.codes, f"{_STATE}counts": self.counts}

    @classmethod
    def from_state(cls, state: State, names: list[str], space: PairSpace) -> Candidates:
        """What `state` gave, of sources that are called so."""
        return cls(state[f"{_STATE}codes"], state[f"{_STATE}counts"], tuple(map(str, names)), space)

    @property
    def pairs(self) -> Pairs:
        """k x 2, ordered and sorted as in their space."""
        return self.space.pairs_of(self.codes)

    def unconnected(self, graph: Graph) -> Candidates:
        """Those that are no edges of a graph."""
        free = ~graph.has_edges(self.pairs)
        return replace(self, codes=self.codes[free], counts=self.counts[free])

    def sources_of(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.int8]:
        """By how many sources each pair was given (k); 0 for pairs that are no candidates."""
        wanted = self.space.codes(pairs)
        if not len(self.codes):
            return np.zeros(len(wanted), np.int8)
        places = np.minimum(np.searchsorted(self.codes, wanted), len(self.codes) - 1)
        return np.where(self.codes[places] == wanted, self.counts[places], 0).astype(np.int8)

    def rows(
        self, pair_signals: PairSignals, pairs: npt.NDArray[np.integer], unread: Container[str] = ()
    ) -> npt.NDArray[np.float32]:
        """The signals of pairs, and as a last one the number of their sources (k x S + 1).

        unread  columns that are 0 instead
        """
        found = np.empty((len(pairs), len(pair_signals.names) + 1), dtype=np.float32)
        order = np.arange(len(pairs)) if len(pairs) <= _CHUNK else pair_signals.grouped(pairs)
        for start in paced(range(0, len(pairs), _CHUNK)):
            part = order[start : start + _CHUNK]
            found[part, :-1] = pair_signals.signals(pairs[part], unread)
        found[:, -1] = self.sources_of(pairs)
        return found


def recall(sources: dict[str, Pairs], hidden: Edges, space: PairSpace) -> dict[str, float]:
    """By source, and in all, the share of these hidden edges that is found."""
    found = {name: space.isin(hidden, pairs) for name, pairs in sources.items()}
    together = np.any(list(found.values()), axis=0)
    return {name: float(is_found.mean()) for name, is_found in found.items()} | {"all": float(together.mean())}


def find_candidates(pair_signals: PairSignals, count: int) -> dict[str, Pairs]:
    """By source, its best `count` unconnected pairs; of a directed graph in both directions, with reverses."""
    graph = pair_signals.graph
    known = graph.without_direction.adjacency
    with portion(0.0, _BY_WALKS):
        sources = walk_sources(known, count)
    with portion(_BY_WALKS, 1.0):
        for name, (vectors, rows) in paced([*_searched(pair_signals, known).items()]):
            sources[name] = _by_vectors(vectors, known, count, rows)
    if graph.is_directed:
        sources = {name: _both_ways(pairs) for name, pairs in sources.items()} | {REVERSES: _reverses(graph)}
    if (best := pair_signals.best_by_ease(count)) is not None:
        sources[BY_EASE] = best
    return sources


def _by_vectors(vectors: F32, known: Adjacency, count: int, rows: Ints | None) -> Pairs:
    """The best pairs by inner products, of the rows' nodes or of all."""
    if rows is None and len(vectors) > _EXACT_NODES:
        return near_by_embedding(vectors, known, count, _CUTS)
    return top_by_embedding(vectors, known, count, rows=rows)


def _searched(pair_signals: PairSignals, known: Adjacency) -> dict[str, tuple[F32, Ints | None]]:
    """Vectors whose inner products are searched, and for which rows; None: for all of them."""
    searched: dict[str, tuple[F32, Ints | None]] = {}
    embeddings, features = pair_signals.embeddings, pair_signals.features
    spectrum = pair_signals.spectra.get(ADJACENCY)
    by_hubs = embeddings.get("gcn")
    if spectrum is not None:
        searched["spectrum"] = spectrum.positive_part(), None
        by_hubs = searched["spectrum"][0] if by_hubs is None else by_hubs
    if by_hubs is not None:
        searched["hubs"] = by_hubs, np.argsort(-np.diff(known.indptr), kind="stable")[:_HUBS]
    if embeddings:
        searched["vgnae"] = embeddings["vgnae"], None
        if features is None:
            searched["direction"] = np.ascontiguousarray(unit_rows(embeddings["vgnae"])), None
    if features is not None:
        searched["surroundings"] = _surroundings(features.components, known), None
        searched["features"] = features.components, None
    return searched


def _surroundings(components: F32, known: Adjacency) -> F32:
    """Components of each node and of those within two steps, each hop of length 1, summed and of length 1."""
    hops = np.split(around(known, components), N_HOPS + 1, axis=1)
    return unit_rows(sum(unit_rows(np.ascontiguousarray(hop)) for hop in hops))


def walk_sources(known: Adjacency, count: int) -> dict[str, Pairs]:
    """Pairs by walks of two and of three steps."""
    with portion(0.0, _BY_TWO_STEPS):
        sources = {"two steps": best_by_two_steps(known, count)}
    with portion(_BY_TWO_STEPS, 1.0):
        return sources | {"three steps": best_by_three_steps(known, count)}


def _both_ways(pairs: Pairs) -> Pairs:
    return np.concatenate([pairs, pairs[:, ::-1]])


def _reverses(graph: Graph) -> Pairs:
    """Links the other way round, where these are none."""
    reverses = np.ascontiguousarray(graph.edges[:, ::-1])
    return reverses[~graph.has_edges(reverses)]


def candidate_count(graph: Graph) -> int:
    """How many pairs each source gives."""
    return min(max(_FEWEST, _PER_EDGE * graph.n_edges), _MOST)


def n_given(graph: Graph) -> int:
    """How many pairs all sources give at most, pairs of several sources counted for each."""
    n_unordered = _MOST_SOURCES * candidate_count(graph)
    if graph.is_directed:
        return 2 * n_unordered + graph.n_edges + candidate_count(graph)
    return n_unordered + (candidate_count(graph) if graph.kind == BIPARTITE else 0)


def n_cells_searched(graph: Graph, config: SignalConfig) -> tuple[float, float]:
    """Pairs whose vectors are compared for the candidates of one graph: of all nodes, and of near ones."""
    described = graph.features is not None and ATTRIBUTES in config.families
    n_searches = (
        (SPECTRUM in config.families) + (ENCODED in config.families) * (1 if described else 2) + 2 * described
    )
    if graph.n_nodes <= _EXACT_NODES:
        return n_searches * float(graph.n_nodes) ** 2, 0.0
    return 0.0, n_searches * float(n_near_cells(graph.n_nodes))


class PreparedGraph(NamedTuple):
    """A training graph whose pairs can be scored: their signals, the candidates, and the arrays that keep both.

    recall  by source, and in all, the share of validation edges among the candidates
    """

    pair_signals: PairSignals
    candidates: Candidates
    state: State
    recall: dict[str, float]

    def attributes(self) -> dict[str, Any]:
        """What a fitted model has of it, by the names of its attributes."""
        return {"signals_": (*self.pair_signals.names, SOURCE_COUNT), "_candidates": self.candidates}

    def cache(self) -> dict[str, Any]:
        """What only makes its answers faster."""
        return {"_pair_signals": self.pair_signals, "_found": None}


def prepare(
    train: Graph,
    features: Attributes | None,
    config: SignalConfig,
    learned: LearnedParts | None,
    validation: Validation | None,
    run: FitRun,
) -> PreparedGraph:
    """Look at the whole training graph, or take what was seen of it from a checkpoint.

    learned  what was trained without some of its edges; None: it is trained on all of them
    """
    fresh: list[PairSignals] = []

    def look() -> Checkpoint:
        made, seen = _look(
            Work(train, features, config), learned, None if validation is None else validation.edges
        )
        fresh.append(made)
        return seen

    def take(seen: Checkpoint) -> PreparedGraph:
        """What does not fit raises."""
        names = config.signal_names(features)
        pair_signals = fresh[0] if fresh else _kept_signals(train, seen.arrays, names)
        candidates = Candidates.from_state(seen.arrays, seen.plain["sources"], train.pair_space)
        shares = {str(name): finite(share) for name, share in seen.plain["recall"].items()}
        return PreparedGraph(pair_signals, candidates, seen.arrays, shares)

    return run.checkpoints.remember(f"view-{run.stage}", look, take)


def begin_to_prepare(
    work: Work,
    learned: LearnedParts | None,
    validation: Validation | None,
    stage: str,
    checkpoints: FitCheckpoints,
) -> None:
    """Have others look at a whole training graph, for `prepare` in a stage."""
    plain = {"is_trained": learned is not None, "is_validated": validation is not None}
    hidden = {} if validation is None else {_HIDDEN: validation.edges}
    begin(checkpoints, f"view-{stage}", VIEW, work, Checkpoint(plain, packed_parts(learned) | hidden))


def _look_elsewhere(work: Work, piece: Checkpoint) -> Checkpoint:
    hidden = piece.arrays[_HIDDEN] if piece.plain["is_validated"] else None
    return _look(work, unpacked_parts(piece), hidden)[1]


def _look(work: Work, learned: LearnedParts | None, hidden: Edges | None) -> tuple[PairSignals, Checkpoint]:
    """Signals of a whole training graph, and what a checkpoint keeps of them and of the candidates."""
    train = work.train
    with portion(0.0, _MADE):
        made = PairSignals.make(train, work.features, work.config, learned)
    with portion(_MADE, 1.0):
        sources = find_candidates(made, candidate_count(train))
    found = {} if hidden is None else recall(sources, hidden, train.pair_space)
    arrays = made.state() | Candidates.of(sources, train.pair_space).state()
    return made, Checkpoint({"sources": list(sources), "recall": found}, arrays)


VIEW = Task(__name__, "VIEW", _look_elsewhere, Work.unpacked)


def _kept_signals(train: Graph, state: State, names: tuple[str, ...]) -> PairSignals:
    require_finite(state.values())
    pair_signals = PairSignals.from_state(train, state, names)
    check_encoders(pair_signals, train.n_nodes)
    return pair_signals
