"""How well scores tell edges from non-edges, on plain arrays. Ties are counted as they should be: by half.

Written here rather than taken from scikit-learn because validation AUROC is computed in every epoch, and
scikit-learn's checks cost more than the sort; the tests hold the two equal.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from scipy.stats import rankdata

if TYPE_CHECKING:
    from pulink.graph.pair_space import PairSpace

Scores = npt.NDArray[np.floating]


def auroc(edges: Scores, non_edges: Scores) -> float:
    """Chance that an edge scores above a non-edge: area under the ROC curve."""
    n_edges, n_non_edges = len(edges), len(non_edges)
    if not n_edges or not n_non_edges:
        return float("nan")
    ranks = rankdata(np.concatenate([edges, non_edges]))[:n_edges]
    wins = ranks.sum() - n_edges * (n_edges + 1) / 2
    return float(wins / (n_edges * n_non_edges))


def auprc(edges: Scores, non_edges: Scores, weights: Scores | None = None) -> float:
    """Average precision: precision at each edge, averaged over the edges; tied scores enter together.

    A non-edge of weight w counts as w of them.
    """
    if not len(edges):
        return float("nan")
    scores = np.concatenate([edges, non_edges])
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    found = np.cumsum(order < len(edges))[ends]
    counts = np.ones(len(ranked)) if weights is None else np.concatenate([np.ones(len(edges)), weights])[order]
    precision = found / np.cumsum(counts)[ends]
    recall = found / len(edges)
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


def hits_at(k: int, edges: Scores, non_edges: Scores) -> float:
    """Share of edges that score above the k-th best non-edge; NaN where there are fewer than k of those."""
    if not len(edges):
        return float("nan")
    if len(non_edges) < k:
        return float("nan")
    bar = np.partition(non_edges, len(non_edges) - k)[len(non_edges) - k]
    return float(np.mean(edges > bar))


def mean_reciprocal_rank(edges: Scores, non_edges: Scores) -> float:
    """Mean of 1 / rank of each edge among all the non-edges; a tie counts half a place."""
    if not len(edges):
        return float("nan")
    ranked = np.sort(non_edges)
    above = len(ranked) - np.searchsorted(ranked, edges, side="right")
    tied = np.searchsorted(ranked, edges, side="right") - np.searchsorted(ranked, edges, side="left")
    return float(np.mean(1.0 / (1.0 + above + 0.5 * tied)))


def precision_at(found: npt.NDArray[np.integer], hidden: npt.NDArray[np.integer], space: PairSpace) -> float:
    """Share of the found pairs (k x 2) that are hidden edges."""
    return float(space.isin(found, hidden).mean()) if len(found) else float("nan")


def list_precision(found: npt.NDArray[np.integer], hidden: npt.NDArray[np.integer], space: PairSpace) -> float:
    """Average precision of a list, best pair first: a hidden edge that is not in it counts as never found."""
    if not len(hidden):
        return float("nan")
    places = np.flatnonzero(space.isin(found, hidden)) + 1
    return float(np.sum(np.arange(1, len(places) + 1) / places) / len(hidden))
