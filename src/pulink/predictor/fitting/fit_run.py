"""What one run of learning is given, and what it returns.

A fit is one run ("choose"), or two of them: after the budget was chosen on hidden edges, the model is trained once
more on every edge with that budget ("refit").
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.calibration.pair_sample import PairSample
from pulink.engine.pace import listening
from pulink.graph.graph import Edges, Graph
from pulink.persistence.checkpoints import FitCheckpoints
from pulink.predictor.fitting.fit_events import NO_CALLBACKS, Callbacks
from pulink.predictor.fitting.stage_steps import StageSteps
from pulink.system.log import LOG

# The stage of the run that trains on every edge.
REFIT = "refit"

# Learned arrays by name: all that scoring needs besides the graph's structure.
State = dict[str, npt.NDArray[Any]]

# Pairs by which a model is calibrated, and the scores that it gives them.
Asked = tuple[PairSample, npt.NDArray[np.float64]]


@dataclass(frozen=True)
class Validation:
    """Hidden pairs by which a fit chooses when to stop."""

    edges: Edges
    non_edges: Edges


@dataclass(frozen=True)
class Progress:
    """Where a fit stands; handed to the `progress` function now and then.

    Attributes
    ----------
    stage : str
        "choose" while validation edges are hidden, "refit" on the whole graph, and "calibrate" after each of them,
        while pairs are searched and scored.
    done, total : int
        Steps so far, and at most: epochs, or equal parts of the work. Within a stage they never fall.
    iteration : int or None
        None for methods without an outer loop.
    val_auroc : float or None
        None without validation edges.
    split, n_splits : int
        Which of the splits is learned from, from 1 on, and how many there are.
    """

    stage: str
    done: int
    total: int
    iteration: int | None
    val_auroc: float | None
    split: int = 1
    n_splits: int = 1


ProgressFunction = Callable[[Progress], None]


@dataclass(frozen=True)
class Learned:
    """What one run of learning gave; `fit` makes it the model's.

    budget      iterations or epochs after which the kept state was reached: a refit spends as many
    state       arrays by name, the model's `state_`
    n_steps     gradient steps that the run took
    attributes  what else was learned, by the name of the model's attribute
    cache       attributes that only make later answers faster: no refit needs them
    asked       pairs to calibrate by and their scores, where learning has scored them anyway
    """

    budget: int
    state: State
    n_steps: int = 0
    attributes: Mapping[str, Any] = field(default_factory=dict)
    cache: Mapping[str, Any] = field(default_factory=dict)
    asked: Asked | None = None

    def without_cache(self) -> Learned:
        """Only what a refit may need: the rest would lie in memory meanwhile."""
        return replace(self, cache={}, asked=None)

    def refitted(self, again: Learned) -> Learned:
        """What both runs learned: the budget of the first, the state of the second, the steps of both."""
        return replace(
            again,
            budget=self.budget,
            n_steps=self.n_steps + again.n_steps,
            attributes={**self.attributes, **again.attributes},
        )


@dataclass(frozen=True)
class FitRun:
    """One run of learning.

    stage        "choose" or "refit"; checkpoints of loops are called so
    budget       iterations or epochs to spend exactly; None: as many as the stopping rule wants
    progress     told now and then where the run stands
    checkpoints  what was kept of this fit, and is to be kept
    chosen       what the run before learned; None while choosing
    split        which of so many splits is learned from, from 1 on
    callbacks    told of epochs, iterations and rounds
    whole        while choosing: the graph that will be learned from once more, if any will be
    """

    stage: str
    budget: int | None
    progress: ProgressFunction
    checkpoints: FitCheckpoints
    chosen: Learned | None = None
    split: int = 1
    n_splits: int = 1
    callbacks: Callbacks = NO_CALLBACKS
    whole: Graph | None = None

    @classmethod
    def choosing(
        cls, progress: ProgressFunction, checkpoints: FitCheckpoints, callbacks: Callbacks = NO_CALLBACKS
    ) -> FitRun:
        """The first run of a fit."""
        return cls("choose", None, progress, checkpoints, callbacks=callbacks)

    def of_split(self, split: int, n_splits: int, whole: Graph | None = None) -> FitRun:
        """The run that learns from one of several splits, the first of which is 1; whole: see above."""
        checkpoints = self.checkpoints if split == 1 else self.checkpoints.under(f"split-{split}-")
        return replace(self, checkpoints=checkpoints, split=split, n_splits=n_splits, whole=whole)

    def again(self, chosen: Learned) -> FitRun:
        """The run that trains on every edge, with the budget that was chosen."""
        return replace(self, stage=REFIT, budget=chosen.budget, chosen=chosen)

    def report(self, done: int, total: int, iteration: int | None, val_auroc: float | None) -> None:
        """Tell where the run stands."""
        LOG.debug("%s: %d of %d, iteration %s, AUROC %s", self.stage, done, total, iteration, val_auroc)
        self.progress(Progress(self.stage, done, total, iteration, val_auroc, self.split, self.n_splits))

    def tell(self, kind: str, number: int, of: int, values: Mapping[str, Any]) -> None:
        """Tell callbacks of an epoch, an iteration or a round that is over."""
        # The number of a record stands in the event already.
        measured = {name: value for name, value in values.items() if name != kind}
        self.callbacks.tell(
            kind, measured, stage=self.stage, number=number, of=of, split=self.split, n_splits=self.n_splits
        )

    @contextmanager
    def steps(self) -> Iterator[StageSteps]:
        """A stage whose loops tell how far they are (`engine/pace.py`)."""
        steps = StageSteps(self.report)
        with listening(steps.hear):
            yield steps
        steps.finish()

    def calibrating(self) -> AbstractContextManager[StageSteps]:
        """The stage after this one: pairs are searched and scored."""
        return replace(self, stage="calibrate").steps()
