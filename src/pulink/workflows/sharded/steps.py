"""Steps of a preparation: pieces that were done before are not done again, whoever does them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from pulink.distributed.executor import executor_in_use
from pulink.distributed.task import Task
from pulink.engine.pace import Listener, listening, portion
from pulink.persistence.checkpoints import Checkpoint, read_sealed
from pulink.workflows.sharded.plan import Plan


class Steps:
    """Runs one step after the other on the executor in use.

    shares  which share of all work each step is, about
    """

    def __init__(self, shares: Mapping[str, float]) -> None:
        total, place = sum(shares.values()), 0.0
        self._portions: dict[str, tuple[float, float]] = {}
        for step, share in shares.items():
            self._portions[step] = place / total, (place + share) / total
            place += share

    def run(self, plan: Plan, task: Task[Plan], pieces: Sequence[Checkpoint]) -> list[Checkpoint]:
        """What a step tells of each piece, in their order; what it told before is not asked for again."""
        step = task.name.lower()
        told = [read_sealed(plan.done_file(step, piece.plain["k"])) for piece in pieces]
        missing = [k for k, one in enumerate(told) if one is None]
        with portion(*self._portions[step]):
            made = executor_in_use().map(task, plan, [pieces[k] for k in missing])
            for k, one in zip(missing, made, strict=True):
                told[k] = one
        return [one for one in told if one is not None]


@contextmanager
def heard(listener: Listener | None) -> Iterator[None]:
    """Within the block, this function is told which share of the work is done; None: whoever listens already."""
    if listener is None:
        yield
        return
    with listening(listener):
        yield


def remove(*paths: Path) -> None:
    """Files that nobody needs any more, if they are still there."""
    for path in paths:
        with suppress(OSError):
            path.unlink()
