"""Training by epochs until validation AUROC no longer rises: the stopping rule that the paper gives baselines."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.graph.graph import Graph
from pulink.persistence.checkpoints import Checkpoint
from pulink.persistence.checks import finite, require_alike, same_kind
from pulink.persistence.model_folder import Stored
from pulink.predictor.costs import STEPS, Sizes
from pulink.predictor.fitting.early_stopping import EarlyStopping
from pulink.predictor.fitting.fit_events import EPOCH
from pulink.predictor.fitting.fit_run import FitRun, Learned, State, Validation
from pulink.predictor.parameters import check_count, check_flag
from pulink.predictor.predictor import LinkPredictor
from pulink.text import counted

# Beyond `min_epochs`, so many times `patience` checks are usual before a fit stops.
_CHECKS = 5

_TRAINING, _BEST = "training.", "best."


class Training(Protocol):
    """One training from scratch on one graph."""

    @property
    def n_steps(self) -> int:
        """Gradient steps so far."""

    @property
    def loss(self) -> float | None:
        """Of the last gradient step, penalties aside; None before the first."""

    def advance(self, n_epochs: int) -> None:
        """Train for that many epochs more."""

    def snapshot(self) -> State:
        """All that scoring needs of the present state, in arrays that later epochs leave alone."""

    def state_dict(self) -> State:
        """All that is needed to go on from here."""

    def load_state_dict(self, state: State) -> None:
        """Go on from where another training of the same graph stood."""


@dataclass(kw_only=True, eq=False, repr=False)
class EpochPredictor(LinkPredictor):
    """Trains by epochs until validation AUROC no longer rises, and keeps the best state.

    See Also
    --------
    pulink.GCNCE : the parameters, and `history_`, `n_epochs_` and `stop_reason_`.
    """

    max_epochs: int = 2000
    min_epochs: int = 500
    patience: int = 20
    check_every: int = 1
    stop: bool = True

    history_: list[tuple[int, float]] = field(init=False)
    n_epochs_: int = field(init=False)
    stop_reason_: str = field(init=False)

    @abstractmethod
    def _training(self, train: Graph) -> Training:
        """A new training on this graph."""

    @abstractmethod
    def _state_scores(self, state: State, graph: Graph, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
        """Logits of pairs (k x 2) under a state; of the graph, only its structure may be used."""

    def _pair_scores(self, pairs: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        return self._state_scores(self.state_, self._structure, pairs)

    def _check_params(self) -> None:
        super()._check_params()
        check_count("max_epochs", self.max_epochs, 1)
        check_count("min_epochs", self.min_epochs, 0)
        check_count("patience", self.patience, 0)
        check_count("check_every", self.check_every, 1)
        check_flag("stop", self.stop)

    def sizes(self, graph: Graph) -> Sizes:
        """Epochs are counted as steps: those that are expected of a fit and, with `refit`, of another."""
        n_epochs = self.min_epochs + _CHECKS * self.patience * self.check_every if self.stop else self.max_epochs
        return super().sizes(graph) | {STEPS: (1 + self.refit) * min(n_epochs, self.max_epochs)}

    def _learn(self, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
        training, watch = self._trained(train, validation, run)
        kept, state = self._kept(training, watch)
        attributes = {"history_": watch.history, "n_epochs_": kept, "stop_reason_": watch.reason}
        return Learned(kept, state, training.n_steps, attributes if run.chosen is None else {})

    def _trained(self, train: Graph, validation: Validation | None, run: FitRun) -> tuple[Training, Watch]:
        """A training that has ended, and what was seen of it."""

        def begin(checkpoint: Checkpoint | None = None) -> tuple[Training, Watch]:
            training, watch = self._training(train), Watch(self, train, validation)
            if checkpoint is not None:
                watch.load_state_dict(training, checkpoint)
            return training, watch

        n_epochs = run.budget or self.max_epochs
        training, watch = run.checkpoints.resumed(run.stage, begin) or begin()
        while not watch.reason:
            due = min(self.check_every, n_epochs - watch.epoch)
            _advance(training, watch.epoch, due, n_epochs, run)
            watch.look(training, watch.epoch + due)
            run.tell(EPOCH, watch.epoch, n_epochs, {"loss": training.loss, "val_auroc": watch.last})
            if watch.stopping.is_over(watch.epoch):
                watch.reason = "validation AUROC no longer rises"
                break
            if watch.epoch >= n_epochs:
                watch.reason = "max_epochs"
            run.checkpoints.save_if_due(run.stage, lambda: watch.checkpoint(training))
            run.report(watch.epoch, n_epochs, None, watch.last)
        run.checkpoints.save(run.stage, lambda: watch.checkpoint(training))
        return training, watch

    def _kept(self, training: Training, watch: Watch) -> tuple[int, State]:
        """The epoch whose state is kept, and that state: the best one, or without validation edges the last."""
        return (watch.stopping.kept, watch.state) if watch.history else (watch.epoch, training.snapshot())

    @property
    def best_val_auroc_(self) -> float | None:
        """Of the kept state; None without validation edges."""
        return max((auroc for _, auroc in self.history_), default=None)

    @property
    def training_summary_(self) -> str:
        return counted(self.n_epochs_, "epoch")

    def _learned(self) -> tuple[dict[str, Any], State]:
        learned = {
            "n_epochs": self.n_epochs_,
            "n_steps": self.n_steps_,
            "stop_reason": self.stop_reason_,
            "history": [list(record) for record in self.history_],
        }
        return learned, {}

    def _restore(self, stored: Stored) -> None:
        super()._restore(stored)
        learned = stored.learned
        self.n_epochs_ = int(learned["n_epochs"])
        self.stop_reason_ = str(learned["stop_reason"])
        self.history_ = [(int(epoch), float(auroc)) for epoch, auroc in learned["history"]]


def _advance(training: Training, done: int, due: int, n_epochs: int, run: FitRun) -> None:
    """So many epochs more; one by one where callbacks are told of them, of the last one after a look at it."""
    for epoch in range(done + 1, done + due) if run.callbacks else ():
        training.advance(1)
        run.tell(EPOCH, epoch, n_epochs, {"loss": training.loss})
    training.advance(1 if run.callbacks else due)


class Watch:
    """Looks at the validation edges, and keeps the best state."""

    def __init__(self, model: EpochPredictor, train: Graph, validation: Validation | None) -> None:
        self.history: list[tuple[int, float]] = []
        self.epoch = 0
        self.reason = ""
        self.state: State = {}
        self.stopping = EarlyStopping(model.patience, model.min_epochs, model.stop)
        self._model, self._train, self._validation = model, train, validation

    @property
    def last(self) -> float | None:
        return self.history[-1][1] if self.history else None

    def _plain(self) -> dict[str, Any]:
        progress = {"epoch": self.epoch, "reason": self.reason, "history": self.history}
        return progress | self.stopping.state_dict()

    def checkpoint(self, training: Training) -> Checkpoint:
        """Where the training stands, and what was kept of it."""
        arrays = {f"{_TRAINING}{name}": array for name, array in training.state_dict().items()}
        return Checkpoint(self._plain(), arrays | {f"{_BEST}{name}": array for name, array in self.state.items()})

    def load_state_dict(self, training: Training, checkpoint: Checkpoint) -> None:
        """Take both to where they stood; if anything fails, neither is of use any more."""
        training.load_state_dict(checkpoint.under(_TRAINING))
        plain = same_kind(checkpoint.plain, self._plain())
        self.epoch, self.reason = plain["epoch"], plain["reason"]
        self.history = [(int(finite(epoch)), finite(auroc)) for epoch, auroc in plain["history"]]
        self.stopping.load_state_dict(plain)
        self.state = checkpoint.under(_BEST)
        require_alike(self.state, training.snapshot() if self.history else {})

    def look(self, training: Training, epoch: int) -> None:
        """See how the training does after so many epochs."""
        self.epoch = epoch
        if self._validation is None:
            return
        state = training.snapshot()
        edges, non_edges = (
            self._model._state_scores(state, self._train, pairs)
            for pairs in (self._validation.edges, self._validation.non_edges)
        )
        auroc = metrics.auroc(edges, non_edges)
        self.history.append((epoch, auroc))
        if self.stopping.look(epoch, auroc):
            self.state = state
