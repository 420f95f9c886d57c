"""What is known after a search, in sentences that do not contradict each other or the list.

In this order: how well hidden edges were found; how many links are missing, with its interval and what it rests
on, or that the graph does not tell; what another method says; what to expect of the list; what would settle it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pulink.calibration.missing_links import (
    COMPLETE,
    ESTIMATED,
    GIVEN,
    REVIEWED,
    UNKNOWN,
    MissingLinks,
    about_count,
)
from pulink.text import counted
from pulink.workflows.words import messages

if TYPE_CHECKING:
    import polars as pl

    from pulink.predictor.predictor import LinkPredictor
    from pulink.workflows.review.flow_back import FlowBack
    from pulink.workflows.second_estimate import SecondEstimate

# Where even the best pair is less likely than this, ranks and scores are shown instead of probabilities.
UNLIKELY = 0.01

_AT_RANDOM = "if links are missing at random"
_SETTLE = (
    "to find out, check fifty pairs yourself (pulink review), or say which share of all links is missing, if you "
    "know it (--missing-share, missing_share)"
)


@dataclass(frozen=True)
class Headline:
    """Sentences without a capital letter and a full stop; an empty one has nothing to say.

    hidden   how well hidden edges were found
    missing  how many links are missing, or that the graph does not tell
    another  how many by another method
    listed   what to expect of the list
    settle   what would settle how many links are missing
    """

    hidden: str
    missing: str
    another: str
    listed: str
    settle: str

    @property
    def before_search(self) -> tuple[str, ...]:
        """What is known before the list."""
        return tuple(words for words in (self.hidden, self.missing, self.another) if words)

    @property
    def of_list(self) -> tuple[str, ...]:
        """What is known with the list."""
        return tuple(words for words in (self.listed, self.settle) if words)


def headline(
    model: LinkPredictor,
    links: pl.DataFrame | None,
    second: SecondEstimate | None,
    reviews: FlowBack | None = None,
) -> Headline:
    """What a fitted model and its list tell; links: None before they are searched."""
    missing = model.estimate_missing()
    settled = missing is None or missing.basis in (GIVEN, ESTIMATED, REVIEWED)
    return Headline(
        hidden=hidden_words(model),
        missing=missing_words(missing, model.missing_share, model.graph_.n_edges, _ground(model, reviews)),
        another="" if second is None else second_words(missing, second),
        # Of a list that nobody should trust nothing is expected.
        listed="" if links is None or messages.doubts(model) else listed_words(links, model.graph_.kind),
        settle="" if settled else _SETTLE,
    )


def hidden_words(model: LinkPredictor) -> str:
    """How well hidden edges were found."""
    found = model.hidden_found()
    if found is None:
        return "there are too few edges to hide some as a test: how good the links are was not measured"
    hidden = counted(found.n_hidden, "edge was hidden", "edges were hidden")
    splits = f" in {found.n_splits} splits" if found.n_splits > 1 else ""
    share = f"{found.share:.0%}" if found.share >= 0.005 or not found.share else "less than 1%"
    top = f"{share} of them rank among the top {found.n_hidden:,} pairs"
    return f"{hidden}{splits} as a test: {top} (AUROC {found.auroc:.4f})"


def _ground(model: LinkPredictor, reviews: FlowBack | None) -> str:
    """By which answers the share of missing links is known; empty where somebody said it, or nobody."""
    told = reviews is not None and reviews.missing_share == model.missing_share
    return reviews.ground if reviews is not None and told else ""


def missing_words(missing: MissingLinks | None, given: float | None, n_known: int, ground: str = "") -> str:
    """How many links are missing, on what that rests, or that the graph does not tell.

    ground  which answers gave the share, where it was not the user
    """
    if missing is None:
        return "how many links are missing was not estimated"
    if missing.basis == GIVEN:
        return _given(missing, given, ground)
    interval = f"90% interval: {about_count(missing.low)} to {about_count(missing.high)}"
    if missing.basis == REVIEWED:
        return f"{_links(missing)} ({interval}), estimated from your answers"
    if missing.basis == COMPLETE:
        share = float(f"{missing.bound / max(missing.bound + n_known, 1):.2g}")
        links = "link" if round(missing.bound) <= 1 else "links"
        most = f"at most {about_count(missing.bound)} {links} ({messages.share(share)} of all)"
        are = "is missing" if round(missing.bound) <= 1 else "are missing"
        return f"the graph looks complete: {most} {are}, {_AT_RANDOM}; best guess: {about_count(missing.best)}"
    if missing.basis == UNKNOWN:
        guess = f"best guess: {about_count(missing.best)}; {about_count(missing.bound)} at most"
        assumed = "between 1% and 50% of all links is all that can be assumed"
        return f"how many links are missing cannot be told from this graph: {assumed} ({interval}; {guess})"
    return f"{_links(missing)} ({interval}), {_AT_RANDOM}; {about_count(missing.bound)} at most"


def _given(missing: MissingLinks, given: float | None, ground: str) -> str:
    if ground:
        more = "; the hidden edges rule out more" if missing.best >= missing.bound else ""
        return f"{_links(missing)}, {ground}{more}"
    if given is None or missing.best < missing.bound:
        ground = "" if given is None else f": {messages.share(given)} of all links, as you said"
        return f"{_links(missing)}{ground}"
    said = f"although you said {messages.share(given)} of all links"
    return f"{_links(missing)}: the hidden edges rule out more, {said}"


def _links(missing: MissingLinks) -> str:
    if not missing.best:
        return "no link is missing"
    if 0 < missing.best < 0.5:
        return "less than 1 link is missing"
    return "about " + counted(round(missing.best), "link is missing", "links are missing")


def second_words(missing: MissingLinks | None, second: SecondEstimate) -> str:
    """What another method says of the same graph."""
    other = second.missing
    interval = f"{about_count(other.low)} to {about_count(other.high)}"
    if other.basis == UNKNOWN:
        return f"a second method, {second.method}, cannot tell ({interval})"
    # Ends that differ by a rounding or by a tenth are no disagreement.
    apart = missing is not None and (other.low > 1.1 * missing.high + 1 or missing.low > 1.1 * other.high + 1)
    verdict = "; the two methods disagree, so trust neither number" if apart else ""
    return f"a second method, {second.method}, estimates {about_count(other.best)} ({interval}){verdict}"


def listed_words(links: pl.DataFrame, kind: str = "undirected") -> str:
    """How many of the listed pairs of a kind of graph are expected to be links."""
    # A list by node names a pair twice, unless its order tells which end is which.
    once_each = tuple if kind in ("directed", "bipartite") else frozenset
    ends = links.select("source", "target").rows()
    once = dict(zip((once_each(pair) for pair in ends), links["probability"].to_list(), strict=True))
    if not once:
        return ""
    n_pairs, expected = len(once), sum(once.values())
    if n_pairs == 1:
        return f"the listed pair is a link with a probability of {messages.probability(expected)}"
    if max(once.values()) < UNLIKELY:
        return (
            f"the {n_pairs:,} listed pairs rank highest among those without a recorded link; "
            f"{_expected(expected)} of them {_to_be(expected)}"
        )
    return f"{_expected(expected)} of the {n_pairs:,} listed pairs {_to_be(expected)}"


def _to_be(number: float) -> str:
    return "is expected to be a link" if number < 1.5 else "are expected to be links"


def _expected(number: float) -> str:
    return "less than one" if number < 0.5 else "about one" if number < 1.5 else f"about {number:,.0f}"
