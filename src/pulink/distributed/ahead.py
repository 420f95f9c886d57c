"""Checkpoints that others make while this process does something else.

A fit asks for its checkpoints one after the other, and makes those that were not kept. Where others can make them,
it says beforehand which it will need: they are begun, kept as soon as they arrive, and there when they are asked
for. So what a fit does is the same with and without others, and what was done before a stop is not done again.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from pulink.distributed.executor import Executor, Pending, executor_in_use, waited
from pulink.distributed.task import S, Task
from pulink.engine.pace import tell
from pulink.errors import ClusterError
from pulink.persistence.checkpoints import Checkpoint, FitCheckpoints

T = TypeVar("T")


def made_by_others(kept: FitCheckpoints) -> FitCheckpoints:
    """The same checkpoints, to be made by the executor in use; as they are where that is this process."""
    executor = executor_in_use()
    return CheckpointsAhead(kept, executor) if executor.is_elsewhere else kept


def begin(checkpoints: FitCheckpoints, name: str, task: Task[S], shared: S, piece: Checkpoint) -> None:
    """Have a checkpoint made, if somebody else can and it was not kept."""
    if isinstance(checkpoints, CheckpointsAhead):
        checkpoints.begin(name, task, shared, piece)


def is_ahead(checkpoints: FitCheckpoints) -> bool:
    """Whether somebody else can make them."""
    return isinstance(checkpoints, CheckpointsAhead)


class CheckpointsAhead(FitCheckpoints):
    """Those of a fit, with those that were begun by name."""

    def __init__(self, kept: FitCheckpoints, executor: Executor) -> None:
        self._kept, self._executor = kept, executor
        self.seconds_before, self.cpu_seconds_before = kept.seconds_before, kept.cpu_seconds_before
        self._begun: dict[str, _Begun] = {}
        self._prefix = ""

    def begin(self, name: str, task: Task[S], shared: S, piece: Checkpoint) -> None:
        if self._prefix + name not in self._begun and not self._kept.holds(name):
            started = self._executor.start(task, shared, piece)
            self._begun[self._prefix + name] = _Begun(name, started, self._kept)

    def remember(self, name: str, make: Callable[[], Checkpoint], use: Callable[[Checkpoint], T]) -> T:
        begun = self._begun.get(self._prefix + name)
        if begun is None:
            return self._kept.remember(name, make, use)
        try:
            made = waited(self._executor, begun.pending, lambda: self._look_around(begun.pending))
        except ClusterError:
            self._keep_all()
            raise
        begun.keep()
        del self._begun[self._prefix + name]
        return use(made)

    def _look_around(self, awaited: Pending) -> None:
        tell(awaited.share)
        self._keep_all()
        # Whoever asked to stop gains nothing by what others are still at.
        if self._kept.is_stopping:
            raise KeyboardInterrupt

    def _keep_all(self) -> None:
        for begun in self._begun.values():
            begun.keep_if_made()

    def under(self, prefix: str) -> CheckpointsAhead:
        part = CheckpointsAhead(self._kept.under(prefix), self._executor)
        part._prefix, part._begun = self._prefix + prefix, self._begun
        return part

    @property
    def is_stopping(self) -> bool:
        return self._kept.is_stopping

    def holds(self, name: str) -> bool:
        return self._kept.holds(name)

    def folder(self, name: str) -> Path | None:
        return self._kept.folder(name)

    def load(self, name: str) -> Checkpoint | None:
        return self._kept.load(name)

    def save(self, name: str, make: Callable[[], Checkpoint]) -> None:
        self._kept.save(name, make)

    def save_if_due(self, name: str, make: Callable[[], Checkpoint]) -> None:
        self._kept.save_if_due(name, make)

    def finish(self, name: str, checkpoint: Checkpoint) -> None:
        self._kept.finish(name, checkpoint)


class _Begun:
    """A checkpoint under way, and where it is kept once it is made."""

    def __init__(self, name: str, pending: Pending, kept: FitCheckpoints) -> None:
        self.pending = pending
        self._name, self._kept, self._is_kept = name, kept, False

    def keep_if_made(self) -> None:
        if self.pending.done() and self.pending.exception() is None:
            self.keep()

    def keep(self) -> None:
        if not self._is_kept:
            self._is_kept = True
            self._kept.save(self._name, self.pending.result)
