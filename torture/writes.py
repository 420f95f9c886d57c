"""Every step on the disk fails, once and for good, over a whole run of `find`.

    python -m torture.writes

After each: no file is torn (all are as they were before, or as they should be), nobody sees a traceback, the exit
status is 0 or 5, and the next run ends with the right files. Then the same on real disks of a few kilobytes, where
the system allows to make one.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

from torture.disturbed import Disturbance, disturb
from torture.runs import SMALL, content, litter, write_edges

_RESULTS = Path(__file__).with_name("results")
_KILOBYTES = (4, 16, 32, 48, 64, 96, 128, 192)


def run(folder: Path, disturbance: Disturbance, seed: int = 0) -> tuple[int, str]:
    """In this process, which has the libraries loaded: status and what was said."""
    from pulink.cli.app import main

    said, status = io.StringIO(), 0
    words = ["pulink", *SMALL.command(Path()), "--seed", str(seed)]
    with (
        contextlib.chdir(folder),
        mock.patch.object(sys, "argv", words),
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(said),
        disturb(disturbance),
    ):
        try:
            main()
        except SystemExit as end:
            status = int(end.code or 0)
    return status, said.getvalue()


def undisturbed(folder: Path, seed: int = 0) -> tuple[int, str]:
    return run(folder, Disturbance("count", 0), seed)


class Trials:
    """Failures of one run, over an empty folder and over one with the results of another seed."""

    def __init__(self, root: Path) -> None:
        self._root, self._n_folders = root, 0
        self.failures: list[str] = []
        self.n_trials = self.n_refused = 0
        self.new, self.old = self._content(0), self._content(1)

    def _content(self, seed: int) -> dict[str, bytes]:
        undisturbed(folder := self.folder(), seed)
        return content(folder)

    def folder(self) -> Path:
        self._n_folders += 1
        folder = self._root / str(self._n_folders)
        folder.mkdir()
        write_edges(folder)
        return folder

    def n_steps(self) -> int:
        counter = Disturbance("count", 0)
        run(self.folder(), counter)
        return counter.n_steps

    def disturb(self, kind: str, step: int, *, over_old: bool) -> None:
        folder = self.folder()
        if over_old:
            undisturbed(folder, seed=1)
        status, said = run(folder, Disturbance(kind, step))
        self.check(folder, f"{kind} at step {step}{' over old files' * over_old}", status, said, over_old)

    def check(self, folder: Path, what: str, status: int, said: str, over_old: bool) -> None:
        self.n_trials += 1
        self.n_refused += status != 0
        found = content(folder) if (folder / "out").exists() else {}
        allowed = (self.new, self.old) if over_old else (self.new,)
        torn = [name for name, own in found.items() if own not in [each.get(name) for each in allowed]]
        missing = [name for name in self.old if name not in found] if over_old else []
        again, said_again = undisturbed(folder)
        right = content(folder) == self.new and not litter(folder)
        if torn or missing or "Traceback" in said + said_again or status not in (0, 5) or again != 0 or not right:
            came = f"status {status}, torn {torn}, missing {missing}, then {again}, right {right}"
            self.failures.append(f"{what}: {came}: {said[-300:]}")


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[bool]:
    """A disk of that size at a folder; False where the system does not allow to make one."""
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)],
        capture_output=True,
        check=False,
    )
    try:
        yield made.returncode == 0
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", str(folder)], check=True)


def on_small_disks(trials: Trials) -> int:
    """How many real disks were too small."""
    n_full = 0
    for kilobytes in _KILOBYTES:
        folder = trials.folder()
        (folder / "out").mkdir()
        with small_disk(folder / "out", kilobytes) as made:
            if not made:
                return 0
            status, said = undisturbed(folder)
            found = content(folder)
            n_full += status == 5
            trials.n_trials += 1
            torn = [name for name, own in found.items() if own != trials.new.get(name)]
            if torn or "Traceback" in said or status not in (0, 5) or (status == 0 and found != trials.new):
                trials.failures.append(f"a disk of {kilobytes} kB: status {status}, torn {torn}: {said[-300:]}")
    return n_full


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="only every so many steps")
    every = parser.parse_args().every
    os.environ["PULINK_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        trials = Trials(Path(name))
        n_steps = trials.n_steps()
        for step in range(1, n_steps + 1, every):
            for kind in ("fail", "full"):
                trials.disturb(kind, step, over_old=step % 2 == 0)
        n_full = on_small_disks(trials)
    figures = {
        "steps": n_steps,
        "trials": trials.n_trials,
        "ended with status 5": trials.n_refused,
        "real disks that were full": n_full,
        "failures": trials.failures,
    }
    sys.stdout.write(json.dumps(figures, indent=1) + "\n")
    _RESULTS.mkdir(exist_ok=True)
    (_RESULTS / "writes.json").write_text(json.dumps(figures, indent=1) + "\n")
    sys.exit(bool(trials.failures))


if __name__ == "__main__":
    main()
