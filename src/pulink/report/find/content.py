"""What the page of `pulink find` shows: plain data, filled by whoever ran the search.

Every text may come from somebody's file. The page shows it and never obeys it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pulink.calibration.reliability import Reliability


@dataclass(frozen=True)
class GraphKind:
    """What the links of the graph are.

    name  "undirected", "directed", "bipartite" or "typed"
    ends  what the two ends of a link are called
    """

    name: str = "undirected"
    ends: tuple[str, str] = ("source", "target")

    @property
    def is_directed(self) -> bool:
        return self.name == "directed"

    @property
    def between(self) -> str:
        """What stands between the two names of a pair."""
        return {"undirected": " and ", "directed": " \u2192 "}.get(self.name, " \u2013 ")


UNDIRECTED = GraphKind()


@dataclass(frozen=True)
class Link:
    """A proposed link.

    rank       equal for links that nothing tells apart
    low, high  ends of the probability's 90% interval; None where no edge could be hidden to tell them
    reasons    whole sentences, the main one first
    types      of its two ends, where names alone do not tell them apart
    """

    rank: int
    source: str
    target: str
    probability: float
    score: float
    low: float | None
    high: float | None
    reasons: tuple[str, ...]
    types: tuple[str, str] | None = None


@dataclass(frozen=True)
class Curve:
    """One measure, such as AUROC, K or loss, by iteration, round or epoch; a value that is missing is NaN.

    step  what x counts
    kept  the x whose state is the model
    """

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]
    step: str = "iteration"
    kept: float | None = None


@dataclass(frozen=True)
class Drawing:
    """The surroundings of the best links.

    names     of nodes, all ends of links among them
    degrees   how many links of each are recorded, in the whole graph
    observed  pairs of places in `names`
    proposed  the same with the link's probability, in the order of the page's links
    kind      whether lines have a direction; then the first node of a pair is where it begins
    n_from    of a directed graph: how many of each node's recorded links begin at it
    types     where nodes have types: that of each node, as a place in `type_names`
    """

    names: tuple[str, ...]
    degrees: tuple[int, ...]
    observed: tuple[tuple[int, int], ...]
    proposed: tuple[tuple[int, int, float], ...]
    kind: GraphKind = UNDIRECTED
    n_from: tuple[int, ...] = ()
    types: tuple[int, ...] = ()
    type_names: tuple[str, ...] = ()


@dataclass(frozen=True)
class DegreeClass:
    """Nodes with about the same number of recorded links.

    label    such as "4 to 7"
    n_nodes  how many nodes there are
    n_ends   how many ends of proposed links are such nodes
    """

    label: str
    n_nodes: int
    n_ends: int


@dataclass(frozen=True)
class PageText:
    """What the command that ran the search says of it.

    title    such as "Missing links of edges.csv"
    command  one line that runs it again
    answer   the answer, in one sentence
    facts    further sentences: how well hidden edges were found, on what the answer rests, what would settle it
    asked    which list was asked for, or why it is empty
    """

    title: str
    command: str
    answer: str
    facts: tuple[str, ...]
    asked: str


@dataclass(frozen=True)
class FindPage:
    """Everything on the page.

    title, command, answer, facts, asked  as in `PageText`
    read            what was read and dropped: label, value
    notes           sentences about what was read
    links           best first
    n_found         how many were found; `links` may hold only the best of them
    searched        which pairs were searched, as the end of a sentence: "all 16,617,777 unconnected pairs"
    degree_classes  all nodes, and which of them the links join
    settings, versions  label, value
    kind            what its links are
    """

    title: str
    command: str
    answer: str
    facts: tuple[str, ...]
    asked: str
    read: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    links: tuple[Link, ...]
    n_found: int
    searched: str
    reliability: Reliability | None
    history: tuple[Curve, ...]
    degree_classes: tuple[DegreeClass, ...]
    drawing: Drawing | None
    settings: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
    kind: GraphKind = UNDIRECTED
