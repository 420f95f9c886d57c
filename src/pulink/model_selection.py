"""Choosing settings with scikit-learn: edges as rows, splitters over them, and scorers.

    rows = pulink.model_selection.edges(graph)
    search = GridSearchCV(pulink.PULL(), {"n_units": [8, 16]}, cv=pulink.model_selection.EdgeKFold(3)).fit(rows)
    search.best_estimator_.missing_links(10)

docs/scikit-learn.md says what each part sees.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.engine.random import permutation, stream_key
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.graph.graph import Graph
from pulink.predictor.parameters import check_count
from pulink.predictor.scikit_learn.edge_rows import EdgeRows, edge_rows
from pulink.text import counted, shown

if TYPE_CHECKING:
    from pulink.predictor.predictor import LinkPredictor

__all__ = ["EdgeKFold", "EdgeRows", "EdgeShuffleSplit", "edges", "scorer"]

Longs = npt.NDArray[np.int64]


def edges(graph: Graph) -> EdgeRows:
    """Give the recorded edges of a graph as rows, the X of scikit-learn's searches and cross-validation.

    Parameters
    ----------
    graph : Graph
        Of any kind, with all that is known of its nodes.

    Returns
    -------
    EdgeRows
        With `len`, `shape` and indexing by rows; every part knows the whole graph. Rows stand in a random order
        that is always the same, so that parts of neighbouring rows (`cv=3`) are parts at random.

    Raises
    ------
    ParameterError
        If it is no Graph.

    Examples
    --------
    >>> import networkx, pulink
    >>> from sklearn.model_selection import cross_val_score
    >>> rows = pulink.model_selection.edges(pulink.from_networkx(networkx.karate_club_graph()))
    >>> rows
    EdgeRows(78 of 78 edges)
    >>> len(cross_val_score(pulink.L3N(), rows, cv=pulink.model_selection.EdgeKFold(3)))
    3
    """
    return edge_rows(graph)


class _EdgeSplitter:
    """What scikit-learn asks of a splitter; each says which rows it holds out."""

    n_splits: int

    def get_n_splits(self, X: object = None, y: object = None, groups: object = None) -> int:  # noqa: ARG002
        """Give the number of splits.

        Parameters
        ----------
        X, y, groups : ignored
            scikit-learn hands them over.

        Returns
        -------
        int
        """
        return self.n_splits

    def split(
        self,
        X: Any,
        y: object = None,  # noqa: ARG002
        groups: object = None,  # noqa: ARG002
    ) -> Iterator[tuple[Longs, Longs]]:
        """Give the rows of training and test of each split.

        Parameters
        ----------
        X : EdgeRows
            What `edges` gave.
        y, groups : ignored
            scikit-learn hands them over.

        Returns
        -------
        iterator of pairs of arrays of int64
            Places of training and test edges, each in ascending order.

        Raises
        ------
        InputError
            If too few edges would be held out, or left to learn from.
        """
        n_rows = _n_rows(X)
        for held in self._held_out(n_rows):
            yield _parts(n_rows, held)

    def _held_out(self, n_rows: int) -> Iterator[Longs]:
        raise NotImplementedError


@dataclass(frozen=True)
class EdgeKFold(_EdgeSplitter):
    """Divide edges at random into `n_splits` parts: each is held out once.

    Parameters
    ----------
    n_splits : int
        How many parts, at least 2.
    seed : int
        Which of the possible divisions it is; the same on any machine.

    Examples
    --------
    >>> import pulink
    >>> rows = pulink.model_selection.edges(pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 0]]))
    >>> [test.tolist() for _, test in pulink.model_selection.EdgeKFold(2).split(rows)]
    [[1, 3], [0, 2]]
    """

    n_splits: int = 5
    seed: int = 0

    def _held_out(self, n_rows: int) -> Iterator[Longs]:
        check_count("n_splits", self.n_splits, 2)
        check_count("seed", self.seed, 0)
        if n_rows < self.n_splits:
            raise InputError(f"{counted(n_rows, 'edge')} cannot be divided into {self.n_splits} parts")
        yield from np.array_split(permutation(stream_key(self.seed, "edge folds"), n_rows), self.n_splits)


@dataclass(frozen=True)
class EdgeShuffleSplit(_EdgeSplitter):
    """Hold out a share of the edges at random, again and again.

    Parameters
    ----------
    n_splits : int
        How many times.
    test : float
        Which share is held out each time, between 0 and 1.
    seed : int
        Which of the possible splits they are; the same on any machine.

    Examples
    --------
    >>> import pulink
    >>> rows = pulink.model_selection.edges(pulink.Graph.from_edges([[i, i + 1] for i in range(20)]))
    >>> [len(test) for _, test in pulink.model_selection.EdgeShuffleSplit(3, test=0.2).split(rows)]
    [4, 4, 4]
    """

    n_splits: int = 5
    test: float = 0.1
    seed: int = 0

    def _held_out(self, n_rows: int) -> Iterator[Longs]:
        check_count("n_splits", self.n_splits, 1)
        check_count("seed", self.seed, 0)
        if isinstance(self.test, bool) or not isinstance(self.test, int | float) or not 0 < self.test < 1:
            raise ParameterError(f"test must lie between 0 and 1, got {shown(self.test)}")
        n_held = math.floor(self.test * n_rows + 1e-9)
        if not n_held:
            raise InputError(f"test={self.test} of {counted(n_rows, 'edge')} is none: hold out a larger share")
        for number in range(self.n_splits):
            yield permutation(stream_key(self.seed, "edge shuffle", number), n_rows)[:n_held]


@dataclass(frozen=True)
class _Scorer:
    """Called by scikit-learn with a fitted model and held-out edges."""

    measure: str

    def __call__(self, model: LinkPredictor, X: EdgeRows, y: object = None) -> float:  # noqa: ARG002
        return model.score(X.held_out())[self.measure]


def scorer(measure: str) -> Any:
    """Give a scorer for `scoring=` of scikit-learn's searches and cross-validation.

    Parameters
    ----------
    measure : str
        "auroc", "auprc", "mrr", "hits_at_20", "hits_at_50" or "hits_at_100": held-out edges against as many pairs
        that are unconnected in the whole graph.

    Returns
    -------
    function of a fitted model and EdgeRows

    Raises
    ------
    UnknownNameError
        If there is no such measure.

    Examples
    --------
    >>> import networkx, pulink
    >>> from sklearn.model_selection import cross_val_score
    >>> rows = pulink.model_selection.edges(pulink.from_networkx(networkx.karate_club_graph()))
    >>> cv = pulink.model_selection.EdgeKFold(3)
    >>> auprc = cross_val_score(pulink.L3N(), rows, cv=cv, scoring=pulink.model_selection.scorer("auprc"))
    >>> bool((0 < auprc).all() and (auprc <= 1).all())
    True
    """
    known = [own.name for own in metrics.MEASURES if own.basis is metrics.Basis.TEST_PAIRS]
    if measure not in known:
        raise UnknownNameError("measure", str(measure), known)
    return _Scorer(measure)


def _n_rows(X: Any) -> int:
    if isinstance(X, Graph):
        raise ParameterError("give pulink.model_selection.edges(graph), whose rows can be divided, not the Graph")
    return len(X)


def _parts(n_rows: int, held: Longs) -> tuple[Longs, Longs]:
    is_held = np.zeros(n_rows, dtype=np.bool_)
    is_held[held] = True
    return np.flatnonzero(~is_held), np.flatnonzero(is_held)
