"""Gradient-boosted trees over the signals of pairs: grown by LightGBM, kept and read as arrays.

    score of a row x    Σ_t leaf_t(x), log-odds; at node v the way goes left where x[column_v] ≤ threshold_v

All trees stand one after another in the same arrays. A root or child c ≥ 0 is node c, which stands after its
parent; c < 0 is leaf −c − 1. LightGBM writes text, but its reader ends the whole process over a damaged one: it
never reads a stored model.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.engine.pace import tell
from pulink.engine.threads import run_shares, threads_in_use
from pulink.engine.trees.masks import TreeMasks
from pulink.engine.trees.walks import sum_leaves
from pulink.errors import InputError
from pulink.methods.pull_plus.scoring import lightgbm_library

Signals = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Nodes = npt.NDArray[np.int32]

MOST_LEAVES = 131_072

_CHUNK = 1 << 12
# Rows by which columns are divided into bins.
_BINNED_ROWS = 40_000
# What LightGBM writes for a number that is never missing, whichever way missing ones would go.
_PLAIN_SPLITS = (0, 2)


@dataclass(frozen=True)
class Trees:
    """roots (T); columns, thresholds (N nodes); children (N x 2: left, right); leaves (L values)."""

    roots: Nodes
    columns: Nodes
    thresholds: F64
    children: Nodes
    leaves: F64

    def __post_init__(self) -> None:
        """ValueError if a way from a root does not end at a leaf: a stored model may hold anything."""
        n = len(self.columns)
        shapes = [array.shape for array in (self.columns, self.thresholds, self.children)]
        kinds = [array.dtype for array in (self.roots, self.columns, self.children, self.thresholds, self.leaves)]
        if shapes != [(n,), (n,), (n, 2)] or kinds != 3 * [np.int32] + 2 * [np.float64]:
            raise ValueError("its trees are not whole")
        ways = np.concatenate([self.roots, self.children.ravel()]).astype(np.int64)
        parents = np.concatenate([np.full(len(self.roots), -1), np.repeat(np.arange(n), 2)])
        ends = np.where(ways < 0, -ways <= len(self.leaves), (parents < ways) & (ways < n))
        if not ends.all() or (self.columns < 0).any() or not np.isfinite(self.leaves).all():
            raise ValueError("its trees lead nowhere")

    @property
    def n_columns(self) -> int:
        """How many columns a row must have at least."""
        return int(self.columns.max(initial=-1)) + 1

    def scores(self, signals: Signals) -> F64:
        """Log-odds of a link among rows like those of the training (k)."""
        out = np.empty(len(signals), dtype=np.float64)
        summed = self._sum_by_walks if self._masks is None else self._masks.sum_leaves

        def run(starts: list[int]) -> None:
            for start in starts:
                part = slice(start, start + _CHUNK)
                summed(signals[part], out[part])

        run_shares(run, range(0, len(signals), _CHUNK))
        return out

    @cached_property
    def _masks(self) -> TreeMasks | None:
        return TreeMasks.of(self.roots, self.columns, self.thresholds, self.children, self.leaves)

    def _sum_by_walks(self, signals: Signals, out: F64) -> None:
        sum_leaves(self.roots, (self.columns, self.thresholds, self.children), self.leaves, signals, out)

    def __getstate__(self) -> dict[str, Any]:
        """Without masks, which are quickly made again."""
        return {part.name: getattr(self, part.name) for part in fields(self)}


class Grower:
    """Grows trees on the same rows (k x S) for any labels: the rows are divided into bins once."""

    def __init__(self, signals: Signals, *, n_trees: int, n_leaves: int, rate: float, seed: int) -> None:
        self._signals = signals
        self._n_trees = n_trees
        self._settings: dict[str, Any] = {
            "objective": "cross_entropy",
            "learning_rate": rate,
            "num_leaves": n_leaves,
            "min_data_in_leaf": 20,
            "feature_fraction": 0.5,
            "bagging_fraction": 0.8,
            "bagging_freq": 1,
            "lambda_l2": 1.0,
            "seed": seed,
            "deterministic": True,
            # The same trees as row by row, a little sooner.
            "force_col_wise": True,
            "verbose": -1,
        }

    @cached_property
    def _rows(self) -> lightgbm_library.Rows:
        _refuse_useless(self._signals)
        return lightgbm_library.Rows(self._signals, self._settings | {"bin_construct_sample_cnt": _BINNED_ROWS})

    def grow(self, labels: F64) -> Trees:
        """Learn the probability that a row is a link from labels in [0, 1] (k), by cross-entropy."""

        def after_tree(number: int) -> None:
            tell((number + 1) / self._n_trees)

        self._rows.set_labels(labels)
        settings = self._settings | {"num_threads": threads_in_use()}
        return _read(lightgbm_library.grow(self._rows, settings, self._n_trees, after_tree))


def _refuse_useless(signals: Signals) -> None:
    if len(signals) < 2:
        raise InputError(f"too few pairs to learn from: {len(signals)}; the graph is too small: try gcn-ce or l3n")
    refuse_endless(signals)


def refuse_endless(signals: Signals) -> None:
    """Encoders that were taught too fast give no numbers."""
    if not np.isfinite(signals).all():
        raise InputError("signals of pairs are not finite: lower learning_rate, or rescale the graph's features")


def _read(text: str) -> Trees:
    """The trees of a text that LightGBM has just written."""
    blocks = text.split("\nend of trees")[0].split("\nTree=")[1:]
    roots, parts = [], []
    n_nodes, n_leaves = 0, 0
    for block in blocks:
        columns, thresholds, children, leaves = _read_tree(block)
        roots.append(n_nodes if len(columns) else -n_leaves - 1)
        parts.append(
            (columns, thresholds, np.where(children >= 0, children + n_nodes, children - n_leaves), leaves)
        )
        n_nodes, n_leaves = n_nodes + len(columns), n_leaves + len(leaves)
    columns, thresholds, children, leaves = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    return Trees(np.array(roots, np.int32), columns, thresholds, children.astype(np.int32), leaves)


def _read_tree(block: str) -> tuple[Nodes, F64, Nodes, F64]:
    """Columns, thresholds, children and leaves of one tree; a tree without splits is one leaf."""
    fields = dict(line.split("=", 1) for line in block.splitlines() if "=" in line)

    def numbers(name: str, dtype: type) -> npt.NDArray[Any]:
        return np.array(fields.get(name, "").split(), dtype=dtype)

    assert np.isin(numbers("decision_type", np.int32), _PLAIN_SPLITS).all()
    children = np.stack([numbers("left_child", np.int32), numbers("right_child", np.int32)], axis=1)
    return (
        numbers("split_feature", np.int32),
        numbers("threshold", np.float64),
        children,
        numbers("leaf_value", np.float64),
    )
