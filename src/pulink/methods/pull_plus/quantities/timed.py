"""What signals of a timed graph's pairs are computed from: how long ago something happened.

Time is counted in sightings of any edge until the last one of the graph, per node: so the same signal means the
same in the past of a graph, in busy and in quiet times.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.graph.graph import Graph

F64 = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]

# Over so many sightings per node the weight of a sighting halves.
_HALF_LIVES = (0.5, 3.0)
_NEVER = 1e6


class TimeQuantities:
    """Of one timed graph, once for all pairs."""

    def __init__(self, graph: Graph) -> None:
        assert graph.times is not None
        self._graph, n = graph, graph.n_nodes
        seen = graph.times
        age = (len(seen.times) - np.searchsorted(np.sort(seen.times), seen.times, side="right")) / max(n, 1)
        ends = graph.edges[seen.edges]
        # Side by side: as the first end of a link, as the second.
        self._last, self._first = np.full((2, n), _NEVER), np.full((2, n), -1.0)
        self._recent = np.zeros((len(_HALF_LIVES), 2, n))
        for side in (0, 1):
            np.minimum.at(self._last[side], ends[:, side], age)
            np.maximum.at(self._first[side], ends[:, side], age)
            for number, half_life in enumerate(_HALF_LIVES):
                self._recent[number, side] = np.bincount(ends[:, side], 0.5 ** (age / half_life), minlength=n)
        if not graph.is_directed:
            self._last[:] = self._last.min(axis=0)
            self._first[:] = self._first.max(axis=0)
            self._recent[:] = self._recent.sum(axis=1, keepdims=True)

    def last(self, pairs: Pairs, end: int, role: int) -> F64:
        """How long ago an end of the pair was last seen in a role; a million if it never was."""
        return np.asarray(self._last[role, pairs[:, end]])

    def first(self, pairs: Pairs, end: int) -> F64:
        """How long ago an end of the pair was first seen at all; -1 if it never was."""
        return np.asarray(self._first[:, pairs[:, end]].max(axis=0))

    def recent(self, pairs: Pairs, end: int, role: int, number: int) -> F64:
        """How often an end of the pair was seen lately in a role."""
        return np.asarray(self._recent[number, role, pairs[:, end]])
