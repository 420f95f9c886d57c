"""A run made on a node of a cluster: in a process of its own there, as it is here."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from typing import Any

from pulink.distributed.executor import Executor, Pending
from pulink.distributed.task import Task
from pulink.persistence.checkpoints import Checkpoint

WORKER = "pulink.experiments.worker"


@dataclass(frozen=True, eq=False)
class Nothing:
    """Runs have nothing in common: each reads its own graph."""

    def packed(self) -> Checkpoint:
        return Checkpoint()

    @classmethod
    def unpacked(cls, _: Checkpoint) -> Nothing:
        """The same."""
        return cls()


_NOTHING = Nothing()


def begin_run(executor: Executor, task: dict[str, Any]) -> Pending:
    """Have a run made; what it gives is its record."""
    return executor.start(RUN, _NOTHING, Checkpoint(task))


def _run(_: Nothing, piece: Checkpoint) -> Checkpoint:
    paths = os.pathsep.join(path for path in sys.path if path)
    ended = subprocess.run(  # noqa: S603
        [sys.executable, "-P", "-m", WORKER],
        input=json.dumps(piece.plain | {"runner": os.getpid()}),
        env=os.environ | {"PYTHONPATH": paths},
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    return Checkpoint(record(piece.plain["spec"], ended.returncode, ended.stdout.strip(), ended.stderr.strip()))


def record(spec: dict[str, Any], status: int, out: str, said: str) -> dict[str, Any]:
    """What a process that makes a run leaves: its result, or why there is none."""
    if status == 0 and out:
        made: dict[str, Any] = json.loads(out.splitlines()[-1])
        return made
    return {"spec": spec, "failed": said.splitlines()[-1] if said else _ending(status)}


def _ending(status: int) -> str:
    """A run that the system ends for want of memory says nothing itself: signal 9."""
    return f"ended with status {status}" if status >= 0 else f"was ended by signal {-status}"


RUN = Task(__name__, "RUN", _run, Nothing.unpacked)
