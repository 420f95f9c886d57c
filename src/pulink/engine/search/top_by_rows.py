"""The K best unconnected pairs by any score whose rows can be computed a block at a time, exactly.

A row holds the scores of one node with all others. Over all pairs each pair counts once, on the line of its end
that comes first.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints
from pulink.engine.pace import paced
from pulink.engine.pair_blocks import PairBlocks
from pulink.engine.search.best_pairs import BestPairs, Pairs
from pulink.engine.threads import run_shares, threads_in_use

# Scores (b x (n - first)) of `nodes` (b) with the nodes from `first` on.
RowFunction = Callable[[Ints, int], npt.NDArray[np.float64]]

_CELLS = 1 << 20
_LANES = 16


def top_by_rows(rows: RowFunction, excluded: Adjacency, count: int, *, lines: Ints | None = None) -> Pairs:
    """The `count` pairs with the largest scores that are not in `excluded`, best first; fewer if fewer exist.

    lines  only pairs with an end among these nodes, in the order in which they are visited;
           None: all pairs, and the end with the lower number is the line
    """
    n = excluded.n_nodes
    if count <= 0 or n == 0:
        return np.empty((0, 2), dtype=np.int32)
    if excluded.blocks is not None:
        return _top_in_blocks(rows, excluded, excluded.blocks, count, lines)
    nodes = np.arange(n, dtype=np.int32) if lines is None else np.asarray(lines, dtype=np.int32)
    position = np.full(n, len(nodes), dtype=np.int32)
    position[nodes] = np.arange(len(nodes), dtype=np.int32)
    size = max(_LANES, _CELLS // n // _LANES * _LANES)

    def scan(shares: list[tuple[int, int]]) -> BestPairs:
        best = BestPairs(count, excluded, np.float64)
        for start, end in shares:
            for r in paced(range(start, end, size)):
                block = nodes[r : min(r + size, end)]
                first = int(block[0]) if lines is None else 0
                best.collect(rows(block, first), block, np.arange(first, n, dtype=np.int32), position)
        return best

    best, *others = run_shares(scan, _shares(len(nodes), triangle=lines is None))
    for other in others:
        best.join(other)
    return best.pairs()


def _top_in_blocks(
    rows: RowFunction, excluded: Adjacency, blocks: PairBlocks, count: int, lines: Ints | None
) -> Pairs:
    """The same where only nodes of some types may be linked: nodes of one type are lines, of the other columns."""
    n = excluded.n_nodes
    best = BestPairs(min(count, max(blocks.n_pairs, 1)), excluded, np.float64)
    size = max(_LANES, _CELLS // n // _LANES * _LANES)
    for first, second in blocks.blocks:
        # The shorter side is walked through: a row costs as much for either.
        one, other = (second, first) if len(second) < len(first) and lines is None else (first, second)
        for nodes, columns in _sides(one, other, lines):
            if not len(columns):
                continue
            position = np.full(n, len(nodes), dtype=np.int32)
            position[nodes] = np.arange(len(nodes), dtype=np.int32)
            for r in paced(range(0, len(nodes), size)):
                block = nodes[r : r + size]
                scores = np.ascontiguousarray(rows(block, 0)[:, columns])
                best.collect(scores, block, columns, position if first is second else None)
    return best.pairs()


def _sides(first: Ints, second: Ints, lines: Ints | None) -> list[tuple[Pairs, Pairs]]:
    """Lines and columns of a block; with `lines`, those of either side that are among them."""
    one, other = np.asarray(first, np.int32), np.asarray(second, np.int32)
    if lines is None:
        return [(one, other)]
    if first is second:
        return [(np.asarray(lines, np.int32)[np.isin(lines, one)], other)]
    return [(one[np.isin(one, lines)], other), (other[np.isin(other, lines)], one[~np.isin(one, lines)])]


def _shares(n_lines: int, triangle: bool) -> list[tuple[int, int]]:
    """One range of lines per thread, of equal work: in a triangle the first lines are the longest."""
    parts = np.arange(threads_in_use() + 1) / threads_in_use()
    cuts = n_lines * (1 - np.sqrt(1 - parts) if triangle else parts)
    return list(pairwise(np.round(cuts).astype(int).tolist()))
