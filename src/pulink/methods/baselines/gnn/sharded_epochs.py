"""GCN+CE on a graph whose rows several workers hold: what each worker does, and what the fit makes of it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.checkpoints import DONE, ROWS, STANDING, GroupCheckpoints
from pulink.distributed.group.group import Group
from pulink.distributed.group.job import Event, GroupTask, Teller
from pulink.distributed.group.own_rows import OwnRows
from pulink.graph.graph import Graph
from pulink.nn.sharded.added_pairs import none_added
from pulink.nn.sharded.auroc import group_auroc
from pulink.nn.sharded.kept_state import BEST, joined, named_for_rows, small_parameters
from pulink.nn.sharded.pair_gradient import ShardedTerm, refuse_dense
from pulink.nn.sharded.propagation import Propagation
from pulink.nn.sharded.trainer import GCNSettings, ShardedTrainer, State
from pulink.persistence.checkpoints import Arrays, Checkpoint
from pulink.predictor.by_embedding import refuse_divergence
from pulink.predictor.fitting.early_stopping import EarlyStopping
from pulink.predictor.fitting.fit_events import EPOCH
from pulink.predictor.fitting.fit_run import FitRun, Learned, Validation
from pulink.predictor.sharded.find_job import GroupLearned, find_in_group
from pulink.predictor.sharded.group_embedding import gcn_settings, group_state
from pulink.predictor.sharded.group_fit import GroupData, learned_together

if TYPE_CHECKING:
    from pulink.methods.baselines.gnn.gcn_ce import GCNCE

F32 = npt.NDArray[np.float32]

_TRAINING = "training."


class ShardedEpochs:
    """`predictor.by_epochs` in one worker."""

    def __init__(
        self,
        rows: OwnRows,
        group: Group,
        plain: dict[str, Any],
        validation: Validation | None,
        checkpoints: GroupCheckpoints,
        teller: Teller,
    ) -> None:
        self._rows, self._group, self._validation = rows, group, validation
        self._n_epochs, self._check_every = plain["n_epochs"], plain["check_every"]
        self._stopping = EarlyStopping(plain["patience"], plain["min_epochs"], plain["stop"])
        self._checkpoints, self._teller = checkpoints, teller
        self._observed = Propagation(rows, group, none_added(rows.n_rows))
        self._trainer = ShardedTrainer(rows, group, GCNSettings(**plain["gcn"]))
        self._history: list[tuple[int, float]] = []
        self._epoch, self._reason = 0, ""
        self._state: State = {}
        self._embeddings: F32 = np.empty((0, 0), dtype=np.float32)

    def run(self) -> None:
        n, n_edges = self._rows.shards.n_nodes, self._rows.n_edges
        refuse_dense(n_edges, n * (n - 1) // 2)
        term = ShardedTerm.of_observed(self._observed, none_added(self._rows.n_rows), n_edges, "mean")
        if (found := self._checkpoints.load(STANDING)) is not None:
            self._take(found)
        while not self._reason:
            due = min(self._check_every, self._n_epochs - self._epoch)
            self._trainer.train([term], due, asks=self._teller.is_due)
            self._epoch += due
            self._look()
            if self._trainer.is_due:
                self._save(STANDING)
        self._save(DONE)

    def _look(self) -> None:
        embeddings = self._trainer.embed(self._observed)
        if not self._group.agree(bool(np.isfinite(embeddings).all())):
            refuse_divergence(np.array([[np.nan]], dtype=np.float32))
        auroc = None
        if self._validation is not None:
            z = self._trainer.shown(embeddings)
            auroc = group_auroc(self._group, z, self._validation.edges, self._validation.non_edges)
            self._history.append((self._epoch, auroc))
        if self._stopping.look(self._epoch, auroc):
            self._embeddings, self._state = embeddings, self._trainer.state()
        self._teller.tell({"epoch": self._epoch, "loss": sum(self._trainer.losses), "val_auroc": auroc})
        if self._stopping.is_over(self._epoch):
            self._reason = "validation AUROC no longer rises"
        elif self._epoch >= self._n_epochs:
            self._reason = "max_epochs"

    def _save(self, name: str) -> None:
        plain = {
            "epoch": self._epoch,
            "reason": self._reason,
            "history": self._history,
            "n_steps": self._trainer.n_steps,
            **self._stopping.state_dict(),
        }
        identity = self._trainer.features.is_identity
        arrays: Arrays = named_for_rows(self._trainer.state_dict(), _TRAINING, identity)
        arrays |= named_for_rows(self._state, BEST, identity)
        self._checkpoints.save(name, plain, arrays | {f"{ROWS}embeddings": self._embeddings})
        self._teller.kept()

    def _take(self, found: Checkpoint) -> None:
        """Go on from a checkpoint, which `read_sealed` found whole."""
        plain = found.plain
        self._trainer.load_state_dict(joined(found, _TRAINING), plain["n_steps"])
        self._epoch, self._reason = plain["epoch"], plain["reason"]
        self._history = [(int(epoch), float(auroc)) for epoch, auroc in plain["history"]]
        self._stopping.load_state_dict(plain)
        self._state, self._embeddings = joined(found, BEST), found.arrays[f"{ROWS}embeddings"]

    def learned(self) -> GroupLearned:
        """What the kept state is, once `run` has ended."""
        kept = self._stopping.kept
        plain = {
            "n_epochs": kept,
            "n_steps": self._trainer.n_steps,
            "stop_reason": self._reason,
            "history": [list(record) for record in self._history],
        }
        return GroupLearned(self._embeddings, small_parameters(self._state, self._rows), kept, plain)


def _train(folder: Path, plain: dict[str, Any], group: Group) -> None:
    data = GroupData(folder, group.rank, group.size)
    checkpoints = GroupCheckpoints(folder, group, data.rows)
    ShardedEpochs(data.rows, group, plain, data.validation, checkpoints, Teller(folder, group)).run()


def _learn(
    rows: OwnRows,
    group: Group,
    settings: dict[str, Any],
    validation: Validation | None,
    budget: int | None,
    checkpoints: GroupCheckpoints,
    teller: Teller,
) -> GroupLearned:
    wanted = settings if budget is None else settings | {"n_epochs": budget}
    epochs = ShardedEpochs(rows, group, wanted, validation, checkpoints, teller)
    epochs.run()
    return epochs.learned()


def _find(folder: Path, plain: dict[str, Any], group: Group) -> None:
    find_in_group(folder, plain, group, _learn)


TRAIN = GroupTask(__name__, "TRAIN", _train)
FIND = GroupTask(__name__, "FIND", _find)


def settings_of(model: GCNCE) -> dict[str, Any]:
    """What the workers are told."""
    names = ("check_every", "patience", "min_epochs", "stop")
    settings = {name: getattr(model, name) for name in names}
    return settings | {"n_epochs": model.max_epochs, "gcn": vars(gcn_settings(model))}


def learn_together(model: GCNCE, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
    """What `predictor.by_epochs` learns on one machine, but for rounding."""
    n_epochs = run.budget or model.max_epochs
    settings = settings_of(model) | {"n_epochs": n_epochs}
    told = 0

    def hear(event: Event) -> None:
        nonlocal told
        if event["epoch"] > told:
            told = event["epoch"]
            run.tell(EPOCH, told, n_epochs, {"loss": event["loss"], "val_auroc": event["val_auroc"]})
            run.report(told, n_epochs, None, event["val_auroc"])

    def use(found: Checkpoint) -> Learned:
        plain = found.plain
        history = [(int(epoch), float(auroc)) for epoch, auroc in plain["history"]]
        kept, reason = int(plain["kept"]), str(plain["reason"])
        attributes = {"history_": history, "n_epochs_": kept, "stop_reason_": reason}
        told = {"by_group_": True} | (attributes if run.chosen is None else {})
        return Learned(kept, group_state(found), int(plain["n_steps"]), told)

    return learned_together(TRAIN, settings, train, validation, run, hear, use)
