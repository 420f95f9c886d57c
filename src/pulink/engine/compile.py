"""How kernels are compiled: once, cached on disk, and without holding the interpreter lock."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar, cast

import numba
from numba.core import event

from pulink.engine.kernel_cache import keep_compiled

_RELAXED = {"reassoc", "contract", "nsz", "arcp"}
_PATIENCE = 2.0
_WORDS = "compiling for this machine; this happens once, later runs take it from the cache"

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """Compile a small loop. Sums may be reordered for speed, the same way in every run."""
    return _compiled(function, fastmath=_RELAXED)


def elementwise(function: Kernel) -> Kernel:
    """Compile a small loop that divides: x / 0 is infinite, because a check of every division keeps it scalar."""
    return _compiled(function, fastmath=_RELAXED, error_model="numpy")


def in_order(function: Kernel) -> Kernel:
    """Compile a loop whose sums keep the order in which they are written."""
    return _compiled(function)


def inlined(function: Kernel) -> Kernel:
    """Compile a few lines that other kernels call."""
    return _compiled(function, inline="always")


def _compiled(function: Kernel, **options: object) -> Kernel:
    compiled = numba.njit(nogil=True, **options)(function)
    keep_compiled(compiled)
    return cast(Kernel, compiled)


@contextmanager
def announce_compiling(say: Callable[[str], None]) -> Iterator[None]:
    """Within the block, tell once if compiling has taken more than two seconds in all."""
    listener = _Listener(say)
    with event.install_listener("numba:compile", listener):
        try:
            yield
        finally:
            listener.pause()


class _Listener(event.Listener):  # type: ignore[misc]
    """Adds up the time spent compiling; a timer speaks when the patience is used up, even amid one kernel."""

    def __init__(self, say: Callable[[str], None]) -> None:
        self._say = say
        self._left = _PATIENCE
        self._depth = 0
        self._started = 0.0
        self._timer: threading.Timer | None = None

    def on_start(self, _: Any) -> None:
        self._depth += 1
        if self._depth == 1 and self._left > 0:
            self._started = time.perf_counter()
            self._timer = threading.Timer(self._left, self._speak)
            self._timer.daemon = True
            self._timer.start()

    def on_end(self, _: Any) -> None:
        self._depth -= 1
        if self._depth == 0:
            self.pause()

    def pause(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
            self._left -= time.perf_counter() - self._started

    def _speak(self) -> None:
        self._left = 0.0
        self._say(_WORDS)
