"""Pictures of the results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib as mpl

mpl.use("Agg")
import matplotlib.pyplot as plt


def draw_pyg(result: dict[str, Any], path: Path) -> None:
    """How many times as fast an outer iteration is, by dataset and rival."""
    rows = result["rows"]
    figure, axes = plt.subplots(figsize=(7, 3.6), layout="constrained")
    rivals = (
        (-0.27, "dense", "PyG, best of all N x N cells"),
        (0.0, "authors", "PyG, the authors' E-step"),
        (0.27, "hubs", "PyG, hub rows only"),
    )
    for offset, rival, label in rivals:
        places = [k + offset for k, row in enumerate(rows) if f"times_{rival}" in row]
        values = [row[f"times_{rival}"] for row in rows if f"times_{rival}" in row]
        bars = axes.bar(places, values, width=0.25, label=label)
        axes.bar_label(bars, fmt="%.0f x")
    axes.axhline(1, color="black", linewidth=0.8)
    axes.set_xticks(range(len(rows)), [row["dataset"] for row in rows])
    axes.set_ylabel("rival's time / pulink's time")
    axes.set_title(f"One outer iteration of PULL (200 epochs and an E-step), {result['threads']} thread")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    plt.close(figure)


def draw_growth(result: dict[str, Any], path: Path) -> None:
    """Seconds and memory over the number of edges."""
    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
    for n_features, style in ((0, "o-"), (128, "s--")):
        rows = [row for row in result["rows"] if row["n_features"] == n_features and "failed" not in row]
        edges = [row["n_edges"] for row in rows]
        kind = f"{n_features} features" if n_features else "no features"
        for measure, label, colour in (("epoch_2", "epoch", "C0"), ("e_step", "E-step", "C1")):
            left.loglog(edges, [row[measure] for row in rows], style, color=colour, label=f"{label}, {kind}")
        right.loglog(edges, [row["peak_mb"] / 1000 for row in rows], style, color="C2", label=kind)
    left.set(xlabel="edges", ylabel="seconds", title="Time in the second iteration")
    right.set(xlabel="edges", ylabel="GB", title="Peak memory")
    for axes in (left, right):
        axes.legend(frameon=False, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=130)
    plt.close(figure)
