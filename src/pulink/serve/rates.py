"""How often somebody may try: so much per second, with some to spare."""

from __future__ import annotations

import time
from collections.abc import Callable

_MOST_CALLERS = 10_000


class Rate:
    """Each caller has a bucket of `burst` that fills by `per_second`.

    Parameters
    ----------
    per_second : float
        How fast it fills.
    burst : float
        What it holds.
    clock : function
        Seconds, for tests.
    """

    def __init__(self, per_second: float, burst: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second, self._burst, self._clock = per_second, burst, clock
        self._left: dict[str, tuple[float, float]] = {}

    def take(self, caller: str = "") -> bool:
        """Whether there was one left for the caller; it is gone then."""
        now = self._clock()
        left, before = self._left.get(caller, (self._burst, now))
        left = min(self._burst, left + (now - before) * self._per_second)
        if len(self._left) >= _MOST_CALLERS and caller not in self._left:
            self._forget(now)
        self._left[caller] = (left - (left >= 1), now)
        return left >= 1

    def _forget(self, now: float) -> None:
        """Full buckets are like those that nobody knows; of others the oldest half goes."""
        full = self._burst / self._per_second
        kept = {caller: own for caller, own in self._left.items() if now - own[1] < full}
        newest = sorted(kept.items(), key=lambda own: -own[1][1])
        self._left = dict(newest[: _MOST_CALLERS // 2])
