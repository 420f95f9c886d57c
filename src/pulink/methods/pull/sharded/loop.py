"""The outer loop of PULL on a graph whose rows several workers hold: each of them runs this, and all see the same.

`methods.pull.loop` is the same algorithm on one machine.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.checkpoints import DONE, PAIRS, ROWS, STANDING, GroupCheckpoints
from pulink.distributed.group.group import Group
from pulink.distributed.group.job import Teller
from pulink.distributed.group.own_rows import OwnRows
from pulink.methods.pull.expected_graph import n_added_pairs
from pulink.methods.pull.sharded.selection import HubCells
from pulink.methods.pull.sharded.settings import LoopSettings
from pulink.nn.sharded.added_pairs import AddedPairs, none_added
from pulink.nn.sharded.auroc import group_auroc
from pulink.nn.sharded.kept_state import BEST, joined, named_for_rows
from pulink.nn.sharded.pair_gradient import ShardedTerm, entry_weights, refuse_dense
from pulink.nn.sharded.propagation import Propagation
from pulink.nn.sharded.top_degrees import largest_degrees
from pulink.nn.sharded.trainer import ShardedTrainer, State
from pulink.persistence.checkpoints import Arrays, Checkpoint
from pulink.predictor.by_embedding import refuse_divergence
from pulink.predictor.fitting.early_stopping import EarlyStopping
from pulink.predictor.fitting.fit_run import Validation

F32 = npt.NDArray[np.float32]

_TRAINING = "training."


@dataclass(frozen=True, eq=False)
class Record:
    """One iteration, as `methods.pull.loop.Iteration`; entered: own node and hub of each pair (k x 2)."""

    plain: dict[str, Any]
    entered: npt.NDArray[np.int64]


class ShardedLoop:
    """The outer loop of one fit, in one worker."""

    def __init__(
        self,
        rows: OwnRows,
        group: Group,
        settings: LoopSettings,
        validation: Validation | None,
        checkpoints: GroupCheckpoints,
        teller: Teller,
    ) -> None:
        self.rows, self.group, self.settings, self.validation = rows, group, settings, validation
        self.checkpoints, self.teller = checkpoints, teller
        self.max_iterations = settings.budget or settings.max_iterations
        self.nothing = none_added(rows.n_rows)
        self.observed = Propagation(rows, group, self.nothing)
        self.cells = HubCells(rows, group, largest_degrees(rows, group, settings.n_hubs), settings.hub_pairs_twice)
        self.history: list[Record] = []
        self.stop_reason = ""
        self.n_steps = self.epoch = 0
        self.stopping = EarlyStopping(settings.patience, stop=settings.stop)
        self.embeddings = self.z = np.empty((0, settings.gcn.n_units), dtype=np.float32)
        self.state: State = {}
        self.trainer = self._new_trainer()

    def _new_trainer(self) -> ShardedTrainer:
        return ShardedTrainer(self.rows, self.group, self.settings.gcn, self.n_steps)

    def run(self) -> int:
        """Algorithm 1: expect, select, maximise, score, stop. Returns the iteration whose state is kept."""
        self._resume()
        while not self.stop_reason:
            t = len(self.history) + 1
            started = time.perf_counter()
            added = self.nothing if t == 1 else self.expect(t, self.z)
            if t > 1 and self.epoch == 0 and not self.settings.warm_start:
                self.trainer = self._new_trainer()
            losses = self._maximise(added, t)
            self.epoch = 0
            embeddings = self.trainer.embed(self.observed)
            self._refuse_divergence(embeddings)
            auroc = None if self.validation is None else self._auroc(embeddings, self.validation)
            self._remember(t, added, losses, auroc, time.perf_counter() - started)
            self._keep_or_stop(t, embeddings, auroc)
            self.teller.tell({"iteration": t, "record": self.told(self.history[-1])})
            self._save(STANDING)
        self._save(DONE)
        return self.stopping.kept

    def told(self, record: Record) -> dict[str, Any]:
        """As `methods.pull.loop.Iteration.to_dict`; all workers at once."""
        n_entered = int(self.group.counted(np.array([len(record.entered)]))[0])
        plain = {name: value for name, value in record.plain.items() if name != "seconds"}
        return plain | {"n_entered": n_entered}

    def expect(self, iteration: int, own: F32) -> AddedPairs:
        """E-step (lines 4 to 6): the most probable cells under the embeddings of which these are the own rows."""
        count = n_added_pairs(self.rows.n_edges, self.settings.growth, iteration)
        return self.cells.select(self.trainer.shown(own), count)

    def _maximise(self, added: AddedPairs, iteration: int) -> list[float]:
        """M-step (line 7): `n_epochs` steps on L = L'_E + L_C."""
        terms = self._terms(added, iteration)
        per_iteration = self.settings.n_epochs

        def after() -> None:
            self.n_steps += 1
            self.epoch += 1
            done = (iteration - 1) * per_iteration + self.epoch
            self.teller.tell({"epoch": done, "in": iteration, "losses": self.trainer.losses})
            if self.trainer.is_due and self.epoch < per_iteration:
                self._save(STANDING)

        self.trainer.train(terms, per_iteration - 1 - self.epoch, after, self.teller.is_due)
        # The next expected graph is built from here: the last embeddings before the last step.
        self.z = self.trainer.embed(terms[0].operator)
        return self.trainer.train(terms, 1, after)

    def _terms(self, added: AddedPairs, iteration: int) -> list[ShardedTerm]:
        rows, n = self.rows, self.rows.shards.n_nodes
        n_pairs = n * (n - 1) // 2
        refuse_dense(rows.n_edges + int(self.group.counted(np.array([len(added.probs)]))[0]), n_pairs)
        n_entries = 2 * (rows.n_edges + added.n_cells)
        weight_edge, weight_free = entry_weights(n_entries, n_entries, self.settings.reduction)
        operator = self.observed if iteration == 1 else self._weighted(added)
        terms = [
            ShardedTerm(
                operator=operator,
                outside=added,
                learns_added=iteration > 1,
                edge_weight=float(np.float32(2) * np.float32(weight_edge)),
                pair_weight=weight_edge,
                non_edge_weight=weight_free,
                n_non_edges=n_entries,
            )
        ]
        if self.settings.correction and iteration > 1:
            terms.append(ShardedTerm.of_observed(self.observed, added, rows.n_edges, self.settings.reduction))
        return terms

    def _weighted(self, added: AddedPairs) -> Propagation:
        return Propagation(self.rows, self.group, added, self.settings.mean_weight)

    def _auroc(self, own: F32, validation: Validation) -> float:
        return group_auroc(self.group, self.trainer.shown(own), validation.edges, validation.non_edges)

    def _refuse_divergence(self, embeddings: F32) -> None:
        if not self.group.agree(bool(np.isfinite(embeddings).all())):
            refuse_divergence(np.array([[np.nan]], dtype=np.float32))

    def _remember(
        self, t: int, added: AddedPairs, losses: list[float], auroc: float | None, seconds: float
    ) -> None:
        pairs = np.stack([added.rows + self.rows.first, added.hubs.nodes[added.hubs.added]], axis=1)
        before = np.concatenate([np.empty((0, 2), np.int64), *(record.entered for record in self.history)])
        n = self.rows.shards.n_nodes
        is_new = ~np.isin(pairs[:, 0] * n + pairs[:, 1], before[:, 0] * n + before[:, 1])
        plain = {
            "iteration": t,
            "k": self.rows.n_edges + added.n_cells,
            "loss_expected": losses[0],
            "loss_correction": losses[1] if len(losses) > 1 else None,
            "val_auroc": auroc,
            "seconds": seconds,
        }
        self.history.append(Record(plain, pairs[is_new]))

    def _keep_or_stop(self, t: int, embeddings: F32, auroc: float | None) -> None:
        if self.stopping.look(t, auroc):
            self.embeddings, self.state = embeddings, self.trainer.state()
        if self.stopping.is_over(t):
            self.stop_reason = "validation AUROC no longer rises"
        elif t == self.max_iterations:
            self.stop_reason = "max_iterations"

    def _save(self, name: str) -> None:
        """Keep where the loop stands: every worker its own rows."""
        if not self.checkpoints.are_kept:
            return
        identity = self.trainer.features.is_identity
        plain = {
            "stop_reason": self.stop_reason,
            "n_steps": self.n_steps,
            "epoch": self.epoch,
            "trainer_steps": self.trainer.n_steps,
            "history": [record.plain for record in self.history],
            **self.stopping.state_dict(),
        }
        z = self.z if len(self.z) else np.zeros((self.rows.n_rows, self.settings.gcn.n_units), dtype=np.float32)
        arrays: Arrays = {f"{ROWS}z": z}
        if self.state:
            arrays[f"{ROWS}embeddings"] = self.embeddings
        arrays |= named_for_rows(self.trainer.state_dict(), _TRAINING, identity)
        arrays |= named_for_rows(self.state, BEST, identity)
        for place, record in enumerate(self.history):
            arrays[f"{PAIRS}{place}"] = record.entered
        self.checkpoints.save(name, plain, arrays)
        self.teller.kept()

    def _resume(self) -> None:
        """Go on from what was kept, if that is of use to every worker."""
        found = self.checkpoints.load(STANDING)
        if found is None:
            return
        fresh = vars(self).copy()
        try:
            self._take(found)
            is_sound = True
        except (ValueError, TypeError, LookupError, RuntimeError):
            is_sound = False
        if not self.group.agree(is_sound):
            vars(self).update(fresh)
            self.stopping = EarlyStopping(self.settings.patience, stop=self.settings.stop)
            self.trainer = self._new_trainer()

    def _take(self, found: Checkpoint) -> None:
        plain, arrays = found.plain, found.arrays
        self.trainer.load_state_dict(joined(found, _TRAINING), plain["trainer_steps"])
        self.stop_reason, self.n_steps, self.epoch = plain["stop_reason"], plain["n_steps"], plain["epoch"]
        self.history = [Record(one, arrays[f"{PAIRS}{k}"]) for k, one in enumerate(plain["history"])]
        self.stopping.load_state_dict(plain)
        self.z, self.state = arrays[f"{ROWS}z"], joined(found, BEST)
        self.embeddings = arrays.get(f"{ROWS}embeddings", self.embeddings)
        if self.z.shape != (self.rows.n_rows, self.settings.gcn.n_units):
            raise ValueError("its embeddings are not of these rows")
