"""The command with a disturbance at one of its steps on the disk.

    python -m torture.disturbed kill 7 find sample --out DIR     killed at the seventh step
    python -m torture.disturbed fail 7 find sample --out DIR     the seventh step fails
    python -m torture.disturbed full 7 find sample --out DIR     every step from the seventh on fails
    python -m torture.disturbed count 0 find sample --out DIR    none; the last line on stderr counts the steps
    python -m torture.disturbed watch 0 find sample --out DIR    none; the last line names the checkpoints taken up

A step makes or opens a file for writing, writes, cuts, syncs, renames, exchanges, makes a folder, changes rights
or removes, below the folder that the command was started in. What there is nothing to do for is no step: making a
folder that is there, removing a file that is not. A write that is disturbed puts half of its bytes on the disk
first. Loops keep where they stand at every opportunity (but for `watch`), so that there is much to disturb.
"""

from __future__ import annotations

import contextlib
import errno
import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from pulink.persistence.checkpoints import Checkpoint, Checkpoints, FitCheckpoints
from pulink.system import files

TOOK = "took up:"

# What takes room fails for want of it, the rest because the disk is broken.
_BROKEN = ("sync", "chmod", "unlink", "rmdir")


class Disturbance:
    """Counts steps, and strikes at one of them."""

    def __init__(self, kind: str, step: int) -> None:
        self.kind, self.step = kind, step
        self.steps: list[str] = []
        self.places: list[Path] = []
        self._home = Path.cwd()

    @property
    def n_steps(self) -> int:
        return len(self.steps)

    @property
    def struck(self) -> tuple[str, Path]:
        """What the step was and where, once it was reached."""
        if not 0 < self.step <= self.n_steps:
            return "nothing", Path()
        return self.steps[self.step - 1], self.places[self.step - 1]

    def due(self, what: str, path: Any, dir_fd: int | None = None) -> bool:
        """Whether to strike; what is not below the folder of the run, as caches and /proc, is no step."""
        place = _place(path, dir_fd)
        if not place.is_relative_to(self._home):
            return False
        self.steps.append(what)
        self.places.append(place.relative_to(self._home))
        late = self.n_steps - self.step
        return self.kind in ("kill", "fail", "full") and (late == 0 or (self.kind == "full" and late > 0))

    def strike(self, *path: Any) -> None:
        """As the system would: a path is told of only by calls that were given one."""
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        number = errno.EIO if self.steps[-1] in _BROKEN else errno.ENOSPC
        raise OSError(number, os.strerror(number), *path)

    def start_here(self) -> None:
        self._home = Path.cwd()


def _place(path: Any, dir_fd: int | None) -> Path:
    """Where a path or the number of an open file leads."""
    try:
        if isinstance(path, int):
            return Path(f"/proc/self/fd/{path}").readlink()
        base = Path.cwd() if dir_fd is None else Path(f"/proc/self/fd/{dir_fd}").readlink()
    except OSError:
        return Path()
    return base / os.fsdecode(path)


class _Steps:
    """Functions of Python that a disturbance strikes before they do anything."""

    def __init__(self, disturbance: Disturbance) -> None:
        self._disturbance = disturbance
        self._open, self._open_number, self._write = io.open, os.open, os.write
        self._exchanged = files._exchanged

    def always(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        return self._when(what, function, lambda *_: True)

    def if_absent(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        return self._when(what, function, lambda path, dir_fd: not _exists(path, dir_fd))

    def if_present(self, what: str, function: Callable[..., Any]) -> Callable[..., Any]:
        return self._when(what, function, _exists)

    def _when(
        self, what: str, function: Callable[..., Any], is_step: Callable[[Any, int | None], bool]
    ) -> Callable[..., Any]:
        disturbance = self._disturbance

        def disturbed(path: Any, *arguments: Any, dir_fd: int | None = None, **named: Any) -> Any:
            passed = named if dir_fd is None else named | {"dir_fd": dir_fd}
            if is_step(path, dir_fd) and disturbance.due(what, path, dir_fd):
                disturbance.strike(*[path] * (not isinstance(path, int)))
            return function(path, *arguments, **passed)

        return disturbed

    def open_number(self, path: Any, flags: int, *arguments: Any, **named: Any) -> int:
        """os.open, which makes the files of `tempfile`."""
        if flags & os.O_CREAT and self._disturbance.due("open", path):
            self._disturbance.strike(path)
        return self._open_number(path, flags, *arguments, **named)

    def open(
        self, file: Any, mode: str = "r", buffering: int = -1, encoding: Any = None, errors: Any = None,
        newline: Any = None, closefd: bool = True, opener: Any = None,
    ) -> Any:  # fmt: skip
        """io.open, which `pathlib` and `tempfile` call: what is opened for writing may be cut short."""
        if not set(mode) & set("wax+"):
            return self._open(file, mode, buffering, encoding, errors, newline, closefd, opener)
        if opener is None and not isinstance(file, int) and self._disturbance.due("open", file):
            self._disturbance.strike(file)
        raw = _CutShort(file, mode.translate({ord("b"): None, ord("t"): None}), closefd, opener)
        raw.disturbance = self._disturbance
        if buffering == 0:
            return raw
        buffered = io.BufferedRandom(raw) if "+" in mode else io.BufferedWriter(raw)
        return buffered if "b" in mode else io.TextIOWrapper(buffered, encoding, errors, newline)

    def write(self, number: int, data: Any) -> int:
        if self._disturbance.due("write", number):
            self._write(number, data[: len(data) // 2])
            self._disturbance.strike()
        return self._write(number, data)

    def exchanged(self, one: Path, other: Path) -> bool:
        """A system that cannot exchange two folders says so, and there is another way."""
        if self._disturbance.due("exchange", other):
            if self._disturbance.kind == "kill":
                self._disturbance.strike()
            return False
        return self._exchanged(one, other)


class _CutShort(io.FileIO):
    disturbance: Disturbance

    def write(self, data: Any, /) -> int:
        if self.disturbance.due("write", self.fileno()):
            super().write(data[: len(data) // 2])
            self.disturbance.strike()
        return super().write(data)


def _exists(path: Any, dir_fd: int | None) -> bool:
    try:
        os.stat(path, dir_fd=dir_fd, follow_symlinks=False)
    except OSError:
        return False
    return True


def disturb(disturbance: Disturbance) -> contextlib.ExitStack:
    """Until the stack is closed."""
    undo = contextlib.ExitStack()

    def put(owner: Any, name: str, value: Any) -> None:
        undo.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, value)

    disturbance.start_here()
    steps = _Steps(disturbance)
    put(io, "open", steps.open)
    put(os, "open", steps.open_number)
    put(os, "write", steps.write)
    for name in ("truncate", "ftruncate"):
        put(os, name, steps.always("truncate", getattr(os, name)))
    put(os, "fsync", steps.always("sync", os.fsync))
    put(os, "chmod", steps.always("chmod", os.chmod))
    put(os, "mkdir", steps.if_absent("mkdir", os.mkdir))
    for name in ("rename", "replace"):
        put(os, name, steps.if_present("rename", getattr(os, name)))
    for name in ("unlink", "rmdir"):
        put(os, name, steps.if_present(name, getattr(os, name)))
    put(files, "_exchanged", steps.exchanged)
    defaults = Checkpoints.__init__.__kwdefaults__
    undo.callback(defaults.update, dict(defaults))
    defaults["every"] = 0.0
    return undo


@contextlib.contextmanager
def watched() -> Iterator[list[str]]:
    """The names of the checkpoints of earlier runs that were found and used, in their order."""
    taken: list[str] = []
    of, seen = Checkpoints.of, set[type]()
    undo = contextlib.ExitStack()

    def watched_of(folder: Checkpoints, key: str) -> FitCheckpoints:
        checkpoints = of(folder, key)
        kind = type(checkpoints)
        if kind not in seen:
            seen.add(kind)
            take = kind.load

            def taken_up(self: Any, name: str) -> Checkpoint | None:
                checkpoint = take(self, name)
                if checkpoint is not None:
                    taken.append(self._path(name).stem)
                return checkpoint

            # Of the class: parts of a fit are copies, and a copy would load what its origin loads.
            undo.callback(setattr, kind, "load", take)
            kind.load = taken_up  # type: ignore[method-assign]
        return checkpoints

    Checkpoints.of = watched_of  # type: ignore[method-assign]
    with undo:
        try:
            yield taken
        finally:
            Checkpoints.of = of  # type: ignore[method-assign]


def main() -> None:
    kind, step = sys.argv[1], int(sys.argv[2])
    sys.argv = ["pulink", *sys.argv[3:]]
    disturbance = Disturbance(kind, step)
    from pulink.cli.app import main as run

    with watched() as taken, contextlib.nullcontext() if kind == "watch" else disturb(disturbance):
        try:
            run()
        finally:
            if kind == "count":
                sys.stderr.write(f"{disturbance.n_steps}\n")
            if kind == "watch":
                sys.stderr.write(f"{TOOK} {' '.join(taken)}\n")


if __name__ == "__main__":
    main()
