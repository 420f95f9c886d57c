"""All of a `find` on a graph that no worker holds: hide, learn, calibrate, learn again, search, write.

All is kept in the folder of the job, and what is written in the end says nothing of the number of workers.

    graph/                 the graph, by `persistence.sharded_graph`
    choose/ refit/         checkpoints of the two trainings
    found/                 what came of it: see `found_files`
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pulink.calibration.calibrator import Calibrator
from pulink.calibration.rank_transfer import RankedScores, told_apart
from pulink.distributed.group.checkpoints import GroupCheckpoints
from pulink.distributed.group.group import Group
from pulink.distributed.group.job import Teller
from pulink.distributed.group.own_rows import OwnRows, own_rows_of, shards_of
from pulink.nn.sharded.auroc import group_logits
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.predictor.fitting.fit_run import REFIT, State, Validation
from pulink.predictor.link_lists import listed_length
from pulink.predictor.sharded.best_pairs import BestPairSearch, Pairs
from pulink.predictor.sharded.found_files import embedding_ranges, write_embeddings, write_found
from pulink.predictor.sharded.group_calibration import AskedPairs, ask
from pulink.predictor.sharded.hidden_pairs import hide

F32 = npt.NDArray[np.float32]

GRAPH, FOUND, CHOOSE = "graph", "found", "choose"


@dataclass(frozen=True)
class FindPlan:
    """What is asked for, as JSON can hold it.

    settings       of the method's training in a group
    top, fdr       which list
    missing_share  which share of all links is missing, if that is known
    """

    settings: dict[str, Any]
    val_ratio: float
    refit: bool
    seed: int
    missing_share: float | None
    top: int | None
    fdr: float | None
    min_probability: float


@dataclass(frozen=True, eq=False)
class GroupLearned:
    """What one training gave, in one worker.

    embeddings  of the own rows
    parameters  of the encoder, but for those with a row for each node
    budget      how long was trained: a refit takes as long
    plain       what else was learned
    """

    embeddings: F32
    parameters: State
    budget: int
    plain: dict[str, Any]


class Learn(Protocol):
    """Trains on rows; budget: None while it is chosen by the validation edges."""

    def __call__(
        self,
        rows: OwnRows,
        group: Group,
        settings: dict[str, Any],
        validation: Validation | None,
        budget: int | None,
        checkpoints: GroupCheckpoints,
        teller: Teller,
    ) -> GroupLearned: ...


def find_in_group(folder: Path, plain: dict[str, Any], group: Group, learn: Learn) -> None:
    """One worker's part."""
    _Find(folder, FindPlan(**plain), group, learn).run()


class _Find:
    def __init__(self, folder: Path, plan: FindPlan, group: Group, learn: Learn) -> None:
        self._folder, self._plan, self._group, self._learn = folder, plan, group, learn
        self._graph = ShardedGraph.open(folder / GRAPH)
        self._shards = shards_of(self._graph)

    def run(self) -> None:
        plan, n_edges = self._plan, self._graph.n_edges
        hidden = hide(self._rows(), self._group, plan.val_ratio, plan.seed)
        if hidden is None:
            learned = self._trained(self._rows(), None, None, CHOOSE)
            self._finish(learned, learned, self._shown(learned), None)
            return
        rows, edges = hidden.rows, hidden.validation.edges
        chosen = self._trained(rows, hidden.validation, None, CHOOSE)
        z = self._shown(chosen)
        self._say("calibrating")
        asked = self._ask(rows, z, edges, len(edges))
        calibrator = Calibrator.of([asked.scored], n_edges, plan.missing_share, plan.seed)
        if not plan.refit:
            self._finish(chosen, chosen, z, calibrator.after_showing())
            return
        # One set of rows at a time.
        del hidden, z, asked
        rows = self._rows()
        refitted = self._trained(rows, None, chosen.budget, REFIT)
        z = self._shown(refitted)
        self._say("calibrating")
        again = self._ask(rows, z, np.empty((0, 2), dtype=np.int32), len(edges))
        calibrator = calibrator.after_showing(RankedScores.of(again.scores, again.sample.weights))
        self._finish(chosen, refitted, z, calibrator)

    def _rows(self) -> OwnRows:
        return own_rows_of(self._graph, self._shards, self._shards.of_worker(self._group.rank, self._group.size))

    def _trained(
        self, rows: OwnRows, validation: Validation | None, budget: int | None, stage: str
    ) -> GroupLearned:
        checkpoints = GroupCheckpoints(self._folder / stage, self._group, rows)
        teller = Teller(self._folder, self._group, stage)
        return self._learn(rows, self._group, self._plan.settings, validation, budget, checkpoints, teller)

    def _shown(self, learned: GroupLearned) -> F32:
        """The embeddings of all nodes."""
        buffers = self._group.rows(self._shards, learned.embeddings.shape[1])
        buffers.own[:] = learned.embeddings
        return buffers.publish()

    def _say(self, stage: str) -> None:
        Teller(self._folder, self._group, stage).tell({})

    def _search(self, rows: OwnRows, z: F32) -> BestPairSearch:
        return BestPairSearch(rows, self._group, z, self._graph.are_connected)

    def _ask(self, rows: OwnRows, z: F32, hidden: Pairs, n_hidden: int) -> AskedPairs:
        search = self._search(rows, z)
        return ask(rows, self._group, z, search, hidden, n_hidden, self._plan.seed)

    def _finish(self, chosen: GroupLearned, learned: GroupLearned, z: F32, calibrator: Calibrator | None) -> None:
        plan = self._plan
        self._say("searching")
        length = listed_length(plan.top, plan.fdr, None if calibrator is None else calibrator.missing)
        pairs, searched = self._search(self._rows(), z).best(length)
        scores = group_logits(self._group, z, pairs)
        pairs, scores = _in_order(pairs, scores, self._shards.n_nodes)
        place = self._folder / FOUND
        place.mkdir(exist_ok=True)
        self._say("writing")
        write_embeddings(place, self._group, self._shards, z)
        plain = {
            "chosen": chosen.plain,
            "refit": None if learned is chosen else learned.plain,
            "searched": str(searched),
        }
        ranges = embedding_ranges(self._shards, z.shape[1])
        write_found(place, self._group, ranges, plain, learned.parameters, calibrator, (pairs, scores))
        self._group.wait()


def _in_order(
    pairs: Pairs, scores: npt.NDArray[np.float64], n_nodes: int
) -> tuple[Pairs, npt.NDArray[np.float64]]:
    """As `predictor.link_lists.ordered`."""
    codes = pairs[:, 0].astype(np.int64) * n_nodes + pairs[:, 1]
    order = np.lexsort((codes, -told_apart(scores)))
    return pairs[order], scores[order]
