"""The cost model: measured, fitted, checked against runs that were held back, and told for larger graphs."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from benchmarks.group.cost_changes import changes
from benchmarks.group.cost_model import (
    Network,
    Places,
    Prices,
    clock_parts,
    fit,
    outer_iteration,
    ratios,
    told_processor,
    work_of,
    worker_memory,
)
from benchmarks.group.cost_runs import HELD_BACK, fitted_runs, measured_network, measured_run
from benchmarks.group.cost_terms import Work, epoch_bytes, exchange_bytes
from benchmarks.group.find_memory import MEMORY_RUNS, find_peaks
from benchmarks.group.told_tables import CHANGED, EDGES, MACHINES, NETWORKS, WORKERS

Row = dict[str, Any]

# Ten million nodes and more: twenty neighbours each.
_DEGREE, _N_FEATURES, _PER_MACHINE = 20, 128, 8
_NAMES = ("epoch_1", "epoch_2", "e_step")


def group_cost() -> dict[str, Any]:
    """A cost model of PULL in groups: fitted to runs, held against others, told for 1e9 and 1e10 edges."""
    networks = [measured_network(n) for n in (2, 4)]
    rows = [measured_run(run) | {"held_back": False} for run in fitted_runs()]
    rows += [measured_run(run) | {"held_back": True} for run in HELD_BACK]
    return concluded(rows, networks, [find_peaks(*run) for run in MEMORY_RUNS])


def concluded(rows: list[Row], networks: list[Row], peaks: list[Row]) -> dict[str, Any]:
    """Whatever follows from what was measured."""
    learned, held = ([row for row in rows if row["held_back"] is back] for back in (False, True))
    prices = fit(learned)
    spread = measured_spread(learned)
    return {
        "rows": rows,
        "networks": networks,
        "peaks": peaks,
        "prices": prices.to_json(),
        "spread": spread,
        "fit": _quality(learned, prices),
        "held_back": [_checked(row, prices) for row in held],
        "told": told(prices, networks, spread),
        "changes": [
            {
                "n_edges": n_edges,
                "n_workers": n_workers,
                "rows": told_changes(n_edges, n_workers, prices, networks, spread),
            }
            for n_edges, n_workers in CHANGED
        ],
    }


def measured_spread(rows: list[Row]) -> float:
    """Relative standard deviation of workers' processor seconds, from the slowest of two or four."""
    expected = {2: 0.564, 4: 1.029}
    found = [
        (row[f"{name}_slowest"] / row[f"{name}_processor"] - 1) / expected[row["n_workers"]]
        for row in rows
        for name in ("epoch_1", "epoch_2")
        if row["n_workers"] > 1
    ]
    return float(np.median(found))


def _quality(rows: list[Row], prices: Prices) -> dict[str, Any]:
    found = ratios(rows, prices)
    off = np.abs(np.log(found))
    return {
        name: {"median": float(np.exp(np.median(off[:, k]))), "worst": float(np.exp(off[:, k].max()))}
        for k, name in enumerate(_NAMES)
    } | {"n_runs": len(rows)}


def _checked(row: Row, prices: Prices) -> Row:
    """What was told of a run that was held back, beside what was measured."""
    work, processor = work_of(row), told_processor(row, prices)
    found: Row = {"asked": row["asked"], "n_workers": row["n_workers"], "shares_memory": row["shares_memory"]}
    found |= {"mean_degree": row["mean_degree"], "n_features": row["n_features"]}
    for name in _NAMES:
        found[f"{name}_processor"] = row[f"{name}_processor"]
        found[f"{name}_processor_told"] = processor[name]
    for t in (1, 2):
        found[f"epoch_{t}_bytes"] = row[f"epoch_{t}_sent"]
        found[f"epoch_{t}_bytes_told"] = epoch_bytes(work, t)
    return found


def told(prices: Prices, networks: list[Row], spread: float) -> list[Row]:
    """Of graphs that were never run here."""
    per_process = networks[0]["publish_1048576"]["bytes_per_second"]
    found = []
    for n_edges in EDGES:
        for n_workers in WORKERS:
            for name, bytes_per_second in NETWORKS.items():
                work = Work(2 * n_edges // _DEGREE, n_edges, _N_FEATURES, n_workers, _PER_MACHINE)
                network = Network(bytes_per_second, MACHINES["latency"], per_process)
                places = Places(spread, MACHINES["between_failures"], MACHINES["recovery"], MACHINES["storage"])
                first = outer_iteration(work, prices, network, places, iteration=1)
                second = outer_iteration(work, prices, network, places)
                parts = {part: second[part] for part in _PARTS} | {
                    "checkpoints": second["checkpoints"] / 200,
                    "restarts": second["restarts"] / 200,
                }
                found.append(
                    {
                        "n_edges": n_edges,
                        "n_nodes": work.n_nodes,
                        "n_features": _N_FEATURES,
                        "n_workers": n_workers,
                        "n_machines": work.n_machines,
                        "network": name,
                        "epoch_1": first["epoch"],
                        "epoch_2": second["epoch"],
                        "e_step": second["e_step"],
                        "outer_iteration": second["seconds"],
                        "checkpoints": second["checkpoints"],
                        "one_restart": second["one_restart"],
                        "restarts": second["restarts"],
                        "parts": parts,
                        "bottleneck": max(parts, key=lambda part: parts[part]),
                        "sent_per_machine": work.n_publishes(2) * exchange_bytes(work),
                        "sent_per_worker": epoch_bytes(work, 2),
                        "worker_bytes": worker_memory(work),
                    }
                )
    return found


def told_changes(n_edges: int, n_workers: int, prices: Prices, networks: list[Row], spread: float) -> list[Row]:
    """On the faster network."""
    bytes_per_second = list(NETWORKS.values())[-1]
    per_process = networks[0]["publish_1048576"]["bytes_per_second"]
    work = Work(2 * n_edges // _DEGREE, n_edges, _N_FEATURES, n_workers, _PER_MACHINE)
    network = Network(bytes_per_second, MACHINES["latency"], per_process)
    parts = clock_parts(work, 2, prices, network, Places(spread, 1, 0, 1))
    return changes(work, parts, min(bytes_per_second, per_process * _PER_MACHINE))


_PARTS = ("computing", "drawing counters", "slowest worker", "exchanging rows", "messages")


def main() -> None:
    """Conclude anew from what was measured: `python -m benchmarks.group.cost_told`."""
    from benchmarks.__main__ import RESULTS
    from pulink.system.files import write_atomically

    path = RESULTS / "group-cost.json"
    before = json.loads(path.read_text())
    found = before | concluded(before["rows"], before["networks"], before["peaks"])
    write_atomically(path, json.dumps(found, indent=1) + "\n")


if __name__ == "__main__":
    main()
