"""What `find` will take, in one line before any work, and where that is long what answers sooner."""

from __future__ import annotations

from pulink.errors import PulinkError
from pulink.graph.graph import Graph
from pulink.methods.registry import METHODS
from pulink.predictor.costs import cost_of
from pulink.predictor.predictor import LinkPredictor
from pulink.system import memory
from pulink.text import in_bytes, in_time

# Beyond so many processor seconds a faster method is named; it must take no more than this share of them.
_LONG, _MUCH_LESS = 120.0, 0.2
# Untrained methods that find links best, in this order.
_SOONER = ("l3n", "resource-allocation")


def expected_cost(model: LinkPredictor, graph: Graph) -> str | None:
    """Processor time and memory of one `find`; None for methods that nobody measured, and for no edges.

    Processor time is that of all threads together: with two of them the clock may show half of it.
    """
    cost = cost_of(model, graph) if graph.n_edges else None
    if cost is None:
        return None
    n_bytes = max(memory.peak_bytes(), memory.resident_bytes() + cost.n_bytes)
    told = f"this will take about {_seconds(cost.seconds)} of processor time and {in_bytes(n_bytes)} of memory"
    sooner = _sooner(graph, _MUCH_LESS * cost.seconds) if cost.seconds > _LONG else None
    return told if sooner is None else f"{told}; {sooner}"


def _sooner(graph: Graph, most: float) -> str | None:
    """The method to try first: the best that is not long itself, else the fastest; None if none takes less."""
    found = {}
    for name in _SOONER:
        model = METHODS[name].make()
        cost = cost_of(model, graph)
        if cost is not None and cost.seconds <= most and _serves(model, graph):
            found[name] = cost.seconds
    if not found:
        return None
    name = next((name for name, seconds in found.items() if seconds <= _LONG), min(found, key=found.__getitem__))
    return f"method {name} answers in about {_seconds(found[name])}"


def _serves(model: LinkPredictor, graph: Graph) -> bool:
    try:
        model.check_serves(graph)
    except PulinkError:
        return False
    return True


def _seconds(seconds: float) -> str:
    return in_time(max(seconds, 1.0))
