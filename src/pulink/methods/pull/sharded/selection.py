"""The E-step on a graph whose rows several workers hold: the K best cells of hubs, without sending a score.

Every worker scores the cells between all hubs and its own nodes, in blocks, as often as they are asked for. Counts
of the upper and then the lower halves of their numbers tell which score the last cell that is taken has; among
equal ones the hash of the pair decides, as on one machine.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import expit

from pulink.distributed.group.group import Group
from pulink.distributed.group.own_rows import OwnRows
from pulink.engine.autograd.pair_loss import pair_logits
from pulink.engine.own_rows.hub_cells import (
    N_BINS,
    cell_scores,
    cells_from,
    close_cells,
    count_lower,
    count_upper,
    tie_words,
)
from pulink.engine.own_rows.pair_terms import hubs_of
from pulink.nn.sharded.added_pairs import AddedPairs, none_added
from pulink.nn.sharded.nth_word import count_of, nth_word

F32 = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]

_BLOCK = 1 << 14


@dataclass(frozen=True, eq=False)
class HubCells:
    """The cells between hubs and a worker's nodes.

    is_ordered  whether two hubs have two cells
    """

    rows: OwnRows
    group: Group
    nodes: Ints
    is_ordered: bool

    def select(self, z: F32, count: int) -> AddedPairs:
        """The best `count` cells of all workers, or as many as are open; z: of all nodes."""
        if count <= 0:
            return none_added(self.rows.n_rows)
        least, n_ties = self._last(z, count)
        cells, is_tie = self._from(z, least)
        if n_ties is not None:
            is_kept = ~is_tie
            is_kept[np.flatnonzero(is_tie)[self._first_ties(cells[is_tie], n_ties)]] = True
            cells = cells[is_kept]
        return self._added(z, cells)

    def _blocks(self, z: F32) -> Iterator[tuple[int, F32]]:
        """Scores of rows from a first one on; closed cells are -inf."""
        rows, hubs = self.rows, hubs_of(self.nodes, *_NO_PAIRS)
        for begin in range(0, rows.n_rows, _BLOCK):
            end = min(begin + _BLOCK, rows.n_rows)
            scores = np.empty((end - begin, len(self.nodes)), dtype=np.float32)
            cell_scores(z, self.nodes, rows.first + begin, scores)
            starts = rows.indptr[begin : end + 1]
            close_cells(starts, rows.indices, hubs, rows.first + begin, self.is_ordered, scores)
            yield begin, scores

    def _last(self, z: F32, count: int) -> tuple[int, int | None]:
        """The number of the last cell that is taken, and how many with it are; None: all of them."""
        upper, above = self._bin(z, count, count_upper)
        if upper < 0:
            return 0, None
        lower, more = self._bin(z, count - above, lambda bits, counts: count_lower(bits, upper, counts))
        return (upper << 16) + lower, count - above - more

    def _bin(self, z: F32, count: int, add: Callable[[npt.NDArray[np.uint32], Longs], None]) -> tuple[int, int]:
        """Of the bins from above, the one with the `count`-th cell, and how many are above it; -1 if none has."""
        counts = np.zeros(N_BINS, dtype=np.int64)
        for _, scores in self._blocks(z):
            add(scores.view(np.uint32).ravel(), counts)
        from_above = np.cumsum(self.group.counted(counts)[::-1])
        if from_above[-1] < count:
            return -1, int(from_above[-1])
        place = int(np.searchsorted(from_above, count))
        return N_BINS - 1 - place, int(from_above[place - 1]) if place else 0

    def _from(self, z: F32, least: int) -> tuple[Longs, npt.NDArray[np.bool_]]:
        """The own cells whose number is at least this, as row · hubs + hub, and which have just this one."""
        found: list[Longs] = [np.empty(0, dtype=np.int64)]
        ties = [np.empty(0, dtype=np.bool_)]
        for begin, scores in self._blocks(z):
            cells = np.empty(scores.size, dtype=np.int64)
            is_tie = np.empty(scores.size, dtype=np.bool_)
            filled = cells_from(scores.view(np.uint32).ravel(), least, cells, is_tie)
            found.append(cells[:filled] + begin * len(self.nodes))
            ties.append(is_tie[:filled].copy())
        return np.concatenate(found), np.concatenate(ties)

    def _first_ties(self, cells: Longs, count: int) -> Longs:
        """Places of the own cells among the `count` of all workers whose hashes are the smallest."""
        rows, hubs = self._ends(cells)
        words = np.empty(len(cells), dtype=np.uint64)
        tie_words(rows, hubs, words)
        last = nth_word(self.group, count, count_of(words))
        taken = np.flatnonzero(words < last)
        missing = count - int(self.group.counted(np.array([len(taken)]))[0])
        # Two hubs' cells have one hash: the row of the smaller number comes first.
        equal = np.flatnonzero(words == last)
        of_all = np.sort(np.concatenate(self.group.collected(rows[equal])))
        return np.concatenate([taken, equal[rows[equal] <= of_all[missing - 1]]])

    def _ends(self, cells: Longs) -> tuple[Longs, Longs]:
        """Node numbers of the row and of the hub."""
        n_hubs = len(self.nodes)
        return cells // n_hubs + self.rows.first, self.nodes[cells % n_hubs].astype(np.int64)

    def _added(self, z: F32, cells: Longs) -> AddedPairs:
        """The pairs of the selected cells."""
        nodes, hubs = self._ends(cells)
        between = np.isin(nodes, self.nodes)
        mine, mine_hubs, counts = nodes[~between], hubs[~between], np.ones(int((~between).sum()), dtype=np.float32)
        # Of two hubs, both cells are with different workers, and the larger number's owner takes the pair.
        ends = np.stack([nodes[between], hubs[between]], axis=1)
        pairs = np.sort(np.concatenate(self.group.collected(ends)), axis=1)
        pairs, twice = np.unique(pairs, axis=0, return_counts=True)
        first = self.rows.first
        own = (pairs[:, 1] >= first) & (pairs[:, 1] < first + self.rows.n_rows)
        nodes, hubs = np.concatenate([mine, pairs[own, 1]]), np.concatenate([mine_hubs, pairs[own, 0]])
        counts = np.concatenate([counts, twice[own].astype(np.float32)])
        places = np.searchsorted(self.nodes, hubs)
        order = np.lexsort((places, nodes))
        nodes, places, counts = nodes[order], places[order], counts[order]
        ends = np.stack([nodes, self.nodes[places]], axis=1)
        indptr = np.zeros(self.rows.n_rows + 1, dtype=np.int64)
        np.cumsum(np.bincount(nodes - first, minlength=self.rows.n_rows), out=indptr[1:])
        n_cells = int(self.group.counted(np.array([int(counts.sum())]))[0])
        probs = expit(pair_logits(z, ends)).astype(np.float32)
        return AddedPairs(hubs_of(self.nodes, indptr, places.astype(np.int32)), probs, counts, n_cells)


_NO_PAIRS = np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32)
