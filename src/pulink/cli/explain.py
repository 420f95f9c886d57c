"""pulink explain: why a model proposes a pair, or does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulink.cli import options
from pulink.cli.console import Screen

if TYPE_CHECKING:
    from pulink.explanation.reasons import Reasons
    from pulink.graph.graph import Graph


_KNOWN = {
    None: "",
    "link": "; it is a link of the graph already, and this is the chance of an unrecorded pair with its score",
    "no link": "; it is known to be no link",
}


def explain(
    model: options.Model,
    source: Annotated[str, typer.Argument(metavar="A", help="The name of a node.", show_default=False)],
    target: Annotated[str, typer.Argument(metavar="B", help="The name of another.", show_default=False)],
    quiet: options.Quiet = False,
    as_json: options.Json = False,
) -> None:
    """Say how likely a link between two nodes is, and why: facts of the graph that can be checked."""
    screen = Screen(quiet)
    fitted = options.open_model(model)

    from pulink.errors import InputError
    from pulink.explanation.explain import facts
    from pulink.explanation.reasons import in_words
    from pulink.graph.pairs import resolve_pairs

    graph = fitted.graph_
    pair = resolve_pairs(graph, [(source, target)])
    if pair[0, 0] == pair[0, 1]:
        raise InputError(f"{source!r} is both nodes; a link needs two")
    known = "link" if graph.has_edges(pair)[0] else "no link" if graph.is_absent(pair)[0] else None
    probability = float(fitted.predict_proba(pair)[0])
    reasons = facts(fitted, pair)[0]
    told = in_words(reasons, graph, graph.feature_names)
    if as_json:
        head = {"source": source, "target": target, "probability": probability, "known": known, "reasons": told}
        screen.json(head | _facts(reasons, graph))
        return
    rows = [["probability", f"{probability:.6f}{_KNOWN[known]}"], *(["reason", own] for own in told)]
    screen.table(f"{source} - {target}", ["about", "what"], rows, set())


def _facts(reasons: Reasons, graph: Graph) -> dict[str, Any]:
    """The same as lists of names and numbers."""
    names = graph.feature_names
    return {
        "n_common_neighbours": reasons.n_common,
        "common_neighbours": [graph.names[node] for node in reasons.common],
        "paths": [[graph.names[u], graph.names[v]] for u, v in reasons.paths],
        "n_shared_attributes": reasons.n_shared,
        "shared_attributes": [str(own) if names is None else names[own] for own in reasons.shared],
        "signals": dict(reasons.signals),
    }
