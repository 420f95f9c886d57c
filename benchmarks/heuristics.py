"""Ten million random pairs by a heuristic, against NetworkX on a sample of them, and the best of all pairs.

Ratios are of processor time, which other work on the machine disturbs less than the clock.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import networkx as nx
import numpy as np
import numpy.typing as npt

from benchmarks.measure import finish, own_arguments
from pulink.data.catalog import load
from pulink.engine.random import random_words, stream_key
from pulink.graph.graph import Graph
from pulink.methods.registry import method

Pairs = npt.NDArray[np.int64]

_SOURCES = 3
_SMALL = Graph.from_edges([[0, 1], [1, 2], [2, 3], [3, 4], [4, 0]])
# NetworkX knows no Katz score of pairs, and no walks of three steps.
_RIVALS: dict[str, Callable[..., Any]] = {
    "adamic-adar": nx.adamic_adar_index,
    "resource-allocation": nx.resource_allocation_index,
    "jaccard": nx.jaccard_coefficient,
    "preferential-attachment": nx.preferential_attachment,
}


def random_pairs(n_nodes: int, count: int) -> Pairs:
    """Pairs of different nodes."""
    first, step = (random_words(stream_key(0, "pairs", end), count) for end in ("first", "step"))
    low = first % np.uint64(n_nodes)
    high = (low + np.uint64(1) + step % np.uint64(n_nodes - 1)) % np.uint64(n_nodes)
    return np.stack([low, high], axis=1).astype(np.int64)


def in_networkx(graph: Graph) -> nx.Graph:
    theirs = nx.Graph()
    theirs.add_nodes_from(range(graph.n_nodes))
    theirs.add_edges_from(graph.edges.tolist())
    return theirs


def rival_scores(name: str, theirs: nx.Graph, pairs: Pairs) -> list[float] | None:
    """What NetworkX gives for the pairs; None if it has no such score."""
    if name == "common-neighbours":
        return [float(len(list(nx.common_neighbors(theirs, i, j)))) for i, j in pairs.tolist()]
    if name not in _RIVALS:
        return None
    return [float(score) for _, _, score in _RIVALS[name](theirs, pairs.tolist())]


def timed(call: Callable[[], Any]) -> tuple[Any, float, float]:
    """The result, and the seconds that it took by the clock and of the processor."""
    clock, processor = time.perf_counter(), time.process_time()
    result = call()
    return result, time.perf_counter() - clock, time.process_time() - processor


def rival_pagerank(theirs: nx.Graph) -> None:
    """At NetworkX's own tolerance: 1e-6 for each node, on average."""
    for source in range(_SOURCES):
        nx.pagerank(theirs, alpha=0.85, personalization={source: 1})


def main() -> None:
    wanted = own_arguments()
    name, n_pairs, sample = wanted["method"], wanted["n_pairs"], wanted["sample"]
    graph = load(wanted["dataset"])
    pairs = random_pairs(graph.n_nodes, n_pairs)
    model = method(name).make(threads=wanted["threads"]).fit(graph)
    # Kernels compile, or load, before the clock starts.
    model.decision_function(pairs[:16])
    type(model)().fit(_SMALL).best_pairs(3)
    scores, seconds, processor = timed(lambda: model.decision_function(pairs))
    (found, searched), best_seconds, best_processor = timed(lambda: model.best_pairs(wanted["k"]))
    assert len(found) == wanted["k"]
    figures: dict[str, Any] = {"seconds": seconds, "processor": processor, "searched": str(searched)}
    figures |= {"best_seconds": best_seconds, "best_processor": best_processor}
    theirs = in_networkx(graph)
    if name == "ppr":
        # Ten million pairs need every node as a source, here as there.
        rival = timed(lambda: rival_pagerank(theirs))[2] / _SOURCES
        figures |= {"networkx_per_source": rival, "times": rival / (processor / graph.n_nodes)}
    else:
        expected, _, rival = timed(lambda: rival_scores(name, theirs, pairs[:sample]))
        if expected is not None:
            np.testing.assert_allclose(scores[:sample], expected, rtol=1e-9)
            figures |= {"networkx_per_pair": rival / sample, "times": rival / sample / (processor / n_pairs)}
    finish(**figures)


if __name__ == "__main__":
    main()
