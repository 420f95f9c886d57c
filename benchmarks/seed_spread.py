"""How much of what `find` says of a small graph hangs on its seed?

Each process fits a graph as `find` does, with one seed, and gives the best pairs and the probabilities of all.
Over seeds:

    deviation  standard deviation of the probability, mean over the 20 pairs that are best in the mean; largest
    shared     how many of their 20 best pairs two lists share: the fewest, and the mean; and all lists together
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import networkx
import numpy as np

import pulink
from benchmarks.measure import finish, own_arguments

GRAPHS = ("les-miserables", "usair", "celegans")
_BEST = 20


def graph_of(name: str) -> pulink.Graph:
    if name == "les-miserables":
        return pulink.from_networkx(networkx.les_miserables_graph())
    return pulink.load(name)


def one_seed(name: str, seed: int) -> dict[str, Any]:
    graph = graph_of(name)
    model = pulink.PULLPlus(seed=seed, threads=1).fit(graph)
    missing = model.estimate_missing()
    pairs = graph.pair_space.unconnected(graph.adjacency)
    best, _ = model.best_pairs(_BEST)
    return {
        "n_splits": model.splits_for(graph),
        "missing": None if missing is None else missing.best,
        "best": graph.pair_space.codes(best).tolist(),
        "probabilities": model.predict_proba(pairs).tolist(),
    }


def spread(runs: list[dict[str, Any]]) -> dict[str, Any]:
    """Over runs of several seeds."""
    probabilities = np.array([run["probabilities"] for run in runs])
    chosen = np.argsort(-probabilities.mean(axis=0), kind="stable")[:_BEST]
    deviations = probabilities[:, chosen].std(axis=0, ddof=1)
    lists = [set(run["best"]) for run in runs]
    shared = [len(one & other) for one, other in combinations(lists, 2)]
    return {
        "n_splits": runs[0]["n_splits"],
        "missing": [run["missing"] for run in runs],
        "deviation": float(deviations.mean()),
        "deviation_largest": float(deviations.max()),
        "shared_fewest": min(shared),
        "shared_mean": float(np.mean(shared)),
        "shared_by_all": len(set.intersection(*lists)),
    }


def main() -> None:
    wanted = own_arguments()
    finish(**one_seed(str(wanted["dataset"]), int(wanted["seed"])))


if __name__ == "__main__":
    main()
