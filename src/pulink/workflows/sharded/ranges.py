"""What is done for every range of nodes: their names, and their rows."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.distributed.task import Task
from pulink.graph.tables.numbering import places_of
from pulink.persistence.array_file import ArrayFile, write_arrays
from pulink.persistence.checkpoints import Checkpoint
from pulink.persistence.sharded_names import whole_arrays
from pulink.persistence.sharded_writing import Files, Rows, write_names, write_rows
from pulink.workflows.sharded.block_names import letters_of, read_names
from pulink.workflows.sharded.plan import EDGES, Plan, kept

_HOME = "pulink.workflows.sharded.ranges"
_ONE = np.uint64(1)
_SHIFT = np.uint64(32)
_LOW = np.uint64(0xFFFF_FFFF)

Words = npt.NDArray[np.uint64]


def files_told(files: Files) -> dict[str, list[Any]]:
    """Sizes and checksums as plain values."""
    return {name: [one.n_bytes, one.sha256] for name, one in files.items()}


def _number(plan: Plan, piece: Checkpoint) -> Checkpoint:
    """Range k: its names in order, and every block's names as places among them."""
    k, cuts = piece.plain["k"], piece.arrays["cuts"]
    cells = pl.concat([read_names(plan.cut_file(block), k) for _, block in plan.blocks])
    starts = np.concatenate([[0], np.cumsum(cuts[:, 1] - cuts[:, 0])]).astype(np.int64)
    last = None
    if plan.is_whole:
        numbers, places = np.unique(cells.to_numpy(), return_inverse=True)
        arrays, n_names = whole_arrays(numbers), len(numbers)
        last = int(numbers[-1]) if n_names else None
    else:
        names = cells.unique().sort()
        places = places_of(cells, names)
        arrays, n_names = letters_of(names), names.len()
    files = write_names(plan.folder, k, arrays)
    write_arrays(plan.places_file(k), {"places": places.astype(np.int32), "starts": starts})
    return Checkpoint({"n_names": n_names, "last": last, "files": files_told(files)}, {"starts": starts})


def _rows(plan: Plan, piece: Checkpoint) -> Checkpoint:
    """Range k: rows of neighbours, each once, with the largest of their weights."""
    k = piece.plain["k"]
    first, n_rows = plan.firsts[k], plan.firsts[k + 1] - plan.firsts[k]
    words, weights = _gathered(plan, k, first)
    if weights is None:
        words.sort()
    else:
        order = np.argsort(words, kind="stable")
        words, weights = words[order], weights[order]
        del order
    # Orientations of one pair stand side by side.
    pairs = words >> _ONE
    is_new = np.ones(len(pairs), dtype=np.bool_)
    np.not_equal(pairs[1:], pairs[:-1], out=is_new[1:])
    n_same, n_reversed = _repeats(words, is_new, first)
    starts = np.flatnonzero(is_new)
    if weights is not None:
        weights = np.maximum.reduceat(weights, starts) if len(starts) else weights[:0]
    kept_words = words[starts]
    del words, pairs, is_new
    rows = kept_words >> _SHIFT
    indices = ((kept_words & _LOW) >> _ONE).astype(np.int32)
    indptr = np.zeros(n_rows + 1, dtype=np.int64)
    np.cumsum(np.bincount(rows.astype(np.int64), minlength=n_rows), out=indptr[1:])
    files = write_rows(plan.folder, k, Rows(indptr, indices, weights))
    ahead = indices > rows.astype(np.int64) + first
    total = None if weights is None else float(weights[ahead].sum(dtype=np.float64))
    counts = {"n_same": n_same, "n_reversed": n_reversed, "n_edges": int(ahead.sum()), "weight": total}
    return Checkpoint({**counts, "files": files_told(files)})


def _gathered(plan: Plan, k: int, first: int) -> tuple[Words, npt.NDArray[np.float32] | None]:
    """What all blocks have for a range: row, neighbour and orientation in one word; and weights."""
    files = [ArrayFile(plan.halves_file(block)) for table, block in plan.blocks if table == EDGES]
    cuts = [file.read("cuts", k, k + 2).tolist() for file in files]
    n_words = sum(end - begin for begin, end in cuts)
    words = np.empty(n_words, dtype=np.uint64)
    is_weighted = bool(files) and "weights" in files[0]
    weights = np.empty(n_words, dtype=np.float32) if is_weighted else None
    place = 0
    for file, (begin, end) in zip(files, cuts, strict=True):
        own = slice(place, place + end - begin)
        words[own] = file.read("rows", begin, end) - np.int32(first)
        words[own] <<= _SHIFT
        words[own] |= file.read("cells", begin, end)
        if weights is not None:
            file.read_into(weights[own], "weights", begin)
        place = own.stop
        file.close()
    return words, weights


def _repeats(words: Words, is_new: npt.NDArray[np.bool_], first: int) -> tuple[int, int]:
    """Rows that repeat another one, and that repeat one the other way round; each pair counts at its lower end."""
    again = np.flatnonzero(~is_new)
    if not len(again):
        return 0, 0
    found = words[again]
    ahead = ((found & _LOW) >> _ONE).astype(np.int64) > (found >> _SHIFT).astype(np.int64) + first
    n_same = int((ahead & (found == words[again - 1])).sum())
    return n_same, int(ahead.sum()) - n_same


NUMBER = Task(_HOME, "NUMBER", kept("number", _number), Plan.unpacked)
ROWS = Task(_HOME, "ROWS", kept("rows", _rows), Plan.unpacked)
