"""Signals that are added to the score of the trees, each with one weight.

    score = trees' score + Σ_t w_t g_t(x_t)        x_t: a column; g_t: as it is, or log(x_t + ε) − log ε

Trees cut a signal into steps: among the best pairs, which share leaves, they lose its order. Each weight is tried
on the validation edges among all unconnected pairs. It stays 0 unless the average precision rises by more than
what may be chance: the precisions at each validation edge, with the term and without, are compared as pairs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

F64 = npt.NDArray[np.float64]
Signals = npt.NDArray[np.float32]

# What is added to a signal before its logarithm is taken.
_SMALL = 0.1
# A rise must be so many standard errors, and so large a share of the average precision: several weights are tried.
_ERRORS, _LEAST_RISE = 2.0, 0.01


@dataclass(frozen=True)
class Term:
    """A column by its place, whether its logarithm is taken, and the weight."""

    place: int
    logarithmic: bool
    weight: float

    def of(self, signals: Signals) -> F64:
        """What it adds to the scores of rows (k)."""
        values = signals[:, self.place].astype(np.float64)
        if self.logarithmic:
            values = np.log1p(np.maximum(values, 0.0) / _SMALL)
        return self.weight * values


# By column: whether the logarithm is taken, and the weights that are tried.
TRIED: dict[str, tuple[bool, tuple[float, ...]]] = {
    "linear_optimisation": (False, (0.5, 1.0, 2.0, 5.0, 10.0, 20.0)),
    "resource_allocation": (True, (0.25, 0.5, 1.0, 2.0)),
}


# Trees that read it rank worse: ogbl-ddi, average precision 0.762 for 0.782, and 0.819 for 0.820 with the term.
UNREAD = ("linear_optimisation",)


def choose_terms(
    names: Sequence[str], signals: Signals, scores: F64, labelled: npt.NDArray[np.bool_], weights: F64
) -> tuple[Term, ...]:
    """The terms that clearly raise the average precision of labelled rows, one after the other.

    names    of the columns of `signals` (k x S, or more)
    scores   of the trees (k)
    weights  for how many pairs each row stands (k)
    """
    chosen: list[Term] = []
    if not labelled.any():
        return ()
    for name, (logarithmic, tried) in TRIED.items():
        if name not in names:
            continue
        before = edge_precisions(scores, labelled, weights)
        best, rise = None, _LEAST_RISE * float(before.mean())
        for weight in tried:
            term = Term(names.index(name), logarithmic, weight)
            gains = edge_precisions(scores + term.of(signals), labelled, weights) - before
            if gains.mean() > max(rise, _ERRORS * standard_error(gains)):
                best, rise = term, float(gains.mean())
        if best is not None:
            chosen.append(best)
            scores = scores + best.of(signals)
    return tuple(chosen)


def standard_error(values: F64) -> float:
    """Of the mean; infinite for a single value."""
    return float(values.std(ddof=1)) / np.sqrt(len(values)) if len(values) > 1 else float("inf")


def edge_precisions(scores: F64, labelled: npt.NDArray[np.bool_], weights: F64) -> F64:
    """The share of labelled rows among all that score as high as each labelled row; their mean is the AUPRC."""
    edges, others = scores[labelled], scores[~labelled]
    order = np.argsort(others)
    above = np.append(np.cumsum(weights[~labelled][order][::-1])[::-1], 0.0)
    n_edges = len(edges) - np.searchsorted(np.sort(edges), edges)
    return np.asarray(n_edges / (n_edges + above[np.searchsorted(others[order], edges)]))
