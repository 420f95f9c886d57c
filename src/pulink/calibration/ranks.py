"""Pairs by their scores, best first; pairs whose scores tie stand or fall together."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def best_first(scores: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """The order of the pairs (k), and the places in it after which the score changes, the last among them."""
    order = np.argsort(-scores, kind="stable")
    ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True)[: len(scores)])
    return order, ends
