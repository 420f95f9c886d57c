"""Which way a link runs, by logistic regressions on log(1 + degree), in and out, of both ends.

    free pairs    unconnected in training: given a link, does it run i -> j? Learned from training edges, of which
                  each tenth is hidden once, so that degrees do not count the edge that is asked about
    half pairs    with j -> i in training and not i -> j: is i -> j a hidden edge? Learned from validation edges

Of half pairs a share q are validation edges, and about as many test edges. Validation edges are not asked about,
so the probability of a test edge is q / (1 - q).
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from benchmarks.kinds.graphs import Pairs
from benchmarks.kinds.measures import F64

_FOLDS = 10


class Orientation:
    """P(i -> j) given that i and j are linked, and P(i -> j) given an edge j -> i."""

    def __init__(self, edges: Pairs, val_edges: Pairs, n_nodes: int, seed: int) -> None:
        self.degrees = log_degrees(edges, n_nodes)
        parts = [_free_lessons(edges, fold, n_nodes) for fold in _folds(len(edges), seed)]
        self.free = _learned(*(np.concatenate(column) for column in zip(*parts, strict=True)))
        cells, backwards = _cells(edges, n_nodes), edges[:, ::-1]
        half = backwards[~_has(cells, backwards)]
        self.half = _learned(seen_degrees(self.degrees, half), _has(_cells(val_edges, n_nodes), half))

    def of_free(self, pairs: Pairs) -> F64:
        """For pairs (k x 2) that are not linked either way."""
        return self.free(seen_degrees(self.degrees, pairs))

    def of_half(self, pairs: Pairs) -> F64:
        """For pairs (k x 2) that are linked the other way."""
        share = self.half(seen_degrees(self.degrees, pairs))
        return np.minimum(share / np.maximum(1 - share, 1e-12), 1.0)


def log_degrees(edges: Pairs, n_nodes: int) -> F64:
    """log(1 + degree), out and in (n x 2)."""
    counts = [np.bincount(edges[:, end], minlength=n_nodes) for end in (0, 1)]
    return np.log1p(np.stack(counts, axis=1))


def seen_degrees(degrees: F64, pairs: Pairs) -> F64:
    """Out and in of the source, then of the target (k x 4)."""
    return np.concatenate([degrees[pairs[:, 0]], degrees[pairs[:, 1]]], axis=1)


def _folds(n_edges: int, seed: int) -> list[npt.NDArray[np.int64]]:
    return np.array_split(np.random.default_rng(seed).permutation(n_edges), _FOLDS)


def _free_lessons(edges: Pairs, fold: npt.NDArray[np.int64], n_nodes: int) -> tuple[F64, npt.NDArray[np.bool_]]:
    """Degrees and answers, both ways of pairs that are linked by hidden edges alone."""
    hidden, kept = edges[fold], np.delete(edges, fold, axis=0)
    free = hidden[~_has(_cells(kept, n_nodes), hidden[:, ::-1])]
    both_ways = np.concatenate([free, free[:, ::-1]])
    return seen_degrees(log_degrees(kept, n_nodes), both_ways), _has(_cells(edges, n_nodes), both_ways)


def _cells(edges: Pairs, n_nodes: int) -> sp.csr_matrix:
    return sp.csr_matrix((np.ones(len(edges)), (edges[:, 0], edges[:, 1])), shape=(n_nodes, n_nodes))


def _has(cells: sp.csr_matrix, pairs: Pairs) -> npt.NDArray[np.bool_]:
    return np.asarray(cells[pairs[:, 0], pairs[:, 1]]).ravel() > 0


class _Share:
    """The share of positive answers, where there are too few of a kind to learn from."""

    def __init__(self, answers: npt.NDArray[np.bool_]) -> None:
        self.share = (answers.sum() + 0.5) / (len(answers) + 1)

    def __call__(self, seen: F64) -> F64:
        return np.full(len(seen), self.share)


class _Logistic:
    def __init__(self, seen: F64, answers: npt.NDArray[np.bool_]) -> None:
        self.model = make_pipeline(StandardScaler(), LogisticRegression()).fit(seen, answers)

    def __call__(self, seen: F64) -> F64:
        if not len(seen):
            return np.empty(0)
        return np.asarray(self.model.predict_proba(seen)[:, 1], dtype=np.float64)


def _learned(seen: F64, answers: npt.NDArray[np.bool_]) -> _Share | _Logistic:
    few = min(answers.sum(), len(answers) - answers.sum()) < 10
    return _Share(answers) if few else _Logistic(seen, answers)
