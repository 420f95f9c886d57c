"""Ctrl-C and SIGTERM before anything else is loaded: either ends a command, and what it holds is let go."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

INTERRUPTED = "interrupted; no file is incomplete"


class Terminated(BaseException):
    """Somebody, or a machine that is shut down, asked the command to end. Typer ends Ctrl-C without a word."""


# What arrived: where a library lets go of something, Python swallows what a signal raises.
_arrived: list[int] = []
# Lets go of what the command holds, and gives its last words; none while it holds nothing.
_farewell: list[Callable[[], str]] = []
# Told the last words and the status of a command that ends at once.
_told: list[Callable[[str, int], None]] = []


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


def ignore_signals() -> None:
    """All is written and said: what is left is Python's own clearing up, which must not be torn."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)


@contextlib.contextmanager
def farewell(words: Callable[[], str]) -> Iterator[None]:
    """Within the block, `words` lets go of what the command holds if a signal ends it while libraries load."""
    _farewell.append(words)
    try:
        yield
    finally:
        _farewell.remove(words)


def tell_end(listener: Callable[[str, int], None]) -> None:
    """Tell it the last words and the status, if a signal ends the command while libraries load."""
    _told.append(listener)


def is_loading(frame: FrameType | None) -> bool:
    """Whether an import is under way: what is raised then may abort code of libraries that is not Python's."""
    while frame is not None:
        if frame.f_code.co_filename == "<frozen importlib._bootstrap>":
            return True
        frame = frame.f_back
    return False


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


def _end(number: int, frame: FrameType | None) -> None:
    if is_loading(frame):
        _leave(number)
    _arrived.append(number)
    raise Terminated if number == signal.SIGTERM else KeyboardInterrupt


def _leave(number: int) -> None:
    """At once, without raising anything."""
    words = INTERRUPTED
    for last in _farewell[-1:]:
        with contextlib.suppress(Exception):
            words = last()
    for listener in _told:
        with contextlib.suppress(Exception):
            listener(words, 128 + number)
    with contextlib.suppress(OSError):
        os.write(2, f"pulink: {words}\n".encode(errors="backslashreplace"))
    os._exit(128 + number)
