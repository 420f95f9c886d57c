"""Who does independent pieces of work: this process, or others that it was told of.

The same pieces give the same bytes wherever they are made: their random numbers are functions of the seed and of
counters, and everybody uses as many threads.
"""

from __future__ import annotations

import tempfile
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, Future, wait
from contextlib import contextmanager
from pathlib import Path

from pulink.distributed.task import S, Task
from pulink.engine.pace import paced, tell
from pulink.errors import ClusterError
from pulink.persistence.checkpoints import Checkpoint
from pulink.system.memory import require_memory

# Seconds between two looks at how far others are.
_LOOK = 0.1


class Pending(Future[Checkpoint]):
    """A piece that somebody else is making, and which share of it is done."""

    share = 0.0


class Executor(ABC):
    """Makes pieces.

    is_elsewhere  whether others do it, so that this process may do something else meanwhile
    n_here        processes that do it on this machine
    """

    is_elsewhere = True
    n_here = 1

    @property
    def n_together(self) -> int:
        """How many processes can work on one job as a group: 1, 2, 4, ...; 0 if it does not serve groups."""
        return 0

    def require(self, n_bytes: int, what: str, way_out: str) -> None:
        """Refuse work before it begins, if a piece of it may need so much memory and there is less.

        What this process does itself may need as much.
        """
        if self.n_here > 1:
            what, way_out = f"{what}, in {self.n_here} processes", f"use fewer of them, or {way_out}"
        require_memory(max(self.n_here, 1) * n_bytes, what, way_out)

    def n_at_once(self, threads: int) -> int:  # noqa: ARG002 (where processes do it, threads are their own affair)
        """How many pieces of so many threads are made at the same time."""
        return self.n_here

    def look_around(self, note: Callable[[str], object]) -> None:  # noqa: B027 (most have nothing to tell)
        """Whoever waits for a piece calls this now and then: what he should know is told as a line."""

    @abstractmethod
    def start(self, task: Task[S], shared: S, piece: Checkpoint) -> Pending:
        """Have a piece made, as soon as somebody is free."""

    def map(self, task: Task[S], shared: S, pieces: Sequence[Checkpoint]) -> Iterator[Checkpoint]:
        """What a task makes of each piece, in their order; the first error is raised, and the rest given up."""
        pending = [self.start(task, shared, piece) for piece in pieces]
        try:
            for one in pending:
                yield waited(self, one, lambda: tell(sum(own.share for own in pending) / len(pending)))
        finally:
            for one in pending:
                one.cancel()

    def together(self, folder: Path, watch: Callable[[], None]) -> None:  # noqa: ARG002 (for those who can)
        """Have the job of a folder (see `job`) done by several processes as a group.

        Meanwhile `watch` is called now and then. Where a worker is lost, the others are ended and all start again.
        """
        raise ClusterError("this cluster does not train one model by several processes")

    @contextmanager
    def scratch(self) -> Iterator[Path]:
        """A folder that all workers see, for a while."""
        with tempfile.TemporaryDirectory(prefix="pulink-job-") as folder:
            yield Path(folder)

    @abstractmethod
    def close(self) -> None:
        """End all that was started."""


class ThisProcess(Executor):
    """Pieces are made one after the other, when they are asked for."""

    is_elsewhere = False

    def start(self, task: Task[S], shared: S, piece: Checkpoint) -> Pending:
        made = Pending()
        made.set_result(task.function(shared, piece))
        return made

    def map(self, task: Task[S], shared: S, pieces: Sequence[Checkpoint]) -> Iterator[Checkpoint]:
        for piece in paced(pieces):
            yield task.function(shared, piece)

    def close(self) -> None:
        """Nothing was."""


def waited(executor: Executor, pending: Pending, meanwhile: Callable[[], None]) -> Checkpoint:
    """The piece once it is made; `meanwhile` is called now and then."""
    while not wait([pending], _LOOK).done:
        executor.look_around(_in_use.note)
        meanwhile()
    return pending.result()


def all_waited(executor: Executor, pending: Sequence[Pending], meanwhile: Callable[[], None]) -> list[Exception]:
    """Wait for all, or until one of them fails; return what failed so far."""
    left = list(pending)
    while left:
        done = wait(left, _LOOK, FIRST_EXCEPTION).done
        failed = [error for one in done if isinstance(error := one.exception(), Exception)]
        if failed:
            return failed
        left = [one for one in left if one not in done]
        executor.look_around(_in_use.note)
        meanwhile()
    return []


def _say_nothing(_: str) -> None:
    """Nobody listens."""


class _InUse(threading.local):
    executor: Executor = ThisProcess()
    note: Callable[[str], object] = staticmethod(_say_nothing)


_in_use = _InUse()


def executor_in_use() -> Executor:
    """Who does the pieces of this thread's work; this process outside of `using`."""
    return _in_use.executor


@contextmanager
def using(executor: Executor, note: Callable[[str], object] = _say_nothing) -> Iterator[Executor]:
    """Within the block, pieces are made by this executor, which is closed at the end.

    note  told what whoever waits should know, line by line
    """
    before = _in_use.executor, _in_use.note
    _in_use.executor, _in_use.note = executor, note
    try:
        yield executor
    finally:
        _in_use.executor, _in_use.note = before
        executor.close()
