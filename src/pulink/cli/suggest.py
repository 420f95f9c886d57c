"""pulink suggest: the likeliest missing links of one node."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from pulink.cli.parsing import options
from pulink.cli.parsing import output_options as outputs
from pulink.cli.terminal.console import Screen
from pulink.workflows.formats.choice import LINK_FORMATS
from pulink.workflows.words import messages


def suggest(
    model: options.Model,
    node: Annotated[
        str, typer.Argument(metavar="NODE", help="The name of a node, or TYPE:NAME.", show_default=False)
    ],
    top: Annotated[int, typer.Option("--top", min=1, help="How many links to return.")] = 10,
    min_probability: options.MinProbability = 0.0,
    new_edges: Annotated[
        Path | None,
        typer.Option("--new-edges", metavar="FILE", help="Edges of nodes that the model does not know yet."),
    ] = None,
    new_nodes: Annotated[
        Path | None,
        typer.Option(
            "--new-nodes",
            metavar="FILE",
            help="Attributes of these nodes, with the columns of the node table that find read.",
        ),
    ] = None,
    output: outputs.OutputFile = None,
    as_format: outputs.LinkFormat = None,
    raw_names: options.RawNames = False,
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Name the likeliest missing links of one node, by a model that find wrote.

    Of a directed graph these are links from the node and to it: the two columns say which. Where nodes of two
    types have one name, TYPE:NAME tells them apart, such as user:1.

    A node that was not in the graph can be asked about too: --new-edges, --new-nodes or both tell what is known of
    it, and nothing is trained again.
    """
    screen = Screen(quiet)
    options.check_files("-", new_edges, new_nodes)
    place = outputs.destination(as_json, as_format, output, LINK_FORMATS, reads=(new_edges, new_nodes))
    options.tell_waiting(screen, new_edges, new_nodes)

    from pulink.data.formats.spreadsheet_guard import guarded
    from pulink.workflows.formats.links import encoded_links
    from pulink.workflows.suggest import suggest as suggest_links
    from pulink.workflows.words import link_table

    suggested = suggest_links(
        model,
        node,
        top,
        min_probability=min_probability,
        new_edges=new_edges,
        new_nodes=new_nodes,
        listener=screen,
    )
    links, ends = suggested.found, suggested.model.graph_.ends
    if place.format is not None:
        place.send(encoded_links(suggested, place.format, raw_names=raw_names))
        if place.file is not None:
            screen.note(f"written to {place.file}")
        return
    if not links.height:
        screen.note(messages.NOTHING_LIKELY)
    if sys.stdout.isatty():
        columns, rows = link_table.drawn_rows(links, links, ends)
    else:
        columns, rows = link_table.plain_rows(links if raw_names else guarded(links), ends)
    title = f"The {links.height} likeliest missing links of {node}"
    screen.table(title, columns, rows, link_table.NUMBERS, cut_last=True)
    if (tied := link_table.ties(links)) is not None:
        screen.note(tied)
