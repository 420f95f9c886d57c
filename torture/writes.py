"""Every step on the disk fails, once and for good, over a whole run of `find`.

    python -m torture.writes                    every step, over an empty folder and over older results
    python -m torture.writes --every 10         a short form: every tenth

Steps are those of disturbed.py. After each: no file is torn (all are as they were before, or as they should be),
nobody sees a traceback, the exit status is 0 and the results are there, or it is 5 and the last line says where
and why; no checkpoint that fails once ends a run; the next run ends with the right files. Then the same on real
disks, where the system allows to make some: of a few kilobytes, and without a free byte.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

from pulink.cli.terminal.interrupts import UNFINISHED
from torture.disturbed import Disturbance, disturb
from torture.kept_figures import tell
from torture.runs import SMALL, content, litter, write_edges

KINDS = {"fail": "fails once", "full": "fails for good"}
PLACES = {False: "an empty folder", True: "older results"}

_KILOBYTES = (4, 16, 32, 48, 64, 96, 128, 192)
_FILLED = 512
_FILLER = "filler"
_PAGE = 4096
_OUT = re.compile(r"(^|[ /])out([ /:]|$)")


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
        except Exception:  # what Python would do with it
            traceback.print_exc()
            status = 1
    return status, said.getvalue()


def undisturbed(folder: Path, seed: int = 0) -> tuple[int, str]:
    return run(folder, Disturbance("count", 0), seed)


def unclear(status: int, said: str) -> list[str]:
    """What is wrong with the way in which a run ended."""
    lines = said.splitlines()
    complaints = [line for line in lines if line.startswith("pulink: ")]
    found = {
        f"status {status}": status not in (0, 5),
        "a traceback": "Traceback" in said,
        "no last line that says why": status == 5 and complaints != lines[-1:],
        "a last line that does not say where": status == 5 and not _OUT.search("".join(lines[-1:])),
    }
    return [words for words, holds in found.items() if holds]


class FailingDisk:
    """Runs whose disk fails, over an empty folder and over one with the results of another seed."""

    def __init__(self, root: Path) -> None:
        self._root, self._n_folders = root, 0
        self.failures: list[str] = []
        self.trials: Counter[str] = Counter()
        self.n_refused = 0
        self._new, self._old = self.folder(), self.folder()
        undisturbed(self._new)
        undisturbed(self._old, seed=1)
        self.new, self.old = content(self._new), content(self._old)

    def folder(self, *, over_old: bool = False) -> Path:
        self._n_folders += 1
        folder = self._root / str(self._n_folders)
        folder.mkdir()
        write_edges(folder)
        if over_old:
            shutil.copytree(self._old / "out", folder / "out")
        return folder

    def steps(self, *, over_old: bool) -> list[str]:
        """What a run does on the disk, in its order."""
        counter = Disturbance("count", 0)
        run(self.folder(over_old=over_old), counter)
        return counter.steps

    def disturb(self, kind: str, step: int, *, over_old: bool) -> None:
        folder, disturbance = self.folder(over_old=over_old), Disturbance(kind, step)
        status, said = run(folder, disturbance)
        self.trials[f"{KINDS[kind]}, over {PLACES[over_old]}"] += 1
        word, place = disturbance.struck
        what = f"step {step} ({word} {place}) {KINDS[kind]}, over {PLACES[over_old]}"
        if kind == "fail" and UNFINISHED in place.parts and status != 0:
            self.failures.append(f"{what}: a checkpoint that could not be kept ended the run: {said[-600:]}")
        self.check(folder, what, status, said, over_old=over_old)
        shutil.rmtree(folder)

    def check(self, folder: Path, what: str, status: int, said: str, *, over_old: bool) -> None:
        self.n_refused += status != 0
        problems = unclear(status, said) + self._damage(folder, status, over_old)
        again, said_again = undisturbed(folder)
        if again != 0 or content(folder) != self.new or litter(folder):
            problems.append(f"the next run: status {again}, left {litter(folder)}: {said_again[-300:]}")
        if problems:
            self.failures.append(f"{what}: {'; '.join(problems)}: {said[-600:]}")

    def _damage(self, folder: Path, status: int, over_old: bool) -> list[str]:
        """Files that are neither old nor new, or lost, or not what the status promises."""
        found = content(folder)
        allowed = (self.new, self.old) if over_old else (self.new,)
        torn = [name for name, data in found.items() if data not in [each.get(name) for each in allowed]]
        missing = [name for name in self.old if name not in found] if over_old else []
        found_words = {
            f"torn {torn}": bool(torn),
            f"missing {missing}": bool(missing),
            "status 0 without all results": status == 0 and found != self.new,
        }
        return [words for words, holds in found_words.items() if holds]


@contextlib.contextmanager
def small_disk(folder: Path, kilobytes: int) -> Iterator[str]:
    """A disk of that size at a folder; yields why the system does not allow to make one, or nothing."""
    folder.mkdir()
    try:
        made = subprocess.run(
            ["mount", "-t", "tmpfs", "-o", f"size={kilobytes}k", "tmpfs", str(folder)],
            capture_output=True,
            text=True,
            check=False,
        )
    except OSError as error:
        yield str(error)
        return
    try:
        yield "" if made.returncode == 0 else made.stderr.strip() or f"mount ended with {made.returncode}"
    finally:
        if made.returncode == 0:
            subprocess.run(["umount", str(folder)], check=True)


def on_real_disks(disk: FailingDisk) -> dict[str, Any]:
    """How many disks were tried, and how many of them ended a run; or why there are none."""
    figures = {"too small, tried": 0, "too small, ended with status 5": 0, "without a free byte, tried": 0}
    for kilobytes in _KILOBYTES:
        folder = disk.folder()
        with small_disk(folder / "out", kilobytes) as refused:
            if refused:
                return {"NOT TRIED": refused}
            figures["too small, tried"] += 1
            figures["too small, ended with status 5"] += _on_small_disk(disk, folder, kilobytes)
    for over_old in PLACES:
        folder = disk.folder()
        with small_disk(folder / "out", _FILLED):
            figures["without a free byte, tried"] += 1
            _on_full_disk(disk, folder, over_old)
    return figures


def _on_small_disk(disk: FailingDisk, folder: Path, kilobytes: int) -> bool:
    status, said = undisturbed(folder)
    problems = unclear(status, said) + disk._damage(folder, status, over_old=False)
    if problems:
        disk.failures.append(f"a disk of {kilobytes} kB: {'; '.join(problems)}: {said[-600:]}")
    return status == 5


def _on_full_disk(disk: FailingDisk, folder: Path, over_old: bool) -> None:
    """Nothing may change but the one line, and once there is room again a run ends as it should."""
    out = folder / "out"
    if over_old:
        shutil.copytree(disk._old / "out", out, dirs_exist_ok=True)
    _fill(out / _FILLER)
    before = content(folder)
    status, said = undisturbed(folder)
    problems = unclear(status, said)
    problems += [f"status {status} without any room"] * (status == 0)
    problems += ["other files than before"] * (content(folder) != before)
    (out / _FILLER).unlink()
    again, said_again = undisturbed(folder)
    if again != 0 or content(folder) != disk.new or litter(folder):
        problems.append(f"with room: status {again}, left {litter(folder)}: {said_again[-300:]}")
    if problems:
        what = f"a disk without a free byte, over {PLACES[over_old]}"
        disk.failures.append(f"{what}: {'; '.join(problems)}: {said[-600:]}")


def _fill(path: Path) -> None:
    with path.open("wb", buffering=0) as file, contextlib.suppress(OSError):
        while True:
            file.write(bytes(_PAGE))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=1, help="only every so many steps")
    every = parser.parse_args().every
    os.environ["PULINK_THREADS"] = "1"
    with tempfile.TemporaryDirectory() as name:
        disk = FailingDisk(Path(name))
        steps = {over_old: disk.steps(over_old=over_old) for over_old in PLACES}
        for over_old, taken in steps.items():
            for step in range(1, len(taken) + 1, every):
                for kind in KINDS:
                    disk.disturb(kind, step, over_old=over_old)
        real = on_real_disks(disk)
    if "NOT TRIED" in real:
        sys.stderr.write(f"REAL DISKS: NOT TRIED ({real['NOT TRIED']})\n")
    figures = {
        "steps": {f"over {PLACES[over_old]}": len(taken) for over_old, taken in steps.items()},
        "kinds of steps": dict(sum((Counter(taken) for taken in steps.values()), Counter[str]())),
        "trials": dict(disk.trials) | {"in all": disk.trials.total()},
        "ended with status 5": disk.n_refused,
        "real disks": real,
        "failures": disk.failures,
    }
    tell("writes", figures, whole=every == 1)
    sys.exit(bool(disk.failures))


if __name__ == "__main__":
    main()
