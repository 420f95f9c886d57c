"""Peak memory of workers in a whole `find`: `python -m benchmarks.group.find_memory` is one that tells it."""

from __future__ import annotations

import json
import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import Any

import polars as pl

import pulink
from benchmarks.group.cost_runs import Run
from benchmarks.group.efficiency import generated
from pulink.data.read_options import ReadOptions
from pulink.distributed import task
from pulink.distributed.group.group import Group
from pulink.distributed.group.job import GroupTask, write_job
from pulink.distributed.local_executor import LocalWorkers
from pulink.distributed.worker import main
from pulink.graph.graph import Graph
from pulink.methods.pull.expected_graph import n_added_pairs
from pulink.methods.pull.sharded.fit import settings_of
from pulink.methods.pull.sharded.training import FIND
from pulink.predictor.sharded.find_job import GRAPH, FindPlan
from pulink.predictor.sharded.group_memory import GroupSizes, worker_bytes
from pulink.system.memory import peak_bytes, reset_peak
from pulink.workflows.sharded.prepare import prepare

MODULE = "benchmarks.group.find_memory"
task.HOMES.append(MODULE)

# And how many iterations.
MEMORY_RUNS = [
    (Run(300_000, 20, 16, 1, True), 2),
    (Run(1_000_000, 40, 16, 2, True), 2),
    (Run(1_000_000, 10, 0, 2, False), 2),
    (Run(1_000_000, 20, 128, 4, True), 2),
    (Run(3_000_000, 10, 0, 1, True), 2),
    (Run(1_000_000, 40, 16, 1, True), 10),
]


def estimate_mb(run: Run, n_nodes: int, n_edges: int, n_iterations: int) -> float:
    """What `find` would refuse by, for each worker."""
    n_added = n_added_pairs(n_edges, 0.05, n_iterations)
    sizes = GroupSizes(n_nodes, n_edges, run.n_features, False, 16, 2, run.n_workers, n_added)
    return worker_bytes(sizes, run.n_workers if run.shares_memory else 1) / 1e6


def find_peaks(run: Run, n_iterations: int) -> dict[str, Any]:
    """A graph in parts, iterations of two epochs, hidden edges, a refit, and a list."""
    graph = generated(run.n_edges, run.n_features, 2 * run.n_edges // run.mean_degree)
    model = pulink.PULL(max_iterations=n_iterations, n_epochs=2, stop=False, threads=1)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        edges, nodes = _parts(graph, folder)
        prepare(edges, nodes, ReadOptions(kind="undirected"), folder / GRAPH)
        plan = FindPlan(settings_of(model, graph, None).to_plain(), 0.1, True, 0, None, 1_000, None, 0.0)
        write_job(folder, FINDING, {"plan": asdict(plan), "shares_memory": run.shares_memory})
        executor = LocalWorkers(run.n_workers, MODULE)
        try:
            executor.together(folder, lambda: None)
        finally:
            executor.close()
        peaks = [json.loads((folder / f"peak-{rank}.json").read_text()) for rank in range(run.n_workers)]
    sizes = {"n_nodes": graph.n_nodes, "n_edges": graph.n_edges, "asked": run.n_edges}
    sizes["n_iterations"] = n_iterations
    estimate = estimate_mb(run, graph.n_nodes, graph.n_edges, n_iterations)
    return asdict(run) | sizes | {"peak_mb": [round(peak / 1e6) for peak in peaks], "estimate_mb": estimate}


def _parts(graph: Graph, folder: Path) -> tuple[Path, Path | None]:
    for name in ("edges", "nodes"):
        (folder / name).mkdir()
    ends = pl.DataFrame({"source": graph.edges[:, 0], "target": graph.edges[:, 1]})
    ends.write_parquet(folder / "edges" / "0.parquet")
    if graph.features is None:
        return folder / "edges", None
    columns = {f"x{k}": graph.features[:, k] for k in range(graph.n_features)}
    pl.DataFrame({"id": range(graph.n_nodes)} | columns).write_parquet(folder / "nodes" / "0.parquet")
    return folder / "edges", folder / "nodes"


def _find(folder: Path, plain: dict[str, Any], group: Group) -> None:
    group = group if plain["shares_memory"] else Group(shares_memory=False)
    reset_peak()
    FIND.function(folder, plain["plan"], group)
    (folder / f"peak-{group.rank}.json").write_text(json.dumps(peak_bytes()))


FINDING = GroupTask(MODULE, "FINDING", _find)

if __name__ == "__main__":
    main()
