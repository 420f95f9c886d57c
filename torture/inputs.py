"""Thousands of malformed files, each of which must end in a graph or in one clear line.

    python -m torture.inputs --count 20000 --seed 0
    python -m torture.inputs --count 20000 --seed 0 --again 1234 --keep DIR    (input 1234 only; its files stay)

A violation is any other exception, a warning, a crash, noise on the terminal, more than 1 GB of memory (children
included), more than 5 s of the processor, a hang (no answer within 30 s by the clock), or a message that is long,
has several lines or names no file. Exit status 1 if there is one.
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

from torture.asked_process import Answer, AskedProcess, excess
from torture.cases import Case, cases
from torture.kept_figures import tell

_COUNT = 20_000


@dataclass
class Figures:
    """What came of the inputs so far."""

    fates: dict[str, Counter[str]] = field(default_factory=dict)
    slowest: tuple[float, int, str] = (0.0, 0, "")
    longest: tuple[float, int, str] = (0.0, 0, "")
    largest: tuple[int, int, str] = (0, 0, "")
    violations: list[str] = field(default_factory=list)

    def add(self, number: int, case: Case, answer: Answer) -> None:
        fate, message = str(answer["fate"]), str(answer["told"])
        self.slowest = max(self.slowest, (answer["seconds"], number, case.format))
        self.longest = max(self.longest, (answer["clock"], number, case.format))
        self.largest = max(self.largest, (answer["bytes"], number, case.format))
        if fate != "violation" and (too_much := excess(answer, answer["bytes"])):
            fate, message = "violation", too_much
        self.fates.setdefault(case.format, Counter())[fate] += 1
        if fate == "violation":
            self.violations.append(f"input {number} ({case.format}): {message}")

    def to_dict(self) -> dict[str, Any]:
        totals = sum(self.fates.values(), Counter[str]())
        return {
            "inputs": totals.total(),
            **_counts(totals),
            "most seconds of the processor": _extreme(round(self.slowest[0], 2), *self.slowest[1:]),
            "most seconds by the clock": _extreme(round(self.longest[0], 2), *self.longest[1:]),
            "most megabytes": _extreme(round(self.largest[0] / 1e6), *self.largest[1:]),
            "formats": {name: _counts(counts) for name, counts in sorted(self.fates.items())},
            "what was wrong": self.violations,
        }


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
    about = {"seed": arguments.seed, "minutes": round((time.monotonic() - started) / 60, 1)}
    whole = arguments.count >= _COUNT and arguments.again is None
    tell("inputs", about | figures.to_dict(), whole=whole)
    for violation in figures.violations:
        again = f"--count {arguments.count} --seed {arguments.seed} --again {violation.split()[1]} --keep DIR"
        _say(f"make it again: python -m torture.inputs {again}")
    return 1 if figures.violations else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m torture.inputs", description=(__doc__ or "").partition("\n")[0]
    )
    parser.add_argument("--count", type=int, default=_COUNT)
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


def _counts(fates: Counter[str]) -> dict[str, int]:
    return {"read": fates["read"], "refused": fates["refused"], "violations": fates["violation"]}


def _extreme(value: float, number: int, name: str) -> dict[str, Any]:
    return {"most": value, "input": number, "format": name}


def _say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())
