"""Which unconnected pairs the best ones were searched among: the facts, and a sentence that tells them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

from pulink.text import counted


@dataclass(frozen=True)
class SearchScope(ABC):
    """What was searched for a list of links. `str` gives the sentence that `find` prints and records."""

    @property
    def exact(self) -> bool:
        """Whether no unconnected pair was left out."""
        return False

    @abstractmethod
    def __str__(self) -> str: ...


@dataclass(frozen=True)
class AllPairs(SearchScope):
    """All unconnected pairs."""

    @property
    def exact(self) -> bool:
        return True

    def __str__(self) -> str:
        return "all unconnected pairs, exactly"


@dataclass(frozen=True)
class TooManyNodes:
    """Why not all pairs were searched: the graph has more nodes than `exact_nodes`."""

    n_nodes: int
    exact_nodes: int

    def __str__(self) -> str:
        return f"{self.n_nodes:,} nodes are more than the {self.exact_nodes:,} searched exactly"


@dataclass(frozen=True)
class TooSlow:
    """Why not all pairs were searched: computing the scores of every node's row would take too long."""

    n_nodes: int

    def __str__(self) -> str:
        return f"all {self.n_nodes:,} nodes as sources would take too long"


@dataclass(frozen=True)
class HubsAndNorms(SearchScope):
    """Pairs with a node of large degree or of a long embedding, and pairs two steps apart."""

    n_hubs: int
    n_norms: int
    reason: TooManyNodes

    def __str__(self) -> str:
        return (
            f"pairs of the {self.n_hubs:,} largest degrees and of the {self.n_norms:,} largest norms, and pairs "
            f"two steps apart: {self.reason}"
        )


@dataclass(frozen=True)
class HubsAndNear(SearchScope):
    """Pairs with a node of large degree, and the `n_near` best pairs two steps apart by resource allocation."""

    n_hubs: int
    n_near: int
    reason: TooManyNodes | TooSlow

    def __str__(self) -> str:
        return (
            f"pairs of the {self.n_hubs:,} largest degrees, and of pairs two steps apart the {self.n_near:,} with "
            f"the largest resource allocation: {self.reason}"
        )


@dataclass(frozen=True)
class SmallSharedNeighbours(SearchScope):
    """Pairs that share a neighbour whose degree is at most `largest_degree`."""

    largest_degree: int

    def __str__(self) -> str:
        return (
            f"pairs that share a neighbour of degree {self.largest_degree:,} or less, chosen by those neighbours"
        )


@dataclass(frozen=True)
class BestByWalks(SearchScope):
    """The best pairs by each of some scores of walks, `n_per_source` of each, `n_pairs` in all."""

    n_pairs: int
    n_per_source: int
    sources: tuple[str, ...]

    def __str__(self) -> str:
        by = " and by ".join(self.sources)
        if len(self.sources) == 1:
            return f"the {self.n_pairs:,} best pairs by {by}"
        return f"{counted(self.n_pairs, 'pair')}: the best {self.n_per_source:,} by {by}"


@dataclass(frozen=True)
class BestBySources(SearchScope):
    """Candidates from several sources; `recall` is the share of hidden edges that such candidates held."""

    n_pairs: int
    sources: tuple[str, ...]
    recall: float | None

    def __str__(self) -> str:
        held = "" if self.recall is None else f"; {self.recall:.0%} of the hidden edges were among such"
        return f"{self.n_pairs:,} candidates: the best pairs by {', '.join(self.sources)}{held}"


@dataclass(frozen=True)
class BestOfEachNode(SearchScope):
    """The `per_node` best pairs of every node, chosen from a list of best pairs.

    listed      what the list was searched among
    n_listed    how long it was; None where it held every unconnected pair
    n_asked     nodes that had too few pairs in it, and were asked about one by one
    n_short     nodes that have fewer than `per_node` pairs
    """

    per_node: int
    listed: SearchScope
    n_listed: int | None = None
    n_asked: int = 0
    n_short: int = 0

    @property
    def exact(self) -> bool:
        return self.listed.exact and self.n_listed is None

    def __str__(self) -> str:
        words = str(self.listed) if self.n_listed is None else f"the {self.n_listed:,} best pairs of {self.listed}"
        if self.n_asked:
            words += f", and those of {counted(self.n_asked, 'node')} one by one"
        if self.n_short:
            words += f"; {counted(self.n_short, 'node has', 'nodes have')} fewer than {self.per_node}"
        return words
