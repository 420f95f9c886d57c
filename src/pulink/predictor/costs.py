"""What `find` will cost, before any work: memory and processor time from the sizes of a method on a graph.

    bytes   = Σ_k a_k s_k                             beyond what the process holds when a fit begins
    seconds = Σ_k b_k s_k + steps · Σ_k c_k s_k       of the processor, from there on

s     sizes by name, as `LinkPredictor.sizes` gives them; `steps` are the gradient steps that are expected
a b c at least 0, measured for each method by `python -m benchmarks memory` and kept in costs.json

A row of costs.json is for a class and for some of its settings. Of the rows that fit a predictor the one with most
settings counts, and a class without any takes those of the class that it extends.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

from pulink.distributed.executor import ThisProcess, executor_in_use

if TYPE_CHECKING:
    from pulink.graph.graph import Graph
    from pulink.predictor.predictor import LinkPredictor

# Sizes by name.
Sizes = dict[str, float]

STEPS = "steps"
_FILE = "costs.json"


@dataclass(frozen=True)
class Cost:
    """Of all that `find` does after reading: bytes at the peak, and processor seconds."""

    n_bytes: int
    seconds: float


@dataclass(frozen=True)
class Prices:
    """Of one kind of predictor: bytes, seconds, and seconds per step, of one unit of each size."""

    kind: str
    settings: Mapping[str, Any]
    bytes: Mapping[str, float]
    seconds: Mapping[str, float]
    step_seconds: Mapping[str, float]

    def cost(self, sizes: Sizes) -> Cost:
        each_step = sizes.get(STEPS, 0.0) * _total(self.step_seconds, sizes)
        return Cost(round(_total(self.bytes, sizes)), _total(self.seconds, sizes) + each_step)

    def fits(self, params: Mapping[str, Any]) -> bool:
        """Whether these prices are for such settings."""
        return all(name in params and params[name] == value for name, value in self.settings.items())


def _total(prices: Mapping[str, float], sizes: Sizes) -> float:
    return sum(price * sizes.get(name, 0.0) for name, price in prices.items())


def plain_sizes(graph: Graph) -> Sizes:
    """What any method reads.

    vectors   numbers that are held for all nodes; here one each
    messages  numbers that go along all edges when those are propagated; here one each
    cells     pairs of nodes, both ways
    wedges    pairs of neighbours of the same node, both ways
    walks     visits when each node's walks are followed over all edges
    entries   stored numbers of the features
    """
    degrees = graph.degrees.astype(np.float64)
    return {
        "one": 1.0,
        "edges": float(graph.n_edges),
        "vectors": float(graph.n_nodes),
        "messages": float(graph.n_edges),
        "entries": float(n_entries(graph)),
        "cells": float(graph.n_nodes) ** 2,
        "wedges": float(degrees @ degrees),
        "walks": 2.0 * graph.n_nodes * graph.n_edges,
    }


def encoder_sizes(graph: Graph, width: int, n_layers: int) -> Sizes:
    """What an encoder holds and does, with `width` numbers for each node in each layer.

    weights   of the first layer
    products  of the stored numbers of the features with their weights
    """
    return {
        "vectors": float(graph.n_nodes) * width * n_layers,
        "messages": float(graph.n_edges) * width * n_layers,
        "weights": float(graph.n_features or graph.n_nodes) * width,
        "products": float(n_entries(graph)) * width,
    }


def n_entries(graph: Graph) -> int:
    """Stored numbers of the features: all of a dense matrix."""
    features = graph.features
    if features is None:
        return 0
    return int(features.size if isinstance(features, np.ndarray) else features.nnz)


def cost_of(model: LinkPredictor, graph: Graph) -> Cost | None:
    """What fitting, calibrating and searching will cost; None for classes that nobody measured."""
    prices = prices_of(model)
    if prices is None:
        return None
    first = prices.cost(model.sizes(model._view(graph)))
    more = model.splits_for(graph) - 1
    # What a process does once is not done again for another split.
    again = seconds_of_one_split(model, graph)
    kept = first.n_bytes - prices.bytes.get("one", 0.0) if model.averages_splits else 0.0
    return Cost(round(first.n_bytes + more * kept), first.seconds + (more * again if more else 0.0))


def seconds_of_one_split(model: LinkPredictor, graph: Graph) -> float:
    """What one more split would cost; endless for classes that nobody measured."""
    prices = prices_of(model)
    if prices is None:
        return math.inf
    return max(prices.cost(model.sizes(model._view(graph))).seconds - prices.seconds.get("one", 0.0), 1e-3)


def prices_of(model: LinkPredictor) -> Prices | None:
    params = model.get_params()
    for kind in type(model).__mro__:
        fitting = [prices for prices in _measured() if prices.kind == kind.__name__ and prices.fits(params)]
        if fitting:
            return max(fitting, key=lambda prices: len(prices.settings))
    return None


def require_room(model: LinkPredictor, graph: Graph, what: str, way_out: str) -> None:
    """Refuse a graph for which there is too little memory, with the figure and a way out.

    Whoever does pieces of a fit may need as much as the fit.
    """
    cost = cost_of(model, graph)
    if cost is None:
        return
    executor = executor_in_use() if model.divides_work else ThisProcess()
    executor.require(cost.n_bytes, what, f"{way_out}; pulink estimate tells what fits")


@cache
def _measured() -> tuple[Prices, ...]:
    return tuple(
        Prices(**row)
        for row in json.loads((files("pulink.predictor") / _FILE).read_text(encoding="utf-8"))["prices"]
    )
