"""What the page of `pulink find` shows: plain data, filled by whoever ran the search.

Every text may come from somebody's file. The page shows it and never obeys it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pulink.models.reliability import Reliability


@dataclass(frozen=True)
class Link:
    """A proposed link; the reasons are whole sentences."""

    source: str
    target: str
    probability: float
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Estimate:
    """How many links are missing, with the ends of an interval of nine chances in ten; `high` may be infinite.

    The page says the numbers; `words` are the sentences that follow them: what the estimate rests on.
    """

    low: float
    best: float
    high: float
    words: str


@dataclass(frozen=True)
class Curve:
    """One measure by iteration, such as AUROC, K or loss; a value that is missing is NaN."""

    name: str
    x: tuple[float, ...]
    y: tuple[float, ...]


@dataclass(frozen=True)
class Drawing:
    """The surroundings of the best links.

    names     of the nodes drawn
    observed  pairs of places in `names`
    proposed  the same with the link's probability, best first
    """

    names: tuple[str, ...]
    observed: tuple[tuple[int, int], ...]
    proposed: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True)
class Found:
    """Everything on the page.

    title           such as "Missing links of edges.csv"
    command         one line that runs it again
    read            what was read and dropped: label, value
    links           best first
    searched        which pairs were searched, as the end of a sentence: "all 16,617,777 unconnected pairs"
    degrees_before  of every node; `degrees_after` counts the proposed links too
    settings, versions  label, value
    """

    title: str
    command: str
    read: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...]
    estimate: Estimate | None
    links: tuple[Link, ...]
    searched: str
    reliability: Reliability | None
    history: tuple[Curve, ...]
    degrees_before: tuple[int, ...]
    degrees_after: tuple[int, ...]
    drawing: Drawing | None
    settings: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
