"""A question that one browser shows is not shown to another for some minutes."""

from __future__ import annotations

import time
from collections.abc import Callable

SECONDS = 300.0


class Leases:
    """Who is being asked what.

    Parameters
    ----------
    seconds : float
        After so long without an answer others may be asked.
    clock : function
        Seconds, for tests.
    """

    def __init__(self, seconds: float = SECONDS, clock: Callable[[], float] = time.monotonic) -> None:
        self._seconds, self._clock = seconds, clock
        self._held: dict[int, tuple[str, float]] = {}

    def of_others(self, holder: str) -> set[int]:
        """Questions that somebody else is being asked."""
        now = self._clock()
        self._held = {question: own for question, own in self._held.items() if own[1] > now}
        return {question for question, (other, _) in self._held.items() if other != holder}

    def take(self, question: int, holder: str) -> None:
        """From now on this one is being asked; of its other questions it is no longer asked."""
        self._held = {other: own for other, own in self._held.items() if own[0] != holder}
        self._held[question] = (holder, self._clock() + self._seconds)

    def release(self, question: int) -> None:
        """It was answered."""
        self._held.pop(question, None)
