"""Renumbering keeps the edges; communities come out side by side."""

import numpy as np

from pulink.engine.adjacency import symmetric_adjacency
from pulink.engine.structure.locality import community_order, renumbered
from tests.support.adjacencies import dense, random_adjacency


def test_renumbered_is_the_same_matrix_with_rows_and_columns_in_order() -> None:
    adjacency = random_adjacency(40, 0.2, seed=1)
    order = np.random.default_rng(2).permutation(40)
    moved = renumbered(adjacency, order)
    assert np.array_equal(dense(moved), dense(adjacency)[np.ix_(order, order)])
    assert all(
        (np.diff(moved.indices[a:b]) > 0).all() for a, b in zip(moved.indptr, moved.indptr[1:], strict=False)
    )


def test_communities_stand_together_and_hubs_first() -> None:
    # Two cliques of four whose numbers alternate, one edge between them, and a node alone.
    evens, odds = [0, 2, 4, 6], [1, 3, 5, 7]
    inside = [(a, b) for clique in (evens, odds) for a in clique for b in clique if a < b]
    pairs = np.array(sorted([*inside, (6, 7)]), dtype=np.int32)
    order = community_order(symmetric_adjacency(pairs, 9)).tolist()
    assert sorted(order) == list(range(9))
    places = {node: k for k, node in enumerate(order)}
    for clique, hub in ((evens, 6), (odds, 7)):
        first = min(places[node] for node in clique)
        assert sorted(places[node] for node in clique) == list(range(first, first + 4))
        assert places[hub] == first
