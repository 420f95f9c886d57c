"""EASE (Steck 2019): each column as a linear sum of the others, in closed form.

    P = (XᵀX + λI)⁻¹,  B_jl = -P_jl / P_ll for j ≠ l,  B_ll = 0,  scores X B

Columns are the nodes of the second side; of the first, where the table is transposed; or both, and the mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from benchmarks.kinds.graphs import Table
from benchmarks.kinds.measures import F64
from benchmarks.kinds.scorers import DenseScorer, adjacency_of, on_validation
from pulink.graph.split import Split

PENALTIES = (1.0, 3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)


def ease_scores(edges: sp.csr_matrix, penalty: float) -> F64:
    """The score of every cell, by columns."""
    gram = (edges.T @ edges).toarray()
    inverse = np.linalg.inv(gram + penalty * np.eye(len(gram)))
    weights = -inverse / np.diag(inverse)
    np.fill_diagonal(weights, 0.0)
    return np.asarray(edges @ weights)


def ease_second(split: Split) -> DenseScorer:
    """By nodes of the second side."""
    edges = adjacency_of(split)
    return _best(split, {penalty: ease_scores(edges, penalty) for penalty in PENALTIES})


def ease_first(split: Split) -> DenseScorer:
    """By nodes of the first side."""
    turned = adjacency_of(split).T.tocsr()
    return _best(split, {penalty: ease_scores(turned, penalty).T for penalty in PENALTIES})


def ease_both(split: Split) -> DenseScorer:
    """The mean of both, each with the penalty that is best for it alone."""
    first, second = ease_first(split), ease_second(split)
    settings = {"first": first.settings["penalty"], "second": second.settings["penalty"]}
    return DenseScorer(first.table, (first.matrix + second.matrix) / 2, settings)


def ease_second_with(whole: Split, settings: dict[str, Any]) -> DenseScorer:
    """By nodes of the second side, with the penalty that was chosen."""
    return DenseScorer(Table.of(whole.train), ease_scores(adjacency_of(whole), settings["penalty"]), settings)


def ease_first_with(whole: Split, settings: dict[str, Any]) -> DenseScorer:
    """By nodes of the first side, with the penalty that was chosen."""
    turned = ease_scores(adjacency_of(whole).T.tocsr(), settings["penalty"])
    return DenseScorer(Table.of(whole.train), turned.T, settings)


def ease_both_with(whole: Split, settings: dict[str, Any]) -> DenseScorer:
    """The mean of both, with the penalties that were chosen."""
    first = ease_first_with(whole, {"penalty": settings["first"]})
    second = ease_second_with(whole, {"penalty": settings["second"]})
    return DenseScorer(first.table, (first.matrix + second.matrix) / 2, settings)


def _best(split: Split, scores: dict[float, F64]) -> DenseScorer:
    """The penalty that is best on validation edges."""
    table = Table.of(split.train)
    scorers = [DenseScorer(table, matrix, {"penalty": penalty}) for penalty, matrix in scores.items()]
    return max(scorers, key=lambda scorer: on_validation(scorer, split))
