"""PULL on a generated graph: by one process without a group, and by groups of 1 and 2, in turn in the same run."""

from __future__ import annotations

import json
import os
import statistics
import tempfile
from itertools import pairwise
from pathlib import Path
from typing import Any

import pulink
from benchmarks.group import measured
from benchmarks.measure import in_own_process
from pulink.data.generated import power_law_graph
from pulink.distributed.group.job import write_job
from pulink.distributed.local_executor import LocalWorkers
from pulink.engine.random import permutation, stream_key
from pulink.graph.graph import Graph
from pulink.methods.pull.sharded.fit import settings_of
from pulink.predictor.sharded.group_fit import DATA, packed_data

N_FEATURES, EPOCHS = 16, 5


def efficiency(n_edges: int = 10_000_000, sizes: tuple[int, ...] = (1, 2)) -> dict[str, Any]:
    """Seconds of an epoch in iteration 1 and 2 by the clock, and how they compare."""
    row: dict[str, Any] = {"n_edges": n_edges, "n_nodes": max(1_000, n_edges // 20), "n_features": N_FEATURES}
    arguments = {"n_edges": n_edges, "n_features": N_FEATURES, "epochs": EPOCHS}
    load = os.getloadavg()[0]
    row["one_process"] = in_own_process("benchmarks.group.one_process", 1, **arguments)
    graph = generated(n_edges)
    row["groups"] = {str(n): seconds_of(measured_group(graph, n)) for n in sizes}
    one, two = (row["groups"][str(n)] for n in sizes)
    for t in ("epoch_1", "epoch_2"):
        row[f"{t}_faster_with_two"] = one[t] / two[t]
        row[f"{t}_group_of_one_to_one_process"] = one[t] / row["one_process"][t]
    row["load_before"] = load
    return row


def generated(n_edges: int, n_features: int = N_FEATURES, n_nodes: int | None = None) -> Graph:
    """Numbers of nodes say nothing of their degrees, as where names are in order."""
    graph = power_law_graph(n_edges, n_nodes or max(1_000, n_edges // 20), n_features=n_features)
    numbers = permutation(stream_key(0, "numbers"), graph.n_nodes)
    return Graph.from_edges(numbers[graph.edges], graph.n_nodes, features=graph.features)


def measured_group(
    graph: Graph, n_workers: int, *, epochs: int = EPOCHS, shares_memory: bool = True
) -> list[dict[str, Any]]:
    """What each worker of a group measured: two iterations of so many epochs."""
    small = generated(2_000, graph.n_features)
    model = pulink.PULL(max_iterations=2, n_epochs=epochs, stop=False, threads=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for place, whole in (("warm", small), ("graph", graph)):
            (folder / place).mkdir()
            (folder / place / DATA).write_bytes(packed_data(whole, None).to_bytes())
        settings = settings_of(model, graph, None).to_plain()
        write_job(folder, measured.MEASURED, {"settings": settings, "shares_memory": shares_memory})
        executor = LocalWorkers(n_workers, measured.MODULE)
        try:
            executor.together(folder, lambda: None)
        finally:
            executor.close()
        return [json.loads((folder / f"measured-{rank}.json").read_text()) for rank in range(n_workers)]


def seconds_of(workers: list[dict[str, Any]]) -> dict[str, Any]:
    """Medians over epochs; the clock of the first worker, the processor's seconds of all together."""
    found: dict[str, Any] = {"peak_mb": [round(one["peak"] / 1e6) for one in workers]}
    ticks = workers[0]["ticks"]
    for t in (1, 2):
        steps = epochs_of(ticks, t)
        found[f"epoch_{t}"] = statistics.median(b["clock"] - a["clock"] for a, b in steps)
        found[f"epoch_{t}_sent"] = statistics.median(b["sent"] - a["sent"] for a, b in steps)
        used = [[b["processor"] - a["processor"] for a, b in epochs_of(one["ticks"], t)] for one in workers]
        found[f"epoch_{t}_processor"] = statistics.median(map(sum, zip(*used, strict=True)))
    last = next(tick for tick in ticks if tick["what"] == "iteration 1")
    first = next(tick for tick in ticks if tick["what"] == f"epoch {len(epochs_of(ticks, 1)) + 2}")
    found["e_step"] = max(0.0, first["clock"] - last["clock"] - found["epoch_2"])
    return found


def epochs_of(ticks: list[dict[str, Any]], iteration: int) -> list[tuple[dict[str, Any], dict[str, Any]]]:
    """Pairs of ticks around the epochs of an iteration, but for its first."""
    own: list[dict[str, Any]] = []
    current = 1
    for tick in ticks:
        if tick["what"].startswith("iteration"):
            current += 1
        elif tick["what"].startswith("epoch") and current == iteration:
            own.append(tick)
    return list(pairwise(own))
