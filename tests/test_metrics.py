"""Measures: worked by hand, and held equal to scikit-learn's where it has them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import average_precision_score, roc_auc_score

from pulink.graph.pair_space import UndirectedPairs
from pulink.metrics import (
    auprc,
    auroc,
    hits_at,
    list_precision,
    mean_reciprocal_rank,
    own_hits_at,
    own_mean_reciprocal_rank,
    precision_at,
)

EDGES = np.array([0.9, 0.4])
NON_EDGES = np.array([0.8, 0.4, 0.1])
NONE = np.array([])
scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]) | st.floats(-5, 5), min_size=1, max_size=20).map(np.array)


def test_auroc_by_hand() -> None:
    # 0.9 beats all three; 0.4 beats one and ties with one.
    assert auroc(EDGES, NON_EDGES) == pytest.approx((3 + 1.5) / 6)


def test_auprc_by_hand() -> None:
    # 0.9 comes first (1/1); 0.4 enters together with its tie, when two of four are edges.
    assert auprc(EDGES, NON_EDGES) == pytest.approx((1 + 2 / 4) / 2)


@given(scores, scores)
def test_equal_to_scikit_learn_with_heavy_ties(edges: np.ndarray, non_edges: np.ndarray) -> None:
    labels = np.repeat([1, 0], [len(edges), len(non_edges)])
    together = np.concatenate([edges, non_edges])
    assert auroc(edges, non_edges) == pytest.approx(roc_auc_score(labels, together), abs=1e-12)
    assert auprc(edges, non_edges) == pytest.approx(average_precision_score(labels, together), abs=1e-12)


@given(scores, scores, st.integers(1, 5))
def test_a_weight_counts_as_so_many_non_edges(edges: np.ndarray, non_edges: np.ndarray, often: int) -> None:
    weighted = auprc(edges, non_edges, np.full(len(non_edges), float(often)))
    assert weighted == pytest.approx(auprc(edges, np.repeat(non_edges, often)))


def test_the_precision_of_a_list_by_hand() -> None:
    """Hits at places 1 and 4 of a list that misses the third hidden edge: (1/1 + 2/4) / 3."""
    found = np.array([[1, 0], [0, 2], [0, 3], [2, 3], [1, 3]])
    hidden = np.array([[0, 1], [2, 3], [1, 2]])
    assert list_precision(found, hidden, UndirectedPairs(4)) == pytest.approx(0.5)
    assert list_precision(found[1:3], hidden, UndirectedPairs(4)) == 0
    assert np.isnan(list_precision(found, hidden[:0], UndirectedPairs(4)))


def test_hits_by_hand() -> None:
    # The second best non-edge scores 0.4, and a tie is no hit.
    assert hits_at(1, EDGES, NON_EDGES) == 0.5
    assert hits_at(2, EDGES, NON_EDGES) == 0.5
    assert hits_at(3, EDGES, NON_EDGES) == 1.0
    assert math.isnan(hits_at(50, EDGES, NON_EDGES))


@given(scores, scores, st.integers(1, 25))
def test_hits_equal_a_twin_that_sorts(edges: np.ndarray, non_edges: np.ndarray, k: int) -> None:
    ranked = sorted(non_edges, reverse=True)
    expected = np.nan if len(ranked) < k else np.mean([score > ranked[k - 1] for score in edges])
    assert hits_at(k, edges, non_edges) == pytest.approx(expected, nan_ok=True)


def test_all_non_edges_tied_are_one_bar() -> None:
    """Of edges at, above and below a bar that many non-edges share, only the one above is a hit, for any k."""
    edges, non_edges = np.array([0.5, 0.6, 0.4]), np.full(120, 0.5)
    assert hits_at(20, edges, non_edges) == hits_at(100, edges, non_edges) == pytest.approx(1 / 3)


def test_ranks_among_own_non_edges_by_hand() -> None:
    # The first edge has one above it and one beside it: place 2.5. The second is ahead of all of its own.
    edges = np.array([0.5, 0.1])
    own = np.array([[0.9, 0.5, 0.2], [0.0, 0.05, 0.01]])
    assert own_mean_reciprocal_rank(edges, own) == pytest.approx((1 / 2.5 + 1) / 2)
    assert own_hits_at(2, edges, own) == 0.5
    assert own_hits_at(3, edges, own) == 1.0
    assert math.isnan(own_mean_reciprocal_rank(edges[:0], own[:0]))
    assert math.isnan(own_hits_at(10, edges[:0], own[:0]))


def test_reciprocal_rank_by_hand() -> None:
    # 0.9 is first; 0.4 has one above and one beside it: place 2.5.
    assert mean_reciprocal_rank(EDGES, NON_EDGES) == pytest.approx((1 + 1 / 2.5) / 2)


@given(scores, scores)
def test_reciprocal_rank_equals_a_twin_that_counts(edges: np.ndarray, non_edges: np.ndarray) -> None:
    ranks = [1 + (non_edges > score).sum() + 0.5 * (non_edges == score).sum() for score in edges]
    assert mean_reciprocal_rank(edges, non_edges) == pytest.approx(np.mean([1 / rank for rank in ranks]))


def test_precision_counts_either_orientation() -> None:
    found = np.array([[0, 1], [3, 2], [0, 4], [1, 4]], dtype=np.int32)
    hidden = np.array([[1, 0], [2, 3], [1, 2]], dtype=np.int32)
    assert precision_at(found, hidden, UndirectedPairs(5)) == 0.5
    assert precision_at(found, hidden[:0], UndirectedPairs(5)) == 0.0


def test_a_measure_of_nothing_is_not_a_number() -> None:
    for value in (
        auroc(NONE, NON_EDGES),
        auroc(EDGES, NONE),
        auprc(NONE, NON_EDGES),
        hits_at(1, NONE, NON_EDGES),
        mean_reciprocal_rank(NONE, NON_EDGES),
        precision_at(np.empty((0, 2), dtype=np.int32), np.array([[0, 1]]), UndirectedPairs(2)),
    ):
        assert math.isnan(value)
