"""What changes of the code would bring, by the cost model: each on top of those before it."""

from __future__ import annotations

import math
from typing import Any

from benchmarks.group.cost_terms import Work, exchange_bytes

# Of the exchanges of a term, this one brings embeddings, which non-edges need of any nodes.
_NON_EDGES = 1


def changes(work: Work, parts: dict[str, float], network_speed: float) -> list[dict[str, Any]]:
    """Seconds of an epoch of the second iteration; parts: of the epoch as it is."""
    publishes = work.n_publishes(2)
    found = [_told("as it is", parts)]
    parts = parts | {"exchanging rows": publishes * exchange_bytes(work) / network_speed}
    found.append(_told("all workers of a machine send", parts))
    # The counters of a pair of shards, by whoever owns the first.
    before = parts["computing"] + parts["drawing counters"]
    fewer = parts["drawing counters"] / work.n_workers
    slowest = parts["slowest worker"] * (parts["computing"] + fewer) / before
    parts = parts | {"drawing counters": fewer, "slowest worker": slowest}
    found.append(_told("each worker draws its own counters", parts))
    parts = parts | {"exchanging rows": parts["exchanging rows"] / 2}
    found.append(_told("rows as bfloat16", parts))
    # Of a graph without communities: a node is needed unless none of a machine's entries is it.
    needed = 1 - math.exp(-2 * work.n_edges / work.n_nodes / work.n_machines)
    n_kept = work.n_terms(2) * _NON_EDGES
    moved = (n_kept + (publishes - n_kept) * needed) / publishes
    parts = parts | {"exchanging rows": parts["exchanging rows"] * moved}
    found.append(_told(f"only rows of neighbours ({needed:.0%} of all, without communities)", parts))
    overlapped = max(0.0, parts["exchanging rows"] - parts["computing"] / 2)
    found.append(_told("exchanging while half of the rest is computed", parts | {"exchanging rows": overlapped}))
    return found


def _told(change: str, parts: dict[str, float]) -> dict[str, Any]:
    return {"change": change, "seconds": sum(parts.values()), "exchanging": parts["exchanging rows"]}
