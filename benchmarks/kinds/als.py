"""Alternating least squares for implicit feedback, by the library `implicit` (extra `rivals`) as it is meant."""

from __future__ import annotations

import itertools
import warnings

import numpy as np

from benchmarks.kinds.graphs import Table
from benchmarks.kinds.scorers import DenseScorer, adjacency_of, on_validation
from pulink.graph.split import Split

FACTORS = (32, 64, 128, 256)
REGULARISATION = (0.1, 1.0, 10.0, 30.0, 100.0)
ALPHA = (1.0, 5.0, 20.0)


def als(split: Split) -> DenseScorer:
    """The best factors, regularisation and alpha on validation edges. ImportError: `implicit` is not installed."""
    from implicit.als import AlternatingLeastSquares

    table, edges = Table.of(split.train), adjacency_of(split).astype(np.float32)
    best, best_value = None, -1.0
    for factors, regularisation, alpha in itertools.product(FACTORS, REGULARISATION, ALPHA):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about threads of BLAS, which are one already
            model = AlternatingLeastSquares(
                factors=factors,
                regularization=regularisation,
                alpha=alpha,
                num_threads=1,
                random_state=split.seed,
            )
            model.fit(edges, show_progress=False)
        settings = {"factors": factors, "regularisation": regularisation, "alpha": alpha}
        scorer = DenseScorer(table, model.user_factors @ model.item_factors.T, settings)
        value = on_validation(scorer, split)
        if value > best_value:
            best, best_value = scorer, value
    assert best is not None
    return best
