"""pulink estimate: the memory and the processor time that find would take."""

from __future__ import annotations

import time
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Annotated, Any

import typer

from pulink.cli import options
from pulink.cli.console import Screen
from pulink.errors import InputError, ParameterError, PulinkError

if TYPE_CHECKING:
    from pulink.graph.graph import Graph
    from pulink.predictor.predictor import LinkPredictor

_MINUTE, _HOUR = 60.0, 3_600.0


@dataclass(frozen=True)
class Estimate:
    """One method's line; `reason` says why it cannot serve the graph here, None where it can."""

    method: str
    memory_bytes: int
    cpu_seconds: float
    fits: bool
    reason: str | None


def estimate(
    edges: options.Edges,
    nodes: options.Nodes = None,
    method: Annotated[
        str,
        typer.Option(
            "--method",
            help="Methods and groups of them (all, paper, heuristics), separated by commas: see pulink methods.",
        ),
    ] = "all",
    setting: options.Settings = None,
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
    """Say how much memory and processor time find would take with each method, before any of it is spent.

    The graph is read, and nothing is trained. Memory is the largest resident size of the process. How long a
    method trains is known only afterwards: its time may be half or twice what is said.
    """
    screen = Screen(quiet)
    names = [name.strip() for name in method.split(",") if name.strip()]
    if not names:
        raise ParameterError(f"--method needs at least one name, got {method!r}")
    options.check_files(edges, nodes)

    # As in find: what it has loaded before it begins is part of what it takes.
    from pulink.engine.compile import announce_compiling
    from pulink.methods.registry import METHODS, expand
    from pulink.report.find.page import found_page  # noqa: F401
    from pulink.system.memory import available_bytes

    chosen = expand(names)
    settings = _settings(chosen, setting)
    models = {name: METHODS[name].make(**settings.get(name, {})) for name in chosen}
    for model in models.values():
        model.check_settings()
    with announce_compiling(screen.note):
        graph = options.open_graph(
            edges, nodes, source=source, target=target, weight=weight, node_id=node_id, header=header,
            encoding=encoding, kinds=column,
        )  # fmt: skip
        screen.note(options.describe(edges, graph))
        if graph.n_edges == 0:
            raise InputError(f"{edges}: there are no edges to learn from")
        found = _estimates(models, graph)
    free = available_bytes()
    if as_json:
        counts = {"n_nodes": graph.n_nodes, "n_edges": graph.n_edges, "n_features": graph.n_features}
        screen.json(
            {"edges": edges, "graph": counts, "free_bytes": free, "methods": [asdict(own) for own in found]}
        )
        return
    _show(screen, found, free)


def _settings(chosen: list[str], texts: list[str] | None) -> dict[str, dict[str, Any]]:
    from pulink.methods.registry import parse_settings

    settings = parse_settings(texts or [])
    for name in settings:
        if name not in chosen:
            raise ParameterError(f"--set {name}.… is for a method that is not asked about")
    return settings


def _estimates(models: dict[str, LinkPredictor], graph: Graph) -> list[Estimate]:
    from pulink.predictor.costs import cost_of
    from pulink.system.memory import peak_bytes, resident_bytes

    # Reading may have taken more than what is left of it.
    present, spent, most = resident_bytes(), time.process_time(), peak_bytes()
    found = []
    for name, model in models.items():
        cost, reason = cost_of(model, graph), _refusal(model, graph)
        assert cost is not None, f"nobody measured {name}"
        memory = max(most, present + cost.n_bytes)
        found.append(Estimate(name, memory, round(spent + cost.seconds, 1), reason is None, reason))
    return found


def _refusal(model: LinkPredictor, graph: Graph) -> str | None:
    """Why find would refuse; None if it would not."""
    try:
        model.check_serves(graph)
    except PulinkError as error:
        return str(error)
    return None


def _show(screen: Screen, found: list[Estimate], free: int | None) -> None:
    rows = [
        [own.method, in_bytes(own.memory_bytes), in_time(own.cpu_seconds), "yes" if own.fits else "no"]
        for own in found
    ]
    columns = ["method", "memory", "processor time", "fits"]
    screen.table("What find would take", columns, rows, {"memory", "processor time"})
    for own in found:
        if own.reason is not None:
            screen.note(f"{own.method}: {own.reason}")
    left = "" if free is None else f"; {in_bytes(free)} are free"
    screen.note(f"memory: the peak of the process{left}; processor time: half of it to twice as much")


def in_bytes(n_bytes: int) -> str:
    """Two figures or three, for people."""
    return f"{n_bytes / 1e9:.1f} GB" if n_bytes >= 1e9 else f"{n_bytes / 1e6:.0f} MB"


def in_time(seconds: float) -> str:
    """Two figures or three, for people."""
    if seconds < 2 * _MINUTE:
        return f"{seconds:.0f} s"
    if seconds < 2 * _HOUR:
        return f"{seconds / _MINUTE:.0f} min"
    return f"{seconds / _HOUR:.1f} h"
