"""A review as one value: which pairs could be drawn, and what was answered."""

from __future__ import annotations

from dataclasses import dataclass

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
    """

    design: ReviewDesign
    answers: DrawnAnswers
