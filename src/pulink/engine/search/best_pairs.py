"""The K best pairs seen so far, while scores arrive block by block.

Pairs of equal scores stand in the order of a hash of their node numbers, the same in both orientations. By number,
all ties at the end of a list would go to the nodes that happen to be called first: in a star whose hub is node 0,
its missing links would all be found by a score that cannot tell any pair from another.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from pulink.engine.adjacency import Adjacency, Ints, contains
from pulink.engine.compile import inlined, kernel
from pulink.engine.random import mix64

Scores = npt.NDArray[np.floating[Any]]
Pairs = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]

_HALF = np.uint64(32)
_NO_TIE = np.uint64(0)


def best_first(scores: Scores, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """The order of pairs (k x 2) by falling scores, equal ones by their hash."""
    order = np.argsort(-scores)
    ranked = scores[order]
    same = ranked[1:] == ranked[:-1]
    if same.any():
        # Hashes are for ties alone: sorting by both keys takes three times as long.
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        among = order[tied]
        order[tied] = among[np.lexsort((tie_order(pairs[among]), -scores[among]))]
    return order


def tie_order(pairs: npt.NDArray[np.integer]) -> Words:
    """A word for each pair (k x 2), no word twice: of equal scores the smallest words come first."""
    words = np.empty(len(pairs), dtype=np.uint64)
    _hash_pairs(np.ascontiguousarray(pairs, dtype=np.int32), words)
    return words


@inlined
def _hash_pair(i: np.int32, j: np.int32) -> np.uint64:
    return mix64((np.uint64(min(i, j)) << _HALF) + np.uint64(max(i, j)))


@kernel
def _hash_pairs(pairs: Pairs, words: Words) -> None:
    for k in range(words.size):
        words[k] = _hash_pair(pairs[k, 0], pairs[k, 1])


@kernel
def _entering_cells(
    scores: Scores, lines: Pairs, columns: Pairs, threshold: float, last_tie: np.uint64, cells: Ints
) -> int:
    """Fill in which cells of a block would enter a list; return how many."""
    filled = 0
    for r in range(scores.shape[0]):
        for c in range(scores.shape[1]):
            score = scores[r, c]
            if score > threshold or (score == threshold and _hash_pair(lines[r], columns[c]) < last_tie):
                cells[filled] = r * scores.shape[1] + c
                filled += 1
    return filled


class BestPairs:
    """The best candidates so far, in arrays that are made once and cut back to K whenever they are full.

    Pairs that are in `excluded`, or that it says may not be linked, are passed over.

    threshold  no smaller score can enter the list; an equal one may, if its hash is small enough
    """

    def __init__(
        self, count: int, excluded: Adjacency, dtype: type[np.float32] | type[np.float64] = np.float32
    ) -> None:
        self.threshold = -math.inf
        self._last_tie = _NO_TIE
        self._count = count
        self._excluded = excluded
        self._scores: Scores = np.empty(2 * count, dtype=dtype)
        self._pairs = np.empty((2 * count, 2), dtype=np.int32)
        self._filled = 0

    def collect(self, scores: Scores, lines: Pairs, columns: Pairs, position: Pairs | None) -> None:
        """Take the cells of a block (lines x columns) that reach the threshold and are not excluded.

        With a `position`, a pair counts once: on the line that comes first.
        """
        # Most lines hold nothing that reaches the threshold, and their largest score is found at memory speed.
        hot = np.flatnonzero(torch.amax(torch.from_numpy(scores), dim=1).numpy() >= self.threshold)
        if not len(hot):
            return
        scores, lines = scores[hot], lines[hot]
        cells = np.empty(scores.size, dtype=np.int64)
        cells = cells[: _entering_cells(scores, lines, columns, self.threshold, self._last_tie, cells)]
        pairs = np.stack([lines[cells // len(columns)], columns[cells % len(columns)]], axis=1)
        if position is None:
            free = pairs[:, 0] != pairs[:, 1]
        else:
            free = position[pairs[:, 1]] > position[pairs[:, 0]]
        self.offer(scores.ravel()[cells[free]], pairs[free])

    def offer(self, scores: Scores, pairs: Pairs) -> None:
        """Take the pairs (k x 2, no pair twice) that are not excluded."""
        entering = self._entering(scores, pairs)
        scores, pairs = scores[entering], pairs[entering]
        free = ~contains(self._excluded, pairs)
        if self._excluded.blocks is not None:
            free &= self._excluded.blocks.allowed(pairs)
        self._add(scores[free], pairs[free])

    def _entering(self, scores: Scores, pairs: Pairs) -> npt.NDArray[np.bool_]:
        """Which pairs would be among the K best of what has been seen."""
        entering = scores > self.threshold
        ties = np.flatnonzero(scores == self.threshold)
        entering[ties] = tie_order(pairs[ties]) < self._last_tie
        return np.asarray(entering)

    def __len__(self) -> int:
        """How many are in hand, at most twice K."""
        return self._filled

    def join(self, other: BestPairs) -> None:
        self._add(other._scores[: other._filled], other._pairs[: other._filled])

    def unordered(self) -> Pairs:
        """The same as `pairs`, in any order."""
        self._cut()
        return self._pairs[: self._filled].copy()

    def pairs(self) -> Pairs:
        """Best first."""
        self._cut()
        scores, pairs = self._scores[: self._filled], self._pairs[: self._filled]
        return pairs[best_first(scores, pairs)]

    def _add(self, scores: Scores, pairs: Pairs) -> None:
        if len(scores) > self._count:
            keep, _ = _largest(scores, pairs, self._count)
            scores, pairs = scores[keep], pairs[keep]
        if self._filled + len(scores) > len(self._scores):
            self._cut()
        end = self._filled + len(scores)
        self._scores[self._filled : end], self._pairs[self._filled : end] = scores, pairs
        self._filled = end
        if self._filled == len(self._scores):
            self._cut()

    def _cut(self) -> None:
        if self._filled < self._count:
            return
        scores, pairs = self._scores[: self._filled], self._pairs[: self._filled]
        keep, self._last_tie = _largest(scores, pairs, self._count)
        self._scores[: self._count], self._pairs[: self._count] = scores[keep], pairs[keep]
        self._filled = self._count
        self.threshold = float(self._scores[: self._count].min())


def _largest(scores: Scores, pairs: Pairs, count: int) -> tuple[npt.NDArray[np.bool_], np.uint64]:
    """Which `count` pairs are the best, and the hash of the last one."""
    last = np.partition(scores, len(scores) - count)[len(scores) - count]
    keep = scores > last
    equals = np.flatnonzero(scores == last)
    words = tie_order(pairs[equals])
    order = np.argsort(words, kind="stable")[: count - int(keep.sum())]
    keep[equals[order]] = True
    return np.asarray(keep), words[order[-1]]
