"""When edges were seen: one edge may have been seen many times."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class EdgeTimes:
    """Sightings of m edges, sorted by edge and then by time.

    edges  (s) the number of the edge that was seen; every edge at least once
    times  (s) when, as numbers that grow

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

    @classmethod
    def of(cls, edges: Longs, times: F64) -> EdgeTimes:
        """Sightings in any order."""
        order = np.lexsort((times, edges))
        return cls(edges[order].astype(np.int64), np.asarray(times[order], dtype=np.float64))

    @property
    def first(self) -> F64:
        """When each edge was first seen (m)."""
        return self.times[np.flatnonzero(np.diff(self.edges, prepend=-1))]

    @property
    def last(self) -> F64:
        """When each edge was last seen (m)."""
        return self.times[np.flatnonzero(np.diff(self.edges, append=self.edges[-1] + 1 if len(self.edges) else 0))]

    def of_edges(self, keep: npt.NDArray[np.bool_]) -> EdgeTimes:
        """Of the edges that stay, which are numbered anew."""
        number = np.cumsum(keep) - 1
        stays = keep[self.edges]
        return EdgeTimes(number[self.edges[stays]], self.times[stays])

    def before(self, time: float) -> EdgeTimes:
        """The sightings before a time; edges that were first seen later are left without any."""
        earlier = self.times < time
        return EdgeTimes(self.edges[earlier], self.times[earlier])
