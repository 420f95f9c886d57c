"""Which list of links `find` was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from numbers import Integral, Real
from typing import TYPE_CHECKING

from pulink.errors import ParameterError
from pulink.text import counted
from pulink.workflows.words import messages

if TYPE_CHECKING:
    import polars as pl

    from pulink.predictor.predictor import LinkPredictor
    from pulink.predictor.search_scope import SearchScope


@dataclass(frozen=True)
class LinkQuery:
    """The `top` best links, or the longest list that can be trusted (`fdr`), or so many for every node."""

    top: int | None = None
    min_probability: float = 0.0
    fdr: float | None = None
    per_node: int | None = None

    def checked(self, spelled: Callable[[str], str] = str) -> LinkQuery:
        """The same in plain numbers; raise for what cannot be asked.

        spelled  what the caller calls a parameter, such as `--per-node`
        """
        for name, count in (("top", self.top), ("per_node", self.per_node)):
            if count is not None and (isinstance(count, bool) or not isinstance(count, Integral) or count < 1):
                raise ParameterError(f"{spelled(name)} must be a whole number from 1, got {count!r}")
        if not isinstance(self.min_probability, Real) or not 0 <= self.min_probability <= 1:
            raise ParameterError(f"{spelled('min_probability')} must lie in [0, 1], got {self.min_probability!r}")
        if self.fdr is not None and (not isinstance(self.fdr, Real) or not 0 < self.fdr < 1):
            raise ParameterError(f"{spelled('fdr')} must lie between 0 and 1, got {self.fdr!r}")
        if self.per_node is not None and (self.top is not None or self.fdr is not None):
            raise ParameterError(
                f"{spelled('per_node')} makes a list of its own: it does not go with {spelled('top')} or "
                f"{spelled('fdr')}"
            )
        top, per_node = (None if count is None else int(count) for count in (self.top, self.per_node))
        fdr = None if self.fdr is None else float(self.fdr)
        return LinkQuery(top, float(self.min_probability), fdr, per_node)

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
