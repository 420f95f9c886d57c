"""What the trees learn from: hidden edges and unconnected pairs, with signals of graphs that hold none of them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pulink.distributed.ahead import begin, is_ahead
from pulink.distributed.task import Task
from pulink.engine.non_edges import PairSampler
from pulink.engine.pace import paced, portion
from pulink.engine.random import permutation, stream_key
from pulink.graph.graph import Edges, Graph
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.candidates import Candidates, candidate_count, find_candidates
from pulink.methods.pull_plus.learned.parts import LearnedParts, part_names
from pulink.methods.pull_plus.pair_signals import PairSignals, SignalConfig
from pulink.methods.pull_plus.scoring.added_terms import UNREAD
from pulink.methods.pull_plus.scoring.trees import refuse_endless
from pulink.methods.pull_plus.work import Work, packed_parts, unpacked_parts
from pulink.persistence.checkpoints import NO_CHECKPOINTS, Checkpoint, FitCheckpoints
from pulink.persistence.checks import counts, require_alike, require_finite
from pulink.predictor.fitting.fit_run import State

_HIDDEN, _FAR, _NEAR, _ABSENT = range(4)

# A scorer has learned what it can from about so many edges; more of them cost more than they bring.
ENOUGH_EDGES = 12_000
_FEWEST = 2
# With more edges than this one fold is enough: it hides five times as many as trees learn from.
_MANY_EDGES = 500_000
# The fold of edges that people accepted, which are never hidden: they are no random part of the links.
_NEVER = -1
# Of a timed graph, so many of the last tenths are learned from.
_PERIODS, _PERIODS_IN_ALL = 4, 10
# About which share of a fold's time is over once its graph was looked at, and once candidates were found.
_TRAINED, _MADE, _FOUND = 0.3, 0.4, 0.7


class Settings(Protocol):
    """How much to learn from."""

    n_folds: int
    max_folds: int | None
    most_unseen: float
    far_per_edge: int
    near_per_edge: int
    seed: int


@dataclass(frozen=True)
class TrainingSet:
    """signals (k x S + 1, the last the number of sources), labels (k): 1 for hidden edges, 0 for other pairs.

    far   rows of hidden edges and of any unconnected pairs (k)
    near  rows of candidates (k): hidden edges among them, and unconnected pairs that were drawn as such
    absent  rows of pairs that are known to be no links (k): never expected to be any
    far_offset, near_offset
          what turns log-odds among these rows into log-odds among all pairs, and among all candidates: hidden
          edges and other pairs are samples, of known shares
    n_folds  folds that the rows were gathered from
    learned  what was trained without the first of these folds, for the whole graph; None: it trains its own
    n_trained  graphs that something was trained on
    unread   columns that trees do not read; they are 0 here
    """

    signals: npt.NDArray[np.float32]
    labels: npt.NDArray[np.float64]
    far: npt.NDArray[np.bool_]
    near: npt.NDArray[np.bool_]
    absent: npt.NDArray[np.bool_]
    far_offset: float
    near_offset: float
    n_folds: int
    learned: LearnedParts | None = None
    n_trained: int = 0
    unread: tuple[int, ...] = ()


def gather(
    train: Graph,
    features: Attributes | None,
    config: SignalConfig,
    settings: Settings,
    checkpoints: FitCheckpoints = NO_CHECKPOINTS,
    *,
    future: bool = False,
    beside: Callable[[LearnedParts | None], None] | None = None,
) -> TrainingSet:
    """Fold by fold: hide, look at the graph that is left, take the signals of hidden and of unconnected pairs.

    future  whether the links to be found come later than all that are known: then late edges are hidden
    beside  begins what others can do while folds are looked at, given what serves the whole graph
    """
    folds = _Folds(train, features, config, settings, future, checkpoints)
    if is_ahead(checkpoints):
        with portion(0.0, _TRAINED):
            folds.begin()
        if beside is not None:
            beside(folds.learned(0))
    signals, kinds, absent, drawn, of = [], [], [], np.zeros(3), np.zeros(3)
    for fold in paced(range(folds.n_used), _TRAINED if is_ahead(checkpoints) else 0.0):
        seen = checkpoints.remember(f"fold-{fold}", partial(folds.look, fold), folds.checked)
        signals.append(seen.arrays["signals"])
        absent.append(seen.arrays["settled"])
        kinds.append(np.repeat([_HIDDEN, _FAR, _NEAR, _ABSENT], seen.plain["parts"]))
        drawn += seen.plain["parts"][:3]
        of += seen.plain["of"]
    kind, rows = np.concatenate(kinds), np.concatenate(signals)
    listed = rows[:, -1] > 0
    shares = np.log(np.maximum(drawn, 1) / np.maximum(of, 1))
    return TrainingSet(
        rows,
        (kind == _HIDDEN).astype(np.float64),
        (kind != _NEAR) & ~((kind == _ABSENT) & listed),
        (kind != _FAR) & listed,
        np.concatenate(absent),
        float(shares[_FAR] - shares[_HIDDEN]),
        float(shares[_NEAR] - shares[_HIDDEN]),
        folds.n_used,
        folds.learned(0),
        folds.n_trained,
        tuple(place for place, name in enumerate(config.signal_names(features)) if name in UNREAD),
    )


class _Folds:
    """Where the folds of one training graph are looked at."""

    def __init__(
        self,
        train: Graph,
        features: Attributes | None,
        config: SignalConfig,
        settings: Settings,
        future: bool,
        checkpoints: FitCheckpoints = NO_CHECKPOINTS,
    ) -> None:
        self._train, self._features, self._config, self._settings = train, features, config, settings
        self._checkpoints = checkpoints
        self._work = Work(train, features, config, settings, future)
        self._learned: dict[int, LearnedParts] = {}
        n_folds = min(settings.n_folds, train.n_recorded)
        self._folds = np.full(train.n_edges, _NEVER)
        self._folds[train.recorded] = deal(train.n_recorded, n_folds, settings.seed)
        self.n_used = n_used(train.n_recorded, n_folds, settings.max_folds)
        self._group_size = group_size(n_folds, self.n_used, settings.most_unseen)
        self._periods = periods(train) if future and train.times is not None else []
        if self._periods:
            self.n_used = min(len(self._periods), self.n_used)
        self._sampler = train.pair_space.sampler(train.adjacency)

    @property
    def n_trained(self) -> int:
        """How many graphs something is trained on."""
        return self.n_used + 1 if self._periods else -(-self.n_used // self._group_size)

    def learned(self, fold: int) -> LearnedParts | None:
        """What is trained without the edges of a fold and of those that it shares this with.

        None where folds are periods, and nothing that one period knows may serve an earlier one.
        """
        if self._periods:
            return None
        group = fold // self._group_size
        if group not in self._learned:
            kept = self._checkpoints.remember(f"learned-{group}", lambda: self._train_group(group), _learned_parts)
            # The first serves the whole graph in the end; the others are needed by their own folds alone.
            self._learned = {first: parts for first, parts in self._learned.items() if first == 0} | {group: kept}
        return self._learned[group]

    def _train_group(self, group: int) -> Checkpoint:
        if not is_ahead(self._checkpoints):
            return Checkpoint({}, LearnedParts.train(self._without(group), self._features, self._config).state())
        found: State = {}
        for name in paced(part_names(self._features, self._config)):
            make = partial(self.train_part, group, name)
            found |= self._checkpoints.remember(f"learned-{group}-{name}", make, _sound_parts).arrays
        return Checkpoint({}, found)

    def train_part(self, group: int, name: str) -> Checkpoint:
        """One part of what is trained without the edges of a group of folds."""
        parts = LearnedParts.train_part(name, self._without(group), self._features, self._config)
        return Checkpoint({}, parts.state())

    def _without(self, group: int) -> Graph:
        first = group * self._group_size
        hidden = (self._folds >= first) & (self._folds < first + self._group_size)
        return self._train.keep_edges(~hidden)

    def begin(self) -> None:
        """Have everything trained, and folds looked at as soon as what they need is there."""
        n_groups = 0 if self._periods else self.n_trained
        for group in range(n_groups):
            if not self._checkpoints.holds(f"learned-{group}"):
                for name in part_names(self._features, self._config):
                    piece = Checkpoint({"group": group, "part": name})
                    begin(self._checkpoints, f"learned-{group}-{name}", TRAIN, self._work, piece)
        for fold in range(self.n_used):
            if not self._checkpoints.holds(f"fold-{fold}"):
                learned = self.learned(fold)
                piece = Checkpoint({"fold": fold, "is_trained": learned is not None}, packed_parts(learned))
                begin(self._checkpoints, f"fold-{fold}", FOLD, self._work, piece)

    def look(self, fold: int) -> Checkpoint:
        """Signals of hidden edges, any unconnected pairs, unconnected candidates, and pairs known to be absent."""
        with portion(0.0, _TRAINED):
            learned = self.learned(fold)
        return self.look_by(fold, learned)

    def look_by(self, fold: int, learned: LearnedParts | None) -> Checkpoint:
        """The same with what was trained for the fold; None: it is trained on the graph that the fold leaves."""
        train, settings, sampler = self._train, self._settings, self._sampler
        graph, every = self._hidden_in(fold)
        with portion(_TRAINED, _MADE):
            pair_signals = PairSignals.make(graph, self._features, self._config, learned)
        with portion(_MADE, _FOUND):
            candidates = _candidates(train, pair_signals)
        free = candidates.pairs[~train.has_edges(candidates.pairs)]
        hidden = _some(every, -(-ENOUGH_EDGES // self.n_used), settings.seed, "hidden", fold)
        near = _some(free, settings.near_per_edge * len(hidden), settings.seed, "near", fold)
        absent = np.empty((0, 2), dtype=np.int32) if train.absent is None else train.absent
        parts = hidden, _far(sampler, settings, len(hidden), fold), near, absent
        plain = {"parts": [len(part) for part in parts], "of": [len(every), sampler.n_free, len(free)]}
        pairs = np.concatenate(parts)
        with portion(_FOUND, 1.0):
            signals = candidates.rows(pair_signals, pairs, UNREAD)
        refuse_endless(signals)
        return Checkpoint(plain, {"signals": signals, "settled": train.is_absent(pairs)})

    def _hidden_in(self, fold: int) -> tuple[Graph, Edges]:
        """The graph that a fold leaves, and its hidden edges: some at random, or all of a late period."""
        if not self._periods:
            return without(self._train, self._folds, fold)
        begin, end = self._periods[fold]
        assert self._train.times is not None
        first = self._train.times.first
        late = (first >= begin) & (first < end) & (self._folds != _NEVER)
        return self._train.before(begin), self._train.edges[late]

    def checked(self, seen: Checkpoint) -> Checkpoint:
        """What `look` gave; ValueError or TypeError for anything else."""
        n_rows = sum(counts(seen.plain["parts"], 4))
        counts(seen.plain["of"], 3)
        n_signals = len(self._config.signal_names(self._features)) + 1
        wanted = {"signals": np.empty((n_rows, n_signals), np.float32), "settled": np.empty(n_rows, np.bool_)}
        require_alike(seen.arrays, wanted)
        return seen


def _learned_parts(kept: Checkpoint) -> LearnedParts:
    require_finite(kept.arrays.values())
    return LearnedParts.from_state(kept.arrays)


def _sound_parts(kept: Checkpoint) -> Checkpoint:
    if not kept.arrays:
        raise ValueError("nothing was trained")
    _learned_parts(kept)
    return kept


def _train_elsewhere(work: Work, piece: Checkpoint) -> Checkpoint:
    return _folds_of(work).train_part(piece.plain["group"], piece.plain["part"])


def _look_elsewhere(work: Work, piece: Checkpoint) -> Checkpoint:
    return _folds_of(work).look_by(piece.plain["fold"], unpacked_parts(piece))


def _folds_of(work: Work) -> _Folds:
    return _Folds(work.train, work.features, work.config, work.settings, work.future)


TRAIN = Task(__name__, "TRAIN", _train_elsewhere, Work.unpacked)
FOLD = Task(__name__, "FOLD", _look_elsewhere, Work.unpacked)


def _some(pairs: Edges, most: int, seed: int, name: str, fold: int) -> Edges:
    return pairs[permutation(stream_key(seed, name, fold), len(pairs))[:most]]


def _far(sampler: PairSampler, settings: Settings, n_hidden: int, fold: int) -> Edges:
    """Any unconnected pairs."""
    count = min(settings.far_per_edge * n_hidden, sampler.n_free)
    return np.asarray(sampler.draw_distinct(count, stream_key(settings.seed, "far", fold)), dtype=np.int32)


def _candidates(train: Graph, pair_signals: PairSignals) -> Candidates:
    """On the graph without the fold; hidden edges are among them."""
    sources = find_candidates(pair_signals, candidate_count(train))
    return Candidates.of(sources, train.pair_space)


def deal(n_edges: int, n_folds: int, seed: int) -> npt.NDArray[np.int64]:
    """The fold of every edge; folds differ by at most one edge in size."""
    folds = np.empty(n_edges, dtype=np.int64)
    folds[permutation(stream_key(seed, "folds"), n_edges)] = np.arange(n_edges) * n_folds // max(n_edges, 1)
    return folds


def periods(graph: Graph) -> list[tuple[float, float]]:
    """The last periods of a timed graph, the latest first, each with about a tenth of the new edges."""
    assert graph.times is not None
    first = np.sort(graph.times.first)
    size = max(len(first) // _PERIODS_IN_ALL, 1)
    cuts = [
        math.inf,
        *(float(first[len(first) - size * k]) for k in range(1, _PERIODS + 1) if size * k < len(first)),
    ]
    return [(begin, end) for end, begin in pairwise(cuts) if first[0] < begin < end]


def n_used(n_edges: int, n_folds: int, most: int | None = None) -> int:
    """How many of the folds a scorer learns from: all where edges are few, two at the least, one where they are
    very many; never over `most`.
    """
    per_fold, fewest = max(n_edges // n_folds, 1), 1 if n_edges > _MANY_EDGES else _FEWEST
    return min(n_folds, max(fewest, round(ENOUGH_EDGES / per_fold)), n_folds if most is None else most)


def group_size(n_folds: int, n_taught: int, most_unseen: float) -> int:
    """How many folds share what is trained without them: at most this share of all, and of those learned from."""
    return max(1, min(int(most_unseen * n_folds), n_taught))


def without(graph: Graph, folds: npt.NDArray[np.int64], fold: int) -> tuple[Graph, Edges]:
    """The graph without the edges of a fold, and those edges."""
    hidden = folds == fold
    return graph.keep_edges(~hidden), graph.edges[hidden]
