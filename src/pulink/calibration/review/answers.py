"""Answers about drawn pairs, as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.calibration.review.design import ReviewDesign

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True)
class DrawnAnswers:
    """Ranks of drawn pairs that are links, that are none, and of which nobody is sure; each rank once."""

    links: Ints
    no_links: Ints
    unsure: Ints

    @classmethod
    def of(
        cls, links: npt.ArrayLike = (), no_links: npt.ArrayLike = (), unsure: npt.ArrayLike = ()
    ) -> DrawnAnswers:
        """From ranks in any order."""
        parts = (np.sort(np.asarray(ranks, dtype=np.int64).reshape(-1)) for ranks in (links, no_links, unsure))
        return cls(*parts)

    @property
    def n_decided(self) -> int:
        return len(self.links) + len(self.no_links)

    @property
    def unsure_share(self) -> float:
        """Which share of all answers is no decision."""
        return len(self.unsure) / max(self.n_decided + len(self.unsure), 1)

    def by_stratum(self, design: ReviewDesign) -> tuple[Ints, Ints]:
        """Links and decided answers of each stratum (K)."""
        links, others = (
            np.histogram(ranks, np.concatenate([[0], design.ends]))[0] for ranks in (self.links, self.no_links)
        )
        # The last bin of a histogram is closed; ranks of the zone end before it.
        return links.astype(np.int64), (links + others).astype(np.int64)

    def taking_unsure(self, are_links: bool) -> DrawnAnswers:
        """As if all pairs of which nobody is sure were links, or none of them."""
        if are_links:
            return DrawnAnswers.of(np.concatenate([self.links, self.unsure]), self.no_links)
        return DrawnAnswers.of(self.links, np.concatenate([self.no_links, self.unsure]))
