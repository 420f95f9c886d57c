"""How many links are missing from real graphs of which so many were removed?

removed   the share of the edges that was taken away; that nothing was missing before is an assumption
guess     the share that `estimate_missing` tells, with the ends of its interval
"""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np

import pulink
from benchmarks.planted_answers import BRIEF
from pulink.data.catalog import datasets

GRAPHS = "chameleon", "ns", "usair", "router", "lastfm-asia", "twitch-ptbr", "celegans", "cora", "power"
SHARES = 0.05, 0.1, 0.2, 0.4


def one_graph(name: str, share: float) -> dict[str, Any]:
    whole = pulink.load(name)
    removed = np.random.default_rng(7).random(whole.n_edges) < share
    graph = whole.keep_edges(~removed)
    found = pulink.PULLPlus(threads=1, **BRIEF).fit(graph).estimate_missing()
    assert found is not None
    guess = {end: getattr(found, end) / (getattr(found, end) + graph.n_edges) for end in ("best", "low", "high")}
    covered = bool(found.low <= removed.sum() <= found.high)
    return {"graph": name, "removed": float(removed.mean()), **guess, "covered": covered}


def removed_links() -> dict[str, Any]:
    """The share of missing links that is told, where a known share was removed from a real graph."""
    known = datasets()
    tasks = [(name, share) for name in GRAPHS if known[name].available for share in SHARES]
    with ProcessPoolExecutor(2) as pool:
        return {"rows": list(pool.map(one_graph, *zip(*tasks, strict=True)))}
