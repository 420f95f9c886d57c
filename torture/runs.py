"""Runs of `pulink find` that are disturbed, and what they leave on the disk."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from pulink.cli.terminal.interrupts import UNFINISHED
from pulink.system.files import STAGED
from pulink.system.folder_lock import LOCK
from torture.disturbed import TOOK

# By the clock: no job here takes a tenth of it on a quiet machine.
_PATIENCE = 900.0
_HUNG = 124
_DIGEST = hashlib.sha256().digest_size


@dataclass(frozen=True)
class Job:
    """A find with settings that end soon; the folder is always called alike, because the report names it."""

    name: str
    arguments: tuple[str, ...]

    def command(self, folder: Path) -> list[str]:
        return ["find", *self.arguments, "--top", "50", "--threads", "1", "--out", str(folder / "out")]


SAMPLE = Job(
    "sample, pull",
    ("sample", "--method", "pull", "--set", "pull.n_epochs=40", "--set", "pull.max_iterations=3"),
)
SAMPLE_PLUS = Job(
    "sample, pull-plus",
    ("sample", "--set", "pull-plus.n_epochs=30", "--set", "pull-plus.n_folds=3", "--set", "pull-plus.n_trees=40"),
)
CHAMELEON = Job(
    "chameleon, pull",
    ("chameleon", "--method", "pull", "--set", "pull.n_epochs=60", "--set", "pull.max_iterations=3"),
)
SMALL = Job(
    "small, pull",
    ("edges.csv", "--method", "pull", "--set", "pull.n_epochs=2", "--set", "pull.max_iterations=2"),
)


def write_edges(folder: Path) -> None:
    """Three dense groups of twelve nodes."""
    rows = [f"{g}-{a},{g}-{b}" for g in range(3) for a in range(12) for b in range(a) if (7 * a + 3 * b + g) % 4]
    (folder / "edges.csv").write_text("\n".join(["source,target", *rows]) + "\n")


def start(arguments: list[str], folder: Path) -> subprocess.Popen[str]:
    """In a folder of its own, so that equal commands are equal words."""
    here = str(Path(__file__).resolve().parent.parent)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])}
    return subprocess.Popen(
        [sys.executable, *arguments],
        cwd=folder,
        env=environment,
        text=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Status and what was said; one that comes to no end is killed."""
    try:
        _, said = process.communicate(timeout=_PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        _, said = process.communicate()
        return _HUNG, f"{said}\nno end after {_PATIENCE:.0f} s"
    return process.returncode, said


def finish(job: Job, folder: Path) -> tuple[int, str]:
    """Run to its end, undisturbed: status and what was said."""
    return ended(start(["-m", "pulink", *job.command(Path())], folder))


def disturbed(job: Job, folder: Path, kind: str, step: int) -> tuple[int, str]:
    """Run with one disturbance: status and what was said."""
    return ended(start_disturbed(job, folder, kind, step))


def start_disturbed(job: Job, folder: Path, kind: str, step: int) -> subprocess.Popen[str]:
    return start(["-m", "torture.disturbed", kind, str(step), *job.command(Path())], folder)


@dataclass(frozen=True)
class SecondStart:
    """How a run ended that was started where another one was killed, and what it left."""

    status: int
    said: str
    taken: frozenset[str]
    files: dict[str, bytes]
    left: tuple[str, ...]


def start_again(job: Job, folder: Path) -> SecondStart:
    status, said = disturbed(job, folder, "watch", 0)
    _, _, taken = said.rpartition(TOOK)
    left = tuple(litter(folder)) if (folder / "out").is_dir() else ()
    return SecondStart(status, said, frozenset(taken.split()), content(folder), left)


def whole_checkpoints(folder: Path) -> frozenset[str]:
    """Checkpoints that hold what their digest says."""
    found = (folder / "out" / UNFINISHED).glob("*/*.piece")
    return frozenset(path.stem for path in found if _fits(path.read_bytes()))


def _fits(checkpoint: bytes) -> bool:
    return hashlib.sha256(checkpoint[_DIGEST:]).digest() == checkpoint[:_DIGEST]


def content(folder: Path) -> dict[str, bytes]:
    """Every file of an output folder by its name, but for checkpoints, locks and what was being written."""
    out = folder / "out"
    found = {}
    for path in sorted(out.rglob("*")):
        parts = path.relative_to(out).parts
        hidden = parts[0] == UNFINISHED or path.name == LOCK or any(part.startswith(STAGED) for part in parts)
        if path.is_file() and not hidden:
            found[str(path.relative_to(out))] = path.read_bytes()
    return found


def torn(found: dict[str, bytes], whole: dict[str, bytes]) -> list[str]:
    """Files that are neither absent nor what they should be."""
    return [name for name, data in found.items() if data != whole.get(name)]


def litter(folder: Path) -> list[str]:
    """What a finished run should not have left."""
    out = folder / "out"
    return [path.name for path in out.iterdir() if path.name.startswith(".")]
