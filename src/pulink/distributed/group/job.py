"""Work that several processes do at once as a group: what is to be done, in a folder that all of them see.

job.json      which function of this package, and plain values for it
events.jsonl  what the first worker tells, a line for each event
stop          it is there once somebody wants the group to keep where it stands as soon as it can

The function is called in every process with the folder, the plain values and the group, and leaves its results in
the folder. A group that lost a worker is started again, and the function goes on from what it kept itself.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulink.distributed.group.group import Group
from pulink.distributed.task import named_object
from pulink.system.files import write_atomically

JOB, EVENTS, STOP = "job.json", "events.jsonl", "stop"
# Seconds between two checkpoints of one job.
EVERY = 10.0

Event = dict[str, Any]


@dataclass(frozen=True)
class GroupTask:
    """A function that a group runs; home and name are those of this very object, as of `task.Task`."""

    home: str
    name: str
    function: Callable[[Path, dict[str, Any], Group], None]

    @property
    def address(self) -> str:
        return f"{self.home}:{self.name}"


def write_job(folder: Path, task: GroupTask, plain: dict[str, Any]) -> None:
    """Say what is to be done; what another job left of its events is removed."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in (STOP, EVENTS):
        (folder / name).unlink(missing_ok=True)
    write_atomically(folder / JOB, json.dumps({"task": task.address, "plain": plain}).encode())


def run_job(folder: Path, group: Group) -> None:
    """Do this worker's part of a job."""
    told = json.loads((folder / JOB).read_bytes())
    task = named_object(told["task"], GroupTask)
    task.function(folder, told["plain"], group)


class Teller:
    """What workers tell of a job, or of a stage of it; only the first one's words are kept."""

    def __init__(self, folder: Path, group: Group, stage: str = "") -> None:
        self._stage = {"stage": stage} if stage else {}
        self._path, self._stop = folder / EVENTS, folder / STOP
        self._is_first = group.rank == 0
        self._last = time.monotonic()

    def tell(self, event: Event) -> None:
        if self._is_first:
            with self._path.open("a") as file:
                file.write(json.dumps(self._stage | event) + "\n")

    def is_due(self) -> bool:
        """Whether it is time to keep where the job stands."""
        return time.monotonic() - self._last >= EVERY or self._stop.exists()

    def kept(self) -> None:
        """Where it stands was kept."""
        self._last = time.monotonic()
        self.tell({"kept": True})


class Watch:
    """Reads what was told of a job, from its beginning."""

    def __init__(self, folder: Path) -> None:
        self._path, self._stop = folder / EVENTS, folder / STOP
        self._read = 0

    def news(self) -> Iterator[Event]:
        """What was told since the last time."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._read)
                content = file.read()
        except OSError:
            return
        # A line that is being written is read once it is whole.
        whole = content[: content.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.splitlines():
            yield json.loads(line)

    def stop(self) -> None:
        """Have it kept where the job stands."""
        self._stop.touch()
