"""Self-loops among the test edges."""

from __future__ import annotations

import numpy as np

import pulink
from pulink.experiments.self_loops import with_test_loops
from pulink.graph.split import audit
from tests.support.planted import planted_graph


def test_a_share_of_the_loops_joins_the_test_edges_with_as_many_non_edges() -> None:
    graph = planted_graph(40, 3, 0.3, 0.02, seed=0)
    data = pulink.split(graph, seed=0)
    nodes = np.arange(10, 50)
    looped = with_test_loops(data, nodes, 0.1, seed=0)
    added = looped.test_edges[len(data.test_edges) :]
    assert (added[:, 0] == added[:, 1]).all()
    assert len(set(added[:, 0].tolist())) == 4
    assert set(added[:, 0].tolist()) <= set(nodes.tolist())
    more = looped.test_non_edges[len(data.test_non_edges) :]
    assert len(more) == 4
    assert not graph.has_edges(more).any()
    audit(looped)


def test_an_inner_product_gets_loops_right() -> None:
    """So they lift its score, the more of them there are."""
    data = pulink.split(planted_graph(40, 3, 0.3, 0.02, seed=0), seed=0)
    model = pulink.GCNCE(max_epochs=60, min_epochs=0, seed=0).fit(data)
    plain = model.score(data)["auroc"]
    looped = model.score(with_test_loops(data, np.arange(data.train.n_nodes), 1.0, seed=0))["auroc"]
    assert looped > plain
