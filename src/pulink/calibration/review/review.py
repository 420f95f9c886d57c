"""A review as one value: which pairs could be drawn, and what was answered."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from pulink.calibration.review.answers import DrawnAnswers
from pulink.calibration.review.design import ReviewDesign


@dataclass(frozen=True)
class Review:
    """What `model.assuming(reviews=...)` takes.

    Attributes
    ----------
    design : ReviewDesign
        Of the model that was reviewed.
    answers : DrawnAnswers
        About drawn pairs.
    scores : array (zone), optional
        Of the pairs that may be drawn, best first, where they are at hand: else they are searched for.
    """

    design: ReviewDesign
    answers: DrawnAnswers
    scores: npt.NDArray[np.float64] | None = field(default=None, compare=False, repr=False)
