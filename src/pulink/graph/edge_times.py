"""When edges were seen: one edge may have been seen many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class EdgeTimes:
    """Sightings of m edges, sorted by edge and then by time.

    edges    (s) the number of the edge that was seen; every edge at least once
    times    (s) when, as numbers that grow
    weights  (s) the weight that it had then; None: sightings have none

    Examples
    --------
    >>> import numpy as np
    >>> from pulink.graph.edge_times import EdgeTimes
    >>> seen = EdgeTimes.of(np.array([1, 0, 1]), np.array([5.0, 2.0, 3.0]))
    >>> seen.first.tolist(), seen.last.tolist()
    ([2.0, 3.0], [2.0, 5.0])
    """

    edges: Longs
    times: F64
    weights: F32 | None = None

    @classmethod
    def of(cls, edges: Longs, times: F64, weights: F32 | None = None) -> EdgeTimes:
        """Sightings in any order."""
        order = np.lexsort((times, edges))
        found = edges[order].astype(np.int64), np.asarray(times[order], dtype=np.float64)
        return cls(*found, None if weights is None else weights[order])

    @property
    def first(self) -> F64:
        """When each edge was first seen (m)."""
        return self.times[self._starts]

    @property
    def last(self) -> F64:
        """When each edge was last seen (m)."""
        ends = np.flatnonzero(np.diff(self.edges, append=-1))
        return self.times[ends]

    @property
    def largest_weights(self) -> F32 | None:
        """The largest weight of each edge (m); None where sightings have none."""
        if self.weights is None or not len(self.edges):
            return self.weights
        return np.asarray(np.maximum.reduceat(self.weights, self._starts), dtype=np.float32)

    @property
    def _starts(self) -> Longs:
        """Where the sightings of each edge begin (m)."""
        return np.flatnonzero(np.diff(self.edges, prepend=-1))

    def of_edges(self, keep: Mask) -> EdgeTimes:
        """Of the edges that stay, which are numbered anew."""
        number = np.cumsum(keep) - 1
        found = self._where(keep[self.edges])
        return EdgeTimes(number[found.edges], found.times, found.weights)

    def before(self, time: float) -> EdgeTimes:
        """The sightings before a time; edges that were first seen later are left without any."""
        return self._where(self.times < time)

    def _where(self, keep: Mask) -> EdgeTimes:
        weights = None if self.weights is None else self.weights[keep]
        return EdgeTimes(self.edges[keep], self.times[keep], weights)
