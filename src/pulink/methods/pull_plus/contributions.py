"""What each signal adds to a score of trees.

The expected value of a node is the mean of the leaves that a background of rows reaches from it; that of a leaf is
its own. Along a row's way through a tree, each split changes the expected value, and its column c is given the
change (Saabas 2014):

    score of x = bias + Σ_c contribution_c(x)        bias: the mean score of the background

Where no row of the background arrives, both ways count alike.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from pulink.engine.trees.walks import add_changes
from pulink.errors import ParameterError
from pulink.methods.pull_plus.scoring.scorer import Scorer
from pulink.methods.pull_plus.scoring.trees import F64, Signals, Trees
from pulink.methods.pull_plus.signals import subject_of


def by_subject(columns: Sequence[str], contributions: F64) -> dict[str, F64]:
    """Contributions (k x S) of columns so called, summed over all that are about the same (k)."""
    subjects = [subject_of(column) for column in columns]
    return {
        subject: contributions[:, [other == subject for other in subjects]].sum(axis=1)
        for subject in dict.fromkeys(subjects)
    }


def score_contributions(scorer: Scorer, signals: Signals, background: Signals) -> F64:
    """What each signal, the number of sources included, adds to a pair's score compared with other pairs.

    Signals and background are rows of `Candidates.rows` (k x S + 1, b x S + 1). All that a row's signals add is
    its score, less the mean over the background of the same sum of trees and terms.
    """
    found, _ = tree_contributions(scorer.far, signals, background)
    inside = signals[:, -1] > 0
    if scorer.near_weight and inside.any():
        near, _ = tree_contributions(scorer.near, signals[inside], background)
        found[inside] = (1 - scorer.near_weight) * found[inside] + scorer.near_weight * near
    for term in scorer.terms:
        found[:, term.place] += term.of(signals) - term.of(background).mean()
    return found


def tree_contributions(trees: Trees, signals: Signals, background: Signals) -> tuple[F64, float]:
    """The contribution of every column to every row's score (k x S), and the bias."""
    if not len(background):
        raise ParameterError("background must hold at least one row of signals, got none")
    assert signals.shape[1] == background.shape[1] >= trees.n_columns
    expected = _expected(trees, _covers(trees, background))
    # Leaf -c - 1 stands at c from the end.
    values = np.concatenate([expected, trees.leaves[::-1]])
    found = np.zeros(signals.shape, dtype=np.float64)
    add_changes(trees.roots, (trees.columns, trees.thresholds, trees.children), values, signals, found)
    return found, float(values[trees.roots].sum())


def _covers(trees: Trees, rows: Signals) -> npt.NDArray[np.int64]:
    """How many rows go left and right at each node (N x 2)."""
    counts = np.zeros(2 * len(trees.columns), dtype=np.int64)
    for root in trees.roots:
        here, at = np.arange(len(rows)), np.full(len(rows), root)
        while (inner := at >= 0).any():
            here, at = here[inner], at[inner]
            right = ~(rows[here, trees.columns[at]] <= trees.thresholds[at])
            np.add.at(counts, 2 * at + right, 1)
            at = trees.children[at, right.astype(np.int64)]
    return counts.reshape(-1, 2)


def _expected(trees: Trees, covers: npt.NDArray[np.int64]) -> F64:
    """The expected value of each node (N); a child stands after its parent."""
    counts = np.where(covers.any(axis=1, keepdims=True), covers, 1)
    shares = (counts / counts.sum(axis=1, keepdims=True)).tolist()
    leaves, values = trees.leaves.tolist(), [0.0] * len(shares)
    for v in range(len(shares) - 1, -1, -1):
        left, right = (values[c] if c >= 0 else leaves[-c - 1] for c in trees.children[v].tolist())
        values[v] = shares[v][0] * left + shares[v][1] * right
    return np.array(values, dtype=np.float64)
