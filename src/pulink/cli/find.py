"""pulink find: the missing links of a graph."""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from pulink.cli.parsing import options
from pulink.cli.terminal.console import Screen
from pulink.cli.terminal.interrupts import stoppable
from pulink.cli.terminal.rerun import command
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.system.log import timed
from pulink.workflows import find_output
from pulink.workflows.link_query import LinkQuery
from pulink.workflows.words import messages

if TYPE_CHECKING:
    from pulink.workflows.find import FindResult

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
        help="So many links for every node, instead of the best of all; of a directed graph those from it, of a "
        "bipartite one those of every node of the first column.",
    ),
]
MissingShare = Annotated[
    float | None,
    typer.Option(
        "--missing-share",
        min=0.0,
        max=0.9,
        show_default="estimated from the best pairs",
        help="Share of all links that you know is missing; probabilities follow from it.",
    ),
]
KnownAbsent = Annotated[
    Path | None,
    typer.Option(
        "--known-absent",
        metavar="FILE",
        help="Pairs that you have checked and that are no links: never returned, learned from.",
    ),
]
Reviews = Annotated[
    Path | None,
    typer.Option(
        "--reviews",
        metavar="FILE|RESULTS",
        help="Answers of people: a folder of results with its review, or a table with a column answer. Accepted "
        "pairs become edges, rejected ones known non-links, and a review tells how many links are missing.",
    ),
]
Out = Annotated[
    Path | None,
    typer.Option(
        "--out",
        metavar="DIR",
        parser=options.named_folder,
        help="Write missing_links.csv, report.html, run.json and model/ here; a stopped run goes on.",
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
    missing_share: MissingShare = None,
    known_absent: KnownAbsent = None,
    reviews: Reviews = None,
    out: Out = None,
    setting: options.Settings = None,
    seed: options.Seed = 0,
    threads: options.Threads = None,
    reading: ReadOptions = AS_FOUND,
    raw_names: options.RawNames = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Name the pairs that are most likely connected although nobody recorded it.

    Some edges are hidden to learn by; then the model is trained once more on every edge, and unconnected pairs are
    searched for the likeliest links.
    """
    screen = Screen(quiet)
    query = LinkQuery(top, min_probability, fdr, per_node).checked(options.flag)
    options.check_files(edges, nodes, known_absent, None if reviews is None or reviews.is_dir() else reviews)
    options.tell_waiting(screen, edges, nodes, known_absent)
    options.hold(context, out, find_output.FILES)
    if out is not None:
        find_output.check_model_place(out)

    with timed("loading libraries"):
        from pulink.engine.compile import announce_compiling
        from pulink.engine.threads import thread_count
        from pulink.workflows.find import FindRequest, answer

    settings = options.settings_of(method, setting, missing_share)
    options.check_reading(edges, nodes, reading)
    request = FindRequest(edges, nodes, known_absent, query, method, seed, threads, settings, reading, reviews)
    # The result depends on it: what is to be typed again names it.
    context.params["threads"] = thread_count(threads)
    started = time.perf_counter()
    with announce_compiling(screen.note), stoppable(out, screen, command(context)) as checkpoints:
        result = answer(request, checkpoints=checkpoints, listener=screen)
        if out is not None:
            find_output.write(out, result, command(context, seen=False), raw_names)
        links = find_output.link_records(result.graph, result.found, result.reasons) if as_json else []
    seconds = time.perf_counter() - started
    if as_json:
        screen.json(result.record() | {"seconds": round(seconds, 3), "links": links})
    else:
        _show(screen, result, bool(out), raw_names)
    screen.note(f"searched {result.searched}; {seconds:.1f} s" + (f"; written to {out}" if out else ""))


def _show(screen: Screen, result: FindResult, written: bool, raw_names: bool) -> None:
    from pulink.data.formats.spreadsheet_guard import guarded
    from pulink.workflows.words import link_table

    links, query = result.found, result.request.query
    if not links.height and query.fdr is None:
        screen.note(messages.NOTHING_LIKELY)
    by_node = query.per_node is not None
    if drawn := sys.stdout.isatty():
        first = links.head(_SHOWN)
        shown = find_output.with_reasons(first, find_output.reasons(result.model, first))
        columns, rows = link_table.drawn_rows(shown, links, result.graph.ends, by_node=by_node)
    else:
        shown = find_output.with_reasons(links, result.reasons)
        columns, rows = link_table.plain_rows(shown if raw_names else guarded(shown), result.graph.ends)
    screen.table(query.title(shown.height), columns, rows, link_table.NUMBERS, cut_last=True)
    if (tied := link_table.ties(links, by_node=by_node)) is not None:
        screen.note(tied)
    if drawn and links.height > shown.height:
        where = "in missing_links.csv" if written else "with --out DIR"
        screen.note(f"{links.height - shown.height} more {where}")
