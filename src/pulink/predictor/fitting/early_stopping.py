"""When to stop: the one rule of every loop that watches the validation edges."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass
class EarlyStopping:
    """Stop when the best value so far was missed in more than `patience` looks in a row.

    >>> stopping = EarlyStopping(patience=1)
    >>> for step, auroc in enumerate([0.7, 0.8, 0.8, 0.6], start=1):
    ...     is_best = stopping.look(step, auroc)
    >>> stopping.kept, stopping.misses, stopping.is_over(step)
    (2, 2, True)

    Parameters
    ----------
    patience
        How many looks in a row may fail. A tie is no better, and neither is NaN.
    min_step
        Never stop before this step.
    stop
        Whether to stop at all; if not, only the best step is noted.
    larger_is_better
        Whether values should rise, as AUROC does, or fall, as a loss does.

    Attributes
    ----------
    best, kept
        The best value so far and its step.
    misses
        Looks in a row that did not reach a new best.
    """

    patience: int = 0
    min_step: int = 0
    stop: bool = True
    larger_is_better: bool = True

    best: float = field(init=False)
    misses: int = field(init=False, default=0)
    kept: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        self.best = self._worst

    @property
    def _worst(self) -> float:
        return -math.inf if self.larger_is_better else math.inf

    def look(self, step: int, value: float | None) -> bool:
        """Whether the state of this step is the one to keep. Without a value (None) the latest always is."""
        if value is None or self._is_better(value):
            self.kept, self.misses = step, 0
            self.best = self._worst if value is None else value
            return True
        self.misses += 1
        return False

    def _is_better(self, value: float) -> bool:
        return value > self.best if self.larger_is_better else value < self.best

    def is_over(self, step: int) -> bool:
        """Whether to stop after this step."""
        return self.stop and self.misses > self.patience and step >= self.min_step

    def state_dict(self) -> dict[str, Any]:
        """Where the rule stands, as plain values for a checkpoint."""
        return {"kept": self.kept, "best": self.best, "misses": self.misses}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from where another one with the same settings stood; other names in `state` are passed over."""
        self.kept, self.best, self.misses = state["kept"], state["best"], state["misses"]
