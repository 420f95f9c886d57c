"""What the page of `pulink find` shows: plain data, filled by whoever ran the search.

Every text may come from somebody's file. The page shows it and never obeys it.
"""

from __future__ import annotations

from dataclasses import dataclass

from pulink.calibration.reliability import Reliability


@dataclass(frozen=True)
class Link:
    """A proposed link; the reasons are whole sentences."""

    source: str
    target: str
    probability: float
    reasons: tuple[str, ...]


@dataclass(frozen=True)
class Estimate:
    """How many links are missing, with the ends of a 90% interval; `high` may be infinite.

    The page says the numbers; `words` are the sentences that follow them: what the estimate rests on. Where the
    edges hardly tell the number, `hedge` is what is said instead of it.
    """

    low: float
    best: float
    high: float
    words: str
    hedge: str = ""


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

    names     of the nodes drawn
    observed  pairs of places in `names`
    proposed  the same with the link's probability, best first
    """

    names: tuple[str, ...]
    observed: tuple[tuple[int, int], ...]
    proposed: tuple[tuple[int, int, float], ...]


@dataclass(frozen=True)
class PageText:
    """What the command that ran the search says of it.

    title    such as "Missing links of edges.csv"
    command  one line that runs it again
    method   which method was run, and how well it found hidden edges
    asked    which list was asked for, or why it is empty
    hedge    what is said instead of a number where the edges hardly tell how many links are missing
    ground   what the estimate of missing links rests on
    """

    title: str
    command: str
    method: str
    asked: str
    hedge: str
    ground: str


@dataclass(frozen=True)
class FindPage:
    """Everything on the page.

    title           such as "Missing links of edges.csv"
    command         one line that runs it again
    method          a sentence: which method was run, and how well it found hidden edges
    read            what was read and dropped: label, value
    notes           sentences about what was read
    asked           a sentence: which list was asked for, or why it is empty
    links           best first
    n_found         how many were found; `links` may hold only the best of them
    searched        which pairs were searched, as the end of a sentence: "all 16,617,777 unconnected pairs"
    degrees_before  of every node; `degrees_after` counts the proposed links too
    settings, versions  label, value
    """

    title: str
    command: str
    method: str
    read: tuple[tuple[str, str], ...]
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    estimate: Estimate | None
    asked: str
    links: tuple[Link, ...]
    n_found: int
    searched: str
    reliability: Reliability | None
    history: tuple[Curve, ...]
    degrees_before: tuple[int, ...]
    degrees_after: tuple[int, ...]
    drawing: Drawing | None
    settings: tuple[tuple[str, str], ...]
    versions: tuple[tuple[str, str], ...]
