"""SIGTERM before anything else is loaded: it ends a command as Ctrl-C does, and what a command holds is let go."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType


class Terminated(BaseException):
    """Somebody, or a machine that is shut down, asked the command to end. Typer ends Ctrl-C without a word."""


def heed_sigterm() -> None:
    """From now on, unless whoever started the command told it not to."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)


@contextlib.contextmanager
def signals_wait() -> Iterator[None]:
    """Ctrl-C and SIGTERM are heeded once the block is done: what it takes hold of can be let go of then."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    arrived: list[int] = []

    def note(number: int, _: FrameType | None) -> None:
        arrived.append(number)

    heeded = [number for number in (signal.SIGINT, signal.SIGTERM) if callable(signal.getsignal(number))]
    before = {number: signal.signal(number, note) for number in heeded}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
        for own in arrived:
            signal.raise_signal(own)


def status_of(interrupt: KeyboardInterrupt | Terminated) -> int:
    """What the command returns for it."""
    return 128 + (signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT)


def _terminate(_: int, __: FrameType | None) -> None:
    raise Terminated
