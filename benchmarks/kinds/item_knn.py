"""Nearest neighbours by cosine, as recommenders use them: what is like what a node already has.

    s_jl = |common neighbours of j and l| / (√(d_j d_l) + shrinkage)
    score(i, j) = Σ s_jl over neighbours l of i that are among the k nearest of j

Likeness is between nodes of the second side, or of the first by the same formula on the transposed table.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.kinds.graphs import Table
from benchmarks.kinds.measures import F64
from benchmarks.kinds.scorers import DenseScorer, adjacency_of, on_validation
from pulink.graph.split import Split

NEAREST = (3, 5, 10, 20, 50, 100, 200)
SHRINKAGE = (0.0, 2.0, 10.0, 50.0)


def cosines(edges: sp.csr_matrix, shrinkage: float) -> F64:
    """Likeness of columns, 0 of a column with itself."""
    common = (edges.T @ edges).toarray()
    roots = np.sqrt(np.diag(common))
    likeness: F64 = common / np.maximum(np.outer(roots, roots) + shrinkage, 1e-12)
    np.fill_diagonal(likeness, 0.0)
    return likeness


def nearest_only(likeness: F64, k: int) -> F64:
    """Each row's k largest entries, the others 0."""
    if k >= likeness.shape[1]:
        return likeness
    places = np.argpartition(-likeness, k - 1, axis=1)[:, :k]
    kept = np.zeros_like(likeness)
    np.put_along_axis(kept, places, np.take_along_axis(likeness, places, axis=1), axis=1)
    return kept


def knn_scores(edges: sp.csr_matrix, k: int, shrinkage: float) -> F64:
    """The score of every cell, by likeness of columns."""
    return np.asarray(edges @ nearest_only(cosines(edges, shrinkage), k).T)


def item_knn_with(whole: Split, settings: dict[str, Any]) -> DenseScorer:
    """With the settings that were chosen."""
    edges = adjacency_of(whole)
    turned = edges if settings["side"] == "second" else edges.T.tocsr()
    scores = knn_scores(turned, settings["k"], settings["shrinkage"])
    return DenseScorer(Table.of(whole.train), scores if settings["side"] == "second" else scores.T, settings)


def item_knn(split: Split) -> DenseScorer:
    """The best side, number of neighbours and shrinkage on validation edges."""
    table, edges = Table.of(split.train), adjacency_of(split)
    best, best_value = None, -1.0
    for side in ("second", "first"):
        for k in NEAREST:
            for shrinkage in SHRINKAGE:
                turned = edges if side == "second" else edges.T.tocsr()
                scores = knn_scores(turned, k, shrinkage)
                settings = {"side": side, "k": k, "shrinkage": shrinkage}
                scorer = DenseScorer(table, scores if side == "second" else scores.T, settings)
                value = on_validation(scorer, split)
                if value > best_value:
                    best, best_value = scorer, value
    assert best is not None
    return best
