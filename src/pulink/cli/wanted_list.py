"""Which list of links `find` was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pulink.errors import ParameterError

if TYPE_CHECKING:
    import polars as pl

    from pulink.models.predictor import LinkPredictor


@dataclass(frozen=True)
class WantedList:
    """The `top` best links, or the longest list that can be trusted (`fdr`), or so many for every node."""

    top: int | None
    min_probability: float
    fdr: float | None
    per_node: int | None

    def __post_init__(self) -> None:
        if self.fdr is not None and not 0 < self.fdr < 1:
            raise ParameterError(f"--fdr must lie between 0 and 1, got {self.fdr}")
        if self.per_node is not None and (self.top is not None or self.fdr is not None):
            raise ParameterError("--per-node makes a list of its own: it does not go with --top or --fdr")

    def search(self, model: LinkPredictor) -> tuple[pl.DataFrame, str]:
        """The links, and in words which pairs were searched."""
        if self.per_node is not None:
            return model.links_per_node(self.per_node, min_probability=self.min_probability)
        return model.search_links(self.top, min_probability=self.min_probability, fdr=self.fdr)

    def title(self, n_shown: int) -> str:
        if self.per_node is not None:
            return f"The first {n_shown} links, node by node"
        return f"The {n_shown} likeliest missing links"
