"""The command with a disturbance at one of its steps on the disk.

    python -m torture.disturbed kill 7 find sample --out DIR     killed at the seventh step
    python -m torture.disturbed fail 7 find sample --out DIR     the seventh step fails: the disk is full
    python -m torture.disturbed full 7 find sample --out DIR     every step from the seventh on fails
    python -m torture.disturbed count 0 find sample --out DIR    nothing; the last line on stderr counts the steps

A step is a write, a sync or a rename. A write that is disturbed puts half of its bytes on the disk first. Loops
keep where they stand at every opportunity, so that there is much to disturb.
"""

from __future__ import annotations

import contextlib
import errno
import os
import signal
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from pulink import files
from pulink.models.checkpoints import Checkpoints


class Disturbance:
    """Counts steps, and strikes at one of them."""

    def __init__(self, kind: str, step: int) -> None:
        self.kind, self.step, self.n_steps = kind, step, 0

    def due(self) -> bool:
        self.n_steps += 1
        return self.kind != "count" and (
            self.n_steps == self.step or (self.kind == "full" and self.n_steps > self.step)
        )

    def strike(self) -> None:
        if self.kind == "kill":
            os.kill(os.getpid(), signal.SIGKILL)
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def around(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function, struck before it does anything."""

        def disturbed(*arguments: Any, **named: Any) -> Any:
            if self.due():
                self.strike()
            return function(*arguments, **named)

        return disturbed

    def opened(self, *arguments: Any, **named: Any) -> Any:
        """A temporary file whose write may be cut short."""
        handle = tempfile.NamedTemporaryFile(*arguments, **named)  # noqa: SIM115 (the caller closes it)
        write = handle.write

        def cut_short(data: bytes) -> int:
            if self.due():
                write(data[: len(data) // 2])
                handle.flush()
                self.strike()
            return int(write(data))

        handle.write = cut_short  # type: ignore[method-assign]
        return handle


class _Tempfile:
    """The module `tempfile` as `pulink.files` sees it."""

    def __init__(self, disturbance: Disturbance) -> None:
        self.NamedTemporaryFile = disturbance.opened
        self.mkdtemp = disturbance.around(tempfile.mkdtemp)
        self.TemporaryFile = tempfile.TemporaryFile


def disturb(disturbance: Disturbance) -> contextlib.ExitStack:
    """Until the stack is closed."""
    undo = contextlib.ExitStack()

    def put(owner: Any, name: str, value: Any) -> None:
        undo.callback(setattr, owner, name, getattr(owner, name))
        setattr(owner, name, value)

    put(files, "tempfile", _Tempfile(disturbance))
    put(files, "_exchanged", disturbance.around(files._exchanged))
    put(os, "fsync", disturbance.around(os.fsync))
    put(Path, "replace", disturbance.around(Path.replace))
    put(Path, "rename", disturbance.around(Path.rename))
    defaults = Checkpoints.__init__.__kwdefaults__
    undo.callback(defaults.update, dict(defaults))
    defaults["every"] = 0.0
    return undo


def main() -> None:
    kind, step = sys.argv[1], int(sys.argv[2])
    sys.argv = ["pulink", *sys.argv[3:]]
    disturbance = Disturbance(kind, step)
    from pulink.cli.app import main as run

    with disturb(disturbance):
        try:
            run()
        finally:
            if kind == "count":
                sys.stderr.write(f"{disturbance.n_steps}\n")


if __name__ == "__main__":
    main()
