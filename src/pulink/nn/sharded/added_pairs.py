"""The pairs that an expected graph adds between hubs and a worker's nodes."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from pulink.engine.own_rows.pair_terms import Hubs, hubs_of

F32 = npt.NDArray[np.float32]


@dataclass(frozen=True, eq=False)
class AddedPairs:
    """Each pair is with the owner of its end that is no hub; of two hubs, with the owner of the larger number.

    hubs    all hubs, and which of them each row was linked to
    probs   of these pairs, in the order of rows
    counts  2 where both cells of a pair of hubs were selected, else 1
    n_cells of all workers
    """

    hubs: Hubs
    probs: F32
    counts: F32
    n_cells: int

    @cached_property
    def rows(self) -> npt.NDArray[np.int64]:
        """The row of each pair."""
        return np.repeat(np.arange(self.hubs.indptr.size - 1), np.diff(self.hubs.indptr))

    def pairs(self, first: int) -> npt.NDArray[np.int32]:
        """Both ends, the smaller one first (k x 2), sorted; first: the number of the first row."""
        ends = np.stack([self.rows + first, self.hubs.nodes[self.hubs.added]], axis=1).astype(np.int32)
        return np.sort(ends, axis=1)


def none_added(n_rows: int) -> AddedPairs:
    """Those of the first iteration."""
    nothing = np.empty(0, dtype=np.int32)
    hubs = hubs_of(nothing, np.zeros(n_rows + 1, dtype=np.int64), nothing)
    return AddedPairs(hubs, np.empty(0, dtype=np.float32), np.empty(0, dtype=np.float32), 0)
