"""What hidden edges say about a model's scores: probabilities, how many links are missing, how many are false."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.calibration.curve import Calibration, Knots
from pulink.calibration.fdr import FdrCurve
from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.calibration.missing_links import REVIEWED, MissingLinks, believed, estimate
from pulink.calibration.rank_curve import BinnedRanks, RankCurve
from pulink.calibration.rank_transfer import RankedScores
from pulink.calibration.reliability import Reliability, Scored, cross_fitted

F64 = npt.NDArray[np.float64]

_CURVE, _FALSE, _RANKS = "calibration.", "false_links.", "hidden_ranks."
_REVIEWED = "lengths", "false_shares"
# Of the normal distribution, to either side of a 90% interval.
_NORMAL = 1.645


@dataclass(frozen=True)
class HiddenFound:
    """How well hidden edges were found.

    Attributes
    ----------
    n_hidden, n_splits : int
        How many edges were hidden, in all splits together, and how many splits there were.
    share : float
        Which share of them is among as many best pairs.
    auroc : float
        The probability that a hidden edge stands before another unconnected pair.
    """

    n_hidden: int
    n_splits: int
    share: float
    auroc: float

    def to_dict(self) -> dict[str, Any]:
        """Give the numbers by name, as JSON holds them.

        Returns
        -------
        dict
        """
        return dict(vars(self))

    @classmethod
    def from_dict(cls, found: dict[str, Any]) -> HiddenFound:
        """Take back what `to_dict` gave.

        Parameters
        ----------
        found : dict
            Numbers by name; KeyError, TypeError or ValueError if it is anything else.

        Returns
        -------
        HiddenFound
        """
        share, auroc = float(found["share"]), float(found["auroc"])
        if not (0 <= share <= 1 and 0 <= auroc <= 1):
            raise ValueError("its hidden edges were found in no share")
        return cls(int(found["n_hidden"]), int(found["n_splits"]), share, auroc)


@dataclass(frozen=True)
class Calibrator:
    """n_known: edges that were known when it was made, the hidden ones among them.

    n_hidden     how many of them were hidden, in one split
    found        how well hidden edges were found; None in folders of earlier versions
    hidden       where hidden edges stand, and knots: which ranks scores have; None for the mean of several models,
                 and in folders of earlier versions
    """

    curve: Calibration
    missing: MissingLinks
    fdr_curve: FdrCurve
    reliability: Reliability
    n_known: int
    n_hidden: float
    found: HiddenFound | None = None
    hidden: BinnedRanks | None = None
    knots: Knots | None = None

    @classmethod
    def of(cls, parts: Sequence[Scored], n_known: int, missing_share: float | None, seed: int) -> Calibrator:
        """From the answers of a model in one split, or in several, in which other edges were hidden.

        Probabilities are of the scores in the first split; see `after_showing` for those of another model.
        """
        evidence = HiddenRanks.pooled([HiddenRanks.of(*part) for part in parts])
        theta, missing = estimate(evidence, n_known, missing_share)
        hidden = BinnedRanks.of(evidence)
        scores, labelled, weights = parts[0]
        knots = Knots.of(RankedScores.of(scores[~labelled], weights[~labelled]), evidence.n_others)
        curve = Calibration.of(RankCurve.fit(hidden, theta), knots)
        return cls(
            curve,
            missing,
            FdrCurve.of(evidence, curve.label_frequency),
            cross_fitted(parts, theta, seed),
            n_known,
            evidence.n_hidden,
            HiddenFound(len(evidence.places), evidence.n_splits, evidence.found_share(), evidence.auroc()),
            hidden,
            knots,
        )

    @property
    def n_splits(self) -> int:
        """In how many splits edges were hidden."""
        return self.fdr_curve.n_splits

    def after_showing(self, refit: RankedScores | None = None) -> Calibrator:
        """For pairs that are still unconnected once the hidden edges are shown.

        refit  how a model that knows these edges scores such pairs, if it is another model
        """
        knots = self.knots
        if refit is not None and self.hidden is not None and refit.total:
            knots = Knots.of(refit, self.hidden.n_others)
        curve = self.curve if knots is None or knots is self.knots else Calibration.of(self.rank_curve(), knots)
        return self._showing(curve, knots)

    def after_averaging(self) -> Calibrator:
        """For the mean of models, whose scores are log-odds of probabilities already: see `split_fits`."""
        return replace(self._showing(Calibration.of_log_odds(self.rank_curve()), None), hidden=None)

    def rank_curve(self) -> RankCurve:
        """The curve by rank, from which that of another model can be made."""
        assert self.hidden is not None, "a mean of models has no ranks"
        return RankCurve.fit(self.hidden, self.curve.believed_theta)

    def _showing(self, curve: Calibration, knots: Knots | None) -> Calibrator:
        fdr_curve = replace(self.fdr_curve, shown=True)
        return replace(self, curve=curve.after_showing(), fdr_curve=fdr_curve, knots=knots)

    def assuming(self, missing_share: float) -> Calibrator:
        """The same answers read otherwise: of all links another share is thought missing."""
        theta, missing = believed(self.missing.bound, self.n_hidden, self.n_known, missing_share)
        if self.hidden is None or self.knots is None:
            curve = replace(self.curve, assumed=theta)
        else:
            ranks = RankCurve.fit(self.hidden, theta)
            curve = replace(Calibration.of(ranks, self.knots), shown=self.curve.shown)
        return replace(
            self,
            curve=curve,
            missing=missing,
            fdr_curve=replace(
                self.fdr_curve, label_frequency=curve.label_frequency, lengths=None, false_shares=None
            ),
            reliability=self.reliability.scaled(self.curve.label_frequency / curve.label_frequency),
        )

    def interval(self, scores: F64) -> tuple[F64, F64]:
        """The ends of the 90% interval of the probability: of the curve, and of the number of missing links."""
        low, high = (number / self.n_hidden for number in (self.missing.low, self.missing.high))
        if self.missing.basis == REVIEWED:
            # Its deviations hold the number of missing links already.
            low = high = self.curve.believed_theta
        return self.curve.interval(scores, low, high, _NORMAL)

    def stored(self) -> tuple[dict[str, Any], dict[str, F64]]:
        """Plain values and arrays, for a model folder."""
        learned = {
            "theta": self.curve.theta,
            "assumed": self.curve.assumed,
            "shown": self.curve.shown,
            "n_known": self.n_known,
            "n_hidden": self.n_hidden,
            "n_splits": self.n_splits,
            "found": None if self.found is None else self.found.to_dict(),
        } | self.missing.to_dict()
        arrays = {f"{_CURVE}{name}": getattr(self.curve, name) for name in ("scores", "log_odds", "deviations")}
        arrays |= {f"{_FALSE}{name}": getattr(self.fdr_curve, name) for name in ("others", "hidden")}
        if self.fdr_curve.lengths is not None and self.fdr_curve.false_shares is not None:
            arrays |= {f"{_FALSE}{name}": getattr(self.fdr_curve, name) for name in _REVIEWED}
        if self.hidden is not None and self.knots is not None:
            learned["n_others"] = self.hidden.n_others
            arrays |= {f"{_RANKS}{name}": getattr(self.knots, name) for name in ("scores", "starts", "ends")}
            arrays[f"{_RANKS}counts"] = self.hidden.counts
        return learned | {"reliability": self.reliability.to_dict()}, arrays

    @classmethod
    def from_stored(cls, learned: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Calibrator:
        """KeyError, TypeError and ValueError mean that it does not fit."""
        shown, scores = bool(learned["shown"]), arrays[f"{_CURVE}scores"]
        if "share" in learned:
            # Written when curves rose in blocks.
            blocks = arrays[f"{_CURVE}labelled"]
            curve = Calibration.of_blocks(scores, blocks, float(learned["share"]), shown)
        else:
            log_odds, deviations = (arrays[f"{_CURVE}{name}"] for name in ("log_odds", "deviations"))
            assumed = None if learned["assumed"] is None else float(learned["assumed"])
            curve = Calibration(scores, log_odds, deviations, float(learned["theta"]), assumed, shown)
        others, hidden = (arrays[f"{_FALSE}{name}"] for name in ("others", "hidden"))
        by_answers = (arrays.get(f"{_FALSE}{name}") for name in _REVIEWED)
        n_splits = int(learned.get("n_splits", 1))
        fdr_curve = FdrCurve(others, hidden, curve.label_frequency, n_splits, shown, *by_answers)
        n_hidden = float(learned.get("n_hidden", fdr_curve.hidden[-1]))
        if not 0 < n_hidden < np.inf:
            raise ValueError("its calibration knows no hidden edges")
        found = learned.get("found")
        return cls(
            curve,
            MissingLinks.from_dict(learned),
            fdr_curve,
            Reliability.from_dict(learned["reliability"]),
            int(learned["n_known"]),
            n_hidden,
            None if found is None else HiddenFound.from_dict(found),
            *_stored_ranks(learned, arrays, fdr_curve.n_splits),
        )


def _stored_ranks(
    learned: dict[str, Any], arrays: dict[str, npt.NDArray[Any]], n_splits: int
) -> tuple[BinnedRanks | None, Knots | None]:
    if f"{_RANKS}counts" not in arrays:
        return None, None
    scores, starts, ends = (arrays[f"{_RANKS}{name}"] for name in ("scores", "starts", "ends"))
    hidden = BinnedRanks(arrays[f"{_RANKS}counts"], float(learned["n_others"]), n_splits)
    return hidden, Knots(scores, starts, ends)
