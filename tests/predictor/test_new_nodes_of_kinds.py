"""Nodes that come after a fit, on directed, bipartite and typed graphs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import pulink
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, TYPED
from tests.support.planted_kinds import small_planted
from tests.support.quick import LEARNING, make

# A node of group 0, by its links: to sources and targets of it, to items, to proteins.
FIRST_LINKS = {
    DIRECTED: [("new", "0"), ("new", "2"), ("new", "4"), ("new", "6"), ("new", "8")],
    BIPARTITE: [("new", "30"), ("new", "32"), ("new", "34"), ("new", "36"), ("new", "38")],
    TYPED: [("new", "18"), ("new", "20"), ("new", "22"), ("new", "24"), ("new", "26")],
}
KINDS = tuple(FIRST_LINKS)
NAMES = ("pull", "pull-plus", "gcn-ce", "l3n", "ppr")
CASES = [(name, kind) for kind in KINDS for name in NAMES if kind in pulink.METHODS[name].predictor.kinds]


def nodes_of_its_group(kind: str) -> set[str]:
    """Whom the new node may well be linked with besides."""
    return {
        str(node)
        for node in ({DIRECTED: range(10, 40, 2), BIPARTITE: range(40, 54, 2), TYPED: range(28, 36, 2)}[kind])
    }


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_new_node_gets_links_of_its_kind_and_others_keep_theirs(name: str, kind: str, tmp_path: Path) -> None:
    graph = small_planted(kind)
    model = make(name, LEARNING).fit(graph)
    grown = model.with_nodes(["new"], FIRST_LINKS[kind])
    node = graph.n_nodes
    assert (grown.graph_.kind, grown.graph_.n_nodes) == (kind, node + 1)
    assert grown.graph_.n_edges == graph.n_edges + 5
    assert grown.graph_.has_edges(np.array([[node, int(end)] for _, end in FIRST_LINKS[kind]])).all()
    links = grown.suggest("new", 10**6)
    ends = [
        [node if end == "new" else int(end) for end in pair] for pair in links.select("source", "target").rows()
    ]
    assert grown.graph_.pair_space.allowed(np.array(ends)).all()
    assert sorted(map(tuple, ends)) == sorted(map(tuple, grown.graph_.open_pairs(node).tolist()))
    from_it = [pair[1] for pair in links.select("source", "target").rows() if pair[0] == "new"]
    near = nodes_of_its_group(kind)
    assert len(near & {*from_it[: len(near)]}) > 0.6 * len(near)
    best, _ = grown.best_pairs(10**6)
    assert len(best) == grown.graph_.n_pairs - grown.graph_.n_edges
    grown.save(tmp_path / "grown")
    assert pulink.load_model(tmp_path / "grown").suggest("new", 20).equals(grown.suggest("new", 20))


@pytest.mark.parametrize("name", ["pull", "pull-plus"])
def test_a_link_to_a_new_node_runs_as_it_is_written(name: str) -> None:
    model = make(name, LEARNING).fit(small_planted(DIRECTED))
    later = model.with_nodes(["new"], FIRST_LINKS[DIRECTED])
    earlier = model.with_nodes(["new"], [pair[::-1] for pair in FIRST_LINKS[DIRECTED]])
    assert later.graph_.edges.tolist() != earlier.graph_.edges.tolist()
    pairs = np.array([[40, 10], [40, 12], [40, 14]])
    ahead = later.decision_function(pairs) - later.decision_function(pairs[:, ::-1])
    behind = earlier.decision_function(pairs) - earlier.decision_function(pairs[:, ::-1])
    assert ahead.mean() > behind.mean()
