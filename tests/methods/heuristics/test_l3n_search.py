"""L3n searched where walks lead: the list of the search of whole rows, ties and all."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pulink
from pulink.methods.heuristics.row_search import RowHeuristic
from tests.support.small_views import random_graph


def lists_agree(graph: pulink.Graph, count: int) -> None:
    model = pulink.L3N(threads=1).fit(graph)
    found, wanted = model._top_rows(count, None), RowHeuristic._top_rows(model, count, None)
    assert len(found) == len(wanted)
    if not len(found):
        return
    scores, best = (model._scores(model._structure, pairs.astype(np.int64)) for pairs in (found, wanted))
    assert np.allclose(scores, best, rtol=1e-12, atol=0)
    # Sums that are equal but for rounding may change places, and no others.
    apart = np.abs(np.diff(best)) > 1e-12 * best[:-1]
    edges = [0, *(np.flatnonzero(apart) + 1), len(best)]
    for begin, end in itertools.pairwise(edges):
        assert {*map(tuple, found[begin:end].tolist())} == {*map(tuple, wanted[begin:end].tolist())}


@given(
    n_nodes=st.integers(4, 40),
    share=st.floats(0.02, 0.9),
    seed=st.integers(0, 10**6),
    count=st.sampled_from([1, 3, 10, 50, 1_000]),
)
def test_the_list_is_that_of_whole_rows(n_nodes: int, share: float, seed: int, count: int) -> None:
    lists_agree(random_graph(n_nodes, max(1, int(share * n_nodes * (n_nodes - 1) / 2)), seed), count)


@pytest.mark.parametrize("count", [1, 4, 5, 6, 30, 10**4])
def test_ties_are_broken_alike_and_pairs_that_no_walk_joins_fill_the_list(count: int) -> None:
    """Five paths of four nodes: the two ends of each tie, and every other pair has no walk at all."""
    paths = (4 * np.arange(5)[:, None, None] + np.array([[0, 1], [1, 2], [2, 3]])).reshape(-1, 2)
    graph = pulink.Graph.from_edges(paths, 20)
    model = pulink.L3N(threads=1).fit(graph)
    assert np.array_equal(model._top_rows(count, None), RowHeuristic._top_rows(model, count, None))


def test_a_star_has_no_walks_between_its_leaves() -> None:
    star = pulink.Graph.from_edges([[0, leaf] for leaf in range(1, 9)], 9)
    lists_agree(star, 5)
