"""Signals and scores of many pairs of one graph, in chunks that others may take over.

A pair's signals and its score do not depend on the pairs beside it; chunks are the same wherever they are made.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.distributed.executor import executor_in_use
from pulink.distributed.packed_graph import packed_graph, unpacked_graph
from pulink.distributed.task import Task
from pulink.engine.pace import paced, portion
from pulink.methods.pull_plus.candidates import Candidates
from pulink.methods.pull_plus.pair_signals import PairSignals
from pulink.methods.pull_plus.scoring.scorer import Scorer, Signals
from pulink.methods.pull_plus.scoring.trees import Trees
from pulink.methods.pull_plus.work import own_arrays
from pulink.persistence.checkpoints import Checkpoint

F64 = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.integer]

CHUNK = 1 << 18
_STATE, _TREES, _PAIRS = "state.", "trees.", "pairs"
# Which share of the time goes into signals.
_SIGNALS = 0.8


@dataclass(frozen=True, eq=False)
class ScoredGraph:
    """A graph whose pairs have signals, its candidates, and who scores their rows."""

    pair_signals: PairSignals
    candidates: Candidates
    scorer: Scorer

    @classmethod
    def by_far_trees(cls, pair_signals: PairSignals, candidates: Candidates, far: Trees) -> ScoredGraph:
        """Where near trees are not known yet."""
        return cls(pair_signals, candidates, Scorer(far, far, 0.0, 0.0, 0.0))

    def scores(self, pairs: Pairs) -> F64:
        """By all trees (k)."""
        found = np.empty(len(pairs), dtype=np.float64)
        for part, made in self._made(SCORES, pairs):
            found[part] = made.arrays["scores"]
        return found

    def far_scores(self, pairs: Pairs) -> tuple[Signals, F64]:
        """Rows of signals, the number of sources last (k x S + 1), and what far trees give them (k)."""
        rows = np.empty((len(pairs), len(self.pair_signals.names) + 1), dtype=np.float32)
        far = np.empty(len(pairs), dtype=np.float64)
        for part, made in self._made(FAR, pairs):
            rows[part], far[part] = made.arrays["rows"], made.arrays["far"]
        return rows, far

    def _made(self, task: Task[ScoredGraph], pairs: Pairs) -> Iterator[tuple[npt.NDArray[np.integer], Checkpoint]]:
        """Places of pairs, and what the task made of these pairs."""
        executor = executor_in_use()
        if len(pairs) <= CHUNK or not executor.is_elsewhere:
            yield from self._made_here(task, pairs)
            return
        parts = self._parts(pairs)
        pieces = [Checkpoint({}, {_PAIRS: np.ascontiguousarray(pairs[part])}) for part in parts]
        yield from zip(parts, executor.map(task, self, pieces), strict=True)

    def _made_here(
        self, task: Task[ScoredGraph], pairs: Pairs
    ) -> Iterator[tuple[npt.NDArray[np.integer], Checkpoint]]:
        for part in paced(self._parts(pairs)):
            yield part, task.function(self, Checkpoint({}, {_PAIRS: pairs[part]}))

    def _parts(self, pairs: Pairs) -> list[npt.NDArray[np.integer]]:
        order = np.arange(len(pairs)) if len(pairs) <= CHUNK else self.pair_signals.grouped(pairs)
        return [order[start : start + CHUNK] for start in range(0, len(pairs), CHUNK)]

    def packed(self) -> Checkpoint:
        graph, arrays = packed_graph(self.pair_signals.graph)
        plain = {"graph": graph, "signals": [*self.pair_signals.names], "sources": [*self.candidates.names]}
        state = self.pair_signals.state() | self.candidates.state()
        arrays |= {f"{_STATE}{name}": array for name, array in state.items()}
        arrays |= {f"{_TREES}{name}": array for name, array in self.scorer.state().items()}
        return Checkpoint(plain, arrays)

    @classmethod
    def unpacked(cls, packed: Checkpoint) -> ScoredGraph:
        """What `packed` gave."""
        graph, state = unpacked_graph(packed.plain["graph"], packed), own_arrays(packed.under(_STATE))
        pair_signals = PairSignals.from_state(graph, state, tuple(packed.plain["signals"]))
        candidates = Candidates.from_state(state, packed.plain["sources"], graph.pair_space)
        scorer = Scorer.from_state(own_arrays(packed.under(_TREES)), len(pair_signals.names) + 1)
        return cls(pair_signals, candidates, scorer)


def _scores(graph: ScoredGraph, piece: Checkpoint) -> Checkpoint:
    with portion(0.0, _SIGNALS):
        rows = graph.candidates.rows(graph.pair_signals, piece.arrays[_PAIRS])
    with portion(_SIGNALS, 1.0):
        return Checkpoint({}, {"scores": graph.scorer.scores(rows)})


def _far_scores(graph: ScoredGraph, piece: Checkpoint) -> Checkpoint:
    with portion(0.0, _SIGNALS):
        rows = graph.candidates.rows(graph.pair_signals, piece.arrays[_PAIRS])
    with portion(_SIGNALS, 1.0):
        return Checkpoint({}, {"rows": rows, "far": graph.scorer.far.scores(rows)})


SCORES = Task(__name__, "SCORES", _scores, ScoredGraph.unpacked)
FAR = Task(__name__, "FAR", _far_scores, ScoredGraph.unpacked)
