"""The steps of one stage of a fit: from shares of the work to reports that only ever rise."""

from __future__ import annotations

from collections.abc import Callable

# What one stage is divided into: where it takes an hour, a step takes a moment.
N_STEPS = 100_000

# What a stage is told by: steps done and in all, iteration, validation AUROC.
Report = Callable[[int, int, int | None, float | None], None]


class StageSteps:
    """Reports every step that is done, never one twice, and at last all of them.

    iteration, val_auroc  what the next report says of them
    """

    def __init__(self, report: Report) -> None:
        self._report, self._done = report, 0
        self.iteration: int | None = None
        self.val_auroc: float | None = None

    def hear(self, share: float) -> None:
        """So much of the stage is done."""
        self._reach(min(int(share * N_STEPS), N_STEPS - 1))

    def finish(self) -> None:
        self._reach(N_STEPS)

    def _reach(self, done: int) -> None:
        if done > self._done:
            self._done = done
            self._report(done, N_STEPS, self.iteration, self.val_auroc)
