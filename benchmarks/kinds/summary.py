"""Tables of the runs: mean and spread over the splits, and in how many of them ours is ahead."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.kinds.methods import FIRST_OF_OURS

MEASURES = {
    "auroc": "AUROC",
    "precision": "precision@K",
    "order_right": "order right",
    "auroc_reverses": "AUROC against reverses",
    "recall_20": "Recall@20",
    "ndcg_20": "NDCG@20",
}
_INTRODUCTION = f"""# Directed and two-sided graphs

Made by `python -m benchmarks kinds`: a tenth of the edges is hidden as test edges, and every method learns from
all others. Rivals choose their settings by a tenth of these, and are then fitted again to all of them; ours choose
by edges that they hide themselves. One thread, every method on the same splits. Mean ± standard deviation over the
splits; after it, in how many of the splits that both have {FIRST_OF_OURS} is ahead of the method.
"""

Run = dict[str, Any]


def means(runs: list[Run]) -> list[dict[str, Any]]:
    """A row for each graph and method."""
    rows = []
    for graph in _names(runs, "dataset"):
        of_graph = [run for run in runs if run["dataset"] == graph]
        leader = {run["seed"]: run for run in of_graph if run["method"] == FIRST_OF_OURS}
        for method in _names(of_graph, "method"):
            chosen = [run for run in of_graph if run["method"] == method]
            row: dict[str, Any] = {"dataset": graph, "method": method, "n_splits": len(chosen)}
            for measure in MEASURES:
                row |= _of_measure(measure, chosen, {} if method == FIRST_OF_OURS else leader)
            seconds = [run["fit_processor_seconds"] for run in chosen]
            rows.append(row | {"fit_processor_seconds": float(np.mean(seconds))})
    return rows


def _of_measure(measure: str, runs: list[Run], leader: dict[int, Run]) -> dict[str, Any]:
    """Mean, deviation and lost splits of a method by one measure; nothing where it was not measured."""
    values = [run[measure] for run in runs if measure in run]
    if not values:
        return {}
    spread = float(np.std(values, ddof=1)) if len(values) > 1 else 0.0
    both = [(leader[run["seed"]][measure], run[measure]) for run in runs if run["seed"] in leader]
    ahead = {f"{measure}_ours_ahead": f"{sum(a > b for a, b in both)}/{len(both)}"} if both else {}
    return {measure: float(np.mean(values)), f"{measure}_spread": spread} | ahead


def _names(runs: list[Run], key: str) -> list[str]:
    return list(dict.fromkeys(run[key] for run in runs))


def markdown(runs: list[Run]) -> str:
    """A table for each graph."""
    rows, parts = means(runs), [_INTRODUCTION]
    for graph in _names(runs, "dataset"):
        of_graph = [row for row in rows if row["dataset"] == graph]
        shown = [measure for measure in MEASURES if any(measure in row for row in of_graph)]
        lines = [
            f"## {graph}\n",
            "| method | splits | " + " | ".join(MEASURES[m] for m in shown) + " | processor seconds of the fit |",
            "|---|---|" + "---|" * (len(shown) + 1),
        ]
        lines += [_line(row, shown) for row in of_graph]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def _line(row: dict[str, Any], shown: list[str]) -> str:
    cells = []
    for measure in shown:
        if measure not in row:
            cells.append("")
            continue
        ahead = row.get(f"{measure}_ours_ahead")
        cells.append(f"{row[measure]:.4f} ± {row[f'{measure}_spread']:.4f}" + (f" ({ahead})" if ahead else ""))
    seconds = f"{row['fit_processor_seconds']:.1f}"
    return f"| {row['method']} | {row['n_splits']} | " + " | ".join(cells) + f" | {seconds} |"
