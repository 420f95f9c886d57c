"""How PULL+ grows with a graph without attributes: `find` in a process of its own, by part, and what it finds.

A tenth of the edges is hidden from a graph of communities (`community_graph`). `find` learns from what is left,
lists links and gives reasons; then it is seen how far up the hidden edges stand.
"""

from __future__ import annotations

import sys
import time
from typing import Any

import numpy as np

import pulink
from benchmarks.community_graph import community_graph
from benchmarks.measure import finish, in_own_process, own_arguments
from benchmarks.plus_parts import Clock
from pulink import metrics
from pulink.graph.split import split
from pulink.predictor.costs import cost_of
from pulink.system.memory import peak_bytes, resident_bytes
from pulink.workflows.finding import output as find_output

# Edges, and nodes: a mean degree of 10, and one of 100.
SIZES = ((10**5, 20_000), (3 * 10**5, 60_000), (10**6, 200_000), (10**5, 2_000), (10**6, 20_000))
LARGE = (10**7, 2_000_000)
# Parts whose growth is told, where they take as many seconds on the largest graph.
LEAST_SECONDS = 1.0


def plus_growth() -> dict[str, Any]:
    """`find` by PULL+ on graphs of up to 1e6 edges (--large: 1e7), by part, memory and hidden edges found."""
    sizes = [*SIZES, *([LARGE] if "--large" in sys.argv else [])]
    rows = [
        {"asked": n_edges} | in_own_process("benchmarks.plus_growth", 1, n_edges=n_edges, n_nodes=n_nodes)
        for n_edges, n_nodes in sizes
    ]
    return {"rows": rows, "exponents": exponents([row for row in rows if "failed" not in row])}


def exponents(rows: list[dict[str, Any]]) -> dict[str, float]:
    """Of each part and of the whole: the slope of log(seconds) over log(edges), at a mean degree of 10."""
    sparse = sorted((row for row in rows if row["n_edges"] < 20 * row["n_nodes"]), key=lambda row: row["n_edges"])
    if len(sparse) < 2:
        return {}
    edges = np.log([row["n_edges"] for row in sparse])
    taken = {"total": [row["total"] for row in sparse], "peak_mb": [row["peak_mb"] for row in sparse]}
    taken |= {part: [row["parts"][part] for row in sparse] for part in sparse[-1]["parts"]}
    return {
        part: float(np.polyfit(edges, np.log(seconds), 1)[0])
        for part, seconds in taken.items()
        if min(seconds) > 0 and seconds[-1] >= LEAST_SECONDS
    }


def main() -> None:
    wanted = own_arguments()
    settings = wanted.get("settings", {}) | {"threads": wanted["threads"]}
    held = split(community_graph(wanted["n_edges"], wanted["n_nodes"]), val=0.0, test=0.1, seed=0)
    graph = held.train
    pulink.PULLPlus(**settings).fit(community_graph(600, 150))
    before = resident_bytes()
    model = pulink.PULLPlus(**settings)
    cost = cost_of(model, graph)
    clock = Clock()
    clock.watch()
    started = time.process_time(), time.perf_counter()
    model.fit(graph)
    model.estimate_missing()
    found, _ = model.search_links(100)
    find_output.reasons(model, found)
    total, wall = time.process_time() - started[0], time.perf_counter() - started[1]
    parts = {**clock.seconds, "all else": total - sum(clock.seconds.values())}
    figures = {"peak": peak_bytes(), "estimated": None if cost is None else before + cost.n_bytes}
    figures |= {"estimated_seconds": None if cost is None else cost.seconds}
    scores = [model.decision_function(pairs) for pairs in (held.test_edges, held.test_non_edges)]
    best, _ = model.best_pairs(len(held.test_edges))
    figures |= {"auroc": metrics.auroc(*scores), "auprc": metrics.auprc(*scores)}
    figures |= {"precision": metrics.precision_at(best, held.test_edges, graph.pair_space)}
    figures |= {"average_precision": metrics.list_precision(best, held.test_edges, graph.pair_space)}
    finish(
        n_nodes=graph.n_nodes, n_edges=graph.n_edges, parts=parts, total=total, wall=wall,
        recall=model.recall_, bare=before, graph=0, n_steps=model.n_steps_, sizes=model.sizes(graph), **figures,
    )  # fmt: skip


if __name__ == "__main__":
    main()
