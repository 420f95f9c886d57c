"""Links that people accepted: edges like others, but apart from recorded ones wherever edges are hidden."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.split import split_part
from pulink.methods.pull_plus.training_set import _Folds
from pulink.persistence.checkpoints import fit_key
from pulink.persistence.stored_graph import graph_arrays, graph_of_arrays
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 2, 0.4, 0.02, seed=3)
FREE = np.array([[i, j] for i in range(40) for j in range(i) if not GRAPH.has_edges(np.array([[i, j]]))[0]])
MORE = GRAPH.with_accepted(FREE[:25])


def test_accepted_pairs_are_edges() -> None:
    assert MORE.has_edges(FREE[:25]).all()
    assert (MORE.n_edges, MORE.n_accepted, MORE.n_recorded) == (GRAPH.n_edges + 25, 25, GRAPH.n_edges)
    assert np.array_equal(MORE.edges[MORE.recorded], GRAPH.edges)
    assert np.array_equal(MORE.pair_space.unique(MORE.edges), MORE.edges)
    twice = MORE.with_accepted(FREE[20:30])
    assert (twice.n_accepted, twice.n_edges) == (30, GRAPH.n_edges + 30)


def test_an_edge_may_be_accepted_too() -> None:
    found = GRAPH.with_accepted(GRAPH.edges[:2])
    assert (found.n_edges, found.n_accepted) == (GRAPH.n_edges, 2)
    assert GRAPH.with_accepted([]) is GRAPH


def test_what_cannot_be_a_link_is_refused() -> None:
    with pytest.raises(InputError, match="cannot be linked"):
        GRAPH.with_accepted(np.array([[3, 3]]))
    with pytest.raises(InputError, match="is known to be no link"):
        GRAPH.with_absent(FREE[:1]).with_accepted(FREE[:1])


def test_weights_and_times_are_the_median() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 3]], weights=[1.0, 2.0, 9.0], times=[5.0, 7.0, 1.0])
    more = graph.with_accepted([(0, 3)])
    place = more.edges.tolist().index([0, 3])
    assert more.weights is not None
    assert more.times is not None
    assert more.weights[place] == 2.0
    assert more.times.first[place] == 5.0
    assert more.times.first[more.recorded].tolist() == graph.times.first.tolist()  # type: ignore[union-attr]


@pytest.mark.parametrize("seed", range(5))
def test_no_split_hides_them(seed: int) -> None:
    for held in (*(split_part(MORE, 0.1, part, seed) for part in range(10)), pulink.split(MORE, seed=seed)):
        assert not MORE.pair_space.isin(held.hidden_edges, FREE[:25]).any()
        assert held.train.n_accepted == 25
    plain, more = split_part(GRAPH, 0.2, 1, seed), split_part(MORE, 0.2, 1, seed)
    assert np.array_equal(plain.val_edges, more.val_edges)


@pytest.mark.parametrize("seed", range(5))
def test_no_fold_of_the_trees_hides_them(seed: int) -> None:
    folds = _Folds(MORE, None, None, pulink.PULLPlus(n_folds=4, seed=seed)._settings(), False)  # type: ignore[arg-type]
    for fold in range(4):
        left, hidden = folds._hidden_in(fold)
        assert not MORE.pair_space.isin(hidden, FREE[:25]).any()
        assert left.has_edges(FREE[:25]).all()


def test_a_split_by_time_hides_none_of_them() -> None:
    graph = Graph.from_edges([[k, k + 1] for k in range(30)], times=range(30)).with_accepted([(0, 5), (7, 20)])
    held = pulink.split(graph, by="time")
    assert len(held.test_edges) == 3
    assert not graph.pair_space.isin(held.hidden_edges, graph.accepted).any()  # type: ignore[arg-type]


def test_they_go_along_with_their_edges() -> None:
    keep = np.ones(MORE.n_edges, dtype=np.bool_)
    assert MORE.keep_edges(keep).n_accepted == 25
    assert MORE.keep_edges(MORE.pair_space.isin(MORE.edges, GRAPH.edges)).accepted is None
    assert MORE.with_absent(FREE[30:33]).n_accepted == 25


def test_they_are_stored_and_checked() -> None:
    arrays = graph_arrays(MORE)
    back = graph_of_arrays(arrays, 40, 0, None, None, 0)
    assert np.array_equal(back.accepted, MORE.accepted)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="its accepted links are no edges"):
        graph_of_arrays(arrays | {"accepted": GRAPH.pair_space.unique(FREE[30:31])}, 40, 0, None, None, 0)
    assert "accepted" not in graph_arrays(GRAPH)


def test_a_checkpoint_is_of_the_same_accepted_links() -> None:
    keys = [fit_key("L3N", {}, graph) for graph in (MORE, GRAPH, MORE.with_accepted(GRAPH.edges[:1]))]
    assert len({*keys}) == 3


def test_directed_links_are_accepted_one_way() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2], [2, 0]], kind="directed").with_accepted(np.array([[1, 0]]))
    assert graph.edges.tolist() == [[0, 1], [1, 0], [1, 2], [2, 0]]
    assert graph.recorded.tolist() == [0, 2, 3]


def test_a_graph_of_accepted_links_alone_is_refused() -> None:
    with pytest.raises(InputError, match="every edge was accepted in a review"):
        pulink.L3N().fit(GRAPH.with_accepted(GRAPH.edges))
