"""pulink find: the missing links of a graph."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pulink.cli.parsing import options
from pulink.cli.parsing import output_options as outputs
from pulink.cli.terminal.console import Screen
from pulink.cli.terminal.interrupts import stoppable
from pulink.cli.terminal.rerun import command
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.system.log import timed
from pulink.workflows.finding import output as find_output
from pulink.workflows.formats.choice import LINK_FORMATS
from pulink.workflows.link_query import LinkQuery
from pulink.workflows.words import messages

if TYPE_CHECKING:
    from pulink.workflows.finding.result import FindResult

Top = Annotated[
    int | None,
    typer.Option(
        "--top",
        min=1,
        show_default="100; with --fdr or --per-node as many as there are",
        help="How many links to return.",
    ),
]
Fdr = Annotated[
    float | None,
    typer.Option(
        "--fdr", metavar="SHARE", help="The longest list of which less than this share is expected to be false."
    ),
]
PerNode = Annotated[
    int | None,
    typer.Option(
        "--per-node",
        min=1,
        help="List this many links for every node instead of the best overall (directed graphs: links from the "
        "node; bipartite graphs: nodes of the first column).",
    ),
]
MissingShare = Annotated[
    float | None,
    typer.Option(
        "--missing-share",
        min=0.0,
        max=0.9,
        show_default="estimated from the best pairs",
        help="Which share of all links is missing, if you know it; probabilities are computed from it.",
    ),
]
KnownAbsent = Annotated[
    Path | None,
    typer.Option(
        "--known-absent",
        metavar="FILE",
        help="Pairs that you have checked and that are not links: never listed, and used as negative examples.",
    ),
]
Reviews = Annotated[
    Path | None,
    typer.Option(
        "--reviews",
        metavar="FILE|RESULTS",
        help="Answers of a review: the results folder, or a table with a column answer. Accepted pairs become "
        "edges, rejected pairs become known non-links, and the review tells how many links are missing.",
    ),
]
Out = Annotated[
    str | None,
    typer.Option(
        "--out",
        metavar="DIR",
        help="Write missing_links.csv, report.html, run.json and model/ into this folder; a run that was stopped "
        "there is resumed.",
    ),
]

_SHOWN = 20


@options.reads_a_graph
def find(
    context: typer.Context,
    edges: options.Edges,
    nodes: options.Nodes = None,
    top: Top = None,
    min_probability: options.MinProbability = 0.0,
    fdr: Fdr = None,
    per_node: PerNode = None,
    method: options.Method = "pull-plus",
    effort: options.Effort = None,
    missing_share: MissingShare = None,
    known_absent: KnownAbsent = None,
    reviews: Reviews = None,
    out: Out = None,
    output: outputs.OutputFile = None,
    as_format: outputs.LinkFormat = None,
    setting: options.Settings = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    cluster: options.Cluster = None,
    reading: ReadOptions = AS_FOUND,
    raw_names: options.RawNames = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Name the pairs that are most likely connected although nobody recorded it.

    Some edges are hidden to train and test the model; then it is trained again on every edge, and the unconnected
    pairs are searched for the likeliest links.
    """
    screen = Screen(quiet)
    query = LinkQuery(top, min_probability, fdr, per_node).checked(options.flag)
    options.check_files(edges, nodes, known_absent, None if reviews is None or reviews.is_dir() else reviews)
    folder, file = outputs.folder_or_file(context, out, output)
    place = outputs.destination(
        as_json, as_format, file, LINK_FORMATS, reads=(edges, nodes, known_absent, reviews)
    )
    outputs.check_apart(place.file, folder, (*find_output.FILES, find_output.MODEL))
    options.tell_waiting(screen, edges, nodes, known_absent)
    options.hold(context, folder, find_output.FILES)
    if folder is not None:
        find_output.check_model_place(folder)

    with timed("loading libraries"):
        from pulink.engine.compile import announce_compiling
        from pulink.engine.threads import thread_count
        from pulink.workflows.find import answer
        from pulink.workflows.finding.request import FindRequest
        from pulink.workflows.listener import Reporter

    settings = options.settings_of(method, setting, missing_share, effort)
    options.check_reading(edges, nodes, reading)
    request = FindRequest(edges, nodes, known_absent, query, method, seed, threads, settings, reading, reviews)
    # The result depends on it: what is to be typed again names it.
    context.params["threads"] = thread_count(threads)
    started = time.perf_counter()
    with announce_compiling(screen.note), stoppable(folder, screen, command(context)) as checkpoints:
        with Reporter(screen).helped(cluster, [method]):
            result = answer(request, checkpoints=checkpoints, listener=screen, out=folder)
        if folder is not None:
            find_output.write(folder, result, _again(context, result), raw_names)
        links = _encoded(result, place, raw_names, started)
    if place.format is None:
        _show(screen, result, folder is not None, raw_names)
    else:
        place.send(links)
    written = " and ".join(str(path) for path in (folder, place.file) if path is not None)
    seconds = time.perf_counter() - started
    screen.note(f"searched {result.searched}; {seconds:.1f} s" + (f"; written to {written}" if written else ""))


def _again(context: typer.Context, result: FindResult) -> str:
    """What to type for the same result: one process rounds otherwise than a group does, of whatever size."""
    typed = command(context, seen=False)
    return f"{typed} --cluster local:1" if getattr(result.model, "by_group_", False) else typed


def _encoded(result: FindResult, place: outputs.Destination, raw_names: bool, started: float) -> bytes:
    """The links in the format that was asked for; a file holds no clock, so that equal runs give equal files."""
    from pulink.workflows.formats.links import encoded_links

    if place.format is None:
        return b""
    clock = {"seconds": round(time.perf_counter() - started, 3)} if place.file is None else {}
    return encoded_links(result, place.format, raw_names=raw_names, beside=clock)


def _show(screen: Screen, result: FindResult, written: bool, raw_names: bool) -> None:
    from pulink.data.formats.spreadsheet_guard import guarded
    from pulink.workflows.words import link_table

    links, query = result.found, result.request.query
    if not links.height and query.fdr is None:
        screen.note(messages.NOTHING_LIKELY)
    by_node = query.per_node is not None
    if drawn := sys.stdout.isatty():
        first = links.head(_SHOWN)
        shown = find_output.with_reasons(first, result.reasons_of(first))
        columns, rows = link_table.drawn_rows(shown, links, result.graph.ends, by_node=by_node)
    else:
        shown = find_output.with_reasons(links, result.reasons)
        columns, rows = link_table.plain_rows(shown if raw_names else guarded(shown), result.graph.ends)
    screen.table(query.title(shown.height), columns, rows, link_table.NUMBERS, cut_last=True)
    if (tied := link_table.ties(links, by_node=by_node)) is not None:
        screen.note(tied)
    if drawn and links.height > shown.height:
        where = "in missing_links.csv" if written else "with -o FILE or --out DIR"
        screen.note(f"{links.height - shown.height} more {where}")
