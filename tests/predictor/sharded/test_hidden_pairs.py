"""Hiding edges where workers hold rows: each edge with its two ends, as many as asked for, any of them."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink.distributed.group.group import Group
from pulink.distributed.group.own_rows import OwnRows, own_rows
from pulink.distributed.group.shards import Shards
from pulink.engine.random import stream_key
from pulink.predictor.sharded import hidden_pairs
from pulink.predictor.sharded.hidden_pairs import draw_free, hide
from tests.support.planted import planted_graph

GRAPH = planted_graph(25, 3, 0.5, 0.03, seed=0).with_weights(
    1 + np.arange(planted_graph(25, 3, 0.5, 0.03, seed=0).n_edges)
)
SHARDS = Shards.of_degrees(GRAPH.degrees)


def rows(first: int = 0, end: int = 256) -> OwnRows:
    return own_rows(GRAPH, SHARDS, range(first, end))


def pairs_of(some: np.ndarray) -> set[tuple[int, ...]]:
    return {tuple(sorted(pair)) for pair in some.tolist()}


def test_hidden_edges_are_edges_and_the_rows_hold_all_others_with_their_weights() -> None:
    hidden = hide(rows(), Group(), 0.1, seed=3)
    assert hidden is not None
    edges = pairs_of(hidden.validation.edges)
    assert len(edges) == len(hidden.validation.edges) == GRAPH.n_edges // 10
    assert edges < pairs_of(GRAPH.edges)
    mask = np.array([tuple(pair) not in edges for pair in GRAPH.edges.tolist()])
    left = own_rows(GRAPH.keep_edges(mask), SHARDS, range(256))
    np.testing.assert_array_equal(hidden.rows.indptr, left.indptr)
    np.testing.assert_array_equal(hidden.rows.indices, left.indices)
    np.testing.assert_array_equal(hidden.rows.weights, left.weights)
    assert hidden.rows.n_edges == left.n_edges


def test_non_edges_are_unconnected_and_none_comes_twice() -> None:
    hidden = hide(rows(), Group(), 0.1, seed=3)
    assert hidden is not None
    non_edges = hidden.validation.non_edges
    assert len(pairs_of(non_edges)) == len(non_edges) == len(hidden.validation.edges)
    assert not pairs_of(non_edges) & pairs_of(GRAPH.edges)
    assert (non_edges[:, 0] < non_edges[:, 1]).all()


def test_another_seed_hides_other_edges() -> None:
    found = [hide(rows(), Group(), 0.2, seed=seed) for seed in (0, 0, 1)]
    first, again, other = (pairs_of(one.validation.edges) for one in found if one is not None)
    assert first == again
    assert first != other


def test_every_edge_is_hidden_by_some_seed_about_as_often() -> None:
    times = np.zeros(GRAPH.n_edges)
    place = {tuple(pair): k for k, pair in enumerate(GRAPH.edges.tolist())}
    for seed in range(300):
        hidden = hide(rows(), Group(), 0.1, seed)
        assert hidden is not None
        for pair in pairs_of(hidden.validation.edges):
            times[place[pair]] += 1
    # Binomial with 300 draws of a tenth: mean 30, standard deviation 5.2.
    assert 29 < times.mean() < 31
    assert times.min() > 8
    assert times.max() < 55


def test_all_pairs_that_are_free_can_be_drawn() -> None:
    small = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3]], 5)
    own = own_rows(small, Shards.of_degrees(small.degrees), range(256))
    found = draw_free(own, Group(), 100, stream_key(0, "all"))
    every = pairs_of(np.stack(np.triu_indices(5, 1), axis=1)) - pairs_of(small.edges)
    assert pairs_of(found) == every
    assert len(found) == 7


def test_a_million_edges_at_most_are_hidden(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hidden_pairs, "MOST_HIDDEN", 7)
    hidden = hide(rows(), Group(), 0.1, seed=0)
    assert hidden is not None
    assert len(hidden.validation.edges) == 7
    assert hidden.rows.n_edges == GRAPH.n_edges - 7


def test_too_few_edges_to_hide_any() -> None:
    assert hide(rows(), Group(), 0.0, seed=0) is None
