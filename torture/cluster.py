"""Clusters that lose workers, nodes and the driver at random moments: the files must be those of a whole run.

    python -m torture.cluster --count 50 --seed 0                  of every case, every way to kill in turn
    python -m torture.cluster --count 3 --cases local,ray          a short form
    python -m torture.cluster --only "pull, local:2"               one case

A case is a command line on a cluster, and a way to kill is one of

    worker    SIGKILL of a process that makes pieces
    node      SIGKILL of every process of a node; another one joins (Ray)
    driver    SIGKILL of the command; it is started again

Ray's nodes stand in network namespaces of their own (tests/support/ray_nodes.py) and outlive a run. What counts is
a run in which somebody was killed: if it was done before, another moment is drawn. Pieces that were kept must not
be made again after the driver was killed. Exit status 1 if anything of this fails.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from tests.support.ray_nodes import RayNodes, missing_tool

from torture.kept_figures import tell
from torture.runs import content, litter, write_edges

_COUNT = 50
_DRAWS = 6
# By the clock.
_PATIENCE = 600.0
_LOOK = 0.02
PULINK = (sys.executable, "-m", "pulink")
_PLUS = (
    "find", "edges.csv", "--set", "pull-plus.n_epochs=1500", "--set", "pull-plus.n_trees=20",
    "--set", "pull-plus.n_folds=4", "--set", "pull-plus.n_splits=2", "--top", "50", "--threads", "1",
    "--out", "out",
)  # fmt: skip


_PULL = (
    "--method", "pull", "--set", "pull.n_epochs=400", "--set", "pull.max_iterations=4", "--set", "pull.stop=false",
    "--set", "pull.n_splits=1", "--top", "50", "--threads", "1", "--out", "out",
)  # fmt: skip
_WHOLE, _PARTS = (*PULINK, "find", "edges.csv", *_PULL), (*PULINK, "find", "parts", *_PULL)
_N_PARTS = 3


class Cluster(ABC):
    """Where commands run, and whom one can kill there.

    kills  ways to kill that there are
    """

    kills: tuple[str, ...] = ("worker", "driver")

    @abstractmethod
    def start(self, command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
        """Start a command; what it says on stderr is piped."""

    @abstractmethod
    def kill(self, how: str, driver: subprocess.Popen[str], rng: np.random.Generator) -> bool:
        """Kill somebody; whether there was anybody."""

    def mend(self) -> None:  # noqa: B027 (here nobody is lost for good)
        """Put back what was killed for good."""


class ThisMachine(Cluster):
    """Workers are children of the command."""

    def start(self, command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
        here = str(Path(__file__).resolve().parent.parent)
        paths = os.pathsep.join([here, *(path for path in sys.path if path)])
        return subprocess.Popen(
            command, cwd=folder, env=os.environ | {"PYTHONPATH": paths}, text=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
        )  # fmt: skip

    def kill(self, how: str, driver: subprocess.Popen[str], rng: np.random.Generator) -> bool:
        if how == "driver":
            return _kill(driver.pid) and driver.wait() == -signal.SIGKILL
        workers = _children(driver.pid)
        return bool(workers) and driver.poll() is None and _kill(int(rng.choice(workers)))


class RayNamespaces(Cluster):
    """A head without processors, and nodes that make pieces."""

    kills = ("worker", "node", "driver")

    def __init__(self, nodes: RayNodes) -> None:
        self._nodes = nodes

    def start(self, command: Sequence[str], folder: Path) -> subprocess.Popen[str]:
        return self._nodes.start(command, cwd=folder, stdout=subprocess.DEVNULL)

    def kill(self, how: str, driver: subprocess.Popen[str], rng: np.random.Generator) -> bool:
        if how == "driver":
            return _kill(driver.pid) and driver.wait() == -signal.SIGKILL
        there = [node for node in self._nodes.nodes[1:] if node.is_alive]
        if driver.poll() is not None:
            return False
        if how == "node":
            self._nodes.kill(there[int(rng.integers(len(there)))])
            return True
        workers = [pid for node in there for pid in node.workers()]
        return bool(workers) and _kill(int(rng.choice(workers)))

    def mend(self) -> None:
        for node in [node for node in self._nodes.nodes if not node.is_alive]:
            self._nodes.nodes.remove(node)
            self._nodes.add(node.n_cpus)


@dataclass(frozen=True)
class Case:
    """A command that writes into the folder `out`, without and with a cluster.

    cluster  of which kind: local or ray
    alone    the words of the undisturbed run; helped: those of the runs that are killed
    """

    name: str
    cluster: str
    alone: tuple[str, ...]
    helped: tuple[str, ...]


CASES = (
    Case("pull-plus, local:2", "local", (*PULINK, *_PLUS), (*PULINK, *_PLUS, "--cluster", "local:2")),
    Case("pull, local:2", "local", (*_WHOLE, "--cluster", "local:1"), (*_WHOLE, "--cluster", "local:2")),
    Case("pull in parts, local:2", "local", (*_PARTS, "--cluster", "local:1"), (*_PARTS, "--cluster", "local:2")),
    Case("pull-plus, two Ray nodes", "ray", (*PULINK, *_PLUS), (*PULINK, *_PLUS, "--cluster", "auto")),
    Case("pull in parts, two Ray nodes", "ray", (*_PARTS, "--cluster", "local:1"), (*_PARTS, "--cluster", "auto")),
)


@dataclass
class Kills:
    """What came of the kills of one case."""

    case: str
    by_kind: dict[str, int] = field(default_factory=dict)
    n_identical: int = 0
    n_resumed: int = 0
    n_too_late: int = 0
    seconds: float = 0.0
    failures: list[str] = field(default_factory=list)

    def to_dict(self) -> dict[str, Any]:
        return {
            "case": self.case,
            "kills": self.by_kind,
            "identical": self.n_identical,
            "resumed from checkpoints after the driver was killed": self.n_resumed,
            "came too late, not counted": self.n_too_late,
            "seconds undisturbed": round(self.seconds, 1),
            "failures": self.failures,
        }


class KilledCase:
    """One case that is disturbed again and again, against one undisturbed run of it."""

    def __init__(self, case: Case, cluster: Cluster, root: Path) -> None:
        self.case, self.cluster, self.kills = case, cluster, Kills(case.name)
        self._root, self._n_folders = root / case.cluster, 0
        self._run_whole(case.alone, folder := self._folder())
        self.whole = content(folder)
        # Warm, and how long it takes.
        started = time.perf_counter()
        self._run_whole(case.helped, folder := self._folder())
        self.kills.seconds = time.perf_counter() - started
        if content(folder) != self.whole:
            raise SystemExit(f"{case.name}: other files than alone, without any kill")

    def kill(self, how: str, rng: np.random.Generator) -> None:
        """At a random moment of a run."""
        for _ in range(_DRAWS):
            folder, started = self._folder(), time.perf_counter()
            process = self.cluster.start(self.case.helped, folder)
            seconds = rng.uniform(0.1, 1.0) * self.kills.seconds
            _sleep(seconds, process)
            if self.cluster.kill(how, process, rng):
                self._finish(how, f"{how} after {seconds:.1f} s", process, folder)
                self.cluster.mend()
                return
            self.kills.n_too_late += 1
            _end(process)
            # A machine is not always as busy.
            self.kills.seconds = min(self.kills.seconds, time.perf_counter() - started)
        self.kills.failures.append(f"{how}: done before {_DRAWS} moments, never killed")

    def _finish(self, how: str, what: str, process: subprocess.Popen[str], folder: Path) -> None:
        self.kills.by_kind[how] = self.kills.by_kind.get(how, 0) + 1
        again: list[str] = []
        if how == "driver":
            _end(process)
            kept, of_group = _pieces(folder), [*(folder / "out").glob(".unfinished/*/*/*.piece")]
            process = self.cluster.start(self.case.helped, folder)
            again = _made_again(kept, process, folder)
            self.kills.n_resumed += bool(kept or of_group)
        else:
            self.cluster.mend()
        status, said = _end(process)
        faults = {
            f"status {status}: {said[-400:]}": status != 0,
            f"other files: {_different(content(folder), self.whole)}": content(folder) != self.whole,
            f"left behind: {', '.join(litter(folder))}": bool(litter(folder)),
            f"made again: {', '.join(again)}": bool(again),
        }
        found = [words for words, holds in faults.items() if holds]
        self.kills.n_identical += content(folder) == self.whole
        if found:
            self.kills.failures.append(f"{what}: {'; '.join(found)}")

    def _folder(self) -> Path:
        self._n_folders += 1
        folder = self._root / str(self._n_folders)
        folder.mkdir(parents=True)
        (folder / "out").mkdir()
        write_edges(folder)
        first, *lines = (folder / "edges.csv").read_text().splitlines()
        (folder / "parts").mkdir()
        for k in range(_N_PARTS):
            part = "\n".join([first, *lines[k::_N_PARTS]])
            (folder / "parts" / f"{k}.csv").write_text(f"{part}\n")
        return folder

    def _run_whole(self, command: Sequence[str], folder: Path) -> None:
        status, said = _end(self.cluster.start(command, folder))
        if status != 0:
            raise SystemExit(f"{self.case.name}: an undisturbed run ended with {status}: {said}")


def _pieces(folder: Path) -> dict[Path, int]:
    """What was kept, and when it was written; a file may go while it is looked at."""
    found = {}
    for path in (folder / "out").glob(".unfinished/*/*.piece"):
        # That a group has kept where it stands is noted again and again.
        with contextlib.suppress(OSError):
            found |= {} if path.stem.endswith("-together") else {path: path.stat().st_mtime_ns}
    return found


def _made_again(kept: dict[Path, int], process: subprocess.Popen[str], folder: Path) -> list[str]:
    """Pieces that were kept and were written once more, while a run goes on to its end."""
    again: set[str] = set()
    limit = time.monotonic() + _PATIENCE
    while process.poll() is None and time.monotonic() < limit:
        now = _pieces(folder)
        # What stands in the middle of a loop is written again and again: others are finished.
        again |= {path.name for path, written in kept.items() if now.get(path, written) != written}
        time.sleep(_LOOK)
    return sorted(again)


def _end(process: subprocess.Popen[str]) -> tuple[int, str]:
    try:
        _, said = process.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
        said += f"\nno end after {_PATIENCE:.0f} s"
    return process.returncode, said or ""


def _sleep(seconds: float, process: subprocess.Popen[str]) -> None:
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(seconds)


def _kill(pid: int) -> bool:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return False
    return True


def _children(pid: int) -> list[int]:
    try:
        return [int(own) for own in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


def _different(found: dict[str, bytes], whole: dict[str, bytes]) -> list[str]:
    return sorted(name for name in {*found, *whole} if found.get(name) != whole.get(name))


@contextlib.contextmanager
def clusters(kinds: set[str]) -> Iterator[dict[str, Cluster]]:
    """By kind, those that this machine can have."""
    with contextlib.ExitStack() as stack:
        found: dict[str, Cluster] = {"local": ThisMachine()}
        missing = missing_tool() if "ray" in kinds else None
        if missing is not None:
            sys.stderr.write(f"RAY IS NOT TRIED: {missing}\n")
        elif "ray" in kinds:
            found["ray"] = RayNamespaces(stack.enter_context(RayNodes([0, 1, 1])))
        yield found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=_COUNT, help="kills in all")
    parser.add_argument("--cases", default="local,ray", help="kinds of clusters, separated by commas")
    parser.add_argument("--only", help="one case by its name")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    # Whoever ends this by SIGTERM leaves no namespaces behind either.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit("ended"))
    kinds, rng, record, started = (
        set(given.cases.split(",")),
        np.random.default_rng(given.seed),
        [],
        time.monotonic(),
    )
    with tempfile.TemporaryDirectory() as name, clusters(kinds) as there:
        chosen = [
            case for case in CASES if case.cluster in kinds & there.keys() and given.only in (None, case.name)
        ]
        for number, case in enumerate(chosen):
            killed = KilledCase(case, there[case.cluster], Path(name) / str(number))
            ways = killed.cluster.kills
            for turn in range(given.count // len(chosen) + (number < given.count % len(chosen))):
                killed.kill(ways[turn % len(ways)], rng)
            kills = killed.kills
            record.append(kills)
            sys.stderr.write(f"{case.name}: {kills.by_kind}, {kills.n_identical} identical\n")
    not_tried = [case.name for case in CASES if case not in chosen]
    figures = {
        "seed": given.seed,
        "kills": sum(sum(kills.by_kind.values()) for kills in record),
        "identical": sum(kills.n_identical for kills in record),
        "failures": sum(len(kills.failures) for kills in record),
        "not tried": not_tried,
        "minutes": round((time.monotonic() - started) / 60, 1),
        "cases": [kills.to_dict() for kills in record],
    }
    tell("cluster", figures, whole=given.count >= _COUNT and not not_tried)
    sys.exit(any(kills.failures for kills in record))


if __name__ == "__main__":
    main()
