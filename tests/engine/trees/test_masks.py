"""Leaves by masks, against a walk from node to node."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from pulink.engine.trees.masks import MOST_LEAVES, TreeMasks

Array = npt.NDArray[Any]
Forest = tuple[Array, Array, Array, Array, Array]

# Numbers that float32 does not have lie between two that it has; some lie beyond all of them.
EDGES = [0.0, -0.0, 0.1, 1 / 3, 1 + 1e-12, 1 - 1e-12, 1e-50, -1e-50, 1e-45, 1e39, -1e39, np.inf, -np.inf, np.nan]
SIZES = st.lists(st.integers(1, MOST_LEAVES), min_size=1, max_size=6)


def forest(sizes: list[int], n_columns: int, rng: np.random.Generator) -> Forest:
    """Trees of so many leaves and any shape: roots, columns, thresholds, children, leaves."""
    roots: list[int] = []
    children: list[list[int]] = []
    n_leaves = 0
    for size in sizes:
        waiting = [(roots, len(roots), size)]
        roots.append(0)
        while waiting:
            ways, side, n_below = waiting.pop(rng.integers(len(waiting)))
            if n_below == 1:
                n_leaves += 1
                ways[side] = -n_leaves
                continue
            ways[side] = len(children)
            both = [0, 0]
            children.append(both)
            n_left = int(rng.integers(1, n_below))
            waiting += [(both, 0, n_left), (both, 1, n_below - n_left)]
    n = len(children)
    thresholds = np.where(rng.random(n) < 0.3, rng.choice(EDGES, n), rng.normal(size=n))
    return (
        np.array(roots, np.int32),
        rng.integers(0, n_columns, n).astype(np.int32),
        thresholds,
        np.array(children, np.int32).reshape(-1, 2),
        rng.normal(size=n_leaves),
    )


def rows_near(thresholds: Array, n_rows: int, n_columns: int, rng: np.random.Generator) -> Array:
    """Numbers equal to thresholds, as near to them as float32 allows, or far away."""
    with np.errstate(all="ignore"):
        near = np.concatenate([thresholds, [0.0]]).astype(np.float32)
        values = np.concatenate([np.nextafter(near, np.float32(to)) for to in (-np.inf, np.inf)] + [near, -near])
    values = np.concatenate([values[np.isfinite(values)], rng.normal(size=8).astype(np.float32)])
    return rng.choice(values, (n_rows, n_columns))


def walked(trees: Forest, rows: Array) -> list[float]:
    roots, columns, thresholds, children, leaves = (part.tolist() for part in trees)
    found = []
    for row in rows.tolist():
        total = 0.0
        for v in roots:
            while v >= 0:
                v = children[v][0 if row[columns[v]] <= thresholds[v] else 1]
            total += leaves[-v - 1]
        found.append(total)
    return found


def by_masks(trees: Forest, rows: Array) -> list[float]:
    masks, out = TreeMasks.of(*trees), np.full(len(rows), np.nan)
    assert masks is not None
    masks.sum_leaves(rows, out)
    return out.tolist()  # type: ignore[no-any-return]


@settings(max_examples=150)
@given(sizes=SIZES, n_columns=st.integers(1, 5), n_rows=st.integers(0, 300), seed=st.integers(0, 2**32))
@example(sizes=[1], n_columns=1, n_rows=3, seed=0)
@example(sizes=[1, MOST_LEAVES, 1], n_columns=2, n_rows=256, seed=0)
@example(sizes=50 * [MOST_LEAVES], n_columns=2, n_rows=513, seed=0)
def test_sums_equal_those_of_walks_to_the_bit(sizes: list[int], n_columns: int, n_rows: int, seed: int) -> None:
    """The last example has hundreds of thresholds in a column."""
    rng = np.random.default_rng(seed)
    trees = forest(sizes, n_columns, rng)
    rows = rows_near(trees[2], n_rows, n_columns, rng)
    assert by_masks(trees, rows) == walked(trees, rows)


@pytest.mark.parametrize("right", [False, True])
def test_the_deepest_trees(right: bool) -> None:
    """One leaf at every node, on the left or on the right."""
    n = MOST_LEAVES - 1
    inner, outer = np.append(np.arange(1, n), -n - 1), -np.arange(n) - 1
    children = np.stack([outer, inner] if right else [inner, outer], axis=1).astype(np.int32)
    thresholds = np.arange(n, dtype=np.float64) if right else np.arange(n, dtype=np.float64)[::-1].copy()
    trees = np.zeros(1, np.int32), np.zeros(n, np.int32), thresholds, children, np.arange(n + 1.0)
    rows = np.arange(-1, n + 1, dtype=np.float32)[:, None]
    ends = [0, *range(n), n]
    assert by_masks(trees, rows) == walked(trees, rows) == (ends if right else [n, *range(n, 0, -1), 0])


def test_infinite_rows_and_rows_without_a_number_go_the_same_way() -> None:
    trees = forest([MOST_LEAVES, 7], 2, np.random.default_rng(1))
    odd = np.array([np.inf, -np.inf, np.nan, 0], dtype=np.float32)
    rows = np.stack(np.meshgrid(odd, odd), axis=-1).reshape(-1, 2)
    assert by_masks(trees, rows) == walked(trees, rows)


def test_rows_in_another_order_of_memory() -> None:
    rng = np.random.default_rng(2)
    trees = forest([20, 3], 4, rng)
    rows = rows_near(trees[2], 70, 8, rng)
    expected = walked(trees, rows[:, ::2])
    assert by_masks(trees, rows[:, ::2]) == by_masks(trees, np.asfortranarray(rows[:, ::2])) == expected


def test_a_leaf_too_many_is_left_to_walks() -> None:
    rng = np.random.default_rng(3)
    assert TreeMasks.of(*forest([2, MOST_LEAVES + 1], 2, rng)) is None
    assert TreeMasks.of(*forest([100_000], 2, rng)) is None


def test_shared_nodes_are_left_to_walks() -> None:
    """Few nodes that share their children can stand for more leaves than memory holds."""
    roots, columns, thresholds, children, leaves = forest([9], 2, np.random.default_rng(4))
    assert TreeMasks.of(np.repeat(roots, 2), columns, thresholds, children, leaves) is None
    doubling = np.repeat(np.append(np.arange(1, 70), -1), 2).reshape(-1, 2).astype(np.int32)
    n = len(doubling)
    assert TreeMasks.of(roots, np.zeros(n, np.int32), np.zeros(n), doubling, np.zeros(1)) is None


def test_no_tree_at_all() -> None:
    none = np.zeros(0, np.int32)
    rows = np.zeros((3, 1), np.float32)
    assert by_masks((none, none, np.zeros(0), none.reshape(0, 2), np.zeros(0)), rows) == [0, 0, 0]
