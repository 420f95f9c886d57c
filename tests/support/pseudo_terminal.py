"""A command on a terminal of its own: what a person would see and type."""

from __future__ import annotations

import contextlib
import os
import pty
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path


class OnTerminal:
    """A process whose standard input and standard error, and perhaps output, are a terminal."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self.process, self.master = process, master
        self.seen = b""

    def wait_for(self, text: bytes, seconds: float = 90.0) -> None:
        """Until this is on the screen."""
        self._until(lambda: text in self.seen, seconds)

    def read_to_end(self, seconds: float = 90.0) -> int:
        """Until the process has ended; its status."""
        self._until(lambda: self.process.poll() is not None, seconds)
        with contextlib.suppress(OSError):
            while piece := os.read(self.master, 65_536):
                self.seen += piece
        return self.process.wait()

    def waits_for_input(self) -> bool:
        """Whether it sits in a read of standard input."""
        return Path(f"/proc/{self.process.pid}/syscall").read_text().startswith("0 0x0 ")

    def _until(self, done: Callable[[], bool], seconds: float) -> None:
        end = time.monotonic() + seconds
        os.set_blocking(self.master, False)
        while not done():
            if time.monotonic() > end:
                raise AssertionError(f"not seen in time; on the screen: {self.seen!r}")
            try:
                self.seen += os.read(self.master, 65_536)
            except BlockingIOError:
                time.sleep(0.01)
            except OSError:
                time.sleep(0.01)


@contextlib.contextmanager
def on_terminal(*words: str, env: dict[str, str] | None = None, stdout: int | None = None) -> Iterator[OnTerminal]:
    """Start a command on a terminal; `stdout` may go elsewhere."""
    master, slave = pty.openpty()
    before = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    process = subprocess.Popen(
        words, stdin=slave, stderr=slave, stdout=slave if stdout is None else stdout, start_new_session=True,
        env=before | {"TERM": "xterm-256color", "COLUMNS": "100"} | (env or {}),
    )  # fmt: skip
    os.close(slave)
    try:
        yield OnTerminal(process, master)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
        os.close(master)
