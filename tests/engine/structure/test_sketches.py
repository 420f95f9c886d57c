"""Sketches against sets: what they hold exactly, and what they estimate within the errors that theory gives."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.random import stream_key
from pulink.engine.structure.sketches import (
    N_REGISTERS,
    N_SLOTS,
    Sketches,
    ball_overlaps,
    ball_sizes,
    build_sketches,
    distance_counts,
    sketch_bytes,
)
from pulink.engine.structure.sketches import _rows_without as rows_without
from pulink.engine.threads import use_threads
from pulink.metrics import auroc
from tests.support.adjacencies import pair_sets, random_adjacency, random_pairs

KEY = stream_key(0, "test")
# By hand: 0 - 1, 0 - 2, 1 - 3, 2 - 3, 3 - 4, 4 - 5.
HOUSE = symmetric_adjacency(np.array([(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (4, 5)], dtype=np.int32), 6)


def balls(adjacency: Adjacency, k: int) -> list[set[int]]:
    """N_k of every node, step by step."""
    rows = [
        set(adjacency.indices[a:b].tolist()) for a, b in zip(adjacency.indptr, adjacency.indptr[1:], strict=False)
    ]
    found = [{i} for i in range(adjacency.n_nodes)]
    for _ in range(k):
        found = [ball.union(*(rows[u] for u in ball)) for ball in found]
    return found


def without(pairs: npt.NDArray[np.int32], e: int, n_nodes: int) -> Adjacency:
    return symmetric_adjacency(np.delete(pairs, e, axis=0), n_nodes)


def exact_overlaps(adjacency: Adjacency, pair: tuple[int, int], n_hops: int) -> npt.NDArray[np.float64]:
    near = [balls(adjacency, k) for k in range(n_hops + 1)]
    everyone = set(range(adjacency.n_nodes))
    of_i, of_j = ([*(near[k][node] for k in range(n_hops + 1)), everyone] for node in pair)
    table = np.array([[len(a & b) for b in of_j] for a in of_i], dtype=np.float64)
    table[-1, -1] = 0
    return table


def exact_counts(adjacency: Adjacency, pair: tuple[int, int], n_hops: int) -> npt.NDArray[np.float64]:
    """Nodes by their distances from both ends; the ends themselves and what is far from both are left out."""
    near = [balls(adjacency, k) for k in range(n_hops + 1)]
    table = np.zeros((n_hops + 1, n_hops + 1))
    for node in set(range(adjacency.n_nodes)) - set(pair):
        a, b = (sum(node not in near[k][end] for k in range(1, n_hops + 1)) for end in pair)
        table[a, b] += 1
    table[-1, -1] = 0
    return table


def mean_overlaps(adjacency: Adjacency, pair: tuple[int, int], n_hops: int) -> npt.NDArray[np.float64]:
    pairs = np.array([pair])
    drawn = [build_sketches(adjacency, n_hops, stream_key(seed, "mean")) for seed in range(150)]
    return np.mean([ball_overlaps(sketches, adjacency, pairs)[0] for sketches in drawn], axis=0, dtype=np.float64)


@settings(derandomize=True, max_examples=40)
@given(pair_sets())
def test_a_sketch_is_that_of_the_set(case: tuple[npt.NDArray[np.int32], int]) -> None:
    pairs, n_nodes = case
    adjacency = symmetric_adjacency(pairs, n_nodes)
    sketches = build_sketches(adjacency, 2, KEY)
    lone = build_sketches(symmetric_adjacency(pairs[:0], n_nodes), 1, KEY)
    for k in range(2):
        for i, ball in enumerate(balls(adjacency, k + 1)):
            members = sorted(ball)
            assert np.array_equal(sketches.minima[0, i, k], sketches.hashes[members].min(axis=0))
            assert np.array_equal(sketches.registers[0, i, k], lone.registers[0, members, 0].min(axis=0))


@settings(derandomize=True, max_examples=60)
@given(pair_sets().filter(lambda case: len(case[0]) > 0), st.data())
def test_an_edge_is_taken_out_of_its_own_ends(
    case: tuple[npt.NDArray[np.int32], int], data: st.DataObject
) -> None:
    pairs, n_nodes = case
    e = data.draw(st.integers(0, len(pairs) - 1))
    sketches = build_sketches(symmetric_adjacency(pairs, n_nodes), 2, KEY)
    true = build_sketches(without(pairs, e, n_nodes), 2, KEY)
    for i, j in (pairs[e], pairs[e, ::-1]):
        minima, registers = np.empty((2, N_SLOTS), np.uint32), np.empty((2, N_REGISTERS), np.uint8)
        rows_without(sketches, i, j, minima, registers)
        assert np.array_equal(minima, true.minima[0, i])
        assert np.array_equal(registers, true.registers[0, i])


def test_overlaps_of_an_edge_are_those_of_the_graph_without_it() -> None:
    pairs = random_pairs(80, 0.06, seed=3)
    adjacency = symmetric_adjacency(pairs, 80)
    sketches = build_sketches(adjacency, 2, KEY)
    for e in range(0, len(pairs), 9):
        bare = without(pairs, e, 80)
        true = ball_overlaps(build_sketches(bare, 2, KEY), bare, pairs[e : e + 1])
        assert np.array_equal(ball_overlaps(sketches, adjacency, pairs[e : e + 1]), true)


def stars(size: int, count: int) -> Adjacency:
    """Stars of `size` nodes each; the hubs come first, and a hub's ball is its whole star."""
    hubs = np.repeat(np.arange(count, dtype=np.int32), size - 1)
    leaves = count + np.arange(len(hubs), dtype=np.int32)
    return symmetric_adjacency(np.stack([hubs, leaves], axis=1), count * size)


def test_sizes_have_the_error_of_hyperloglog() -> None:
    errors = {}
    for size in (30, 100, 500, 1_000, 2_000):
        drawn = [ball_sizes(build_sketches(stars(size, 10), 1, stream_key(seed, size)))[:10] for seed in range(4)]
        errors[size] = (np.concatenate(drawn) / size - 1) / (1.04 / np.sqrt(N_REGISTERS))
    together = np.concatenate(list(errors.values()))
    assert 0.75 < np.sqrt(np.mean([errors[size] ** 2 for size in (500, 1_000, 2_000)])) < 1.25
    assert np.mean(np.abs(together) < 3) > 0.98
    assert np.abs(np.mean(together)) < 4 / np.sqrt(len(together))
    # Small sets are counted by their empty registers, which is better than HyperLogLog's own error.
    assert np.sqrt(np.mean([errors[size] ** 2 for size in (30, 100)])) < 0.9


@pytest.fixture(scope="module")
def errors_of_overlaps() -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Standardised errors of Jaccard's share and of the intersection, over graphs, keys and pairs of hops."""
    shares, sizes = [], []
    for seed in range(12):
        adjacency = random_adjacency(600, 0.025, seed)
        near = [balls(adjacency, k) for k in (1, 2)]
        pairs = np.random.default_rng(seed).integers(0, 600, (40, 2))
        pairs = pairs[pairs[:, 0] != pairs[:, 1]]
        for key in range(2):
            sketches = build_sketches(adjacency, 2, stream_key(seed, key))
            found = ball_overlaps(sketches, adjacency, pairs)
            for (i, j), table in zip(pairs.tolist(), found, strict=True):
                if j in near[0][i]:
                    continue
                for a, b in ((1, 2), (2, 1), (2, 2)):
                    left, right = near[a - 1][i], near[b - 1][j]
                    n_both, n_any = len(left & right), len(left | right)
                    share = n_both / n_any
                    if not 0.02 < share < 0.98:
                        continue
                    spread = np.sqrt(share * (1 - share) / N_SLOTS)
                    equal = np.mean(sketches.minima[0, i, a - 1] == sketches.minima[0, j, b - 1])
                    shares.append((equal - share) / spread)
                    sizes.append((table[a, b] - n_both) / np.hypot(spread * n_any, 0.065 * n_both))
    return np.array(shares), np.array(sizes)


def test_shares_and_intersections_have_the_errors_of_minhash_and_hyperloglog(
    errors_of_overlaps: tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]],
) -> None:
    for errors in errors_of_overlaps:
        assert len(errors) > 500
        assert 0.8 < np.sqrt(np.mean(errors**2)) < 1.2
        assert np.mean(np.abs(errors) < 3) > 0.98
        assert abs(np.mean(errors)) < 0.3


def test_a_small_graph_by_hand() -> None:
    # From 0: 1, 2 at one step, 3 at two. From 4: 3, 5 at one step, 1, 2 at two. The ends themselves do not count.
    by_hand = [[0, 2, 0], [1, 0, 0], [1, 0, 0]]
    assert exact_counts(HOUSE, (0, 4), 2).tolist() == by_hand
    assert distance_counts(exact_overlaps(HOUSE, (0, 4), 2)[None].astype(np.float32))[0].tolist() == by_hand
    assert mean_overlaps(HOUSE, (0, 4), 2) == pytest.approx(exact_overlaps(HOUSE, (0, 4), 2), abs=0.1)


def test_an_edge_of_a_small_graph_by_hand() -> None:
    # Without 3 - 4: from 3: 1, 2 at one step, 0 at two; from 4: 5 at one step, and nothing in common.
    by_hand = [[0, 0, 2], [0, 0, 1], [1, 0, 0]]
    bare = symmetric_adjacency(np.array([(0, 1), (0, 2), (1, 3), (2, 3), (4, 5)], dtype=np.int32), 6)
    assert exact_counts(bare, (3, 4), 2).tolist() == by_hand
    assert mean_overlaps(HOUSE, (3, 4), 2) == pytest.approx(exact_overlaps(bare, (3, 4), 2), abs=0.1)


@settings(derandomize=True, max_examples=60)
@given(pair_sets().filter(lambda case: case[1] > 1), st.integers(1, 3))
def test_inclusion_and_exclusion_give_exact_counts_of_exact_overlaps(
    case: tuple[npt.NDArray[np.int32], int], n_hops: int
) -> None:
    pairs, n_nodes = case
    adjacency = symmetric_adjacency(pairs, n_nodes)
    if (pairs == [0, 1]).all(axis=1).any():
        adjacency = symmetric_adjacency(pairs[~(pairs == [0, 1]).all(axis=1)], n_nodes)
    counts = distance_counts(exact_overlaps(adjacency, (0, 1), n_hops)[None].astype(np.float32))
    assert np.array_equal(counts[0], exact_counts(adjacency, (0, 1), n_hops))


@pytest.mark.parametrize("n_hops", [1, 2])
def test_counts_of_edges_and_of_others_look_alike_where_edges_are_random(n_hops: int) -> None:
    # Nothing tells an edge of a random graph from a non-edge: if its own edge were left in, cells would.
    pairs = random_pairs(500, 0.012, seed=n_hops)
    adjacency = symmetric_adjacency(pairs, 500)
    others = np.random.default_rng(0).integers(0, 500, (6_000, 2))
    others = np.sort(others[others[:, 0] != others[:, 1]], axis=1)
    linked = set(map(tuple, pairs.tolist()))
    others = np.array([pair for pair in others.tolist() if tuple(pair) not in linked])
    sketches = build_sketches(adjacency, n_hops, KEY)
    edges, free = (distance_counts(ball_overlaps(sketches, adjacency, some)) for some in (pairs, others))
    for a in range(n_hops + 1):
        for b in range(n_hops + 1):
            assert auroc(edges[:, a, b], free[:, a, b]) == pytest.approx(0.5, abs=0.06)


def test_overlaps_are_mirrored_with_their_pair() -> None:
    adjacency = random_adjacency(60, 0.1, seed=4)
    sketches = build_sketches(adjacency, 2, KEY)
    pairs = np.stack(np.triu_indices(60, k=1), axis=1)
    there, back = (ball_overlaps(sketches, adjacency, some) for some in (pairs, pairs[:, ::-1]))
    assert np.array_equal(there, back.transpose(0, 2, 1))


def test_threads_and_seeds() -> None:
    adjacency = random_adjacency(90, 0.1, seed=5)
    pairs = np.stack(np.triu_indices(90, k=1), axis=1)
    alone = build_sketches(adjacency, 2, KEY)
    with use_threads(3):
        shared = build_sketches(adjacency, 2, KEY)
        overlaps = ball_overlaps(shared, adjacency, pairs)
    assert all(np.array_equal(one, other) for one, other in zip(alone, shared, strict=True))
    assert np.array_equal(overlaps, ball_overlaps(alone, adjacency, pairs))
    assert not np.array_equal(alone.hashes, build_sketches(adjacency, 2, stream_key(1, "test")).hashes)


def test_memory_is_told_as_it_is() -> None:
    sketches: Sketches = build_sketches(random_adjacency(50, 0.1, seed=6), 2, KEY)
    held = sum(part.nbytes for part in sketches)
    assert held <= sketch_bytes(50, 2) < 1.1 * held
