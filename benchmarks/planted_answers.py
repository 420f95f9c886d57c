"""Are the answers right where the truth is known? How many links are missing, and how far down the list to go.

    coverage   the share of runs whose 90% interval holds the number of removed links
    false      the realised share of false links in the list of --fdr, 0 where it is empty
    found      true links in that list, beside those of the longest list of the same ranking with no larger share

Each graph is asked twice: by default, where the best pairs tell which share of the links is missing, and with the
true share. The first seeds chose what is believed beforehand (`pulink.calibration.missing_links`), so others are
measured.
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import pulink
from benchmarks.planted_families import FAMILIES, Planted, planted

LEVELS = (0.1, 0.2)
FIRST = 20
# As good as the defaults on graphs of this size, in a third of the time.
BRIEF = {"n_epochs": 60, "n_trees": 80}


def one_graph(family: str, seed: int) -> list[dict[str, Any]]:
    """What is answered by default, and if the share of missing links is known."""
    truth = planted(family, seed)
    model = pulink.PULLPlus(seed=seed, threads=1, **BRIEF).fit(truth.graph)
    about = {"family": family, "seed": seed, "removed": truth.share}
    return [
        about | {"known": known} | _answers(model.assuming(truth.share) if known else model, truth)
        for known in (False, True)
    ]


def _answers(model: pulink.PULLPlus, truth: Planted) -> dict[str, Any]:
    graph, estimate = truth.graph, model.estimate_missing()
    assert estimate is not None
    pairs, _ = model.best_pairs(graph.n_pairs - graph.n_edges)
    right = np.cumsum(graph.pair_space.isin(pairs, truth.removed))
    false_shares = 1 - right / np.arange(1, len(right) + 1)
    found: dict[str, Any] = {"n_removed": len(truth.removed), **estimate.to_dict()}
    for level in LEVELS:
        length = model.missing_links(fdr=level).height
        allowed = np.flatnonzero(false_shares <= level)
        found[f"fdr_{level}"] = {
            "length": length,
            "false": float(false_shares[length - 1]) if length else 0.0,
            "found": int(right[length - 1]) if length else 0,
            "best": int(right[allowed[-1]]) if len(allowed) else 0,
        }
    return found


def planted_answers(seeds: int = 20, first: int = FIRST) -> dict[str, Any]:
    """Coverage of intervals and false shares of trusted lists where the truth is known."""
    tasks = [(family, seed) for family in FAMILIES for seed in range(first, first + seeds)]
    with ProcessPoolExecutor(2) as pool:
        rows = [row for graph_rows in pool.map(one_graph, *zip(*tasks, strict=True)) for row in graph_rows]
    return {
        "rows": rows,
        "summary": [_summary(rows, family, known) for known in (False, True) for family in (*FAMILIES, "all")],
    }


def _summary(rows: list[dict[str, Any]], family: str, known: bool) -> dict[str, Any]:
    chosen = [row for row in rows if row["known"] == known and family in (row["family"], "all")]
    covered = [row["low"] <= row["n_removed"] <= row["high"] for row in chosen]
    guessed = [row["best"] / row["n_removed"] for row in chosen]
    summary: dict[str, Any] = {"family": family, "known": known}
    if not known:
        summary |= {"coverage": float(np.mean(covered)), "guess_over_truth": float(np.median(guessed))}
    for level in LEVELS:
        lists = [row[f"fdr_{level}"] for row in chosen]
        summary[f"false_{level}"] = float(np.mean([one["false"] for one in lists]))
        summary[f"found_{level}"] = sum(one["found"] for one in lists)
        summary[f"best_{level}"] = sum(one["best"] for one in lists)
    return summary
