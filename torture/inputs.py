"""Thousands of malformed files, each of which must end in a graph or in one clear line.

    python -m torture.inputs --count 20000 --seed 0
    python -m torture.inputs --count 20000 --seed 0 --again 1234 --keep DIR    (input 1234 only; its files stay)

A violation is any other exception, a warning, a crash, a hang, noise on the terminal, more than 1 GB of memory,
more than 5 s of the processor, or a message that is long, has several lines or names no file. Exit status 1 if
there is one.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from torture.asked_process import Answer, AskedProcess
from torture.cases import Case, cases

_GIGABYTE = 1_000_000_000
_SECONDS = 5.0


@dataclass
class Figures:
    """What came of the inputs so far."""

    fates: dict[str, Counter[str]] = field(default_factory=dict)
    slowest: tuple[float, int, str] = (0.0, 0, "")
    largest: tuple[int, int, str] = (0, 0, "")
    violations: list[str] = field(default_factory=list)

    def add(self, number: int, case: Case, answer: Answer) -> None:
        fate, told = str(answer["fate"]), str(answer["told"])
        seconds, n_bytes = float(str(answer["seconds"])), int(str(answer["bytes"]))
        self.slowest = max(self.slowest, (seconds, number, case.format))
        self.largest = max(self.largest, (n_bytes, number, case.format))
        if fate != "violation" and (seconds > _SECONDS or n_bytes > _GIGABYTE):
            fate, told = "violation", f"{seconds:.1f} s, {n_bytes / 1e6:.0f} MB ({fate}: {told[:200]})"
        self.fates.setdefault(case.format, Counter())[fate] += 1
        if fate == "violation":
            self.violations.append(f"input {number} ({case.format}): {told}")

    def __str__(self) -> str:
        lines = [f"{'format':14}{'inputs':>8}{'read':>8}{'refused':>9}{'violations':>12}"]
        totals: Counter[str] = Counter()
        for name, fates in sorted(self.fates.items()):
            totals += fates
            lines.append(_row(name, fates))
        lines.append(_row("all", totals))
        lines.append(
            f"slowest: {self.slowest[0]:.2f} s of the processor (input {self.slowest[1]}, {self.slowest[2]})"
        )
        lines.append(f"most memory: {self.largest[0] / 1e6:.0f} MB (input {self.largest[1]}, {self.largest[2]})")
        return "\n".join(lines)


class Worker:
    """A process that reads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._process = AskedProcess("torture.reading_worker", folder / "noise")

    def ask(self, case: Case) -> Answer:
        """What becomes of one input."""
        return self._process.ask(_written(case, self._folder))

    def stop(self) -> None:
        self._process.stop()


def main() -> int:
    arguments = _arguments()
    figures = Figures()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="pulink-torture-") as folder:
        worker = Worker(Path(arguments.keep or folder))
        for number, case in enumerate(cases(arguments.count, arguments.seed)):
            if arguments.again in (None, number):
                figures.add(number, case, worker.ask(case))
                if figures.violations and figures.violations[-1].startswith(f"input {number} "):
                    _say(f"VIOLATION, kept in {_kept(case, arguments.seed, number)}: {figures.violations[-1]}")
            if arguments.again is None and number % 1_000 == 999:
                _say(f"{number + 1:,} of {arguments.count:,}, {time.monotonic() - started:.0f} s")
        worker.stop()
    sys.stdout.write(f"{figures}\n{time.monotonic() - started:.0f} s in all\n")
    for violation in figures.violations:
        again = f"--count {arguments.count} --seed {arguments.seed} --again {violation.split()[1]} --keep DIR"
        _say(f"make it again: python -m torture.inputs {again}")
    return 1 if figures.violations else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m torture.inputs", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--again", type=int, metavar="NUMBER", help="only this input")
    parser.add_argument("--keep", metavar="DIR", help="write the files there and leave them")
    return parser.parse_args()


def _written(case: Case, folder: Path) -> dict[str, Any]:
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in case.files.items():
        (folder / name).write_bytes(content)
    edges, nodes = [*case.files, None][:2]
    return {
        "edges": str(folder / str(edges)),
        "nodes": None if nodes is None else str(folder / nodes),
        "settings": case.settings,
    }


def _kept(case: Case, seed: int, number: int) -> Path:
    """A folder with an input that broke something."""
    folder = Path(tempfile.gettempdir()) / "pulink-violations" / f"seed-{seed}-input-{number}"
    _written(case, folder)
    return folder


def _row(name: str, fates: Counter[str]) -> str:
    counts = f"{fates['read']:>8,}{fates['refused']:>9,}{fates['violation']:>12,}"
    return f"{name:14}{sum(fates.values()):>8,}{counts}"


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
