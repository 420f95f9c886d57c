"""Truncated singular value decomposition of the adjacency: score(i, j) = Σ u_i s v_j over the leading vectors."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import ArpackError, svds
from sklearn.utils.extmath import randomized_svd

from benchmarks.kinds.graphs import Table
from benchmarks.kinds.measures import F64
from benchmarks.kinds.scorers import DenseScorer, adjacency_of, on_validation
from pulink.graph.split import Split

RANKS = (8, 16, 32, 64, 128)


def leading(edges: sp.csr_matrix, rank: int, seed: int) -> tuple[F64, F64, F64]:
    """U, s and Vᵀ, the largest first. ARPACK may fail on repeated singular values: then by random projection."""
    start: npt.NDArray[np.float64] = np.random.default_rng(seed).standard_normal(min(edges.shape))
    try:
        left, values, right = svds(edges, k=rank, v0=start)
    except (ArpackError, np.linalg.LinAlgError):
        values = np.array([np.nan])
    if not np.isfinite(values).all():
        left, values, right = randomized_svd(edges, rank, n_iter=20, random_state=seed)
    order = np.argsort(-values)
    return left[:, order], values[order], right[order]


def svd_with(whole: Split, settings: dict[str, Any]) -> DenseScorer:
    """With the rank that was chosen."""
    left, values, right = leading(adjacency_of(whole), settings["rank"], whole.seed or 0)
    return DenseScorer(Table.of(whole.train), (left * values) @ right, settings)


def svd(split: Split) -> DenseScorer:
    """The best rank on validation edges."""
    table, edges = Table.of(split.train), adjacency_of(split)
    left, values, right = leading(edges, max(RANKS), split.seed or 0)
    best, best_value = None, -1.0
    for rank in RANKS:
        scores = (left[:, :rank] * values[:rank]) @ right[:rank]
        scorer = DenseScorer(table, scores, {"rank": rank})
        value = on_validation(scorer, split)
        if value > best_value:
            best, best_value = scorer, value
    assert best is not None
    return best
