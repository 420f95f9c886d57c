"""Alternating least squares for implicit feedback, by the library `implicit` (extra `rivals`) as it is meant."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import numpy as np

from benchmarks.kinds.graphs import Table
from benchmarks.kinds.scorers import DenseScorer, adjacency_of, on_validation
from pulink.graph.split import Split

FACTORS = (32, 64, 128, 256)
REGULARISATION = (0.1, 1.0, 10.0, 30.0, 100.0)
ALPHA = (1.0, 5.0, 20.0)


def als_with(whole: Split, settings: dict[str, Any]) -> DenseScorer:
    """With the settings that were chosen. ImportError: `implicit` is not installed."""
    from implicit.als import AlternatingLeastSquares

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about threads of BLAS, which are one already
        model = AlternatingLeastSquares(
            factors=settings["factors"],
            regularization=settings["regularisation"],
            alpha=settings["alpha"],
            num_threads=1,
            random_state=whole.seed,
        )
        model.fit(adjacency_of(whole).astype(np.float32), show_progress=False)
    return DenseScorer(Table.of(whole.train), model.user_factors @ model.item_factors.T, settings)


def als(split: Split) -> DenseScorer:
    """The best factors, regularisation and alpha on validation edges."""
    every = itertools.product(FACTORS, REGULARISATION, ALPHA)
    settings = [{"factors": f, "regularisation": r, "alpha": a} for f, r, a in every]
    return max((als_with(split, one) for one in settings), key=lambda scorer: on_validation(scorer, split))
