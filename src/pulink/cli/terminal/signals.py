"""Ctrl-C and SIGTERM before anything else is loaded: either ends a command, and what it holds is let go."""

from __future__ import annotations

import contextlib
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType


class Terminated(BaseException):
    """Somebody, or a machine that is shut down, asked the command to end. Typer ends Ctrl-C without a word."""


# What arrived: where a library lets go of something, Python swallows what a signal raises.
_arrived: list[int] = []


def heed_signals() -> None:
    """From now on, unless whoever started the command told it not to."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _end)
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)
    others = sys.unraisablehook

    def report_unless_stopped(swallowed: sys.UnraisableHookArgs) -> None:
        if not issubclass(swallowed.exc_type, KeyboardInterrupt | Terminated):
            others(swallowed)

    sys.unraisablehook = report_unless_stopped


def heed_swallowed_signals() -> None:
    """Raise once more what a signal raised, if anything did: the command should have ended by it."""
    if _arrived:
        _end(_arrived.pop(), None)


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
        for signal_number in arrived:
            signal.raise_signal(signal_number)


def status_of(interrupt: KeyboardInterrupt | Terminated) -> int:
    """What the command returns for it."""
    return 128 + (signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT)


def _end(number: int, _: FrameType | None) -> None:
    _arrived.append(number)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt
