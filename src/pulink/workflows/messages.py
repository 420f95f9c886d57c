"""The sentences that workflows say, on a terminal, through `logging` and on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulink.text import counted

if TYPE_CHECKING:
    import polars as pl

    from pulink.calibration.missing_links import MissingLinks
    from pulink.evaluation import Run
    from pulink.graph.graph import Graph
    from pulink.persistence.checkpoints import Checkpoints
    from pulink.predictor.predictor import LinkPredictor

_FEW = 20
# Where the ends of the interval are so far apart, there is no talk of an estimate.
_WIDE = 20
# Where even the best pair is less likely than this, there is nothing to look into.
_UNLIKELY = 0.01

NOTHING_LIKELY = "no unconnected pair is as likely as was asked for"


def was_read(label: str, graph: Graph) -> str:
    """What was read, in one line."""
    features = f", {counted(graph.n_features, 'node feature')}" if graph.n_features else ", no node features"
    weights = ", weighted" if graph.weights is not None else ""
    cleaning = str(graph.cleaning)
    counts = f"{counted(graph.n_nodes, 'node')}, {counted(graph.n_edges, 'edge')}{features}{weights}"
    return f"read {label}: {counts}" + (f" ({cleaning})" if cleaning else "")


def going_on(seconds: float) -> str:
    """Before a run that was stopped goes on."""
    return f"going on with a run that was stopped after {seconds:.0f} s"


def other_runs(checkpoints: Checkpoints) -> str | None:
    """Of runs that nobody has gone on with; None if there are none."""
    if not (n_others := checkpoints.n_others()):
        return None
    runs = "a run" if n_others == 1 else f"{n_others} runs"
    other = "with other settings, data or version of pulink"
    return f"{checkpoints.folder} holds {runs} {other}, stopped and not gone on with"


def chosen(model: LinkPredictor) -> str:
    """How long was trained, and how well hidden edges were told from non-edges."""
    if model.best_val_auroc_ is None:
        return "too few edges to hide some of them: how well hidden edges are found was not measured"
    auroc = f"AUROC {model.best_val_auroc_:.4f} on hidden edges"
    if not model.n_steps_:
        return f"{auroc}; the method needs no training"
    refitted = ", then trained on every edge" if model.refit else ""
    return f"chose {model.training_summary_} ({auroc}){refitted}"


def missing(found: MissingLinks, given: float | None) -> str:
    """How many links are missing, and on what that rests."""
    if given is not None:
        return f"about {_links(found)}: {ground(found, given)}"
    if found.low == found.high:
        return f"about {_links(found)}"
    return hedge(found, given) or f"about {_links(found)} ({_interval(found)})"


def _links(found: MissingLinks) -> str:
    return counted(round(found.best), "link is missing", "links are missing")


def hedge(found: MissingLinks, given: float | None) -> str:
    """What is said instead of a number, where the edges hardly tell it; else nothing."""
    if given is not None or not _is_wide(found):
        return ""
    best = f"best guess: {found.best:,.0f}"
    return f"the edges hardly tell how many links are missing ({_interval(found)}; {best})"


def _interval(found: MissingLinks) -> str:
    return f"90% interval: {found.low:,.0f} to {found.high:,.0f}"


def ground(found: MissingLinks, given: float | None) -> str:
    """On what the estimate rests."""
    if given is None:
        most = f"{found.bound:,.0f} at most, if all of the best pairs are links"
        return most if _is_wide(found) else f"the edges alone do not tell it ({most})"
    if found.best < found.bound:
        return f"{share(given)} of all links, as you said"
    return f"the hidden edges do not allow more, although you said {share(given)} of all links"


def _is_wide(found: MissingLinks) -> bool:
    return found.high > _WIDE * found.low


def doubts(graph: Graph, model: LinkPredictor) -> list[str]:
    """What should keep a reader from trusting the list."""
    n_hidden = int(model.val_ratio * graph.n_edges)
    if model.best_val_auroc_ is None or n_hidden < _FEW:
        hidden = counted(n_hidden, "edge")
        return [f"only {hidden} could be hidden to choose by: nothing is known of how good the links are"]
    if model.best_val_auroc_ <= 0.5:
        return ["hidden edges were found no better than by guessing: do not trust these links"]
    return []


def doubts_of_list(links: pl.DataFrame) -> list[str]:
    """What should keep a reader from looking for links in a list."""
    likeliest = max(links["probability"], default=1.0)
    if likeliest >= _UNLIKELY:
        return []
    return [
        f"even the likeliest pair has a probability of {likeliest:.1%} only: this list does not tell which links "
        "are missing"
    ]


def unused(graph: Graph, model: LinkPredictor) -> str | None:
    """What the graph has and the method does not look at."""
    from pulink.methods.heuristics.base import Heuristic

    given = [
        name for name, values in (("weights", graph.weights), ("attributes", graph.features)) if values is not None
    ]
    if not given or not isinstance(model, Heuristic):
        return None
    return f"this method goes by edges alone: {' and '.join(given)} are not used"


def trusted(n_links: int, fdr: float, least: float) -> str:
    """How long a list may be."""
    if not n_links and least:
        return (
            f"no link with a probability of {least} or more is in a list with less than {share(fdr)} false links"
        )
    if not n_links:
        return (
            f"no list surely holds less than {share(fdr)} false links; it helps to say which share of all links "
            "is missing, where you know it (--missing-share, missing_share)"
        )
    return f"{counted(n_links, 'link')}, of which less than {share(fdr)} are expected to be false"


def finished(run: Run) -> str:
    """One run of an evaluation."""
    return f"{run.method}, seed {run.seed}: AUROC {run.auroc:.4f}, AUPRC {run.auprc:.4f}, {run.seconds:.1f} s"


def share(given: float) -> str:
    """A share that somebody gave, in all its digits: `10%`, `0.5%`."""
    return f"{100 * given:.10g}%"


def sentence(words: str) -> str:
    """As the terminal says it, but for a page: with a capital letter and a full stop."""
    return f"{words[:1].upper()}{words[1:]}." if words else ""
