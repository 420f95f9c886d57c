"""What is measured, as plain functions of scores and lists.

    precision@K   of the K best pairs that are no known edge, the share that are hidden edges; K hidden edges
    order right   of hidden edges i -> j without an edge j -> i, the share with score(i, j) > score(j, i)
    Recall@20     of a node's hidden edges, the share among its 20 best free candidates; mean over nodes
    NDCG@20       Σ 1 / log2(1 + place) of hidden edges among the 20 best, over the largest possible such sum

Ties are broken at random, by a fixed seed; in order right a tie counts one half.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

F64 = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]
Rows = Callable[[int, int], F64]

_BLOCK = 512
_TIES = 20_240


def best_places(scores: F64, ties: F64, k: int) -> Longs:
    """Places of the k largest scores, best first; of equal ones those of the larger tie numbers."""
    places = np.arange(len(scores))
    if len(scores) > k:
        bar = np.partition(scores, len(scores) - k)[len(scores) - k]
        above, level = np.flatnonzero(scores > bar), np.flatnonzero(scores == bar)
        wanted = k - len(above)
        if len(level) > wanted:
            level = level[np.argpartition(-ties[level], wanted - 1)[:wanted]] if wanted else level[:0]
        places = np.concatenate([above, level])
    order = np.lexsort((-ties[places], -scores[places]))
    return np.asarray(places[order], dtype=np.int64)


def best_cells(rows: Rows, closed: sp.csr_matrix, k: int) -> tuple[Longs, Longs]:
    """Rows and columns of the k best cells that are not closed, best first.

    rows(start, stop) gives the scores of a block of rows, with all columns.
    """
    n_rows, n_columns = closed.shape
    rng = np.random.default_rng(_TIES)
    kept_scores, kept_ties, kept_cells = np.empty(0), np.empty(0), np.empty(0, dtype=np.int64)
    for start in range(0, n_rows, _BLOCK):
        stop = min(start + _BLOCK, n_rows)
        scores = np.array(rows(start, stop), dtype=np.float64)
        ties = rng.random(scores.size)
        scores[closed[start:stop].nonzero()] = -np.inf
        block = scores.ravel()
        bar = kept_scores[-1] if len(kept_scores) >= k else -np.inf
        open_ = np.flatnonzero((block >= bar) & (block > -np.inf))
        all_scores = np.concatenate([kept_scores, block[open_]])
        all_ties = np.concatenate([kept_ties, ties[open_]])
        all_cells = np.concatenate([kept_cells, open_ + start * n_columns])
        best = best_places(all_scores, all_ties, k)
        kept_scores, kept_ties, kept_cells = all_scores[best], all_ties[best], all_cells[best]
    return kept_cells // n_columns, kept_cells % n_columns


def precision_at_k(found: tuple[Longs, Longs], hidden: sp.csr_matrix) -> float:
    """Share of the first K pairs that are hidden edges, of which there are K; what a short list lacks is wrong."""
    k = int(hidden.nnz)
    return float(np.asarray(hidden[found[0][:k], found[1][:k]]).sum() / k)


def order_right(forward: F64, backward: F64) -> float:
    """Share of edges that score above their reverses, ties one half."""
    return float(np.mean((forward > backward) + 0.5 * (forward == backward)))


def recall_and_ndcg(rows: Rows, closed: sp.csr_matrix, hidden: sp.csr_matrix, k: int = 20) -> tuple[float, float]:
    """Recall@k and NDCG@k, means over the rows that have hidden edges."""
    rng = np.random.default_rng(_TIES)
    gains = 1 / np.log2(np.arange(2, k + 2))
    recalls, ndcgs = [], []
    for row in np.flatnonzero(np.diff(hidden.indptr)):
        scores = np.array(rows(int(row), int(row) + 1), dtype=np.float64)[0]
        free = np.ones(len(scores), dtype=np.bool_)
        free[closed[row].indices] = False
        candidates = np.flatnonzero(free)
        best = candidates[best_places(scores[candidates], rng.random(len(candidates)), k)]
        wanted = hidden[row].indices
        hits = np.isin(best, wanted)
        recalls.append(hits.sum() / len(wanted))
        ndcgs.append(float(gains[: len(hits)][hits].sum() / gains[: len(wanted)].sum()))
    return float(np.mean(recalls)), float(np.mean(ndcgs))
