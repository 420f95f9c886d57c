"""Long commands may be stopped: Ctrl-C keeps what was done and says how to go on; a second one leaves at once.

With an output folder, what was done is kept in it until the command is done (see persistence/checkpoints.py).
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import TYPE_CHECKING

import typer

from pulink.cli.terminal.console import Screen
from pulink.cli.terminal.rerun import command
from pulink.cli.terminal.signals import INTERRUPTED, heed_swallowed_signals, is_loading
from pulink.errors import ClusterError

if TYPE_CHECKING:
    from pulink.persistence.checkpoints import Checkpoints

UNFINISHED = ".unfinished"

_CHECKPOINTS = "*/*.piece"
_EARLIER = "finished work of an earlier run is kept. Resume"
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# Work that is not kept within so many seconds is given up: a person is waiting.
_PATIENCE = 3.0
_SOON = 0.1
_SHOW_CURSOR = "\x1b[?25h"


class Stopped(KeyboardInterrupt):
    """Somebody stopped a command that can be gone on with."""

    def __init__(self, message: str, status: int) -> None:
        super().__init__(message)
        self.status = status


@contextlib.contextmanager
def stoppable(out: Path | None, screen: Screen, rerun: str) -> Iterator[Checkpoints | None]:
    """Checkpoints in the output folder, removed when the block ends well; `rerun` is what to type to go on."""
    if out is None:
        heed_swallowed_signals()
        yield None
        return
    from pulink.persistence.checkpoints import Checkpoints

    checkpoints = Checkpoints(out / UNFINISHED, tell=screen.note)
    with _asked_to_stop(checkpoints, screen) as asked:
        heed_swallowed_signals()
        try:
            yield checkpoints
        except KeyboardInterrupt:
            number = asked[0] if asked else signal.SIGINT
            if checkpoints.holds_something:
                kept = "finished work is kept. Resume"
            else:
                kept = (
                    _EARLIER if not checkpoints.is_used and _left(out) else "nothing was finished yet. Start again"
                )
            raise Stopped(f"stopped; {kept} with: {rerun}", 128 + number) from None
        except ClusterError as error:
            if checkpoints.holds_something:
                kept = f"finished work is kept in {checkpoints.folder}. Resume with: {rerun}"
                raise ClusterError(f"{error}; {kept}") from error
            raise
    checkpoints.clear()


def interrupted(context: typer.Context | None) -> str:
    """What to say of a command that was stopped before it had begun with its work, or after it."""
    out = None if context is None else context.params.get("out")
    if context is not None and isinstance(out, str | Path) and out and _left(Path(out)):
        return f"stopped; {_EARLIER} with: {command(context)}"
    return INTERRUPTED


def _left(out: Path) -> bool:
    """Whether a run that was stopped has left anything to go on with."""
    return any((out / UNFINISHED).glob(_CHECKPOINTS))


@contextlib.contextmanager
def ended_with(message: str) -> Iterator[None]:
    """Ctrl-C and SIGTERM end a block that keeps by itself what it has done; `message` says how to go on."""
    asked = [signal.SIGINT]

    def stop(number: int, _: FrameType | None) -> None:
        asked.append(signal.Signals(number))
        raise KeyboardInterrupt

    heeded = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGTERM, stop) if heeded else None
    try:
        yield
    except KeyboardInterrupt:
        raise Stopped(message, 128 + asked[-1]) from None
    finally:
        if heeded:
            signal.signal(signal.SIGTERM, before)


@contextlib.contextmanager
def _asked_to_stop(checkpoints: Checkpoints, screen: Screen) -> Iterator[list[int]]:
    """The signals that arrived."""
    asked: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield asked
        return

    def stop(number: int, _: FrameType | None) -> None:
        if asked:
            _leave(128 + number)
        asked.append(number)
        screen.note("stopping; press Ctrl-C again to quit at once")
        checkpoints.stop_soon()
        signal.setitimer(signal.ITIMER_REAL, _PATIENCE)

    # A shell may have told a command in the background to ignore Ctrl-C.
    heeded = [number for number in _SIGNALS if signal.getsignal(number) is not signal.SIG_IGN]
    before = {number: signal.signal(number, stop) for number in heeded}
    before[signal.SIGALRM] = signal.signal(signal.SIGALRM, _give_up)
    try:
        yield asked
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for number, handler in before.items():
            signal.signal(number, handler)


def _give_up(_: int, frame: FrameType | None) -> None:
    if is_loading(frame):
        signal.setitimer(signal.ITIMER_REAL, _SOON)
        return
    raise KeyboardInterrupt


def _leave(status: int) -> None:
    """Without another word: only the terminal is put right."""
    if sys.stderr.isatty():
        os.write(sys.stderr.fileno(), _SHOW_CURSOR.encode())
    os._exit(status)
