"""Drawing unconnected pairs where not every pair may be linked, or where a pair has a direction.

A draw takes a cell of one block (lines x columns), uniformly, and another one while the cell is no free pair:
attempt a of draw s reads words of s + a · 2^40, so that no draw depends on another.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, Ints, is_neighbour
from pulink.engine.compile import kernel
from pulink.engine.non_edges import FreePairSampler
from pulink.engine.random import GOLDEN, mix64

Pairs = npt.NDArray[np.int32]
Blocks = list[tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]]

_HALF, _LOW = np.uint64(32), np.uint64(0xFFFFFFFF)
_NEXT_ATTEMPT = np.uint64(1 << 40)
_BLOCK_WORD = np.uint64(0x5851F42D4C957F2D)


class BlockSampler(FreePairSampler):
    """Uniform pairs of given blocks outside an adjacency.

    known    pairs that never come; a cell (i, j) is looked up in row i
    every    lists all free pairs, for where they are few
    codes    one number for every pair, by which equal ones are recognised
    twins    whether nodes 2i and 2i + 1 are never a pair
    """

    def __init__(
        self,
        known: Adjacency,
        blocks: Blocks,
        n_free: int,
        n_pairs: int,
        every: Callable[[], Pairs],
        codes: Callable[[Ints], npt.NDArray[np.int64]],
        *,
        twins: bool = False,
    ) -> None:
        self._known, self._list_all, self._code_of, self._twins = known, every, codes, twins
        super().__init__(n_free, n_pairs)
        lines, columns = (list(ends) for ends in zip(*blocks, strict=True)) if blocks else ([], [])
        self._lines, self._columns = _joined(lines), _joined(columns)
        # Where both ends are of one type, two cells are the same pair: such a block comes half as often.
        cells = np.array([len(a) * len(b) / (2 if a is b else 1) for a, b in blocks], dtype=np.float64)
        upto = np.cumsum(cells)
        self._shares = upto / max(upto[-1] if len(upto) else 0.0, 1.0)

    def _every(self) -> Pairs:
        return self._list_all()

    def _codes(self, pairs: Pairs) -> npt.NDArray[np.int64]:
        return self._code_of(pairs)

    def _fill(self, key: np.uint64, start: np.uint64, out: Pairs) -> None:
        rows = self._known
        _draw(rows.indptr, rows.indices, self._lines, self._columns, self._shares, (key, start), self._twins, out)


def sampler_in_blocks(known: Adjacency) -> BlockSampler:
    """Draws pairs that may be linked by an adjacency's own blocks, and are not in it."""
    blocks, n = known.blocks, known.n_nodes
    assert blocks is not None

    def codes(pairs: Ints) -> npt.NDArray[np.int64]:
        low, high = np.minimum(pairs[:, 0], pairs[:, 1]), np.maximum(pairs[:, 0], pairs[:, 1])
        return np.asarray(low.astype(np.int64) * n + high, dtype=np.int64)

    n_free = blocks.n_pairs - n_linked(known)
    every = partial(free_in_blocks, known)
    return BlockSampler(known, blocks.blocks, n_free, blocks.n_pairs, every, codes, twins=blocks.twins)


def n_linked(known: Adjacency) -> int:
    """How many pairs that may be linked are in an adjacency."""
    assert known.blocks is not None
    lines = np.repeat(np.arange(known.n_nodes, dtype=np.int32), np.diff(known.indptr))
    return int(known.blocks.allowed(np.stack([lines, known.indices], axis=1)).sum()) // 2


def free_in_blocks(known: Adjacency) -> Pairs:
    """All pairs that may be linked and are not, each once."""
    assert known.blocks is not None
    found = [np.empty((0, 2), dtype=np.int32)]
    place = np.empty(known.n_nodes, dtype=np.int64)
    for lines, columns in known.blocks.blocks:
        place[:] = -1
        place[columns] = np.arange(len(columns))
        free = np.ones((len(lines), len(columns)), dtype=np.bool_)
        for line, i in enumerate(lines.tolist()):
            linked = place[known.indices[known.indptr[i] : known.indptr[i + 1]]]
            free[line, linked[linked >= 0]] = False
        rows, cells = np.nonzero(np.triu(free, 1) if lines is columns else free)
        found.append(np.stack([lines[rows], columns[cells]], axis=1))
    pairs = np.concatenate(found)
    return pairs[known.blocks.allowed(pairs)]


def _joined(parts: list[npt.NDArray[np.int32]]) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int64]]:
    """All nodes in one array, and where each part begins."""
    starts = np.cumsum([0, *(len(part) for part in parts)])
    return np.concatenate([np.empty(0, np.int32), *parts]).astype(np.int32), starts.astype(np.int64)


@kernel
def _draw(
    indptr: Ints,
    indices: Ints,
    lines: tuple[Ints, Ints],
    columns: tuple[Ints, Ints],
    shares: npt.NDArray[np.float64],
    stream: tuple[np.uint64, np.uint64],
    twins: bool,
    out: Pairs,
) -> None:
    key, start = stream
    for k in range(out.shape[0]):
        counter = start + np.uint64(k)
        while True:
            word = mix64(key + counter * GOLDEN)
            b = 0
            if shares.size > 1:
                part = np.float64(mix64(word + _BLOCK_WORD) >> np.uint64(11)) * 2.0**-53
                while part >= shares[b] and b < shares.size - 1:
                    b += 1
            first, second = lines[1][b], columns[1][b]
            n_lines = np.uint64(lines[1][b + 1] - first)
            n_columns = np.uint64(columns[1][b + 1] - second)
            i = lines[0][first + np.int64(((word >> _HALF) * n_lines) >> _HALF)]
            j = columns[0][second + np.int64(((word & _LOW) * n_columns) >> _HALF)]
            apart = (i >> 1) != (j >> 1) if twins else i != j
            if apart and not is_neighbour(indptr, indices, np.int64(i), np.int64(j)):
                break
            counter += _NEXT_ATTEMPT
        out[k, 0] = i
        out[k, 1] = j
