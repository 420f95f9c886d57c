"""Long loops tell how far they are: to whoever listens in this thread, and to nobody by default.

Loops within loops add up: while item k of n is worked on, the share s of a loop within is told as (k + s) / n.
Loops one after the other each begin at 0: who runs them gives each its `portion`, and who listens heeds the
largest share so far. Nothing that is told changes what is computed.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

Item = TypeVar("Item")
Listener = Callable[[float], None]


class _Listening(threading.local):
    listener: Listener | None = None


_here = _Listening()


@contextmanager
def listening(listener: Listener | None) -> Iterator[None]:
    """Within the block, loops of this thread tell this function which share of them is done."""
    before, _here.listener = _here.listener, listener
    try:
        yield
    finally:
        _here.listener = before


def is_heard() -> bool:
    """Whether anybody listens."""
    return _here.listener is not None


def tell(share: float) -> None:
    """Say which share of the present work is done."""
    if (listener := _here.listener) is not None:
        # Who hears it may start work of his own.
        with listening(None):
            listener(share)


@contextmanager
def portion(begin: float, end: float) -> Iterator[None]:
    """The block is this part of the present work."""
    listener = _here.listener
    if listener is None:
        yield
        return
    with listening(lambda share: listener(begin + share * (end - begin))):
        yield
    tell(end)


def paced(items: Sequence[Item], begin: float = 0.0) -> Iterator[Item]:
    """The items one by one, as equal parts of the present work, or of what is left of it after `begin`."""
    each = (1.0 - begin) / max(len(items), 1)
    for k, item in enumerate(items):
        with portion(begin + k * each, begin + (k + 1) * each):
            yield item


class Paced(list[Item]):
    """A list that tells how far a loop over it is."""

    def __iter__(self) -> Iterator[Item]:
        return paced(list(super().__iter__()))
