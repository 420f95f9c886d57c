"""How many links are missing.

Edges tell it only in part. Of N missing links, n were hidden on purpose; c = n / N. With q(s) = c · P(link | s),
the share of hidden edges among the best pairs is at most c, so

    N ≤ n / max q                       an upper bound, reached where the best pairs are all links

and nothing bounds N from below: a graph of which a tenth was never recorded looks like a smaller graph of which
nothing is missing. What is below the bound is therefore assumed: of all links, a share μ is missing, a tenth
unless somebody knows better, and with nine chances in ten between 2 and 45 per cent.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.models.calibration import label_share

ASSUMED = 0.1
_LOW, _HIGH = 0.02, 0.45
# One-sided, at five per cent.
_NORMAL = 1.645
_LEAST_TOP = 50
_TOP_SHARE = 10


@dataclass(frozen=True)
class MissingLinks:
    """The number of links that are missing from a graph: the likeliest, and an interval of nine chances in ten.

    bound  the largest number that the hidden edges allow, with nineteen chances in twenty
    """

    best: float
    low: float
    high: float
    bound: float

    def __str__(self) -> str:
        return f"about {self.best:,.0f}, between {self.low:,.0f} and {self.high:,.0f} with nine chances in ten"

    def to_dict(self) -> dict[str, float]:
        return dict(vars(self))

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> MissingLinks:
        return cls(**{name: float(found[name]) for name in ("best", "low", "high", "bound")})


def estimate(
    scores: npt.NDArray[np.float64],
    labelled: npt.NDArray[np.bool_],
    n_known: int,
    weights: npt.NDArray[np.float64] | None = None,
    missing_share: float = ASSUMED,
) -> tuple[float, MissingLinks]:
    """c, and the missing links besides the hidden ones; `n_known` edges are known, the hidden ones among them."""
    n_hidden = int(labelled.sum())
    if not n_hidden:
        return 1.0, MissingLinks(0.0, 0.0, 0.0, 0.0)
    share = label_share(scores, labelled, n_known, weights)
    n_top = max(_LEAST_TOP, n_hidden // _TOP_SHARE)
    surely = max(share - _NORMAL * math.sqrt(share * (1 - share) / n_top), n_hidden / (n_hidden + n_known))
    sure_bound = n_hidden * (1 / surely - 1)
    return believed(sure_bound, n_hidden, n_known, missing_share)


def believed(bound: float, n_hidden: int, n_known: int, missing_share: float) -> tuple[float, MissingLinks]:
    """c, and the missing links besides the hidden ones, if a share is thought missing and so many at most."""
    best, low, high = (min(_missing(own, n_known), bound) for own in (missing_share, _LOW, _HIGH))
    return n_hidden / (n_hidden + best), MissingLinks(best, min(low, best), max(high, best), bound)


def _missing(share: float, n_known: int) -> float:
    return share / (1 - share) * n_known
