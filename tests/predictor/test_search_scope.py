"""What is said of a search: run.json holds these sentences, so that their letters must not change."""

from __future__ import annotations

import pytest

from pulink.predictor.search_scope import (
    AllPairs,
    BestBySources,
    BestByWalks,
    BestOfEachNode,
    HubsAndNear,
    HubsAndNorms,
    SearchScope,
    SmallSharedNeighbours,
    TooManyNodes,
    TooSlow,
)

LARGE = TooManyNodes(n_nodes=250_000, exact_nodes=200_000)
CANDIDATES = BestBySources(12_345, ("two steps", "hubs"), 0.914)


@pytest.mark.parametrize(
    ("scope", "sentence"),
    [
        (AllPairs(), "all unconnected pairs, exactly"),
        (
            HubsAndNorms(100, 1_000, LARGE),
            "pairs of the 100 largest degrees and of the 1,000 largest norms, and pairs two steps apart: 250,000 "
            "nodes are more than the 200,000 searched exactly",
        ),
        (
            HubsAndNear(100, 5_000, LARGE),
            "pairs of the 100 largest degrees, and of pairs two steps apart the 5,000 with the largest resource "
            "allocation: 250,000 nodes are more than the 200,000 searched exactly",
        ),
        (
            HubsAndNear(100, 1_000, TooSlow(30_000)),
            "pairs of the 100 largest degrees, and of pairs two steps apart the 1,000 with the largest resource "
            "allocation: all 30,000 nodes as sources would take too long",
        ),
        (
            SmallSharedNeighbours(1_200),
            "pairs that share a neighbour of degree 1,200 or less, chosen by those neighbours",
        ),
        (BestByWalks(1_500, 2_000, ("resource allocation",)), "the 1,500 best pairs by resource allocation"),
        (
            BestByWalks(1_500, 1_000, ("resource allocation", "l3n")),
            "1,500 pairs: the best 1,000 by resource allocation and by l3n",
        ),
        (
            BestByWalks(1, 5, ("resource allocation", "l3n")),
            "1 pair: the best 5 by resource allocation and by l3n",
        ),
        (
            CANDIDATES,
            "12,345 candidates: the best pairs by two steps, hubs; 91% of the hidden edges were among such",
        ),
        (BestBySources(3, ("two steps",), None), "3 candidates: the best pairs by two steps"),
        (BestOfEachNode(5, AllPairs()), "all unconnected pairs, exactly"),
        (
            BestOfEachNode(5, AllPairs(), n_short=1),
            "all unconnected pairs, exactly; 1 node has fewer than 5",
        ),
        (
            BestOfEachNode(5, CANDIDATES, n_listed=1_000, n_asked=2, n_short=3),
            "the 1,000 best pairs of 12,345 candidates: the best pairs by two steps, hubs; 91% of the hidden "
            "edges were among such, and those of 2 nodes one by one; 3 nodes have fewer than 5",
        ),
    ],
)
def test_the_sentence_of_a_search(scope: SearchScope, sentence: str) -> None:
    assert str(scope) == sentence


@pytest.mark.parametrize(
    ("scope", "exact"),
    [
        (AllPairs(), True),
        (CANDIDATES, False),
        (BestOfEachNode(5, AllPairs()), True),
        (BestOfEachNode(5, AllPairs(), n_listed=1_000), False),
        (BestOfEachNode(5, CANDIDATES), False),
    ],
)
def test_a_search_is_exact_if_no_pair_is_left_out(scope: SearchScope, exact: bool) -> None:
    assert scope.exact is exact
