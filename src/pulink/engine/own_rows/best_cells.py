"""The best pairs of a worker's nodes and given columns, in a buffer that is cut back whenever it is full.

A pair has a word, by which it is ordered: its upper half falls as the score rises, its lower half is a hash, so
that equal scores stand in the same order everywhere.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import is_neighbour
from pulink.engine.compile import inlined, kernel
from pulink.engine.random import mix64
from pulink.engine.vector_rows import row_dot

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]

_TOP = np.uint32(0x80000000)
_HALF = np.uint64(32)
# Rounding of an inner product, as a share of the product of norms.
_SLACK = 1 + 1e-5


class Columns(NamedTuple):
    """What rows are paired with.

    nodes     by falling norm
    norms     of these nodes
    position  of every node of the graph: its place among `nodes`, or their number if it is none of them
    """

    nodes: Ints
    norms: F64
    position: Ints


@inlined
def word_of(score: np.float32, bits: np.uint32, i: int | np.integer, j: int | np.integer) -> np.uint64:
    """Smaller for larger scores; bits: of the score."""
    if score == 0:
        bits = np.uint32(0)
    key = bits if bits & _TOP else ~(bits | _TOP)
    hashed = mix64((np.uint64(min(i, j)) << _HALF) + np.uint64(max(i, j)))
    return (np.uint64(key) << _HALF) + (hashed >> _HALF)


@kernel
def words_of(scores: F32, bits: npt.NDArray[np.uint32], pairs: Ints, words: Words) -> None:
    """The word of each pair (k x 2)."""
    for k in range(scores.size):
        words[k] = word_of(scores[k], bits[k], pairs[k, 0], pairs[k, 1])


@kernel
def collect_cells(
    z: F32, first: int, indptr: Longs, indices: Ints, columns: Columns, start: int, least: float,
    scores: F32, pairs: Ints,
) -> tuple[int, int]:  # fmt: skip
    """Fill in unconnected pairs of rows from `start` on that score at least `least`.

    A pair of two columns is taken where the other one stands first. Returns the row to go on with, once the buffer
    may be too short for another row, and how many pairs were filled in.
    """
    nodes, norms, position = columns.nodes, columns.norms, columns.position
    filled = 0
    row = start
    while row < indptr.size - 1:
        if filled + nodes.size > scores.size:
            break
        node = first + row
        square = 0.0
        for c in range(z.shape[1]):
            square += np.float64(z[node, c]) * np.float64(z[node, c])
        norm = np.sqrt(square) * _SLACK
        # Of columns, those before this one.
        last = min(np.int64(nodes.size), np.int64(position[node]))
        for k in range(last):
            if norm * norms[k] < least:
                break
            other = nodes[k]
            score = row_dot(z, np.uint32(max(node, other)), np.uint32(min(node, other)))
            if score >= least and other != node and not is_neighbour(indptr, indices, row, other):
                scores[filled] = score
                pairs[filled, 0], pairs[filled, 1] = min(node, other), max(node, other)
                filled += 1
        row += 1
    return row, filled


@kernel
def collect_wedges(
    z: F32, indptr: Longs, indices: Ints, start: int, max_degree: int, least: float, scores: F32, pairs: Ints
) -> tuple[int, int]:
    """Fill in pairs of neighbours of rows from `start` on that score at least `least`, connected or not.

    Rows of more neighbours than `max_degree` are passed over. A pair may come several times. Returns the row to go
    on with, once the buffer may be too short for another row, and how many pairs were filled in.
    """
    filled = 0
    row = start
    while row < indptr.size - 1:
        degree = indptr[row + 1] - indptr[row]
        if degree <= max_degree:
            if filled + degree * (degree - 1) // 2 > scores.size:
                break
            for e in range(indptr[row], indptr[row + 1]):
                for f in range(e + 1, indptr[row + 1]):
                    # Rows ascend: the first end is the smaller one.
                    score = row_dot(z, np.uint32(indices[f]), np.uint32(indices[e]))
                    if score >= least:
                        scores[filled] = score
                        pairs[filled, 0], pairs[filled, 1] = indices[e], indices[f]
                        filled += 1
        row += 1
    return row, filled
