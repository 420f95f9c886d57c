"""-v and -vv: what pulink's `logging` says, on stderr, with the seconds since the command began."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

_STARTED = time.monotonic()
_LEVELS = (logging.WARNING, logging.INFO, logging.DEBUG)
_shown: list[int] = []


@contextmanager
def log_shown(verbosity: int) -> Iterator[None]:
    """Within the block lines of the log are shown: 1 those of level INFO and above, 2 those of DEBUG too."""
    if not verbosity:
        yield
        return
    level = _LEVELS[min(verbosity, len(_LEVELS) - 1)]
    logger, handler = logging.getLogger("pulink"), _Lines(level)
    before = logger.level
    logger.addHandler(handler)
    logger.setLevel(level)
    _shown.append(level)
    try:
        yield
    finally:
        _shown.pop()
        logger.setLevel(before)
        logger.removeHandler(handler)


def stamped(text: str) -> str:
    """A line with the seconds before it, where the log is shown."""
    return f"{time.monotonic() - _STARTED:8.2f} s  {text}" if _shown else text


class _Lines(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        from pulink.cli.terminal.console import printable

        # What was told as a note stands there already.
        if getattr(record, "told", False) or sys.stderr is None:
            return
        try:
            sys.stderr.write(f"{printable(stamped(record.getMessage()))}\n")
            sys.stderr.flush()
        except OSError:
            return
