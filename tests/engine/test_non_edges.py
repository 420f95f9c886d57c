"""Non-edges: never an edge or a loop, uniform, and all of them if all are asked for."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from scipy import stats

from pulink.engine.adjacency import contains, symmetric_adjacency
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from tests.support.adjacencies import pair_sets, random_adjacency

KEY = stream_key(0, "test")
COMPLETE_4 = np.array([(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)], dtype=np.int32)


def unordered(pairs: npt.NDArray[np.int32]) -> list[tuple[int, int]]:
    return [(min(i, j), max(i, j)) for i, j in pairs.tolist()]


def free_pairs(pairs: npt.NDArray[np.int32], n_nodes: int) -> set[tuple[int, int]]:
    known = set(unordered(pairs))
    return {(i, j) for i in range(n_nodes) for j in range(i + 1, n_nodes)} - known


@settings(deadline=None, derandomize=True, max_examples=60)
@given(pair_sets())
def test_draws_are_free_pairs_of_any_graph(case: tuple[npt.NDArray[np.int32], int]) -> None:
    pairs, n_nodes = case
    sampler = NonEdgeSampler(symmetric_adjacency(pairs, n_nodes))
    free = free_pairs(pairs, n_nodes)
    drawn = sampler.draw(30, KEY)
    assert sampler.n_free == len(free)
    assert len(drawn) == (30 if free else 0)
    assert set(unordered(drawn)) <= free


@settings(deadline=None, derandomize=True, max_examples=60)
@given(pair_sets())
def test_distinct_draws_never_repeat_and_can_be_exhausted(case: tuple[npt.NDArray[np.int32], int]) -> None:
    pairs, n_nodes = case
    sampler = NonEdgeSampler(symmetric_adjacency(pairs, n_nodes))
    free = free_pairs(pairs, n_nodes)
    for count in (0, 1, len(free) // 3, len(free), len(free) + 5):
        drawn = sampler.draw_distinct(count, KEY)
        assert len(drawn) == len(set(unordered(drawn))) == min(count, len(free))
        assert set(unordered(drawn)) <= free
        assert (drawn[:, 0] < drawn[:, 1]).all()
    assert set(unordered(sampler.draw_distinct(len(free), KEY))) == free


def test_a_large_graph_yields_no_edge_and_no_loop() -> None:
    adjacency = random_adjacency(300, 0.5, seed=1)
    drawn = NonEdgeSampler(adjacency).draw(50_000, KEY)
    assert len(drawn) == 50_000
    assert not contains(adjacency, drawn).any()
    assert (drawn[:, 0] != drawn[:, 1]).all()


def test_draws_are_uniform_over_free_pairs() -> None:
    # A hub (node 0), so that a sampler that first picks a node and then a partner would be found out.
    pairs = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)], dtype=np.int32)
    drawn = unordered(NonEdgeSampler(symmetric_adjacency(pairs, 6)).draw(20_000, KEY))
    counts = [drawn.count(pair) for pair in sorted(free_pairs(pairs, 6))]
    assert sum(counts) == 20_000
    assert stats.chisquare(counts).pvalue > 1e-3


def test_distinct_draws_are_uniform_over_free_pairs() -> None:
    pairs = np.array([(0, 1), (0, 2), (0, 3), (0, 4), (1, 2)], dtype=np.int32)
    sampler = NonEdgeSampler(symmetric_adjacency(pairs, 6))
    for count in (2, 8):
        drawn = [p for s in range(3_000) for p in unordered(sampler.draw_distinct(count, stream_key(s, "d")))]
        counts = [drawn.count(pair) for pair in sorted(free_pairs(pairs, 6))]
        assert stats.chisquare(counts).pvalue > 1e-3


def test_a_nearly_complete_graph_gives_its_few_free_pairs_evenly() -> None:
    free = [(0, 11), (3, 4), (5, 9)]
    pairs = np.array([(i, j) for i in range(12) for j in range(i + 1, 12) if (i, j) not in free], dtype=np.int32)
    sampler = NonEdgeSampler(symmetric_adjacency(pairs, 12))
    drawn = unordered(sampler.draw(9_000, KEY))
    assert sampler.n_free == 3
    assert set(drawn) == set(free)
    assert stats.chisquare([drawn.count(pair) for pair in free]).pvalue > 1e-3


@pytest.mark.parametrize(("pairs", "n_nodes"), [(COMPLETE_4, 4), (COMPLETE_4[:0], 1), (COMPLETE_4[:1], 2)])
def test_a_complete_graph_has_nothing_to_draw(pairs: npt.NDArray[np.int32], n_nodes: int) -> None:
    sampler = NonEdgeSampler(symmetric_adjacency(pairs, n_nodes))
    assert sampler.n_free == 0
    assert sampler.draw(10, KEY).shape == (0, 2)
    assert sampler.draw_distinct(10, KEY).shape == (0, 2)


def test_a_key_fixes_the_draws() -> None:
    sampler = NonEdgeSampler(random_adjacency(60, 0.2, seed=2))
    assert np.array_equal(sampler.draw(100, KEY), sampler.draw(100, KEY))
    assert not np.array_equal(sampler.draw(100, KEY), sampler.draw(100, stream_key(1, "test")))
    assert np.array_equal(sampler.draw_distinct(100, KEY), sampler.draw_distinct(100, KEY))
