"""One method on one split of one graph, in a process of its own: `python -m benchmarks.kinds.run '{...}'`."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

import pulink
from benchmarks.kinds.graphs import Table, read_graph
from benchmarks.kinds.measures import order_right, precision_at_k, recall_and_ndcg
from benchmarks.kinds.methods import fitted
from benchmarks.kinds.scorers import Scorer
from benchmarks.measure import finish, own_arguments
from pulink.graph.split import Split
from pulink.metrics import auroc


def figures(scorer: Scorer, split: Split) -> dict[str, float]:
    """Every measure of a fitted method on the test edges."""
    table = Table.of(split.train)
    hidden = table.matrix(split.test_edges)
    known = np.concatenate([split.train.edges, split.val_edges])
    found: dict[str, float] = {
        "auroc": auroc(scorer.score(split.test_edges), scorer.score(split.test_non_edges)),
        "precision": precision_at_k(scorer.best(len(split.test_edges), known), hidden),
    }
    if not split.train.is_directed:
        recall, ndcg = recall_and_ndcg(scorer.rows, table.closed(known), hidden)
        return found | {"recall_20": recall, "ndcg_20": ndcg}
    whole = np.concatenate([known, split.test_edges])
    backward = split.test_edges[:, ::-1]
    one_way = ~split.train.pair_space.isin(backward, whole)
    if one_way.any():
        there, back = scorer.score(split.test_edges[one_way]), scorer.score(backward[one_way])
        found |= {"order_right": order_right(there, back), "auroc_reverses": auroc(there, back)}
    return found | {"n_one_way": int(one_way.sum())}


def main() -> None:
    wanted: dict[str, Any] = own_arguments()
    graph = read_graph(wanted["dataset"])
    split = pulink.split(graph, val=0.1, test=0.1, seed=wanted["seed"])
    known = graph.keep_edges(~graph.pair_space.isin(graph.edges, split.test_edges))
    whole = replace(split, train=known, val_edges=split.val_edges[:0], val_non_edges=split.val_non_edges[:0])
    started = time.process_time()
    scorer = fitted(wanted["method"], wanted["dataset"], split, whole)
    seconds = time.process_time() - started
    measured = figures(scorer, split)
    finish(
        **measured,
        settings=scorer.settings,
        n_test=len(split.test_edges),
        fit_processor_seconds=round(seconds, 2),
        measure_processor_seconds=round(time.process_time() - started - seconds, 2),
    )


if __name__ == "__main__":
    main()
