"""The E-step: how many pairs, which ones, and with what weights."""

import numpy as np
import pytest
from scipy.special import expit

from pulink import Graph
from pulink.engine.random import stream_key
from pulink.methods.pull.expected_graph import ExpectedGraph, expect, n_added_pairs, unchanged
from tests.support.adjacencies import dense
from tests.support.planted import planted_graph

# Two hubs, 0 and 1, with three leaves each, and the pair (8, 9) far from them.
STARS = Graph.from_edges([[0, 2], [0, 3], [0, 4], [1, 5], [1, 6], [1, 7], [8, 9]], 10)


def build(
    graph: Graph, z: np.ndarray, n_added: int, *, candidates: str = "hubs", n_hubs: int = 2, twice: bool = True
) -> ExpectedGraph:
    return expect(
        graph,
        z.astype(np.float32),
        n_added,
        candidates=candidates,
        n_hubs=n_hubs,
        hub_pairs_twice=twice,
        sample_key=None,
    )


@pytest.mark.parametrize(
    ("n_edges", "growth", "iteration", "expected"),
    [
        (100, 0.05, 1, 0),
        (100, 0.05, 2, 5),
        (100, 0.05, 10, 45),
        # 0.05 · 1 · 2 · 33 = 3.3 → 3 entries → 1 pair; at t = 3: 6.6 → 6 → 3; at t = 4: 9.9 → 9 → 4
        (33, 0.05, 2, 1),
        (33, 0.05, 3, 3),
        (33, 0.05, 4, 4),
        # 0.1 · 3 · 2 · 5 = 3.0000000000000004 or less in floating point: 3 entries → 1 pair
        (5, 0.1, 4, 1),
        (25_097, 0.05, 2, 1254),
        (9, 0.05, 2, 0),
        (7, 1.0, 3, 14),
    ],
)
def test_schedule_by_hand(n_edges: int, growth: float, iteration: int, expected: int) -> None:
    assert n_added_pairs(n_edges, growth, iteration) == expected


def test_schedule_is_not_a_victim_of_rounding() -> None:
    # In floating point 0.05 · 9 · 2 · 10 falls short of 9.
    for n_edges in range(1, 2_000):
        for t in range(1, 11):
            exact = (5 * (t - 1) * 2 * n_edges // 100) // 2
            assert n_added_pairs(n_edges, 0.05, t) == exact


def test_the_first_iteration_sees_the_observed_graph() -> None:
    first = unchanged(STARS)
    assert np.array_equal(first.pairs, STARS.edges)
    assert first.targets.tolist() == [1.0] * 7
    assert first.entry_counts.tolist() == [2.0] * 7
    assert np.array_equal(dense(first.adjacency), dense(STARS.adjacency))


# One number per node. Hub cells by hand: (0, 1) = (1, 0) = 9, (1, 2) = 6, (0, 5) = 4.5, then 1.5 and less;
# among all pairs (2, 5) = 3 comes fourth.
Z = np.array([[3], [3], [2], [0.1], [0.1], [1.5], [0.1], [0.1], [0.5], [0.4]])


def test_a_pair_of_hubs_counts_twice_in_the_authors_way() -> None:
    twice = build(STARS, Z, 4)
    assert twice.added.tolist() == [[0, 1], [0, 5], [1, 2]]
    assert twice.counts.tolist() == [2.0, 1.0, 1.0]
    assert twice.n_cells == 4
    assert twice.entry_counts.tolist() == [2.0] * 7 + [4.0, 2.0, 2.0]


def test_a_pair_of_hubs_counts_once_if_asked() -> None:
    once = build(STARS, Z, 3, twice=False)
    assert once.added.tolist() == [[0, 1], [0, 5], [1, 2]]
    assert once.counts.tolist() == [1.0, 1.0, 1.0]


def test_candidates_need_a_hub_unless_all_pairs_are_asked_for() -> None:
    everywhere = build(STARS, Z, 4, candidates="all")
    assert everywhere.added.tolist() == [[0, 1], [0, 5], [1, 2], [2, 5]]
    assert everywhere.counts.tolist() == [1.0] * 4
    hubs_only = build(STARS, Z, 100, twice=False)
    # 2 · 8 leaves and strangers + the pair of hubs − 6 observed
    assert len(hubs_only.added) == 11
    assert np.isin(hubs_only.added, [0, 1]).any(axis=1).all()


def test_one_hub_is_the_largest_degree() -> None:
    graph = Graph.from_edges([[4, 0], [4, 1], [4, 2], [0, 1], [5, 6]], 7)
    found = build(graph, np.ones((7, 1)), 100, n_hubs=1)
    assert found.added.tolist() == [[3, 4], [4, 5], [4, 6]]


def test_labels_are_sigmas_and_observed_edges_are_certain() -> None:
    built = build(STARS, Z, 4)
    sigmas = expit([9.0, 4.5, 6.0])
    np.testing.assert_allclose(built.probs, sigmas, rtol=1e-6)
    assert np.array_equal(built.pairs[:7], STARS.edges)
    np.testing.assert_allclose(built.targets, [1.0] * 7 + sigmas.tolist(), rtol=1e-6)


def test_propagation_weighs_a_doubled_pair_twice() -> None:
    built = build(STARS, Z, 4)
    expected = dense(STARS.adjacency)
    for (i, j), weight in zip([(0, 1), (0, 5), (1, 2)], expit([9.0, 4.5, 6.0]) * [2, 1, 1], strict=True):
        expected[i, j] = expected[j, i] = weight
    np.testing.assert_allclose(dense(built.adjacency), expected, rtol=1e-6)
    # As a graph that is handed out, each pair stands once with its probability.
    expected[0, 1] = expected[1, 0] = expit(9.0)
    np.testing.assert_allclose(dense(built.graph().adjacency), expected, rtol=1e-6)


def test_observed_edges_stay_whatever_the_embeddings_say() -> None:
    graph = planted_graph(15, 2, 0.4, 0.1, seed=0)
    rng = np.random.default_rng(0)
    for n_added in (0, 5, 200, 10_000):
        built = build(graph, rng.normal(size=(30, 3)), n_added, n_hubs=7)
        assert built.graph().has_edges(graph.edges).all()
        assert np.array_equal(built.pairs[: graph.n_edges], graph.edges)
        assert not graph.has_edges(built.added).any()
        assert len(np.unique(built.added, axis=0)) == len(built.added)


def test_on_a_weighted_graph_a_certain_pair_weighs_as_much_as_the_average_edge() -> None:
    weighted = Graph.from_edges(STARS.edges, 10, weights=[1, 2, 3, 4, 5, 6, 7])
    built = build(weighted, Z, 4)
    matrix = dense(built.graph().adjacency)
    assert matrix[0, 2] == 1.0
    assert matrix[8, 9] == 7.0
    assert matrix[1, 2] == pytest.approx(4.0 * expit(6.0), rel=1e-6)
    np.testing.assert_allclose(built.probs, expit([9.0, 4.5, 6.0]), rtol=1e-6)


def test_an_impossible_pair_keeps_a_positive_weight() -> None:
    built = build(STARS, np.array([[20.0]] + [[-20.0]] * 9), 4, n_hubs=1)
    assert built.probs.max() < 1e-30
    assert (dense(built.adjacency)[0, built.added[:, 1]] > 0).all()


def test_sampling_takes_unlikely_pairs_too() -> None:
    graph = planted_graph(20, 2, 0.3, 0.02, seed=1)
    z = np.random.default_rng(1).normal(size=(40, 3)).astype(np.float32)
    sampled, again = (
        expect(
            graph,
            z,
            60,
            candidates="hubs",
            n_hubs=10,
            hub_pairs_twice=True,
            sample_key=stream_key(0, "sample", 2),
        )
        for _ in range(2)
    )
    top = build(graph, z, 60, n_hubs=10)
    assert np.array_equal(sampled.added, again.added)
    assert sampled.n_cells == top.n_cells == 60
    assert sampled.probs.min() < 0.5 < top.probs.min()
    # Labels stay the probabilities, whichever way a pair came in.
    np.testing.assert_allclose(
        sampled.probs, expit((z[sampled.added[:, 0]] * z[sampled.added[:, 1]]).sum(axis=1)), rtol=1e-5
    )
