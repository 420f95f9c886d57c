"""pulink find: the missing links of a graph."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulink.cli import options
from pulink.cli.console import Screen
from pulink.cli.interrupts import stoppable, tell_of_others
from pulink.cli.rerun import command
from pulink.errors import InputError, ParameterError
from pulink.predictor.fitting.progress_bar import FitLine
from pulink.workflows import find_output, messages
from pulink.workflows.link_query import LinkQuery

if TYPE_CHECKING:
    import polars as pl

    from pulink.graph.graph import Graph
    from pulink.persistence.checkpoints import Checkpoints
    from pulink.predictor.predictor import LinkPredictor

_SHOWN = 20


def find(
    context: typer.Context,
    edges: options.Edges,
    nodes: options.Nodes = None,
    top: Annotated[
        int | None,
        typer.Option(
            "--top",
            min=1,
            show_default="100; with --fdr or --per-node as many as there are",
            help="How many links to return.",
        ),
    ] = None,
    min_probability: Annotated[
        float, typer.Option("--min-probability", min=0.0, max=1.0, help="Leave out links below this probability.")
    ] = 0.0,
    fdr: Annotated[
        float | None,
        typer.Option(
            "--fdr",
            metavar="SHARE",
            help="The longest list of which less than this share is expected to be false.",
        ),
    ] = None,
    per_node: Annotated[
        int | None,
        typer.Option("--per-node", min=1, help="So many links for every node, instead of the best of all."),
    ] = None,
    method: Annotated[str, typer.Option("--method", help="See pulink methods.")] = "pull-plus",
    missing_share: Annotated[
        float | None,
        typer.Option(
            "--missing-share",
            min=0.0,
            max=0.9,
            show_default="as the best pairs tell",
            help="Share of all links that you know is missing; probabilities follow from it.",
        ),
    ] = None,
    known_absent: Annotated[
        Path | None,
        typer.Option(
            "--known-absent",
            metavar="FILE",
            help="Pairs that you have checked and that are no links: never returned, learned from.",
        ),
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            metavar="DIR",
            parser=options.named_folder,
            help="Write missing_links.csv, report.html, run.json and model/ here; a stopped run goes on.",
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
    raw_names: options.RawNames = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Name the pairs that are most likely connected although nobody recorded it.

    Some edges are hidden to learn by; then the model is trained once more on every edge, and unconnected pairs are
    searched for the likeliest links.
    """
    screen = Screen(quiet)
    wanted = LinkQuery(top, min_probability, fdr, per_node)
    options.check_files(edges, nodes, known_absent)
    options.hold(context, out, find_output.FILES)
    if out is not None:
        find_output.check_model_place(out)

    import polars as pl

    from pulink.engine.compile import announce_compiling
    from pulink.engine.threads import thread_count
    from pulink.methods.registry import method as method_by_name
    from pulink.text import file_name

    entry = method_by_name(method)
    settings = options.settings_of(method, setting)
    if missing_share is not None:
        if "missing_share" in settings:
            raise ParameterError("--missing-share and --set give the same setting: give one of them")
        settings |= {"missing_share": missing_share}
    started = time.perf_counter()
    again = command(context)
    with announce_compiling(screen.note), stoppable(out, screen, again) as checkpoints:
        graph = options.open_graph(
            edges, nodes, source=source, target=target, weight=weight, node_id=node_id, header=header,
            encoding=encoding, kinds=column, absent=known_absent,
        )  # fmt: skip
        screen.note(options.describe(edges, graph))
        if graph.n_edges and graph.n_edges + graph.n_absent == graph.n_pairs:
            raise InputError(f"{edges}: it is known of every pair of nodes whether it is a link")
        model = entry.make(**({"seed": seed, "threads": thread_count(threads)} | settings))
        model.check_settings()
        if (unused := messages.unused(graph, model)) is not None:
            screen.note(unused)
        _tell_of_earlier(screen, model, graph, checkpoints)
        with screen.bar() as bar:
            model.fit(graph, progress=FitLine(bar, model.choosing), checkpoints=checkpoints)
        _tell(screen, graph, model)
        links, searched = wanted.search(model)
        if fdr is not None:
            screen.note(messages.trusted(links.height, fdr, min_probability))
        _warn(screen, messages.doubts_of_list(links))
        explained, told = links, []
        if out is not None or as_json:
            told = find_output.reasons(model, graph, links)
            explained = links.with_columns(pl.Series("reasons", ["; ".join(own) for own in told], pl.String))
        asked: dict[str, Any] = {
            "edges": file_name(edges),
            "nodes": None if nodes is None else file_name(nodes),
            "known_absent": None if known_absent is None else file_name(known_absent),
            "method": method,
            **vars(wanted),
            "parameters": model.get_params(),
        }
        run = find_output.record(graph, model, links, asked, searched)
        if out is not None:
            find_output.write(out, explained, told, run, model, wanted, again, raw_names)
    seconds = time.perf_counter() - started
    if as_json:
        screen.json(run | {"seconds": round(seconds, 3), "links": explained.to_dicts()})
    else:
        _show(screen, links, wanted, bool(out), raw_names)
    screen.note(f"searched {searched}; {seconds:.1f} s" + (f"; written to {out}" if out else ""))


def _tell_of_earlier(screen: Screen, model: LinkPredictor, graph: Graph, checkpoints: Checkpoints | None) -> None:
    from pulink.predictor.predictor import checkpoints_of

    if checkpoints is None:
        return
    if before := checkpoints_of(model, graph, checkpoints).seconds_before:
        screen.note(f"going on with a run that was stopped after {before:.0f} s")
    else:
        tell_of_others(screen, checkpoints)


def _tell(screen: Screen, graph: Graph, model: LinkPredictor) -> None:
    screen.note(messages.chosen(model))
    if (missing := model.estimate_missing()) is not None:
        screen.note(messages.missing(missing, model.missing_share))
    _warn(screen, messages.doubts(graph, model))


def _warn(screen: Screen, doubts: list[str]) -> None:
    for doubt in doubts:
        screen.note(f"warning: {doubt}")


def _show(screen: Screen, links: pl.DataFrame, wanted: LinkQuery, written: bool, raw_names: bool) -> None:
    from pulink.data.formats.spreadsheet_guard import guarded

    if not links.height and wanted.fdr is None:
        screen.note("no unconnected pair is as likely as was asked for")
    drawn = sys.stdout.isatty()
    shown = links.head(_SHOWN) if drawn else links if raw_names else guarded(links)
    rows = [[str(s), str(t), f"{p:.6f}" if drawn else repr(p)] for s, t, p in shown.rows()]
    screen.table(wanted.title(shown.height), ["source", "target", "probability"], rows, {"probability"})
    if drawn and links.height > shown.height:
        where = "in missing_links.csv" if written else "with --out DIR"
        screen.note(f"{links.height - shown.height} more {where}")
