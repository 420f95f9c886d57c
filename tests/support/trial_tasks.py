"""Tasks that show what workers do when all is well and when it is not, and a worker that knows them."""

from __future__ import annotations

import os
import signal
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from pulink.distributed import task
from pulink.distributed.task import Task
from pulink.distributed.worker import main
from pulink.errors import InputError, UnknownNameError
from pulink.persistence.checkpoints import Checkpoint

MODULE = "tests.support.trial_tasks"


@dataclass(frozen=True, eq=False)
class Numbers:
    values: np.ndarray[Any, Any]

    def packed(self) -> Checkpoint:
        return Checkpoint({"count": len(self.values)}, {"values": self.values})

    @classmethod
    def unpacked(cls, packed: Checkpoint) -> Numbers:
        assert len(packed.arrays["values"]) == packed.plain["count"]
        return cls(packed.arrays["values"])


class _Odd(Exception):  # noqa: N818 (no class of pulink or Python)
    """A class that nobody else knows."""


_ERRORS = {
    "input": lambda: InputError("file.csv: row 3 has no target"),
    "name": lambda: UnknownNameError("method", "pul", ["pull"]),
    "output": lambda: OSError("no room"),
    "memory": lambda: MemoryError("too much"),
    "odd": lambda: _Odd("how odd"),
}


def _times(numbers: Numbers, piece: Checkpoint) -> Checkpoint:
    time.sleep(piece.plain.get("seconds", 0.0))
    return Checkpoint({"pid": os.getpid()}, {"values": numbers.values * piece.plain["factor"]})


def _fail(_: Numbers, piece: Checkpoint) -> Checkpoint:
    raise _ERRORS[piece.plain["how"]]()


def _die(numbers: Numbers, piece: Checkpoint) -> Checkpoint:
    """As often as it is told to, counted by the lines of a file."""
    file = Path(piece.plain["file"])
    file.open("a").write(f"{os.getpid()}\n")
    if len(file.read_text().splitlines()) <= piece.plain["times"]:
        os.kill(os.getpid(), signal.SIGKILL)
    return _times(numbers, piece)


TIMES = Task(MODULE, "TIMES", _times, Numbers.unpacked)
FAIL = Task(MODULE, "FAIL", _fail, Numbers.unpacked)
DIE = Task(MODULE, "DIE", _die, Numbers.unpacked)

if __name__ == "__main__":
    task.HOMES.append(MODULE)
    main()
