"""An epoch against its limit: the sum of its bare sparse products and bare gathers, in one process."""

from __future__ import annotations

import numpy as np
import torch

import pulink
from benchmarks.measure import finish, median_seconds, own_arguments
from pulink.engine.autograd.sparse import SparseOperator, propagation_operator
from pulink.engine.random import stream_key
from pulink.engine.threads import use_threads
from pulink.methods.pull.estimator import PULL
from pulink.methods.pull.expected_graph import unchanged
from pulink.methods.pull.loop import Loop
from pulink.nn.inputs import scale_features
from pulink.persistence.checkpoints import NO_CHECKPOINTS
from pulink.predictor.fitting.fit_run import FitRun


def main() -> None:
    wanted = own_arguments()
    split = pulink.split(pulink.load(wanted["dataset"]), seed=0)
    figures = {}
    with use_threads(wanted["threads"]):
        loop = Loop(PULL(), split.train, None, FitRun.choosing(lambda _: None, NO_CHECKPOINTS))
        trainer = loop._new_trainer()
        expected = unchanged(split.train)
        for iteration in (1, 2):
            if iteration == 2:
                expected = loop.expect(2, trainer.embed(loop.observed))
            terms = loop._terms(expected, iteration)
            epoch = median_seconds(lambda terms=terms: trainer.train(terms, 1), 15)
            products = bare_products(split.train, expected.adjacency, iteration)
            reads, adds = bare_gathers(split.train, terms)
            figures[f"epoch_{iteration}"] = epoch
            figures[f"products_and_reads_{iteration}"] = products + reads
            figures[f"times_products_and_reads_{iteration}"] = epoch / (products + reads)
            figures[f"times_products_reads_and_adds_{iteration}"] = epoch / (products + reads + adds)
    finish(**figures)


def bare_products(train: pulink.Graph, adjacency: object, iteration: int) -> float:
    """X W and its transpose once; two propagations forward and two back for each graph of the epoch."""
    assert train.features is not None
    features = SparseOperator.from_scipy(scale_features(train.features, "rows"))
    weight, z = torch.randn(train.n_features, 16), torch.randn(train.n_nodes, 16)
    graphs = [train.adjacency] if iteration == 1 else [adjacency, train.adjacency]
    operators = [propagation_operator(graph) for graph in graphs]  # type: ignore[arg-type]
    seconds = median_seconds(lambda: features.times(weight), 15)
    seconds += median_seconds(lambda: features.transposed_times(z), 15)
    return seconds + sum(
        4 * median_seconds(lambda operator=operator: operator.times(z), 15) for operator in operators
    )


def bare_gathers(train: pulink.Graph, terms: list) -> tuple[float, float]:  # type: ignore[type-arg]
    """Fetching both ends of every pair of the epoch, and adding a row to each, by PyTorch's own operations."""
    z = torch.randn(train.n_nodes, 16)
    reads = adds = 0.0
    into = torch.zeros_like(z)
    for number, term in enumerate(terms):
        drawn = term.sampler.draw(term.n_non_edges, stream_key(0, number))
        ends = torch.from_numpy(np.concatenate([term.positives, drawn]).astype(np.int64))
        for side in (0, 1):
            nodes = ends[:, side].contiguous()
            rows = z.index_select(0, nodes)
            # Into memory that is there already: fresh pages would cost more than the gather.
            reads += median_seconds(lambda nodes=nodes, rows=rows: torch.index_select(z, 0, nodes, out=rows), 15)
            adds += median_seconds(lambda nodes=nodes, rows=rows: into.index_add_(0, nodes, rows), 7)
    return reads, adds


if __name__ == "__main__":
    main()
