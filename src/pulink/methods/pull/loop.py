"""The outer loop of PULL: expectation and maximisation in turn, left and taken up at any epoch."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pulink.engine.random import stream_key
from pulink.graph.graph import Graph
from pulink.methods.pull.expected_graph import ExpectedGraph, expect, n_added_pairs, unchanged
from pulink.nn.trainer import LossTerm, Trainer
from pulink.persistence.checkpoints import Checkpoint
from pulink.persistence.checks import finite, require_alike, same_kind
from pulink.predictor.by_embedding import embedding_state, refuse_divergence, validation_auroc
from pulink.predictor.fitting.early_stopping import EarlyStopping
from pulink.predictor.fitting.fit_events import EPOCH, ITERATION
from pulink.predictor.fitting.fit_run import FitRun, State, Validation

if TYPE_CHECKING:
    from pulink.methods.pull.estimator import PULL

F32 = npt.NDArray[np.float32]

# PULL's names of encoders; "gae" is the GCN with another loss.
ENCODERS = {"gcn": "gcn", "gae": "gcn", "vgae": "vgae", "vgnae": "vgnae"}

# What a loop remembers besides its history, the trainer, the best state and the stopping rule.
_COUNTERS = ("stop_reason", "n_steps", "epoch")
_TRAINING, _BEST = "training.", "best."
# What the terms of the loss are called, L'_E and L_C.
_LOSSES = ("loss_expected", "loss_correction")


@dataclass(frozen=True)
class Iteration:
    """One round of the outer loop.

    Attributes
    ----------
    iteration : int
        Counted from 1.
    k : int
        K: observed edges and selected cells; a pair of two hubs may be selected in both its cells.
    loss_expected : float
        L'_E of the last epoch.
    loss_correction : float or None
        L_C of the last epoch; None where it is not used.
    val_auroc : float or None
        None without validation edges.
    seconds : float or None
        None in a model that was loaded.
    entered : array of int32, k x 2
        The pairs that were added in this round for the first time.
    """

    iteration: int
    k: int
    loss_expected: float
    loss_correction: float | None
    val_auroc: float | None
    seconds: float | None
    entered: npt.NDArray[np.int32]

    def to_dict(self) -> dict[str, Any]:
        """Give the record without seconds and pairs: equal runs give equal records.

        Returns
        -------
        dict
        """
        return {
            "iteration": self.iteration,
            "k": self.k,
            "loss_expected": self.loss_expected,
            "loss_correction": self.loss_correction,
            "val_auroc": self.val_auroc,
            "n_entered": len(self.entered),
        }


def records(values: list[dict[str, Any]], tensors: dict[str, npt.NDArray[Any]], name: str) -> list[Iteration]:
    """What `Iteration.to_dict` gave, and the pairs that entered."""
    return [
        Iteration(
            iteration=int(value["iteration"]),
            k=int(value["k"]),
            loss_expected=float(value["loss_expected"]),
            loss_correction=value["loss_correction"],
            val_auroc=value["val_auroc"],
            seconds=value.get("seconds"),
            entered=tensors[f"{name}.{value['iteration']}"],
        )
        for value in values
    ]


class Loop:
    """The outer loop of one fit, and what it carries from one iteration to the next."""

    def __init__(self, model: PULL, train: Graph, validation: Validation | None, fit_run: FitRun) -> None:
        self.model = model
        self.train = train
        self.validation = validation
        self.fit_run = fit_run
        self.max_iterations = fit_run.budget or model.max_iterations
        self.observed = model.propagation(train.adjacency)
        self.history: list[Iteration] = []
        self.stop_reason = ""
        self.n_steps = 0
        self.stopping = EarlyStopping(model.patience, stop=model.stop)
        self.state: State = {}
        # Epochs done in the iteration under way, and the embeddings that its expected graph is built from.
        self.epoch = 0
        self._z = np.empty((0, 0), dtype=np.float32)
        self._trainer = self._new_trainer()

    @property
    def embeddings(self) -> F32:
        """Of the kept state."""
        return self.state["embeddings"]

    def run(self) -> int:
        """Algorithm 1: expect, select, maximise, score, stop. Returns the iteration whose state is kept."""
        self.fit_run.checkpoints.resumed(self.fit_run.stage, self._resume)
        while not self.stop_reason:
            t = len(self.history) + 1
            started = time.perf_counter()
            expected = unchanged(self.train) if t == 1 else self.expect(t, self._z)
            if t > 1 and self.epoch == 0 and not self.model.warm_start:
                self._trainer = self._new_trainer()
            losses, self._z = self._maximise(expected, t)
            self.epoch = 0
            embeddings = self._trainer.embed(self.observed)
            refuse_divergence(embeddings)
            auroc = None if self.validation is None else validation_auroc(embeddings, self.validation)
            self._remember(t, expected, losses, auroc, time.perf_counter() - started)
            self._keep_or_stop(t, embeddings, auroc)
            self.fit_run.tell(ITERATION, t, self.max_iterations, self.history[-1].to_dict())
            self.fit_run.checkpoints.save(self.fit_run.stage, self._checkpoint)
        return self.stopping.kept

    def _keep_or_stop(self, t: int, embeddings: F32, auroc: float | None) -> None:
        """Keep the state if it is the best so far; stop if that fails too often, or at the last iteration."""
        if self.stopping.look(t, auroc):
            self.state = embedding_state(embeddings, self._trainer.state())
        if self.stopping.is_over(t):
            self.stop_reason = "validation AUROC no longer rises"
        elif t == self.max_iterations:
            self.stop_reason = "max_iterations"

    def _counters(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in _COUNTERS} | self.stopping.state_dict()

    def _checkpoint(self) -> Checkpoint:
        """Where the loop stands."""
        history = [record.to_dict() | {"seconds": record.seconds} for record in self.history]
        arrays = {f"{_TRAINING}{name}": array for name, array in self._trainer.state_dict().items()}
        arrays |= {f"{_BEST}{name}": array for name, array in self.state.items()} | {"z": self._z}
        arrays |= {f"history.{record.iteration}": record.entered for record in self.history}
        return Checkpoint(self._counters() | {"history": history}, arrays)

    def _resume(self, checkpoint: Checkpoint) -> None:
        """Take all of a checkpoint, or nothing of it where something does not fit."""
        trainer = self._new_trainer()
        trainer.load_state_dict(checkpoint.under(_TRAINING))
        counters = same_kind(checkpoint.plain, self._counters())
        history = records(checkpoint.plain["history"], checkpoint.arrays, "history")
        state, z = checkpoint.under(_BEST), checkpoint.arrays["z"]
        wanted, looks = {}, self._z
        if history:
            looks = trainer.embed(self.observed)
            wanted = embedding_state(looks, trainer.state())
        require_alike(state | {"z": z}, wanted | {"z": looks})
        for record in history:
            self._check_record(record)
        self.state, self._z, self.history, self._trainer = state, z, history, trainer
        self.stopping.load_state_dict(counters)
        vars(self).update({name: counters[name] for name in _COUNTERS})

    def _check_record(self, record: Iteration) -> None:
        """ValueError or TypeError if no iteration of this loop can have left it."""
        if (record.val_auroc is None) != (self.validation is None):
            raise ValueError("its scores are not those of this fit")
        for value in (record.val_auroc, record.loss_correction, record.seconds):
            finite(0.0 if value is None else value)
        pairs = record.entered
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind != "i":
            raise ValueError("its pairs are none")
        if pairs.size and not 0 <= pairs.min() <= pairs.max() < self.train.n_nodes:
            raise ValueError("its pairs are not of this graph")

    def expect(self, iteration: int, z: F32) -> ExpectedGraph:
        """E-step (lines 4 to 6): the expected graph of embeddings z, approximated by K pairs."""
        model = self.model
        sample_key = None
        if model.selection == "sample":
            sample_key = stream_key(model.seed, "sample", iteration)
        return expect(
            self.train,
            z,
            n_added_pairs(self.train.n_edges, model.growth, iteration),
            candidates=model.candidates,
            n_hubs=model.n_hubs,
            hub_pairs_twice=model.hub_pairs_twice,
            sample_key=sample_key,
        )

    def _maximise(self, expected: ExpectedGraph, iteration: int) -> tuple[list[float], F32]:
        """M-step (line 7): `n_epochs` steps on L = L'_E + L_C (equations 5 and 6)."""
        terms = self._terms(expected, iteration)
        last = self.history[-1].val_auroc if self.history else None
        per_iteration = self.model.n_epochs
        before, total = (iteration - 1) * per_iteration, self.max_iterations * per_iteration

        def report() -> None:
            self.n_steps += 1
            self.epoch += 1
            if self.epoch < per_iteration:
                self.fit_run.checkpoints.save_if_due(self.fit_run.stage, self._checkpoint)
            self.fit_run.report(before + self.epoch, total, iteration, last)
            losses = dict(zip(_LOSSES, self._trainer.losses, strict=False))
            self.fit_run.tell(EPOCH, before + self.epoch, total, losses)

        self._trainer.train(terms, per_iteration - 1 - self.epoch, report)
        # The next expected graph is built from here: the last embeddings before the last step, without noise.
        z = self._trainer.embed(terms[0].adjacency)
        return self._trainer.train(terms, 1, report), z

    def _terms(self, expected: ExpectedGraph, iteration: int) -> list[LossTerm]:
        adjacency = self.observed if iteration == 1 else self.model.propagation(expected.adjacency)
        outside = self.train.pair_space.sampler(expected.adjacency)
        reduction = self._reduction()
        terms = [
            LossTerm(
                adjacency=adjacency,
                positives=expected.pairs,
                targets=expected.targets,
                counts=expected.entry_counts,
                n_non_edges=int(expected.entry_counts.sum()),
                sampler=outside,
                reduction=reduction,
                absent=self.train.absent,
            )
        ]
        if self.model.correction and iteration > 1:
            ones = np.ones(self.train.n_edges, dtype=np.float32)
            terms.append(
                LossTerm(self.observed, self.train.edges, ones, ones, self.train.n_edges, outside, reduction)
            )
        return terms

    def _reduction(self) -> str:
        if self.model.reduction is not None:
            return self.model.reduction
        return "per_class" if self.model.encoder in ("gae", "vgae", "vgnae") else "mean"

    def _new_trainer(self) -> Trainer:
        name = self.model.encoder
        encoder = ENCODERS[name] if isinstance(name, str) else name
        return self.model.new_trainer(encoder, self.train, first_step=self.n_steps)

    def _remember(
        self, t: int, expected: ExpectedGraph, losses: list[float], auroc: float | None, seconds: float
    ) -> None:
        before = np.concatenate([np.empty((0, 2), np.int32), *(record.entered for record in self.history)])
        entered = expected.added[~self.train.pair_space.isin(expected.added, before)]
        self.history.append(
            Iteration(
                iteration=t,
                k=self.train.n_edges + expected.n_cells,
                loss_expected=losses[0],
                loss_correction=losses[1] if len(losses) > 1 else None,
                val_auroc=auroc,
                seconds=seconds,
                entered=entered,
            )
        )
