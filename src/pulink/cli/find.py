"""pulink find: the missing links of a graph."""

from __future__ import annotations

import platform
import shlex
import sys
import time
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulink.cli import options
from pulink.cli.console import Bar, Screen
from pulink.errors import InputError

if TYPE_CHECKING:
    import polars as pl

    from pulink.graph.graph import Graph
    from pulink.models.predictor import LinkPredictor, Progress
    from pulink.models.prevalence import MissingLinks

_SHOWN = 20
_FEW = 20


def find(
    context: typer.Context,
    edges: options.Edges,
    nodes: options.Nodes = None,
    top: Annotated[int, typer.Option("--top", min=1, help="How many links to return.")] = 100,
    min_probability: Annotated[
        float, typer.Option("--min-probability", min=0.0, max=1.0, help="Leave out links below this probability.")
    ] = 0.0,
    method: Annotated[str, typer.Option("--method", help="See pulink methods.")] = "pull-plus",
    missing_share: Annotated[
        float | None,
        typer.Option(
            "--missing-share",
            min=0.0,
            max=0.9,
            show_default="0.1",
            help="Share of all links that you think is missing; probabilities follow from it.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", metavar="DIR", help="Write missing_links.csv, report.html, run.json and model/ here."
        ),
    ] = None,
    setting: options.Settings = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    source: options.Source = None,
    target: options.Target = None,
    weight: options.Weight = None,
    node_id: options.NodeId = None,
    header: options.Header = None,
    encoding: options.Encoding = "utf-8",
    column: options.Kinds = None,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Name the pairs that are most likely connected although nobody recorded it.

    Some edges are hidden to learn by; then the model is trained once more on every edge, and unconnected pairs are
    searched for the likeliest links.
    """
    from pulink.files import check_replaceable, check_writable

    screen = Screen(quiet)
    if out is not None:
        check_writable(out)
        check_replaceable(out / "model", marker="manifest.json")
    options.check_files(edges, nodes)

    import polars as pl

    from pulink.engine.compile import announce_compiling
    from pulink.engine.threads import thread_count
    from pulink.methods import method as method_by_name
    from pulink.report.found_page import found_page
    from pulink.report.found_run import found_of

    entry = method_by_name(method)
    settings = options.settings_of(method, setting)
    if missing_share is not None:
        settings |= {"missing_share": missing_share}
    started = time.perf_counter()
    with announce_compiling(screen.note):
        graph = options.open_graph(
            edges, nodes, source=source, target=target, weight=weight, node_id=node_id, header=header,
            encoding=encoding, kinds=column,
        )  # fmt: skip
        screen.note(options.describe(edges, graph))
        if graph.n_edges and graph.n_edges == graph.n_pairs:
            raise InputError(f"{edges}: every pair of nodes is connected already, so no link can be missing")
        model = entry.make(**({"seed": seed, "threads": thread_count(threads)} | settings))
        model.check_settings()
        with screen.bar() as bar:
            model.fit(graph, progress=_Reporter(bar, model.choosing))
        screen.note(_chosen(model))
        if (missing := model.estimate_missing()) is not None:
            screen.note(_missing(missing, model.missing_share))
        for doubt in _doubts(graph, model):
            screen.note(f"warning: {doubt}")
        links, pairs_searched = model.search_links(top, min_probability=min_probability)
        told = _reasons(model, graph, links) if out is not None or as_json else []
    seconds = time.perf_counter() - started
    asked: dict[str, Any] = {
        "edges": edges,
        "nodes": None if nodes is None else str(nodes),
        "method": method,
        "top": top,
        "min_probability": min_probability,
        "parameters": model.get_params(),
    }
    run = _record(graph, model, links, asked, pairs_searched)
    explained = links
    if out is not None or as_json:
        explained = links.with_columns(pl.Series("reasons", ["; ".join(own) for own in told], pl.String))
    if out is not None:
        title, command = f"Missing links of {edges}", _command(context)
        ground = "" if missing is None else f"The estimate holds {_ground(missing, model.missing_share)}."
        page = found_of(model, links, told, run, title=title, command=command, ground=ground)
        _write(out, explained, run, model, found_page(page))
    if as_json:
        screen.json(run | {"seconds": round(seconds, 3), "links": explained.to_dicts()})
    else:
        _show(screen, links, bool(out))
    screen.note(f"searched {pairs_searched}; {seconds:.1f} s" + (f"; written to {out}" if out else ""))


class _Reporter:
    """Turns a fit's progress into the bar's line."""

    def __init__(self, bar: Bar, choosing: str) -> None:
        self._bar, self._choosing = bar, choosing
        bar.show(choosing, 0, 1)
        self._stage = ""

    def __call__(self, progress: Progress) -> None:
        if progress.stage != self._stage:
            self._stage = progress.stage
            self._bar.restart()
        what = "training on every edge" if progress.stage == "refit" else self._choosing
        auroc = "" if progress.val_auroc is None else f", AUROC {progress.val_auroc:.4f}"
        iteration = "" if progress.iteration is None else f": iteration {progress.iteration}"
        self._bar.show(f"{what}{iteration}{auroc}", progress.done, progress.total)


def _chosen(model: LinkPredictor) -> str:
    """How long was trained, and how well hidden edges were told from non-edges."""
    if model.best_val_auroc_ is None:
        return "too few edges to hide some: trained as long as allowed"
    auroc = f"AUROC {model.best_val_auroc_:.4f} on hidden edges"
    if not model.n_steps_:
        return f"{auroc}; the method needs no training"
    again = ", then trained on every edge" if model.refit else ""
    return f"chose {model.budget_words_} ({auroc}){again}"


def _missing(found: MissingLinks, assumed: float) -> str:
    """How many links are missing, and on what that rests."""
    return (
        f"about {found.best:,.0f} links are missing, {_ground(found, assumed)}; "
        f"between {found.low:,.0f} and {found.high:,.0f} with nine chances in ten"
    )


def _ground(found: MissingLinks, assumed: float) -> str:
    if found.best < found.bound:
        return f"if {assumed:.0%} of all links are, which --missing-share changes"
    return "by the share of hidden edges among the best pairs"


def _doubts(graph: Graph, model: LinkPredictor) -> list[str]:
    """What should keep a reader from trusting the list."""
    n_hidden = int(model.val_ratio * graph.n_edges)
    if model.best_val_auroc_ is None or n_hidden < _FEW:
        return [f"only {n_hidden} edges could be hidden to choose by: nothing is known of how good the links are"]
    if model.best_val_auroc_ <= 0.5:
        return ["hidden edges were found no better than by chance: do not trust these links"]
    return []


def _record(
    graph: Graph, model: LinkPredictor, links: pl.DataFrame, settings: dict[str, Any], searched: str
) -> dict[str, Any]:
    """Everything about a run but the clock: equal runs give equal files."""
    cleaning = graph.cleaning
    return {
        "settings": settings,
        "versions": {name: version(name) for name in ("pulink", "torch", "numpy", "scipy", "numba", "polars")}
        | {"python": platform.python_version()},
        "graph": {
            "n_nodes": graph.n_nodes,
            "n_edges": graph.n_edges,
            "n_features": graph.n_features,
            "weighted": graph.weights is not None,
            "n_rows": cleaning.n_rows,
            "n_duplicates": cleaning.n_duplicates,
            "n_reversed": cleaning.n_reversed,
            "n_loops": cleaning.n_loops,
            "notes": list(cleaning.notes),
        },
        "missing": None if (missing := model.estimate_missing()) is None else missing.to_dict(),
        "n_links": links.height,
        "searched": searched,
        "warnings": _doubts(graph, model),
        "model": model.summary(),
    }


def _command(context: typer.Context) -> str:
    """What to type to run it again: everything that is not as by default."""
    words = ["pulink", "find"]
    for own in context.command.params:
        value = context.params.get(str(own.name))
        if own.param_type_name == "argument":
            words.append(str(value))
        elif value is True:
            words.append(own.opts[0])
        elif value not in (None, False, [], ()) and value != own.default:
            for one in value if isinstance(value, list | tuple) else [value]:
                words += [own.opts[0], str(one)]
    return shlex.join(words)


def _reasons(model: LinkPredictor, graph: Graph, links: pl.DataFrame) -> list[list[str]]:
    """Sentences by link."""
    from pulink.answers.explain import explain
    from pulink.answers.reasons import in_words

    pairs = graph.names.index_of(links["source"].to_list() + links["target"].to_list()).reshape(2, -1).T
    return [in_words(own, graph, graph.feature_names) for own in explain(model, pairs)]


def _write(out: Path, links: pl.DataFrame, run: dict[str, Any], model: LinkPredictor, page: str) -> None:
    from pulink.files import write_atomically
    from pulink.models.store import to_json

    model.save(out / "model")
    write_atomically(out / "missing_links.csv", links.write_csv())
    write_atomically(out / "report.html", page)
    write_atomically(out / "run.json", to_json(run))


def _show(screen: Screen, links: pl.DataFrame, written: bool) -> None:
    if not links.height:
        screen.note("no unconnected pair reaches the probability asked for")
    drawn = sys.stdout.isatty()
    shown = links.head(_SHOWN) if drawn else links
    rows = [[str(s), str(t), f"{p:.6f}" if drawn else repr(p)] for s, t, p in shown.rows()]
    title = f"The {shown.height} likeliest missing links"
    screen.table(title, ["source", "target", "probability"], rows, {"probability"})
    if drawn and links.height > shown.height:
        where = "in missing_links.csv" if written else "with --out DIR"
        screen.note(f"{links.height - shown.height} more {where}")
