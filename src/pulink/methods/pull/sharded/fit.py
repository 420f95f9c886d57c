"""PULL trained by the workers of a cluster, seen from the fit that wants it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.checkpoints import PAIRS
from pulink.distributed.group.job import Event
from pulink.graph.graph import Graph
from pulink.methods.pull.expected_graph import expect, n_added_pairs
from pulink.methods.pull.loop import Iteration
from pulink.methods.pull.sharded.settings import LoopSettings
from pulink.methods.pull.sharded.training import TRAIN
from pulink.persistence.checkpoints import Checkpoint
from pulink.predictor.fitting.fit_events import EPOCH, ITERATION
from pulink.predictor.fitting.fit_run import FitRun, Learned, Validation
from pulink.predictor.sharded.group_embedding import EMBEDDINGS, gcn_settings, group_state
from pulink.predictor.sharded.group_fit import learned_together

if TYPE_CHECKING:
    from pulink.methods.pull.estimator import PULL


def learn_together(model: PULL, train: Graph, validation: Validation | None, run: FitRun) -> Learned:
    """What `methods.pull.loop.Loop` learns on one machine, but for rounding."""
    settings = settings_of(model, train, run.budget)
    follower = _Follower(settings, run)

    def use(found: Checkpoint) -> Learned:
        return _learned(model, train, run, found)

    return learned_together(TRAIN, settings.to_plain(), train, validation, run, follower.hear, use)


def settings_of(model: PULL, train: Graph, budget: int | None) -> LoopSettings:
    """What the workers are told of a model and its graph."""
    mean_weight = 1.0 if train.weights is None else float(train.weights.mean())
    return settings_for(model, train.n_nodes, mean_weight, budget)


def settings_for(model: PULL, n_nodes: int, mean_weight: float, budget: int | None) -> LoopSettings:
    """The same, where nobody holds the graph."""
    return LoopSettings(
        gcn=gcn_settings(model),
        n_epochs=model.n_epochs,
        max_iterations=model.max_iterations,
        growth=model.growth,
        n_hubs=min(model.n_hubs, n_nodes),
        correction=model.correction,
        stop=model.stop,
        patience=model.patience,
        warm_start=model.warm_start,
        reduction=model.reduction or "mean",
        hub_pairs_twice=model.hub_pairs_twice,
        mean_weight=mean_weight,
        budget=budget,
    )


def _learned(model: PULL, train: Graph, run: FitRun, found: Checkpoint) -> Learned:
    plain, kept = found.plain, int(found.plain["kept"])
    state = group_state(found)
    history = [_iteration(record, found.arrays[f"{PAIRS}{k}"]) for k, record in enumerate(plain["history"])]
    expected = expect(
        train,
        state[EMBEDDINGS],
        n_added_pairs(train.n_edges, model.growth, kept + 1),
        candidates="hubs",
        n_hubs=model.n_hubs,
        hub_pairs_twice=model.hub_pairs_twice,
        sample_key=None,
    )
    attributes: dict[str, Any] = {"expected_graph_": expected.graph(), "by_group_": True}
    if run.chosen is None:
        attributes |= {"history_": history, "refit_history_": []}
        attributes |= {"n_iter_": kept, "stop_reason_": str(plain["stop_reason"])}
    else:
        attributes |= {"refit_history_": history}
    return Learned(kept, state, int(plain["n_steps"]), attributes)


def _iteration(record: dict[str, Any], entered: npt.NDArray[np.int64]) -> Iteration:
    pairs = np.sort(entered, axis=1).astype(np.int32)
    # Which worker had which pair must not be seen.
    return Iteration(**record, entered=pairs[np.lexsort((pairs[:, 1], pairs[:, 0]))])


class _Follower:
    """Reports what workers tell, as the loop of one machine reports what it does."""

    def __init__(self, settings: LoopSettings, run: FitRun) -> None:
        self._run, self._epoch, self._iteration = run, 0, 0
        self._most = settings.budget or settings.max_iterations
        self._total = self._most * settings.n_epochs
        self._auroc: float | None = None

    def hear(self, event: Event) -> None:
        """Workers that start again tell once more of what they had not kept."""
        if "epoch" in event and event["epoch"] > self._epoch:
            self._epoch = event["epoch"]
            self._run.report(self._epoch, self._total, event["in"], self._auroc)
            names = ("loss_expected", "loss_correction")
            self._run.tell(EPOCH, self._epoch, self._total, dict(zip(names, event["losses"], strict=False)))
        elif "iteration" in event and event["iteration"] > self._iteration:
            self._iteration, self._auroc = event["iteration"], event["record"]["val_auroc"]
            self._run.tell(ITERATION, self._iteration, self._most, event["record"])
