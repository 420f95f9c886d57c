"""Which list of links `find` was asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pulink.errors import ParameterError
from pulink.text import counted
from pulink.workflows import messages

if TYPE_CHECKING:
    import polars as pl

    from pulink.predictor.predictor import LinkPredictor
    from pulink.predictor.search_scope import SearchScope


@dataclass(frozen=True)
class LinkQuery:
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

    def search(self, model: LinkPredictor) -> tuple[pl.DataFrame, SearchScope]:
        """The links, and which pairs were searched."""
        if self.per_node is not None:
            return model.links_per_node(self.per_node, min_probability=self.min_probability)
        return model.search_links(self.top, min_probability=self.min_probability, fdr=self.fdr)

    def title(self, n_shown: int) -> str:
        if self.per_node is not None:
            return f"The first {n_shown} links, node by node"
        return "The likeliest missing link" if n_shown == 1 else f"The {n_shown} likeliest missing links"

    def describe(self, n_rows: int, n_pairs: int) -> str:
        """Which list this is, or why it is empty; n_pairs: each pair counted once, as a page shows them."""
        if not n_rows:
            return self._why_empty()
        if self.per_node is not None:
            best = "likeliest missing link" if self.per_node == 1 else f"{self.per_node:,} likeliest missing links"
            return (
                f"the {best} of every node{self._least(', of those')}. missing_links.csv lists them node by node, "
                f"nodes in their order, in {counted(n_rows, 'row')}; here every pair stands once, {n_pairs:,} in "
                "all, the likeliest first"
            )
        pairs = f"{counted(n_pairs, 'pair')} without a recorded link"
        if self.fdr is None:
            return f"{pairs}, the likeliest{self._least(' of those')}, best first"
        most = "" if self.top is None else f", of at most {self.top:,},"
        longest = f"the longest list{most} of which less than {messages.share(self.fdr)} is expected to be false"
        return f"{longest}{self._least('; here those of it')}: {pairs}, the likeliest first"

    def _least(self, of_those: str) -> str:
        return f"{of_those} with a probability of {self.min_probability} or more" if self.min_probability else ""

    def _why_empty(self) -> str:
        if self.fdr is not None:
            return messages.trusted(0, self.fdr, self.min_probability)
        if self.min_probability:
            return f"no pair without a recorded link has a probability of {self.min_probability} or more"
        return "no pair without a recorded link was found"
