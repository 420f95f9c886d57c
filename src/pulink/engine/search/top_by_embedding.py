"""The K best node pairs by inner product, exactly, in blocks of bounded memory.

Nodes are visited by descending norm. Once K pairs are in hand their smallest score is a threshold; since
z_i · z_j <= |z_i||z_j|, every block whose norms cannot reach it is skipped. Over all pairs a random sample tells a
first threshold; should fewer than K pairs exceed it, the search begins again without.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt
import torch

from pulink.engine.adjacency import Adjacency, Ints, contains
from pulink.engine.compile import kernel
from pulink.engine.pair_blocks import PairBlocks
from pulink.engine.random import GOLDEN, mix64, random_words, stream_key
from pulink.engine.row_dots import row_dots
from pulink.engine.search.best_pairs import BestPairs
from pulink.engine.threads import run_shares, threads_in_use

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]

_ROWS, _COLUMNS = 256, 2048
_SAMPLE = 1 << 17
_BITS_11 = np.uint64(11)


def top_by_embedding(
    z: F32,
    excluded: Adjacency,
    count: int,
    *,
    rows: Ints | None = None,
    ordered: bool = False,
    noise: np.uint64 | None = None,
) -> Pairs:
    """The `count` pairs with the largest z_i · z_j that are not in `excluded`, best first; fewer if fewer exist.

    rows     only pairs with at least one end in `rows`; None: all pairs
    ordered  (i, j) and (j, i) are two cells if both ends are in `rows`; a pair may then come twice
    Where not every pair may be linked (`excluded.blocks`), only those that may are looked at, each of them once.

    noise    rank by log σ(z_i · z_j) + Gumbel noise of this stream instead: weighted sampling
             without replacement, with probabilities in proportion to σ
    """
    if excluded.blocks is not None:
        return _top_in_blocks(z, excluded, excluded.blocks, count, rows, noise)
    ordered = ordered and rows is not None
    count = min(count, _n_cells(excluded, rows, ordered))
    if count <= 0:
        return np.empty((0, 2), dtype=np.int32)
    norms = _norms(z)
    columns = np.argsort(-norms, kind="stable").astype(np.int32)
    lines = columns if rows is None else np.asarray(rows, np.int32)[np.argsort(-norms[rows], kind="stable")]
    position = None if ordered else _positions(lines, len(z))
    line_vectors, column_vectors = torch.from_numpy(z[lines]), torch.from_numpy(z[columns])

    def scan(starts: list[int]) -> BestPairs:
        best = BestPairs(count, excluded)
        best.threshold = least
        block = torch.empty(min(_ROWS, len(lines)) * min(_COLUMNS, len(columns)))
        for r in starts:
            line_ids = lines[r : r + _ROWS]
            # Over all pairs, a column before this row block was paired when it was itself a row.
            first = (r // _COLUMNS) * _COLUMNS if rows is None else 0
            for c in range(first, len(columns), _COLUMNS):
                column_ids = columns[c : c + _COLUMNS]
                if noise is None and norms[line_ids[0]] * norms[column_ids[0]] * (1 + 1e-5) < best.threshold:
                    break
                scores = block[: len(line_ids) * len(column_ids)].view(len(line_ids), len(column_ids)).numpy()
                torch.mm(
                    line_vectors[r : r + _ROWS], column_vectors[c : c + _COLUMNS].T, out=torch.from_numpy(scores)
                )
                if noise is not None:
                    _perturb(scores, line_ids, column_ids, len(z), noise)
                best.collect(scores, line_ids, column_ids, position)
        return best

    # Dealt out in turn: the rows of large norm, where the work is, come first.
    starts = range(0, len(lines), _ROWS)
    dealt = [r for k in range(threads_in_use()) for r in starts[k :: threads_in_use()]]
    least = -math.inf if noise is not None or rows is not None else _likely_threshold(z, excluded, count)
    best, *others = run_shares(scan, dealt)
    if sum(len(some) for some in (best, *others)) < count:
        least = -math.inf
        best, *others = run_shares(scan, dealt)
    for other in others:
        best.join(other)
    return best.pairs()


def _likely_threshold(z: F32, excluded: Adjacency, count: int) -> float:
    """A score that very likely more than `count` pairs exceed, by a sample; -inf where that saves little."""
    n_pairs = _n_cells(excluded, None, False)
    if n_pairs < _SAMPLE:
        return -math.inf
    words = random_words(stream_key(0, "threshold"), 2 * _SAMPLE).reshape(-1, 2)
    drawn = (words % np.uint64(len(z))).astype(np.int64)
    drawn = drawn[(drawn[:, 0] != drawn[:, 1]) & ~contains(excluded, drawn)]
    expected = len(drawn) * count / n_pairs
    place = int(expected + 4 * math.sqrt(expected) + 4)
    if place > len(drawn) / 10:
        return -math.inf
    scores = row_dots(z, z, drawn)
    return float(np.partition(scores, len(scores) - place)[len(scores) - place])


def _norms(z: F32) -> npt.NDArray[np.float64]:
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", z, z, dtype=np.float64)))


def _top_in_blocks(
    z: F32, excluded: Adjacency, blocks: PairBlocks, count: int, rows: Ints | None, noise: np.uint64 | None
) -> Pairs:
    """The same, block by block: nodes of one type with those of another."""
    count = min(count, blocks.n_pairs)
    if count <= 0:
        return np.empty((0, 2), dtype=np.int32)
    norms = _norms(z)
    best = BestPairs(count, excluded)
    for lines, columns, position in _searched(blocks, rows, norms):
        for r in range(0, len(lines), _ROWS):
            line_ids = lines[r : r + _ROWS]
            for c in range(0, len(columns), _COLUMNS):
                column_ids = columns[c : c + _COLUMNS]
                if noise is None and norms[line_ids[0]] * norms[column_ids[0]] * (1 + 1e-5) < best.threshold:
                    break
                scores = (torch.from_numpy(z[line_ids]) @ torch.from_numpy(z[column_ids]).T).numpy()
                if noise is not None:
                    _perturb(scores, line_ids, column_ids, len(z), noise)
                best.collect(scores, line_ids, column_ids, position)
    return best.pairs()


def _searched(
    blocks: PairBlocks, rows: Ints | None, norms: npt.NDArray[np.float64]
) -> Iterator[tuple[Pairs, Pairs, Pairs | None]]:
    """Lines and columns, both by falling norms, and the lines' order where a pair would else come twice."""

    def falling(nodes: Ints) -> Pairs:
        return np.asarray(nodes, np.int32)[np.argsort(-norms[nodes], kind="stable")]

    for first, second in blocks.blocks:
        if rows is None:
            lines, columns = falling(first), falling(second)
            yield lines, columns, _positions(lines, len(norms)) if first is second else None
            continue
        lines = falling(first[np.isin(first, rows)])
        yield lines, falling(second), _positions(lines, len(norms)) if first is second else None
        if first is not second:
            yield falling(second[np.isin(second, rows)]), falling(first[~np.isin(first, rows)]), None


def _positions(lines: Pairs, n_nodes: int) -> Pairs:
    """Where each node stands among the lines; after all of them if it is none."""
    position = np.full(n_nodes, len(lines), dtype=np.int32)
    position[lines] = np.arange(len(lines), dtype=np.int32)
    return position


def _n_cells(excluded: Adjacency, rows: Ints | None, ordered: bool) -> int:
    """How many cells can be selected at all."""
    n = excluded.n_nodes
    if rows is None:
        return n * (n - 1) // 2 - excluded.indices.size // 2
    degrees = np.diff(excluded.indptr)[rows]
    cells = int(len(rows) * (n - 1) - degrees.sum())
    if ordered:
        return cells
    is_row = np.zeros(n, dtype=np.bool_)
    is_row[rows] = True
    observed = sum(int(is_row[excluded.indices[excluded.indptr[i] : excluded.indptr[i + 1]]].sum()) for i in rows)
    both = len(rows) * (len(rows) - 1) - observed
    return cells - both // 2


@kernel
def _perturb(scores: F32, lines: Pairs, columns: Pairs, n_nodes: int, key: np.uint64) -> None:
    for r in range(scores.shape[0]):
        for c in range(scores.shape[1]):
            cell = np.uint64(lines[r]) * np.uint64(n_nodes) + np.uint64(columns[c])
            word = mix64(key + cell * GOLDEN)
            uniform = (np.float64(word >> _BITS_11) + 0.5) * 2.0**-53
            logit = np.float64(scores[r, c])
            log_prob = min(logit, 0.0) - math.log1p(math.exp(-abs(logit)))
            scores[r, c] = np.float32(log_prob - math.log(-math.log(uniform)))
