"""How far down a list one may go: the longest list whose expected share of false links stays below a level.

Among unconnected pairs, best first, L of the hidden edges come before U other pairs. Hidden edges are a share c of
all missing links, so of the U others L (1 − c) / c are links too, and the rest is false:

    N = U − L⁻ (1 − c) / c
    1 + N ≤ α U       the longest such list

These are the conformal p-values (1 + N) / (1 + N_all) of pairs that are no links, and the rule of Benjamini and
Hochberg, but for two things. A pair that was not hidden may be a missing link itself, so non-links cannot be
counted one by one, only by difference; and that difference rests on c, as all probabilities do. L⁻ is the lower
end of what L may have been, at one in five: the longest list is else the one that was lucky.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.calibration.rank_transfer import order_and_ends

F64 = npt.NDArray[np.float64]

_KNOTS = 2_000
# One-sided, at a fifth.
_NORMAL = 0.84


@dataclass(frozen=True)
class FdrCurve:
    """others, hidden: U and L at ascending lengths; label_frequency: c.

    shown  whether the hidden edges are no longer in the list
    """

    others: F64
    hidden: F64
    label_frequency: float
    shown: bool = False

    def __post_init__(self) -> None:
        """ValueError if these are no counts: a stored model may hold anything."""
        for counts in (self.others, self.hidden):
            if counts.ndim != 1 or len(counts) != len(self.others) or not np.isfinite(counts).all():
                raise ValueError("its count of false links is not one")
            if (np.diff(counts) < 0).any() or (counts < 0).any():
                raise ValueError("its count of false links does not rise")
        if not 0 < self.label_frequency <= 1:
            raise ValueError("its count of false links knows no share of hidden edges")

    @classmethod
    def of(cls, scores: F64, hidden: npt.NDArray[np.bool_], weights: F64, label_frequency: float) -> FdrCurve:
        """From scores of pairs, whether each is a hidden edge, and how many it stands for; thinned where many."""
        order, ends = order_and_ends(scores)
        if len(ends) > _KNOTS:
            # Close together where the list begins.
            wanted = np.geomspace(1, len(ends), _KNOTS).astype(np.int64) - 1
            ends = ends[np.unique(np.append(wanted, np.linspace(0, len(ends) - 1, _KNOTS).astype(np.int64)))]
        others, found = (np.cumsum(weights[order] * mask[order])[ends] for mask in (~hidden, hidden))
        return cls(others, found, label_frequency)

    def longest(self, level: float) -> int:
        """How many of the best pairs may be listed."""
        lowest = np.maximum(np.sqrt(self.hidden) - _NORMAL / 2, 0) ** 2
        false = np.maximum(self.others - lowest * (1 - self.label_frequency) / self.label_frequency, 0)
        lengths = self.others if self.shown else self.others + self.hidden
        allowed = np.flatnonzero(1 + false <= level * lengths)
        return int(lengths[allowed[-1]]) if len(allowed) else 0
