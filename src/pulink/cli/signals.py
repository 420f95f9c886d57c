"""SIGTERM before anything else is loaded: it ends a command as Ctrl-C does, and what a command holds is let go."""

from __future__ import annotations

import signal
from types import FrameType


class Terminated(BaseException):
    """Somebody, or a machine that is shut down, asked the command to end. Typer ends Ctrl-C without a word."""


def heed_sigterm() -> None:
    """From now on, unless whoever started the command told it not to."""
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _terminate)


def status_of(interrupt: KeyboardInterrupt | Terminated) -> int:
    """What the command returns for it."""
    return 128 + (signal.SIGTERM if isinstance(interrupt, Terminated) else signal.SIGINT)


def _terminate(_: int, __: FrameType | None) -> None:
    raise Terminated
