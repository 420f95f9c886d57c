"""Scores of the cells between hubs and a worker's nodes, and what it takes to select the best of all workers.

A score becomes a whole number that orders as it does. Its upper and then its lower half are counted; counts of all
workers add up, and tell which number the last cell that is taken has, without a single score being sent.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.engine.compile import inlined, kernel
from pulink.engine.own_rows.pair_terms import Hubs, hub_place
from pulink.engine.random import mix64
from pulink.engine.vector_rows import row_dot

F32 = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]
Ints = npt.NDArray[np.int32]
Words = npt.NDArray[np.uint64]
Bits = npt.NDArray[np.uint32]

N_BINS = 1 << 16
_TOP = np.uint32(0x80000000)
_HALF = np.uint64(32)
_NONE = np.float32(-np.inf)
_CLOSED = np.uint32(0xFF800000)


@kernel
def cell_scores(z: F32, nodes: Ints, begin: int, out: F32) -> None:
    """out[r, h] = z[begin + r] · z[nodes[h]]."""
    for r in range(out.shape[0]):
        for h in range(nodes.size):
            out[r, h] = row_dot(z, np.uint32(begin + r), np.uint32(nodes[h]))


@kernel
def close_cells(indptr: Longs, indices: Ints, hubs: Hubs, begin: int, is_ordered: bool, out: F32) -> None:
    """Close the cells of neighbours, and of a hub with itself; unless ordered, the second one of two hubs."""
    nodes, marks = hubs.nodes, hubs.marks
    for r in range(out.shape[0]):
        own = hub_place(begin + r, nodes, marks)
        if own >= 0:
            out[r, own] = _NONE
            if not is_ordered:
                for h in range(own):
                    out[r, h] = _NONE
        for e in range(indptr[r], indptr[r + 1]):
            place = hub_place(indices[e], nodes, marks)
            if place >= 0:
                out[r, place] = _NONE


@inlined
def _key(bits: np.uint32) -> np.uint32:
    """Orders as the score of these bits does; both zeros are one."""
    if bits == _TOP:
        bits = np.uint32(0)
    return ~bits if bits & _TOP else bits | _TOP


@kernel
def count_upper(bits: Bits, counts: Longs) -> None:
    """Add open cells to the counts of the upper halves of their numbers; bits: of their scores."""
    for cell in range(bits.size):
        if bits[cell] != _CLOSED:
            counts[_key(bits[cell]) >> np.uint32(16)] += 1


@kernel
def count_lower(bits: Bits, upper: int, counts: Longs) -> None:
    """Add open cells of one upper half to the counts of lower ones."""
    for cell in range(bits.size):
        if bits[cell] != _CLOSED:
            key = _key(bits[cell])
            if key >> np.uint32(16) == upper:
                counts[key & np.uint32(0xFFFF)] += 1


@kernel
def cells_from(bits: Bits, least: int, cells: Longs, is_tie: npt.NDArray[np.bool_]) -> int:
    """Fill in the open cells whose number is at least this, and which have just this one; return how many."""
    filled = 0
    for cell in range(bits.size):
        if bits[cell] != _CLOSED:
            key = np.int64(_key(bits[cell]))
            if key >= least:
                cells[filled] = cell
                is_tie[filled] = key == least
                filled += 1
    return filled


@kernel
def tie_words(nodes: Longs, hubs: Longs, out: Words) -> None:
    """The hash of each pair, by which pairs of equal scores are ordered everywhere."""
    for k in range(out.size):
        low, high = min(nodes[k], hubs[k]), max(nodes[k], hubs[k])
        out[k] = mix64((np.uint64(low) << _HALF) + np.uint64(high))
