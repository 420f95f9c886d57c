"""`estimate`: the memory and the processor time that `find` would take with each method."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Unpack

# As in `find`: what it has loaded before it begins is part of what it takes.
import pulink.report.find.page
import pulink.workflows.find  # noqa: F401
from pulink.data.read_options import AS_FOUND, ReadKeywords, ReadOptions, with_read_keywords
from pulink.errors import InputError, ParameterError, PulinkError
from pulink.graph.graph import Graph
from pulink.methods.registry import expand, method
from pulink.predictor.costs import cost_of
from pulink.predictor.predictor import LinkPredictor
from pulink.system import memory
from pulink.workflows.formats.documents import document
from pulink.workflows.graph_source import GraphSource, open_graph
from pulink.workflows.listener import Listener, Reporter


@dataclass(frozen=True)
class MethodCost:
    """One method's line; `reason` says why it cannot serve the graph here, None where it can."""

    method: str
    memory_bytes: int
    cpu_seconds: float
    fits: bool
    reason: str | None


@dataclass(frozen=True)
class Estimate:
    """What `find` would take.

    Attributes
    ----------
    source : GraphSource
        The graph, and what it was made of.
    methods : tuple of MethodCost
        In the order asked for.
    free_bytes : int or None
        Memory that is free now; None where the system does not tell.
    """

    source: GraphSource
    methods: tuple[MethodCost, ...]
    free_bytes: int | None

    def record(self) -> dict[str, Any]:
        """All of it as plain values."""
        graph = self.source.graph
        counts: dict[str, Any] = {
            "kind": graph.kind,
            "n_nodes": graph.n_nodes,
            "n_edges": graph.n_edges,
            "n_features": graph.n_features,
        }
        methods = [asdict(cost) for cost in self.methods]
        fields = {"edges": self.source.edges, "graph": counts, "free_bytes": self.free_bytes, "methods": methods}
        return document(fields)


@with_read_keywords
def estimate(
    edges: Any,
    nodes: Any = None,
    methods: Iterable[str] = ("all",),
    *,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    options: ReadOptions = AS_FOUND,
    listener: Listener | None = None,
    **given: Unpack[ReadKeywords],
) -> Estimate:
    """Say how much memory and processor time `find` would take, before any of it is spent.

    The graph is read, and nothing is trained. Memory is the largest resident size of the process. How long a
    method trains is known only afterwards: its time may be half or twice what is said.

    Parameters
    ----------
    edges, nodes : object
        As in `pulink.find`.
    methods : iterable of str
        Names of methods, and of groups of them.
    settings : mapping, optional
        method -> parameter -> value, where they differ from the method's own.
    options : ReadOptions, optional
        How files are read; its fields may also be given one by one, as in `pulink.read`.
    listener : Listener, optional
        Told what `logging` is told (logger "pulink.workflows").

    Returns
    -------
    Estimate
    """
    begun = time.process_time()
    chosen, by_method = expand(methods), settings or {}
    for name in by_method:
        if name not in chosen:
            raise ParameterError(f"settings are given for {name!r}, which is not asked about")
    models = {name: method(name).make(**by_method.get(name, {})) for name in chosen}
    for model in models.values():
        model.check_settings()
    source = open_graph(edges, nodes, options.but(given))
    Reporter(listener).was_read(source.label, source.graph)
    if source.graph.n_edges == 0:
        raise InputError(f"{source.label}: there are no edges to learn from")
    costs = _costs(models, source.graph, time.process_time() - begun)
    return Estimate(source, costs, memory.available_bytes())


def _costs(models: dict[str, LinkPredictor], graph: Graph, reading: float) -> tuple[MethodCost, ...]:
    # Reading may have taken more memory than what is left of it.
    present, most = memory.resident_bytes(), memory.peak_bytes()
    found = []
    for name, model in models.items():
        cost, reason = cost_of(model, graph), _refusal(model, graph)
        if cost is None:
            raise ParameterError(f"nobody has measured what {name} costs: it is no method of pulink itself")
        n_bytes = max(most, present + cost.n_bytes)
        found.append(MethodCost(name, n_bytes, round(reading + cost.seconds, 1), reason is None, reason))
    return tuple(found)


def _refusal(model: LinkPredictor, graph: Graph) -> str | None:
    """Why `find` would refuse; None if it would not."""
    try:
        model.check_serves(graph)
    except PulinkError as error:
        return str(error)
    return None
