"""The sentences that workflows say, on a terminal, through `logging` and on pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pulink.text import counted

if TYPE_CHECKING:
    import polars as pl

    from pulink.evaluation import Run
    from pulink.graph.graph import Graph
    from pulink.persistence.checkpoints import Checkpoints
    from pulink.predictor.predictor import LinkPredictor

_FEW = 20
# Where even the best pair is less likely than this, there is nothing to look into.
_UNLIKELY = 0.01

NOTHING_LIKELY = "no unconnected pair reaches the probability that was asked for"


def was_read(label: str, graph: Graph) -> str:
    """What was read, in one line."""
    features = f", {counted(graph.n_features, 'node feature')}" if graph.n_features else ", no node features"
    weights = ", weighted" if graph.weights is not None else ""
    times = ", timed" if graph.times is not None else ""
    cleaning = str(graph.cleaning)
    kind = "" if graph.kind == "undirected" else f"{graph.kind}, "
    counts = f"{kind}{counted(graph.n_nodes, 'node')}, {counted(graph.n_edges, 'edge')}{features}{weights}{times}"
    return f"read {label}: {counts}" + (f" ({cleaning})" if cleaning else "")


def kind_seen(graph: Graph, option: str) -> str | None:
    """As what kind of graph it was read, where nobody said; None where somebody did.

    option  how a kind is asked for, with {} for its name
    """
    from pulink.graph.tables.kind_detection import read_as

    seen = graph.cleaning.kind_seen
    return None if seen is None else read_as(graph.kind, seen, option)


def repeatable(seed: int, threads: int, n_seeds: int = 1) -> str:
    """What makes a run repeatable: with these the same input gives the same result."""
    seeds = f"seed {seed}" if n_seeds == 1 else f"seeds {seed} to {seed + n_seeds - 1}"
    return f"{seeds}, {counted(threads, 'thread')}"


def idle_cluster(methods: str) -> str:
    """Of methods that have no pieces for a cluster."""
    return (
        f"the cluster has nothing to do: {methods} works in this process; pull-plus, pull and gcn-ce divide "
        "their work"
    )


def cluster_use(model: LinkPredictor, graph: Graph) -> str | None:
    """Who does the work of a fit, where somebody else could; None where that is no question."""
    from pulink.distributed.executor import executor_in_use

    executor, name = executor_in_use(), type(model).__name__
    if not executor.is_elsewhere or not model.divides_work:
        return None
    if (why := model.alone_because(graph)) is not None:
        return f"the cluster has nothing to do: {name} works in this process {why}"
    if not model.trains_in_group:
        return None
    who = counted(executor.n_together, "process", "processes")
    return f"{name} is trained by {who}, each with the rows of its own nodes"


def in_parts(n_edges: int, n_workers: int) -> str:
    """Who does the work where nobody holds the graph."""
    each = counted(n_workers, "process", "processes")
    return f"{counted(n_edges, 'edge')} in parts, held by {each}; in one process without --cluster"


def going_on(seconds: float) -> str:
    """Before a run that was stopped goes on."""
    return f"resuming a run that was stopped after {seconds:.0f} s"


def other_runs(checkpoints: Checkpoints) -> str | None:
    """Of runs that nobody has gone on with; None if there are none."""
    if not (n_others := checkpoints.n_others()):
        return None
    runs = "a run" if n_others == 1 else f"{n_others} runs"
    other = "with other settings, data or version of pulink"
    return f"{checkpoints.folder} holds {runs} {other}, stopped and not resumed"


def chosen(model: LinkPredictor) -> str | None:
    """How long was trained; None for a method that needs no training."""
    if not model.n_steps_ or model.best_val_auroc_ is None:
        return None
    refitted = ", then retrained on every edge" if model.refit else ""
    n_splits = model.splits_for(model.graph_) if model.averages_splits else 1
    mean = f"; averaged over {n_splits} such fits" if n_splits > 1 else ""
    return f"selected {model.training_summary_}{refitted}{mean}"


def doubts(model: LinkPredictor) -> list[str]:
    """What should keep a reader from trusting the list."""
    found = model.hidden_found()
    if found is None or found.n_hidden < _FEW:
        hidden = counted(0 if found is None else found.n_hidden, "edge")
        return [f"only {hidden} could be hidden as a test: how good these links are is not known"]
    if found.auroc <= 0.5:
        return ["hidden edges were found no better than by chance: do not trust these links"]
    return []


def doubts_of_list(links: pl.DataFrame) -> list[str]:
    """What should keep a reader from looking for links in a list."""
    likeliest = max(links["probability"], default=1.0)
    if likeliest >= _UNLIKELY:
        return []
    return [
        f"even the likeliest pair has a probability of only {probability(likeliest)}: use ranks and scores instead"
    ]


def unused(graph: Graph, model: LinkPredictor) -> str | None:
    """What the graph has and the method does not look at."""
    from pulink.methods.heuristics.base import Heuristic

    given = [
        name for name, values in (("weights", graph.weights), ("attributes", graph.features)) if values is not None
    ]
    if not given or not isinstance(model, Heuristic):
        return None
    return f"this method uses edges only; {' and '.join(given)} are ignored"


def trusted(n_links: int, fdr: float, least: float) -> str:
    """How long a list may be."""
    if not n_links and least:
        return (
            f"no link with a probability of {least} or more is in a list with less than {share(fdr)} false links"
        )
    if not n_links:
        return (
            f"no list can be expected to hold less than {share(fdr)} false links; if you know which share of "
            "all links is missing, say so (--missing-share, missing_share), or check fifty pairs (pulink review)"
        )
    return f"{counted(n_links, 'link')}, of which less than {share(fdr)} are expected to be false"


def finished(run: Run) -> str:
    """One run of an evaluation."""
    return f"{run.method}, seed {run.seed}: AUROC {run.auroc:.4f}, AUPRC {run.auprc:.4f}, {run.seconds:.1f} s"


def probability(value: float) -> str:
    """A single one, in per cent and two digits; what is not nothing is never 0."""
    return "less than 0.01%" if 0 < value < 1e-4 else f"{100 * value:.2g}%"


def share(given: float) -> str:
    """A share that somebody gave, in all its digits: `10%`, `0.5%`."""
    return f"{100 * given:.10g}%"


def sentence(words: str) -> str:
    """As the terminal says it, but for a page: with a capital letter and a full stop."""
    return f"{words[:1].upper()}{words[1:]}." if words else ""
