"""pulink explain: why a model proposes a pair, or does not."""

from __future__ import annotations

from typing import Annotated

import typer

from pulink.cli.parsing import options
from pulink.cli.terminal.console import Screen

_KNOWN = {
    None: "",
    "link": "; it is a link of the graph already, this is the probability of an unrecorded pair with its score",
    "no link": "; it is known to be no link",
}


def explain(
    model: options.Model,
    source: Annotated[
        str, typer.Argument(metavar="A", help="The name of a node, or TYPE:NAME.", show_default=False)
    ],
    target: Annotated[str, typer.Argument(metavar="B", help="The name of another node.", show_default=False)],
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Say how likely a link between two nodes is, and why: facts of the graph that can be checked.

    Of a directed graph the link from A to B is meant; of a bipartite one A is of the first column, and B of the
    second.
    """
    screen = Screen(quiet)

    from pulink.workflows.explain import explain as explain_pair
    from pulink.workflows.words.link_table import probability_text

    found = explain_pair(model, source, target)
    if as_json:
        screen.json(found.record())
        return
    probability = probability_text(found.probability, found.low, found.high) + _KNOWN[found.known]
    rows = [["probability", probability], *(["reason", reason.text] for reason in found.reasons)]
    arrow = "->" if found.graph.is_directed else "-"
    screen.table(f"{source} {arrow} {target}", ["about", "what"], rows, set())
