"""What hidden edges say about a model's scores: probabilities, how many links are missing, how many are false."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.calibration.curve import Calibration
from pulink.calibration.fdr import FdrCurve
from pulink.calibration.missing_links import MissingLinks, believed, estimate
from pulink.calibration.pair_sample import PairSample
from pulink.calibration.rank_transfer import RankedScores
from pulink.calibration.reliability import Reliability, cross_fitted

F64 = npt.NDArray[np.float64]

_CURVE, _FALSE = "calibration.", "false_links."


@dataclass(frozen=True)
class Calibrator:
    """n_known: edges that were known when it was made, the hidden ones among them.

    others  scores of the pairs that are still unconnected once the hidden edges are shown; a stored one has none
    """

    curve: Calibration
    missing: MissingLinks
    fdr_curve: FdrCurve
    reliability: Reliability
    n_known: int
    others: RankedScores | None = None

    @classmethod
    def of(
        cls,
        scores: npt.NDArray[np.float64],
        asked: PairSample,
        n_train: int,
        missing_share: float | None,
        seed: int,
    ) -> Calibrator:
        """From the answers of a model to which `n_train` edges were shown."""
        labelled, weights = asked.labelled, asked.weights
        curve, missing = curve_of(scores, asked, n_train, missing_share)
        return cls(
            curve,
            missing,
            FdrCurve.of(scores, labelled, weights, curve.label_frequency),
            cross_fitted(scores, labelled, weights, curve.label_frequency, seed),
            n_train + int(labelled.sum()),
            RankedScores.of(scores[~labelled], weights[~labelled]),
        )

    def after_showing(self, refit: RankedScores | None = None) -> Calibrator:
        """For pairs that are still unconnected once the hidden edges are shown.

        refit  how a model that knows these edges scores such pairs, if it is another model
        """
        curve = self.curve.after_showing()
        if refit is not None and self.others is not None and refit.total and self.others.total:
            curve = curve.moved(self.others, refit)
        return replace(self, curve=curve, fdr_curve=replace(self.fdr_curve, shown=True), others=None)

    def assuming(self, missing_share: float) -> Calibrator:
        """The same answers read otherwise: of all links another share is thought missing."""
        n_hidden = int(self.fdr_curve.hidden[-1])
        label_frequency, missing = believed(self.missing.bound, n_hidden, self.n_known, missing_share)
        return Calibrator(
            replace(self.curve, label_frequency=label_frequency),
            missing,
            replace(self.fdr_curve, label_frequency=label_frequency),
            self.reliability.scaled(self.curve.label_frequency / label_frequency),
            self.n_known,
        )

    def interval(self, scores: npt.NDArray[np.float64]) -> tuple[F64, F64]:
        """The ends of the 90% interval of the probability, by those of the number of missing links."""
        n_hidden = int(self.fdr_curve.hidden[-1])
        low, high = (
            replace(self.curve, label_frequency=n_hidden / (n_hidden + missing)).probability(scores)
            for missing in (self.missing.low, self.missing.high)
        )
        return low, high

    def stored(self) -> tuple[dict[str, Any], dict[str, npt.NDArray[np.float64]]]:
        """Plain values and arrays, for a model folder."""
        curve, false = self.curve, self.fdr_curve
        learned = {
            "share": curve.label_frequency,
            "shown": curve.shown,
            "n_known": self.n_known,
        } | self.missing.to_dict()
        arrays = {f"{_CURVE}{name}": getattr(curve, name) for name in ("scores", "labelled")}
        arrays |= {f"{_FALSE}{name}": getattr(false, name) for name in ("others", "hidden")}
        return learned | {"reliability": self.reliability.to_dict()}, arrays

    @classmethod
    def from_stored(cls, learned: dict[str, Any], arrays: dict[str, npt.NDArray[Any]]) -> Calibrator:
        """KeyError, TypeError and ValueError mean that it does not fit."""
        curve = Calibration(
            arrays[f"{_CURVE}scores"],
            arrays[f"{_CURVE}labelled"],
            float(learned["share"]),
            bool(learned["shown"]),
        )
        false = FdrCurve(arrays[f"{_FALSE}others"], arrays[f"{_FALSE}hidden"], curve.label_frequency, curve.shown)
        reliability, n_known = Reliability.from_dict(learned["reliability"]), int(learned["n_known"])
        return cls(curve, MissingLinks.from_dict(learned), false, reliability, n_known)


def curve_of(
    scores: npt.NDArray[np.float64], asked: PairSample, n_train: int, missing_share: float | None, **smoothing: int
) -> tuple[Calibration, MissingLinks]:
    """The curve of probabilities, and how many links are missing besides the hidden ones."""
    n_known = n_train + int(asked.labelled.sum())
    label_frequency, missing = estimate(scores, asked.labelled, n_known, asked.weights, missing_share)
    return Calibration.fit(scores, asked.labelled, label_frequency, asked.weights, **smoothing), missing
