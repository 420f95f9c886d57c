"""Runs of `find` that are killed, and started again: the files must be those of a run that nobody killed.

    python -m torture.kills --count 50 --seed 0             50 kills at random moments, and one at every step
    python -m torture.kills --count 3 --steps 6             a short form: 6 of the steps

Random moments come on the sample with PULL, with PULL+ and on Chameleon where it is there. Half of the runs keep
where they stand at every opportunity and are killed at their work; the others are as everybody's, and killed
anywhere between start and end. Steps are those on the disk of one small run (see disturbed.py). What counts is a
process that ended by SIGKILL: if it was done before, another moment is drawn.

Where checkpoints lay whole on the disk, the second start must say that it goes on, and take up all of them;
where there were none it must not. Exit status 1 if anything of this fails.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from torture.kept_figures import tell
from torture.runs import (
    CHAMELEON,
    SAMPLE,
    SAMPLE_PLUS,
    SMALL,
    Job,
    SecondStart,
    content,
    disturbed,
    ended,
    finish,
    start,
    start_again,
    start_disturbed,
    torn,
    whole_checkpoints,
    write_edges,
)

_COUNT = 50
_DRAWS = 6
_WORDS = "resuming a run that was stopped"


@dataclass
class Kills:
    """What came of the kills of one job."""

    job: str
    n_random: int = 0
    n_at_steps: int = 0
    n_resumed: int = 0
    n_too_late: int = 0
    failures: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "job": self.job,
            "kills": self.n_random + self.n_at_steps,
            "at random moments": self.n_random,
            "at steps": self.n_at_steps,
            "resumed from a piece": self.n_resumed,
            "came too late, not counted": self.n_too_late,
            "failures": self.failures,
        }


class KilledJob:
    """One job that is killed again and again, against one undisturbed run of it."""

    def __init__(self, job: Job, root: Path) -> None:
        self.job, self.kills = job, Kills(job.name)
        self._root, self._n_folders = root / job.name.replace(", ", "-"), 0
        finish(job, self._folder())
        started = time.perf_counter()
        process = self._start(whole := self._folder(), keeping_often=False)
        _first_line(process)
        self.seconds_before_work = time.perf_counter() - started
        status, said = ended(process)
        self.seconds = time.perf_counter() - started
        if status != 0:
            raise SystemExit(f"{job.name}: the undisturbed run ended with {status}: {said}")
        self.whole = content(whole)

    def kill_at_a_moment(self, draw: Callable[[], float], *, keeping_often: bool) -> None:
        """At a share of the run that `draw` gives; of the work alone, after the libraries, if it keeps often."""
        for _ in range(_DRAWS):
            folder, share = self._folder(), draw()
            process = self._start(folder, keeping_often)
            if keeping_often:
                _first_line(process)
                seconds = share * (self.seconds - self.seconds_before_work)
            else:
                seconds = share * self.seconds
            status, said = _killed_after(seconds, process)
            if status == -signal.SIGKILL:
                self.kills.n_random += 1
                self._start_again(folder, f"killed after {seconds:.2f} s{' of work' * keeping_often}")
                return
            if status != 0:
                self.kills.failures.append(f"{self.job.name}: ended by itself with {status}: {said[-300:]}")
                return
            self.kills.n_too_late += 1
        self.kills.failures.append(f"{self.job.name}: done before {_DRAWS} moments, never killed")

    def kill_at(self, step: int) -> None:
        """At a step on the disk."""
        status, said = disturbed(self.job, folder := self._folder(), "kill", step)
        if status != -signal.SIGKILL:
            self.kills.failures.append(f"step {step}: not killed, ended with {status}: {said[-300:]}")
            return
        self.kills.n_at_steps += 1
        self._start_again(folder, f"killed at step {step}")

    def n_steps(self) -> int:
        _, said = disturbed(self.job, self._folder(), "count", 0)
        return int(said.splitlines()[-1])

    def _folder(self) -> Path:
        self._n_folders += 1
        folder = self._root / str(self._n_folders)
        folder.mkdir(parents=True)
        write_edges(folder)
        return folder

    def _start(self, folder: Path, keeping_often: bool) -> subprocess.Popen[str]:
        if keeping_often:
            return start_disturbed(self.job, folder, "count", 0)
        return start(["-m", "pulink", *self.job.command(Path())], folder)

    def _start_again(self, folder: Path, what: str) -> None:
        before, checkpoints = content(folder), whole_checkpoints(folder)
        second = start_again(self.job, folder)
        if found := faults(before, checkpoints, second, self.whole):
            self.kills.failures.append(f"{self.job.name}, {what}: {'; '.join(found)}: {second.said[-300:]}")
        elif checkpoints:
            self.kills.n_resumed += 1


def faults(
    before: dict[str, bytes], checkpoints: frozenset[str], second: SecondStart, whole: dict[str, bytes]
) -> list[str]:
    """What is wrong with a second start, given the files and whole checkpoints that a kill left."""
    said = _WORDS in second.said
    found = {
        f"torn by the kill: {torn(before, whole)}": bool(torn(before, whole)),
        f"status {second.status}": second.status != 0,
        f"other files: {_different(second.files, whole)}": second.files != whole,
        f"left behind: {', '.join(second.left)}": bool(second.left),
        f"began anew, although there was {', '.join(sorted(checkpoints))}": bool(checkpoints) and not said,
        f"did not take up {', '.join(sorted(checkpoints - second.taken))}": bool(checkpoints - second.taken),
        "says that it goes on, and there was nothing": said and not checkpoints,
    }
    return [words for words, holds in found.items() if holds]


def _different(found: dict[str, bytes], whole: dict[str, bytes]) -> list[str]:
    return sorted(name for name in {*found, *whole} if found.get(name) != whole.get(name))


def _first_line(process: subprocess.Popen[str]) -> None:
    """Wait until it tells what it has read: the libraries are loaded, the work begins."""
    assert process.stderr is not None
    process.stderr.readline()


def _killed_after(seconds: float, process: subprocess.Popen[str]) -> tuple[int, str]:
    """The status is another one than -SIGKILL if the process was faster."""
    try:
        _, said = process.communicate(timeout=seconds)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
    return process.returncode, said


def shares(count: int, jobs: list[Job]) -> dict[Job, int]:
    """How many random kills each job gets: the dear ones few."""
    dear = {
        job: n_kills
        for job, n_kills in ((SAMPLE_PLUS, count // 5), (CHAMELEON, count // 10))
        if job in jobs and n_kills
    }
    return {SAMPLE: count - sum(dear.values())} | dear


def spread(n_steps: int, wanted: int | None) -> list[int]:
    """All steps, or so many, evenly."""
    count = n_steps if wanted is None else min(wanted, n_steps)
    return sorted({int(step) for step in np.linspace(1, n_steps, count).round()})


def at_moments(root: Path, count: int, jobs: list[Job], seed: int) -> list[Kills]:
    rng, record = np.random.default_rng(seed), []
    for job, n_kills in shares(count, jobs).items():
        if n_kills:
            killed = KilledJob(job, root)
            for number in range(n_kills):
                killed.kill_at_a_moment(lambda: rng.uniform(0.05, 1.0), keeping_often=number % 2 == 0)
            record.append(_reported(killed))
    return record


def at_steps(root: Path, wanted: int | None) -> tuple[Kills, int]:
    """The kills, and how many steps the run has."""
    killed = KilledJob(SMALL, root)
    n_steps = killed.n_steps()
    for step in spread(n_steps, wanted):
        killed.kill_at(step)
    return _reported(killed), n_steps


def _reported(killed: KilledJob) -> Kills:
    kills = killed.kills
    line = f"{kills.job}: {kills.n_random + kills.n_at_steps} kills, {kills.n_resumed} resumed from a checkpoint"
    sys.stderr.write(f"{line}, {len(kills.failures)} failures; undisturbed {killed.seconds:.1f} s\n")
    return kills


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=_COUNT, help="kills at random moments")
    parser.add_argument("--steps", type=int, help="kills at so many of the steps, evenly; all if not given")
    parser.add_argument("--seed", type=int, default=0)
    settings = parser.parse_args()
    missing = [] if "PULINK_DATA" in os.environ else [CHAMELEON]
    if missing:
        sys.stderr.write("CHAMELEON IS NOT TRIED: PULINK_DATA does not say where it is\n")
    started = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        random = at_moments(
            Path(name),
            settings.count,
            [job for job in (SAMPLE_PLUS, CHAMELEON) if job not in missing],
            settings.seed,
        )
        stepwise, n_steps = at_steps(Path(name), settings.steps)
    record = [*random, stepwise]
    figures = {
        "seed": settings.seed,
        "kills": sum(kills.n_random + kills.n_at_steps for kills in record),
        "at random moments": sum(kills.n_random for kills in record),
        "at steps": stepwise.n_at_steps,
        "steps of the run": n_steps,
        "resumed from a piece": sum(kills.n_resumed for kills in record),
        "failures": sum(len(kills.failures) for kills in record),
        "not tried": [job.name for job in missing],
        "minutes": round((time.monotonic() - started) / 60, 1),
        "jobs": [kills.to_dict() for kills in record],
    }
    tell("kills", figures, whole=settings.count >= _COUNT and settings.steps is None and not missing)
    sys.exit(any(kills.failures for kills in record))


if __name__ == "__main__":
    main()
