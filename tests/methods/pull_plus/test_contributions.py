"""What signals add to scores: by hand, adding up, equal to a slow twin; every signal has a family."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.errors import ParameterError
from pulink.methods.pull_plus.contributions import by_subject, score_contributions, tree_contributions
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.scoring.trees import Trees
from tests.methods.pull_plus.test_scorer import Settings, training_set
from tests.methods.pull_plus.test_trees import BY_HAND, grown, rows

F64 = npt.NDArray[np.float64]


def labels_of(x: npt.NDArray[np.float32], seed: int) -> F64:
    """Links by the first column, and any."""
    return ((x[:, 0] > 0) | (np.random.default_rng(seed).random(len(x)) < 0.2)).astype(np.float64)


def slow_value(trees: Trees, node: int, background: npt.NDArray[np.float32]) -> float:
    """The mean of the leaves below a node over the rows that arrive there."""
    if node < 0:
        return float(trees.leaves[-node - 1])
    left = background[:, trees.columns[node]] <= trees.thresholds[node]
    values = [
        slow_value(trees, child, part)
        for child, part in zip(trees.children[node].tolist(), (background[left], background[~left]), strict=True)
    ]
    return float(np.average(values, weights=[left.sum(), (~left).sum()] if len(left) else None))


def slow_contributions(trees: Trees, row: npt.NDArray[np.float32], background: npt.NDArray[np.float32]) -> F64:
    found = np.zeros(len(row))
    for root in trees.roots.tolist():
        node, there = root, background
        while node >= 0:
            column, threshold = trees.columns[node], trees.thresholds[node]
            side = 0 if row[column] <= threshold else 1
            before = slow_value(trees, node, there)
            there = there[(there[:, column] <= threshold) == (side == 0)]
            node = int(trees.children[node, side])
            found[column] += slow_value(trees, node, there) - before
    return found


def test_two_trees_by_hand() -> None:
    background = np.array([[0, 0], [0, 0], [-2, 1], [0, 1]], dtype=np.float32)
    # Two go to leaf 10, one each to 20 and 30: below the second split 25 is expected, and 17.5 in all.
    asked = np.array([[9, 0.5], [-1, 0.6], [-0.9, 0.6]], dtype=np.float32)
    found, bias = tree_contributions(BY_HAND, asked, background)
    assert found.tolist() == [[0, -7.5], [-5, 7.5], [5, 7.5]]
    assert bias == 17.75


def test_where_the_background_never_goes_both_ways_count_alike() -> None:
    background = np.zeros((3, 2), dtype=np.float32)
    found, bias = tree_contributions(BY_HAND, np.array([[-1, 0.6]], dtype=np.float32), background)
    assert bias == 10.25
    # 10 is expected at first, 25 after the first split.
    assert found.tolist() == [[-5, 15]]


@settings(max_examples=12)
@given(
    n_rows=st.integers(2, 400), n_columns=st.integers(1, 6), seed=st.integers(0, 99), n_known=st.integers(1, 50)
)
def test_contributions_add_up_and_equal_the_slow_twin(
    n_rows: int, n_columns: int, seed: int, n_known: int
) -> None:
    x = rows(n_rows, n_columns, seed)
    trees = grown(x, labels_of(x, seed), n_trees=4)
    asked, background = rows(20, n_columns, seed + 1), rows(n_known, n_columns, seed + 2)
    found, bias = tree_contributions(trees, asked, background)
    np.testing.assert_allclose(bias + found.sum(axis=1), trees.scores(asked), rtol=0, atol=1e-9)
    np.testing.assert_allclose(bias, trees.scores(background).mean(), rtol=0, atol=1e-9)
    slow = [slow_contributions(trees, row, background) for row in asked]
    np.testing.assert_allclose(found, slow, rtol=0, atol=1e-9)


def test_many_trees_add_up() -> None:
    x = rows(3_000, 8, 0)
    trees = grown(x, labels_of(x, 0), n_trees=150, n_leaves=31)
    found, bias = tree_contributions(trees, x, rows(500, 8, 1))
    np.testing.assert_allclose(bias + found.sum(axis=1), trees.scores(x), rtol=0, atol=1e-9)
    # The first column decides; the last one is constant.
    assert np.abs(found[:, 0]).mean() > 3 * np.abs(found[:, 1:]).mean(axis=0).max()
    assert not found[:, -1].any()


def test_rows_as_average_as_the_background_get_nothing() -> None:
    x = rows(1, 3, 0)
    trees = grown(rows(300, 3, 1), labels_of(rows(300, 3, 1), 1))
    found, bias = tree_contributions(trees, x, x)
    assert not found.any()
    assert bias == pytest.approx(trees.scores(x)[0], abs=1e-12)


def test_neither_no_rows_nor_no_background() -> None:
    found, _ = tree_contributions(BY_HAND, rows(0, 2, 0), rows(5, 2, 0))
    assert found.shape == (0, 2)
    with pytest.raises(ParameterError, match="background must hold at least one row"):
        tree_contributions(BY_HAND, rows(5, 2, 0), rows(0, 2, 0))


@pytest.fixture(scope="module")
def scorer() -> Scorer:
    return Scorer.fit(training_set(), Settings())


def test_contributions_add_up_to_the_score(scorer: Scorer) -> None:
    signals, background = training_set(seed=1).signals, training_set(seed=2).signals[:200]
    inside = signals[:, -1] > 0
    assert 0 < inside.sum() < len(inside)
    far, near = (trees.scores(background).mean() for trees in (scorer.far, scorer.near))
    means = np.where(
        inside, (far + scorer.far_offset) / 3 + 2 * (near + scorer.near_offset) / 3, far + scorer.far_offset
    )
    sums = score_contributions(scorer, signals, background).sum(axis=1)
    np.testing.assert_allclose(sums + means, scorer.scores(signals), rtol=0, atol=1e-9)


def test_the_column_that_tells_is_told(scorer: Scorer) -> None:
    """Links differ from near pairs by the second column, and both from the bulk by the first."""
    own = training_set(seed=1)
    found = score_contributions(scorer, own.signals, own.signals)
    links = own.labels > 0
    assert (found[links][:, 1] > np.abs(found[links][:, 2:]).sum(axis=1)).mean() > 0.9
    bulk = ~links & ~own.near
    assert (found[bulk][:, 0] < 0).mean() > 0.9


def test_a_contribution_does_not_depend_on_its_batch(scorer: Scorer) -> None:
    signals, background = training_set(seed=1).signals, training_set(seed=2).signals[:50]
    found = score_contributions(scorer, signals, background)
    for k in range(0, len(signals), 97):
        assert np.array_equal(score_contributions(scorer, signals[k : k + 1], background)[0], found[k])
    assert score_contributions(scorer, signals[:0], background).shape == (0, 5)


def test_contributions_are_summed_by_what_signals_are_about() -> None:
    found: dict[str, Any] = by_subject(("l3", "pagerank", "l3n"), np.array([[1.0, 2.0, 3.0], [0.0, -1.0, 0.5]]))
    assert {subject: own.tolist() for subject, own in found.items()} == {
        "walks of three steps": [4.0, 0.5],
        "PageRank": [2.0, -1.0],
    }
