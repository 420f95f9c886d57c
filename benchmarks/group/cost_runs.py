"""Runs by which the cost model is fitted, and those that are held back: PULL's training in groups, measured."""

from __future__ import annotations

import json
import statistics
import tempfile
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from benchmarks.group import network
from benchmarks.group.efficiency import epochs_of, generated, measured_group
from pulink.distributed.group.job import write_job
from pulink.distributed.local_executor import LocalWorkers

# Epochs of small graphs are short, and medians want more of them.
_EPOCHS, _MOST_EPOCHS, _ENTRIES = 5, 20, 10_000_000


@dataclass(frozen=True)
class Run:
    """A generated graph, and a group of so many workers; of machines of their own unless they share memory."""

    n_edges: int
    mean_degree: int
    n_features: int
    n_workers: int
    shares_memory: bool


def fitted_runs() -> list[Run]:
    """Several sizes, degrees and features, and groups of 1, 2 and 4."""
    found = []
    for n_edges in (100_000, 300_000, 1_000_000, 3_000_000):
        found += [
            Run(n_edges, degree, n_features, n_workers, shares)
            for degree, n_features, n_workers, shares in (
                (40, 16, 1, True),
                (40, 16, 2, True),
                (40, 16, 2, False),
                (40, 16, 4, True),
                (40, 16, 4, False),
                (10, 0, 1, True),
                (10, 0, 2, False),
                (10, 0, 4, True),
                (20, 128, 1, True),
                (20, 128, 2, True),
                (20, 128, 4, False),
            )
        ]
    return found


HELD_BACK = [
    Run(10_000_000, 40, 16, 2, False),
    Run(10_000_000, 10, 0, 4, False),
    Run(10_000_000, 20, 128, 2, True),
]


def measured_run(run: Run) -> dict[str, Any]:
    """Medians over epochs; seconds of the processor and bytes sent are means over workers."""
    n_nodes = 2 * run.n_edges // run.mean_degree
    graph = generated(run.n_edges, run.n_features, n_nodes)
    epochs = max(_EPOCHS, min(_MOST_EPOCHS, _ENTRIES // run.n_edges))
    workers = measured_group(graph, run.n_workers, epochs=epochs, shares_memory=run.shares_memory)
    row: dict[str, Any] = asdict(run) | {"n_edges": graph.n_edges, "n_nodes": graph.n_nodes, "asked": run.n_edges}
    row["peak_mb"] = [round(one["peak"] / 1e6) for one in workers]
    row["before_mb"] = [round(one["resident_before"] / 1e6) for one in workers]
    row["largest_share"] = max(one["n_entries"] for one in workers) / (2 * graph.n_edges)
    for name in ("epoch_1", "epoch_2", "e_step"):
        taken = [_taken(one["ticks"], name) for one in workers]
        for what in ("clock", "processor", "sent"):
            row[f"{name}_{what}"] = statistics.mean(one[what] for one in taken)
        row[f"{name}_slowest"] = max(one["processor"] for one in taken)
    return row


def _taken(ticks: list[dict[str, Any]], name: str) -> dict[str, float]:
    if name != "e_step":
        steps = epochs_of(ticks, int(name[-1]))
        return {what: statistics.median(b[what] - a[what] for a, b in steps) for what in _WHAT}
    epoch = _taken(ticks, "epoch_2")
    # The first epoch of the second iteration comes right after the E-step.
    place = next(k for k, tick in enumerate(ticks) if tick["what"] == "iteration 1")
    return {what: max(0.0, ticks[place + 1][what] - ticks[place][what] - epoch[what]) for what in _WHAT}


_WHAT = ("clock", "processor", "sent")


def measured_network(n_workers: int) -> dict[str, Any]:
    """Bytes per second and seconds per message between processes of this machine, each a machine of its own."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_job(folder, network.NETWORK, {})
        executor = LocalWorkers(n_workers, network.MODULE)
        try:
            executor.together(folder, lambda: None)
        finally:
            executor.close()
        found: dict[str, Any] = json.loads((folder / "network.json").read_text())
        return {"n_workers": n_workers} | found
