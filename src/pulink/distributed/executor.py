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

    @abstractmethod
    def start(self, task: Task[S], shared: S, piece: Checkpoint) -> Pending:
        """Have a piece made, as soon as somebody is free."""

    def map(self, task: Task[S], shared: S, pieces: Sequence[Checkpoint]) -> Iterator[Checkpoint]:
        """What a task makes of each piece, in their order; the first error is raised, and the rest given up."""
        pending = [self.start(task, shared, piece) for piece in pieces]
        try:
            for one in pending:
                yield waited(one, lambda: tell(sum(own.share for own in pending) / len(pending)))
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


def waited(pending: Pending, meanwhile: Callable[[], None]) -> Checkpoint:
    """The piece once it is made; `meanwhile` is called now and then."""
    while not wait([pending], _LOOK).done:
        meanwhile()
    return pending.result()


def all_waited(pending: Sequence[Pending], meanwhile: Callable[[], None]) -> list[Exception]:
    """Wait for all, or until one of them fails; return what failed so far."""
    left = list(pending)
    while left:
        done = wait(left, _LOOK, FIRST_EXCEPTION).done
        failed = [error for one in done if isinstance(error := one.exception(), Exception)]
        if failed:
            return failed
        left = [one for one in left if one not in done]
        meanwhile()
    return []


class _InUse(threading.local):
    executor: Executor = ThisProcess()


_in_use = _InUse()


def executor_in_use() -> Executor:
    """Who does the pieces of this thread's work; this process outside of `using`."""
    return _in_use.executor


@contextmanager
def using(executor: Executor) -> Iterator[Executor]:
    """Within the block, pieces are made by this executor, which is closed at the end."""
    before, _in_use.executor = _in_use.executor, executor
    try:
        yield executor
    finally:
        _in_use.executor = before
        executor.close()
