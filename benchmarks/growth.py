"""How time and memory grow with the graph: two outer iterations of five epochs, in a process of its own."""

from __future__ import annotations

import statistics
import time
from itertools import pairwise
from typing import Any

import numpy as np

import pulink
from benchmarks.measure import finish, own_arguments
from pulink.data.generated import power_law_graph
from pulink.graph.graph import Graph
from pulink.graph.split import Split
from pulink.predictor.fitting.fit_run import Progress


def main() -> None:
    wanted = own_arguments()
    measure(
        power_law_graph(wanted["n_edges"], max(1_000, wanted["n_edges"] // 20), n_features=wanted["n_features"]),
        wanted,
    )


def measure(graph: Graph, wanted: dict[str, Any]) -> None:
    """Print what two iterations on a graph take."""
    nothing = np.empty((0, 2), dtype=np.int32)
    split = Split(graph, nothing, nothing, nothing, nothing)
    small = power_law_graph(2_000, 200, n_features=wanted["n_features"])
    pulink.PULL(max_iterations=2, n_epochs=2, val_ratio=0.0, threads=1).fit(small)
    ticks: list[tuple[int, float]] = []

    def tick(progress: Progress) -> None:
        ticks.append((progress.iteration, time.perf_counter()))

    model = pulink.PULL(max_iterations=2, n_epochs=wanted["epochs"], threads=wanted["threads"])
    started = time.perf_counter()
    model.fit(split, progress=tick)
    whole = time.perf_counter() - started
    gaps = [(b[0], b[1] - a[1]) for a, b in pairwise(ticks) if a[0] == b[0]]
    epoch = {t: statistics.median(gap for iteration, gap in gaps if iteration == t) for t in (1, 2)}
    last = max(when for iteration, when in ticks if iteration == 1)
    first = min(when for iteration, when in ticks if iteration == 2)
    finish(
        n_nodes=graph.n_nodes,
        n_edges=graph.n_edges,
        epoch_1=epoch[1],
        epoch_2=epoch[2],
        e_step=max(0.0, first - last - epoch[2]),
        iteration_2=ticks[-1][1] - last,
        fit=whole,
    )


if __name__ == "__main__":
    main()
