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

from pulink.calibration.hidden_ranks import HiddenRanks

F64 = npt.NDArray[np.float64]

_KNOTS = 2_000
# One-sided, at a fifth.
_NORMAL = 0.84


@dataclass(frozen=True)
class FdrCurve:
    """others, hidden: U of one split and L of all splits at ascending lengths; label_frequency: c.

    n_splits  how many times edges were hidden
    shown     whether the hidden edges are no longer in the list
    lengths, false_shares  of a reviewed list: by its length the share that is false, nine times in ten at most
    """

    others: F64
    hidden: F64
    label_frequency: float
    n_splits: int = 1
    shown: bool = False
    lengths: F64 | None = None
    false_shares: F64 | None = None

    def __post_init__(self) -> None:
        """ValueError if these are no counts: a stored model may hold anything."""
        for counts in (self.others, self.hidden):
            if counts.ndim != 1 or len(counts) != len(self.others) or not np.isfinite(counts).all():
                raise ValueError("its count of false links is not one")
            if (np.diff(counts) < 0).any() or (counts < 0).any():
                raise ValueError("its count of false links does not rise")
        if not 0 < self.label_frequency <= 1 or self.n_splits < 1:
            raise ValueError("its count of false links knows no share of hidden edges")
        if self.lengths is not None and self.false_shares is not None:
            known = np.concatenate([self.lengths, self.false_shares])
            if self.lengths.shape != self.false_shares.shape or not np.isfinite(known).all() or (known < 0).any():
                raise ValueError("its reviewed list has no lengths")

    @classmethod
    def of(cls, evidence: HiddenRanks, label_frequency: float) -> FdrCurve:
        """From where hidden edges stand; thinned where they are many."""
        n_hidden = len(evidence.places)
        kept = np.arange(n_hidden)
        if n_hidden > 2 * _KNOTS:
            # Close together where the list begins.
            wanted = np.geomspace(1, n_hidden, _KNOTS).astype(np.int64) - 1
            kept = np.unique(np.append(wanted, np.linspace(0, n_hidden - 1, _KNOTS).astype(np.int64)))
        others = np.append(evidence.places[kept], evidence.n_others)
        hidden = np.append(kept + 1, n_hidden).astype(np.float64)
        return cls(np.maximum.accumulate(others), hidden, label_frequency, evidence.n_splits)

    def longest(self, level: float) -> int:
        """How many of the best pairs may be listed.

        From one knot to the next L stays, and U may be as large as 1 + U − L⁻ (1 − c) / c ≤ α (U + L) allows, or
        ≤ α U once the hidden edges are shown. Of a reviewed list the answers tell it.
        """
        if self.lengths is not None and self.false_shares is not None:
            return int(self.lengths[self.false_shares <= level + 1e-12].max(initial=0))
        found = self.hidden / self.n_splits
        lowest = np.maximum(np.sqrt(self.hidden) - _NORMAL / 2, 0) ** 2 / self.n_splits
        right = lowest * (1 - self.label_frequency) / self.label_frequency
        listed = np.zeros(len(found)) if self.shown else found
        reach = np.minimum(
            (right + level * listed - 1) / (1 - level), np.append(self.others[1:], self.others[-1:])
        )
        lengths = (reach + listed)[(reach >= self.others) & (level * (reach + listed) >= 1)]
        return int(lengths.max(initial=0) + 1e-9)
