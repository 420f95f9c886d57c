"""Runs without a process of their own: PyTorch is loaded once, not once for each."""

from __future__ import annotations

import contextlib
import io
import subprocess
import sys
from collections.abc import Iterator
from types import SimpleNamespace
from typing import IO, Any
from unittest import mock

from pulink.experiments import runner, worker


@contextlib.contextmanager
def runs_here() -> Iterator[None]:
    """Within the block, runners make their runs in this process."""
    stand_in = SimpleNamespace(Popen=RunHere, PIPE=subprocess.PIPE)
    with mock.patch.object(runner, "subprocess", stand_in), mock.patch.object(runner, "_POLL_SECONDS", 0):
        yield


class RunHere:
    """Stands where the runner starts a process: the run is made here, at the second look at how it goes."""

    def __init__(self, command: list[str], *, stdin: int, stdout: IO[str], stderr: IO[str], text: bool) -> None:
        assert command == [sys.executable, "-P", "-m", "pulink.experiments.worker"]
        self.stdin = _Task()
        self.returncode: int | None = None
        self._out, self._said = stdout, stderr
        self._n_looks = 0

    def poll(self) -> int | None:
        self._n_looks += 1
        if self._n_looks == 2:
            self._perform()
            self.returncode = 0
        return self.returncode

    def kill(self) -> None:
        self.returncode = -9

    def wait(self) -> Any:
        return self.returncode

    def _perform(self) -> None:
        with (
            # It would end this process, whose parent is not the runner.
            mock.patch.object(worker, "_end_with"),
            mock.patch.object(sys, "stdin", io.StringIO(self.stdin.content)),
            contextlib.redirect_stdout(self._out),
            contextlib.redirect_stderr(self._said),
        ):
            worker.main()


class _Task(io.StringIO):
    """Keeps what was written after it is closed."""

    content = ""

    def close(self) -> None:
        self.content = self.getvalue()
        super().close()
