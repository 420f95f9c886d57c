"""Keys without Enter on a terminal, lines elsewhere. However it ends, the terminal is as it was before."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Iterator
from typing import Protocol

# What ends a review: q, and the end of what can be read.
END = "q"
_MOST = 65_536
_ESCAPE, _END_OF_INPUT = b"\x1b", b"\x04"
# The rest of what one key sends may arrive a little later.
_REST = 0.05
# Python heeds a signal between two steps: one that comes just before a long wait would wait for the next key.
_HEED = 0.1


class Keys(Protocol):
    """Where answers are typed."""

    def key(self) -> str:
        """The next one; END at the end of the input."""

    def line(self) -> str:
        """Text up to the end of a line."""

    def forget(self) -> None:
        """Let go what was typed before a question was seen."""


@contextlib.contextmanager
def opened_keys() -> Iterator[Keys]:
    """Those of the terminal, or the lines of a pipe."""
    if sys.stdin is None or not sys.stdin.isatty():
        yield _Lines()
        return
    terminal = _Terminal(sys.stdin.fileno())
    with terminal.single_keys():
        yield terminal


class _Lines:
    def key(self) -> str:
        # As in reading a file: polars' handler would let a read that waits go on waiting.
        signal.siginterrupt(signal.SIGINT, True)
        while text := sys.stdin.readline() if sys.stdin is not None else "":
            said = text.rstrip("\r\n")
            if said == " ":
                return said
            if said.strip():
                return said.strip().casefold()
        return END

    def line(self) -> str:
        return sys.stdin.readline().strip()

    def forget(self) -> None:
        """A pipe was written beforehand, and is meant."""


class _Terminal:
    def __init__(self, stream: int) -> None:
        self._stream = stream

    @contextlib.contextmanager
    def single_keys(self) -> Iterator[None]:
        """Each key is read at once and not shown; Ctrl-C and Ctrl-Z work as ever."""
        before = termios.tcgetattr(self._stream)
        heeded = threading.current_thread() is threading.main_thread()
        earlier = signal.getsignal(signal.SIGCONT)
        try:
            tty.setcbreak(self._stream, termios.TCSADRAIN)
            if heeded:
                # After Ctrl-Z and fg a shell has set its own ways.
                signal.signal(signal.SIGCONT, lambda *_: tty.setcbreak(self._stream, termios.TCSADRAIN))
            yield
        finally:
            if heeded:
                signal.signal(signal.SIGCONT, earlier)
            termios.tcsetattr(self._stream, termios.TCSADRAIN, before)

    def key(self) -> str:
        typed = self._read()
        if not typed or typed == _END_OF_INPUT:
            return END
        if typed.startswith(_ESCAPE):
            # An arrow sends several letters, of which one might be an answer.
            while self._waits(_REST) and os.read(self._stream, _MOST):
                pass
            return ""
        # One key is one answer, also where somebody pastes.
        return typed.decode(errors="replace")[:1].casefold()

    def _read(self) -> bytes:
        while not self._waits(_HEED):
            pass
        return os.read(self._stream, _MOST)

    def _waits(self, seconds: float) -> bool:
        return bool(select.select([self._stream], [], [], seconds)[0])

    def line(self) -> str:
        before = termios.tcgetattr(self._stream)
        shown = termios.tcgetattr(self._stream)
        shown[3] |= termios.ICANON | termios.ECHO
        try:
            termios.tcsetattr(self._stream, termios.TCSADRAIN, shown)
            return self._read().decode(errors="replace").strip()
        finally:
            termios.tcsetattr(self._stream, termios.TCSADRAIN, before)

    def forget(self) -> None:
        termios.tcflush(self._stream, termios.TCIFLUSH)
