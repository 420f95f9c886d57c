"""Grouping pairs by one end: every pair once, its source by rank alone."""

import numpy as np

from pulink.engine.structure.pair_groups import by_degree, by_number, group_pairs
from pulink.engine.threads import use_threads
from tests.support.adjacencies import random_adjacency


def test_by_hand() -> None:
    groups = group_pairs(np.array([[4, 1], [1, 4], [0, 4], [2, 2]]), by_number(5))
    assert groups.starts.tolist() == [0, 1, 3, 4, 4, 4]
    assert groups.targets.tolist() == [4, 4, 4, 2]
    assert groups.places.tolist() == [2, 0, 1, 3]
    assert groups.sources().tolist() == [0, 1, 2]


def test_the_end_of_larger_degree_is_the_source_and_of_equals_the_lower() -> None:
    # Degrees 1, 3, 3, 2.
    rank = by_degree(np.array([0, 1, 4, 7, 9]))
    assert rank.tolist() == [3, 0, 1, 2]
    groups = group_pairs(np.array([[0, 3], [2, 1], [3, 2]]), rank)
    assert groups.sources().tolist() == [1, 2, 3]
    assert groups.targets.tolist() == [2, 3, 0]


def test_shares_cover_all_nodes_and_about_equal_parts_of_the_pairs() -> None:
    adjacency = random_adjacency(200, 0.1, seed=1)
    pairs = np.random.default_rng(2).integers(0, 200, size=(5_000, 2))
    groups = group_pairs(pairs, by_degree(adjacency.indptr))
    with use_threads(3):
        shares = groups.shares()
    assert [first for first, _ in shares] == [0, *(end for _, end in shares[:-1])]
    assert shares[-1][1] == 200
    sizes = [int(groups.starts[end] - groups.starts[first]) for first, end in shares]
    assert sum(sizes) == 5_000
    assert max(sizes) < 2_000
