"""Runs of `find` that are killed, and started again: the files must be those of a run that nobody killed.

    python -m torture.kills --count 100 --seed 0

Half of the kills come at random moments (on the sample with PULL and PULL+, and on Chameleon where it is there),
the others at the steps on the disk of one run: at all of them, or evenly over them where they are more.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from torture.runs import (
    CHAMELEON,
    SAMPLE,
    SAMPLE_PLUS,
    SMALL,
    Job,
    content,
    disturbed,
    finish,
    litter,
    start,
    torn,
    write_edges,
)

_RESULTS = Path(__file__).with_name("results")


class Trials:
    """Kills of one job, against one undisturbed run of it."""

    def __init__(self, job: Job, root: Path) -> None:
        self.job, self._root = job, root
        self.failures: list[str] = []
        self.n_trials = self.n_alive = 0
        finish(job, self._folder("compiled"))
        started = time.perf_counter()
        status, said = finish(job, whole := self._folder("whole"))
        self.seconds = time.perf_counter() - started
        if status != 0:
            raise SystemExit(f"{job.name}: the undisturbed run ended with {status}: {said}")
        self.whole = content(whole)

    def _folder(self, name: str) -> Path:
        folder = self._root / self.job.name.replace(", ", "-") / name
        folder.mkdir(parents=True)
        write_edges(folder)
        return folder

    def kill_after(self, seconds: float) -> None:
        """At a moment, wherever the run then is."""
        folder = self._folder(f"moment-{self.n_trials}")
        process = start(["-m", "pulink", *self.job.command(Path())], folder)
        time.sleep(seconds)
        process.kill()
        process.communicate()
        self.n_alive += process.returncode == 0
        self._check(folder, f"killed after {seconds:.2f} s")

    def kill_at(self, step: int) -> None:
        """At a step on the disk."""
        folder = self._folder(f"step-{self.n_trials}")
        status, _ = disturbed(self.job, folder, "kill", step)
        self.n_alive += status == 0
        self._check(folder, f"killed at step {step}")

    def n_steps(self) -> int:
        _, said = disturbed(self.job, self._folder("counted"), "count", 0)
        return int(said.splitlines()[-1])

    def told(self) -> dict[str, Any]:
        """The figures, also for whoever watches."""
        late = f" ({self.n_alive} came too late)" if self.n_alive else ""
        line = f"{self.job.name}: {self.n_trials} kills{late}, {len(self.failures)} failures"
        sys.stdout.write(f"{line}; undisturbed {self.seconds:.1f} s\n")
        sys.stdout.writelines(f"  {failure}\n" for failure in self.failures)
        sys.stdout.flush()
        return {"job": self.job.name, "kills": self.n_trials, "late": self.n_alive, "failures": self.failures}

    def _check(self, folder: Path, what: str) -> None:
        self.n_trials += 1
        broken = torn(content(folder), self.whole)
        status, said = finish(self.job, folder)
        found = content(folder)
        left = litter(folder)
        if broken or status != 0 or found != self.whole or left:
            self.failures.append(
                f"{self.job.name}, {what}: torn {broken}, then status {status}, "
                f"different {torn(found, self.whole)}, left {left}: {said[-300:]}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    settings = parser.parse_args()
    jobs = [SAMPLE, SAMPLE_PLUS] + [CHAMELEON] * ("PULINK_DATA" in os.environ)
    rng = np.random.default_rng(settings.seed)
    n_moments = settings.count // 2
    record = []
    with tempfile.TemporaryDirectory() as name:
        for number, job in enumerate(jobs):
            trials = Trials(job, Path(name))
            for share in rng.uniform(0.05, 1.0, size=len(range(number, n_moments, len(jobs)))):
                trials.kill_after(share * trials.seconds)
            record.append(trials.told())
        trials = Trials(SMALL, Path(name))
        n_steps = trials.n_steps()
        for step in np.unique(np.linspace(1, n_steps, settings.count - n_moments).round().astype(int)):
            trials.kill_at(int(step))
        record.append(trials.told() | {"steps": n_steps})
    _RESULTS.mkdir(exist_ok=True)
    (_RESULTS / "kills.json").write_text(json.dumps({"seed": settings.seed, "jobs": record}, indent=1) + "\n")
    sys.exit(any(own["failures"] for own in record))


if __name__ == "__main__":
    main()
