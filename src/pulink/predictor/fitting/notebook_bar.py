"""A bar for notebooks: one line of output that is replaced as the work goes on, and gone at the end."""

from __future__ import annotations

import time
from html import escape
from typing import Any

# Seconds between two updates: each of them is a message to the browser.
_BETWEEN = 0.2


class NotebookBar:
    """Shows a progress element in the cell that runs; text browsers show its words."""

    def __init__(self) -> None:
        self._display: Any = None
        self._last = 0.0
        self._started = time.monotonic()

    def show(self, description: str, done: int, total: int) -> None:
        now = time.monotonic()
        if self._display is not None and now - self._last < _BETWEEN and done < total:
            return
        self._last = now
        self._put(_html(description, done, total, now - self._started), _text(description, done, total))

    def restart(self) -> None:
        self._started = time.monotonic()

    def close(self) -> None:
        """Leave an empty line of output."""
        if self._display is not None:
            self._put("", "")

    def _put(self, html: str, text: str) -> None:
        from IPython.display import display

        bundle = {"text/html": html, "text/plain": text}
        if self._display is None:
            self._display = display(bundle, raw=True, display_id=True)  # type: ignore[no-untyped-call]
        else:
            self._display.update(bundle, raw=True)


def _share(done: int, total: int) -> float:
    return min(done / total, 1.0) if total else 0.0


def _text(description: str, done: int, total: int) -> str:
    return f"{description}: {_share(done, total):.0%}"


def _html(description: str, done: int, total: int, seconds: float) -> str:
    share = _share(done, total)
    minutes, rest = divmod(int(seconds), 60)
    left = f", about {_clock(seconds * (1 - share) / share)} left" if 0 < share < 1 and seconds > 1 else ""
    bar = f'<progress value="{share:.4f}" max="1" style="width: 12rem; vertical-align: middle"></progress>'
    return f"<div>{bar} {escape(description)}, {share:.0%}, {minutes}:{rest:02d}{left}</div>"


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}"
