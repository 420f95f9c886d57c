"""GCN+CE: a graph convolutional network with cross-entropy (Kipf and Welling 2017).

m training edges against m fresh non-edges in every epoch, mean cross-entropy of inner products.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.engine.non_edges import NonEdgeSampler
from pulink.graph.graph import Graph
from pulink.models.embedding import EmbeddingPredictor, refuse_divergence, validation_auroc
from pulink.models.parameters import check_count, check_flag
from pulink.models.predictor import Progress, ProgressFunction, Validation
from pulink.models.store import Stored
from pulink.models.training import LossTerm


class GCNCE(EmbeddingPredictor):
    """GCN+CE with the paper's stopping rule.

    Parameters
    ----------
    max_epochs, min_epochs, patience
        Up to `max_epochs` steps; never stopped before `min_epochs`; stopped when validation AUROC has failed to
        rise in more than `patience` checks in a row. The best state is kept.
    check_every
        Epochs between two looks at the validation edges.
    stop
        False: spend all epochs, and keep the best state.
    n_units, n_layers, learning_rate, feature_scaling, val_ratio, refit, seed, threads, device
        As in `pulink.PULL`.

    Learned: `embeddings_`, `encoder_state_`, `n_epochs_` (the epoch whose state is kept), `n_steps_`,
    `stop_reason_`, `history_` (epoch, validation AUROC), `graph_`.
    """

    def __init__(
        self,
        *,
        n_units: int = 16,
        n_layers: int = 2,
        learning_rate: float = 0.01,
        max_epochs: int = 2000,
        min_epochs: int = 500,
        patience: int = 20,
        check_every: int = 1,
        stop: bool = True,
        feature_scaling: str = "auto",
        val_ratio: float = 0.1,
        refit: bool = True,
        seed: int = 0,
        threads: int | None = None,
        device: str = "cpu",
    ) -> None:
        self.n_units = n_units
        self.n_layers = n_layers
        self.learning_rate = learning_rate
        self.max_epochs = max_epochs
        self.min_epochs = min_epochs
        self.patience = patience
        self.check_every = check_every
        self.stop = stop
        self.feature_scaling = feature_scaling
        self.val_ratio = val_ratio
        self.refit = refit
        self.seed = seed
        self.threads = threads
        self.device = device

    def _judge(self) -> None:
        super()._judge()
        check_count("max_epochs", self.max_epochs, 1)
        check_count("min_epochs", self.min_epochs, 0)
        check_count("patience", self.patience, 0)
        check_count("check_every", self.check_every, 1)
        check_flag("stop", self.stop)

    def _learn(
        self,
        train: Graph,
        validation: Validation | None,
        budget: int | None,
        stage: str,
        progress: ProgressFunction,
    ) -> int:
        n_epochs = budget or self.max_epochs
        trainer = self.new_trainer("gcn", train)
        observed = self.propagation(train.adjacency)
        ones = np.ones(train.n_edges, dtype=np.float32)
        term = LossTerm(observed, train.edges, ones, ones, train.n_edges, NonEdgeSampler(train.adjacency))
        history: list[tuple[int, float]] = []
        kept, best, misses, reason = 0, -np.inf, 0, "max_epochs"
        while trainer.n_steps < n_epochs:
            trainer.train([term], min(self.check_every, n_epochs - trainer.n_steps))
            auroc = None
            if validation is not None:
                embeddings = trainer.embed(observed)
                refuse_divergence(embeddings)
                auroc = validation_auroc(embeddings, validation)
                history.append((trainer.n_steps, auroc))
                if auroc > best:
                    kept, best, misses = trainer.n_steps, auroc, 0
                    self.embeddings_, self.encoder_state_ = embeddings, trainer.state()
                else:
                    misses += 1
                if self.stop and misses > self.patience and trainer.n_steps >= self.min_epochs:
                    reason = "validation AUROC no longer rises"
                    break
            progress(Progress(stage, trainer.n_steps, n_epochs, None, auroc))
        if validation is None:
            kept, self.embeddings_, self.encoder_state_ = (
                trainer.n_steps,
                trainer.embed(observed),
                trainer.state(),
            )
            refuse_divergence(self.embeddings_)
        if stage == "choose":
            self.history_, self.n_epochs_, self.stop_reason_, self.n_steps_ = history, kept, reason, 0
        self.n_steps_ += trainer.n_steps
        return kept

    @property
    def best_val_auroc_(self) -> float | None:
        """Of the kept state; None without validation edges."""
        return max((auroc for _, auroc in self.history_), default=None)

    @property
    def budget_words_(self) -> str:
        return f"{self.n_epochs_} epochs"

    def _learned(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]:
        learned = {
            "n_epochs": self.n_epochs_,
            "n_steps": self.n_steps_,
            "stop_reason": self.stop_reason_,
            "history": [list(record) for record in self.history_],
        }
        return learned, {}

    def _restore(self, stored: Stored) -> None:
        learned = stored.learned
        self.n_epochs_ = int(learned["n_epochs"])
        self.n_steps_ = int(learned["n_steps"])
        self.stop_reason_ = str(learned["stop_reason"])
        self.history_ = [(int(epoch), float(auroc)) for epoch, auroc in learned["history"]]


def equal_budget_control(n_steps: int, check_every: int, like: EmbeddingPredictor) -> GCNCE:
    """GCN+CE with exactly `n_steps` gradient steps on a split, and everything else as in `like`.

    It may look at the validation edges every `check_every` steps, as often as PULL does, and keeps the best state.
    """
    return GCNCE(
        n_units=like.n_units,
        n_layers=like.n_layers,
        learning_rate=like.learning_rate,
        max_epochs=n_steps,
        check_every=check_every,
        stop=False,
        feature_scaling=like.feature_scaling,
        val_ratio=like.val_ratio,
        refit=like.refit,
        seed=like.seed,
        threads=like.threads,
        device=like.device,
    )
