"""Searches where only some pairs may be linked: each against all pairs of a brute search."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink import Graph
from pulink.engine.search import top_by_embedding as by_embedding
from pulink.engine.search import top_by_rows as by_rows
from pulink.engine.search.top_by_common_neighbours import top_by_common_neighbours, unreached_pairs
from pulink.engine.search.top_by_embedding import top_by_embedding
from pulink.engine.search.top_by_rows import top_by_rows
from pulink.engine.search.two_hop_by_embedding import two_hop_by_embedding
from tests.support.adjacencies import dense
from tests.support.kinds import bipartite, linked_roles, typed, unlinked_roles

GRAPHS = st.one_of(bipartite(), typed(), linked_roles(), unlinked_roles())
COUNTS = st.sampled_from([0, 1, 3, 1000])
SEEDS = st.integers(0, 99)


@pytest.fixture(autouse=True)
def small_tiles(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that even these graphs are searched in several."""
    for name in ("_ROWS", "_COLUMNS"):
        monkeypatch.setattr(by_embedding, name, 2)
    monkeypatch.setattr(by_rows, "_CELLS", 1)
    monkeypatch.setattr(by_rows, "_LANES", 2)


def free_of(graph: Graph) -> npt.NDArray[np.int32]:
    return graph.pair_space.unconnected(graph.adjacency)


def vectors(graph: Graph, seed: int) -> npt.NDArray[np.float32]:
    # Whole numbers: their products are exact, and many of them tie.
    return np.random.default_rng(seed).integers(-3, 4, (graph.n_nodes, 3)).astype(np.float32)


def check(
    graph: Graph, found: npt.NDArray[np.int32], asked: npt.NDArray[np.int32], table: npt.NDArray, count: int
) -> None:
    """The best of the asked pairs by a symmetric table, each once, best first."""
    space = graph.pair_space
    assert space.isin(found, asked).all() if len(found) else True
    assert len(space.unique(found)) == len(found) == min(count, len(asked))
    scores = table[found[:, 0], found[:, 1]]
    assert (np.diff(scores) <= 1e-9).all()
    best = np.sort(table[asked[:, 0], asked[:, 1]])[::-1][: len(found)]
    assert scores == pytest.approx(best)


def with_an_end_in(pairs: npt.NDArray[np.int32], rows: npt.NDArray[np.int32]) -> npt.NDArray[np.int32]:
    return pairs[np.isin(pairs, rows).any(axis=1)]


def some_nodes(graph: Graph, seed: int) -> npt.NDArray[np.int32]:
    order = np.random.default_rng(seed).permutation(graph.n_nodes)
    return order[: seed % (graph.n_nodes + 1)].astype(np.int32)


@given(GRAPHS, COUNTS, SEEDS)
@settings(max_examples=60)
def test_the_best_by_inner_products(graph: Graph, count: int, seed: int) -> None:
    z, rows = vectors(graph, seed), some_nodes(graph, seed)
    table = z @ z.T
    check(graph, top_by_embedding(z, graph.adjacency, count), free_of(graph), table, count)
    found = top_by_embedding(z, graph.adjacency, count, rows=rows)
    check(graph, found, with_an_end_in(free_of(graph), rows), table, count)


@given(GRAPHS, COUNTS, SEEDS)
@settings(max_examples=60)
def test_the_best_by_rows(graph: Graph, count: int, seed: int) -> None:
    z, lines = vectors(graph, seed), some_nodes(graph, seed)
    table = (z @ z.T).astype(np.float64)

    def rows(nodes: npt.NDArray[np.integer], first: int) -> npt.NDArray[np.float64]:
        return table[nodes, first:]

    check(graph, top_by_rows(rows, graph.adjacency, count), free_of(graph), table, count)
    found = top_by_rows(rows, graph.adjacency, count, lines=lines)
    check(graph, found, with_an_end_in(free_of(graph), lines), table, count)
    # All nodes in some order, as PageRank asks.
    order = np.random.default_rng(seed).permutation(graph.n_nodes)
    check(graph, top_by_rows(rows, graph.adjacency, count, lines=order), free_of(graph), table, count)


@given(GRAPHS, COUNTS, SEEDS)
@settings(max_examples=60)
def test_the_best_by_common_neighbours_and_those_without(graph: Graph, count: int, seed: int) -> None:
    weights = np.random.default_rng(seed).integers(0, 3, graph.n_nodes).astype(np.float64)
    a = (dense(graph.adjacency) != 0).astype(np.float64)
    table = a @ np.diag(weights) @ a
    free = free_of(graph)
    reached = free[table[free[:, 0], free[:, 1]] > 0]
    found = top_by_common_neighbours(graph.adjacency, weights, count)
    check(graph, found, reached, table, count)
    every = top_by_common_neighbours(graph.adjacency, weights, 1000)
    rest = unreached_pairs(graph.adjacency, every, 1000)
    both = np.concatenate([every, rest])
    assert np.array_equal(graph.pair_space.unique(both), free) if len(free) else len(both) == 0


@given(GRAPHS, COUNTS, SEEDS, st.sampled_from([2, 100]))
@settings(max_examples=60)
def test_the_best_two_steps_apart(graph: Graph, count: int, seed: int, max_degree: int) -> None:
    z = vectors(graph, seed)
    a = (dense(graph.adjacency) != 0).astype(np.float64)
    shares = a @ np.diag((a.sum(axis=1) <= max_degree).astype(np.float64)) @ a
    free = free_of(graph)
    near = free[shares[free[:, 0], free[:, 1]] > 0]
    check(graph, two_hop_by_embedding(z, graph.adjacency, count, max_degree), near, z @ z.T, count)


@given(GRAPHS, SEEDS)
@settings(max_examples=30)
def test_weighted_sampling_draws_allowed_pairs_once(graph: Graph, seed: int) -> None:
    z = vectors(graph, seed)
    found = top_by_embedding(z, graph.adjacency, 1000, noise=np.uint64(seed))
    assert len(found) == len(free_of(graph))
    assert np.array_equal(graph.pair_space.unique(found), free_of(graph)) if len(found) else True
