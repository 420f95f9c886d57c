"""The K best pairs seen so far, while scores arrive block by block."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from pulink.engine.adjacency import Adjacency, contains

Scores = npt.NDArray[np.floating[Any]]
Pairs = npt.NDArray[np.int32]


class BestPairs:
    """The best candidates so far, in arrays that are made once and cut back to K whenever they are full.

    Among equal scores those that came first are kept.
    """

    def __init__(
        self, count: int, excluded: Adjacency, dtype: type[np.float32] | type[np.float64] = np.float32
    ) -> None:
        self.threshold = -math.inf
        self._count = count
        self._excluded = excluded
        self._scores: Scores = np.empty(2 * count, dtype=dtype)
        self._pairs = np.empty((2 * count, 2), dtype=np.int32)
        self._filled = 0

    def collect(self, scores: Scores, lines: Pairs, columns: Pairs, position: Pairs | None) -> None:
        """Take the cells of a block (lines x columns) that beat the threshold and are not excluded.

        With a `position`, a pair counts once: on the line that comes first.
        """
        # Most lines hold nothing that beats the threshold, and their largest score is found at memory speed.
        hot = np.flatnonzero(torch.amax(torch.from_numpy(scores), dim=1).numpy() > self.threshold)
        if not len(hot):
            return
        scores = scores[hot]
        cells = np.flatnonzero(scores.ravel() > self.threshold)
        pairs = np.stack([lines[hot[cells // len(columns)]], columns[cells % len(columns)]], axis=1)
        if position is None:
            free = pairs[:, 0] != pairs[:, 1]
        else:
            free = position[pairs[:, 1]] > position[pairs[:, 0]]
        self.offer(scores.ravel()[cells[free]], pairs[free])

    def offer(self, scores: Scores, pairs: Pairs) -> None:
        """Take the pairs (k x 2, no pair twice) that are not excluded."""
        free = ~contains(self._excluded, pairs)
        self._add(scores[free], pairs[free])

    def join(self, other: BestPairs) -> None:
        self._add(other._scores[: other._filled], other._pairs[: other._filled])

    def pairs(self) -> Pairs:
        """Best first."""
        self._cut()
        scores, pairs = self._scores[: self._filled], self._pairs[: self._filled]
        return pairs[np.lexsort((pairs[:, 1], pairs[:, 0], -scores))]

    def _add(self, scores: Scores, pairs: Pairs) -> None:
        if len(scores) > self._count:
            keep = _largest(scores, self._count)
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
        keep = _largest(scores, self._count)
        self._scores[: self._count], self._pairs[: self._count] = scores[keep], pairs[keep]
        self._filled = self._count
        self.threshold = float(self._scores[: self._count].min())


def _largest(scores: Scores, count: int) -> npt.NDArray[np.bool_]:
    """Which `count` scores are the largest; of equal ones, those that stand first."""
    last = np.partition(scores, len(scores) - count)[len(scores) - count]
    keep = scores > last
    equals = np.flatnonzero(scores == last)
    keep[equals[: count - int(keep.sum())]] = True
    return np.asarray(keep)
