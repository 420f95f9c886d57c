"""Which way a link runs, learned from training edges by logistic regressions on degrees.

Each tenth of the training edges is hidden once. Among the others

    free pairs    of pairs with a hidden edge and no other: does it run i -> j?
    half pairs    of pairs with j -> i and not i -> j: is i -> j among the hidden?

so the second says how likely a reverse is where one way is known. Both look at log(1 + degree), in and out, of both
ends in the graph without the hidden tenth.
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

    def __init__(self, edges: Pairs, n_nodes: int, seed: int) -> None:
        self.degrees = log_degrees(edges, n_nodes)
        parts = [_lessons(edges, fold, n_nodes) for fold in _folds(len(edges), seed)]
        self.free, self.half = (
            _learned(
                np.concatenate([part[which][0] for part in parts]),
                np.concatenate([part[which][1] for part in parts]),
            )
            for which in (0, 1)
        )

    def of_free(self, pairs: Pairs) -> F64:
        """For pairs (k x 2) that are not linked either way."""
        return self.free(seen_degrees(self.degrees, pairs))

    def of_half(self, pairs: Pairs) -> F64:
        """For pairs (k x 2) that are linked the other way."""
        return self.half(seen_degrees(self.degrees, pairs))


def log_degrees(edges: Pairs, n_nodes: int) -> F64:
    """log(1 + degree), out and in (n x 2)."""
    counts = [np.bincount(edges[:, end], minlength=n_nodes) for end in (0, 1)]
    return np.log1p(np.stack(counts, axis=1))


def seen_degrees(degrees: F64, pairs: Pairs) -> F64:
    """Out and in of the source, then of the target (k x 4)."""
    return np.concatenate([degrees[pairs[:, 0]], degrees[pairs[:, 1]]], axis=1)


def _folds(n_edges: int, seed: int) -> list[npt.NDArray[np.int64]]:
    return np.array_split(np.random.default_rng(seed).permutation(n_edges), _FOLDS)


def _lessons(edges: Pairs, fold: npt.NDArray[np.int64], n_nodes: int) -> list[tuple[F64, npt.NDArray[np.bool_]]]:
    """Degrees and answers, of free pairs and of half pairs, with a fold hidden."""
    hidden, kept = edges[fold], np.delete(edges, fold, axis=0)
    degrees = log_degrees(kept, n_nodes)
    kept_cells, all_cells = (
        sp.csr_matrix((np.ones(len(rows)), (rows[:, 0], rows[:, 1])), shape=(n_nodes, n_nodes))
        for rows in (kept, edges)
    )
    free = hidden[~_has(kept_cells, hidden) & ~_has(kept_cells, hidden[:, ::-1])]
    both_ways = np.concatenate([free, free[:, ::-1]])
    backwards = kept[:, ::-1]
    half = backwards[~_has(kept_cells, backwards)]
    return [(seen_degrees(degrees, pairs), _has(all_cells, pairs)) for pairs in (both_ways, half)]


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
