"""Hiding edges of a graph whose rows several workers hold, and drawing pairs that are not connected."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.group import Group
from pulink.distributed.group.own_rows import OwnRows
from pulink.engine.own_rows.hidden_entries import count_words, free_first, mark_words
from pulink.engine.own_rows.pair_terms import own_draws
from pulink.engine.random import stream_key
from pulink.nn.sharded.nth_word import nth_word
from pulink.predictor.fitting.fit_run import Validation

Longs = npt.NDArray[np.int64]
Pairs = npt.NDArray[np.int32]

# More hidden edges tell hardly more, and every worker holds them all.
MOST_HIDDEN = 1_000_000
# Draws are looked at in parts, so many at a time.
_SLICE = 1 << 20


@dataclass(frozen=True, eq=False)
class Hidden:
    """The rows without the hidden edges, and the pairs by which a model is chosen."""

    rows: OwnRows
    validation: Validation


def n_hidden(n_edges: int, val_ratio: float) -> int:
    """How many edges are hidden: the share that is asked for, but a million at most.

    >>> from pulink.predictor.sharded.hidden_pairs import n_hidden
    >>> n_hidden(30, 0.1), n_hidden(10**9, 0.1)
    (3, 1000000)
    """
    return min(math.floor(val_ratio * n_edges + 1e-9), MOST_HIDDEN)


def hide(rows: OwnRows, group: Group, val_ratio: float, seed: int) -> Hidden | None:
    """Hide edges at random, the same for any number of workers; None if there are too few."""
    count = n_hidden(rows.n_edges, val_ratio)
    if not count:
        return None
    key, n = stream_key(seed, "split", "edges"), rows.shards.n_nodes

    def counted(prefix: np.uint64, shift: np.uint64, counts: Longs) -> None:
        count_words(key, n, rows.first, rows.indptr, rows.indices, prefix, shift, counts)

    last = nth_word(group, count, counted)
    is_hidden = np.zeros(rows.indices.size, dtype=np.bool_)
    mark_words(key, n, rows.first, rows.indptr, rows.indices, last, is_hidden)
    places = np.flatnonzero(is_hidden)
    own = np.searchsorted(rows.indptr, places, side="right") - 1 + rows.first
    pairs = np.stack([own, rows.indices[places]], axis=1).astype(np.int32)
    edges = np.concatenate(group.collected(pairs[pairs[:, 0] < pairs[:, 1]]))
    edges = edges[np.lexsort((edges[:, 1], edges[:, 0]))]
    non_edges = draw_free(rows, group, len(edges), stream_key(seed, "split", "non-edges"))
    return Hidden(without(rows, is_hidden, len(edges)), Validation(edges, non_edges))


def without(rows: OwnRows, is_hidden: npt.NDArray[np.bool_], n_fewer: int) -> OwnRows:
    """The rows without some of their entries, which stand for so many edges of the whole graph."""
    n_fewer_before = np.searchsorted(np.flatnonzero(is_hidden), rows.indptr)
    return replace(
        rows,
        indptr=rows.indptr - n_fewer_before,
        indices=rows.indices[~is_hidden],
        weights=None if rows.weights is None else rows.weights[~is_hidden],
        n_edges=rows.n_edges - n_fewer,
    )


def draw_free(rows: OwnRows, group: Group, count: int, key: np.uint64) -> Pairs:
    """Pairs that are not connected, none twice, uniformly, in the order in which they were drawn."""
    n = rows.shards.n_nodes
    count = min(count, n * (n - 1) // 2 - rows.n_edges)
    end = rows.first + rows.n_rows
    codes, order = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint64)
    start = 0
    while len(codes) < count:
        size = min(_SLICE, math.ceil(1.1 * (count - len(codes))) + 100)
        pairs, counters = np.empty((size + 1, 2), dtype=np.int32), np.empty(size, dtype=np.uint64)
        kept = own_draws(key, start, n, rows.first, end, pairs, counters)
        is_free = np.zeros(kept, dtype=np.bool_)
        free_first(pairs[:kept], rows.first, end, rows.indptr, rows.indices, is_free)
        mine = np.sort(pairs[:kept][is_free].astype(np.int64), axis=1)
        found = np.concatenate(group.collected(mine[:, 0] * n + mine[:, 1]))
        told = np.concatenate(group.collected(counters[:kept][is_free]))
        codes, order = np.concatenate([codes, found]), np.concatenate([order, told])
        codes, order = codes[np.argsort(order, kind="stable")], np.sort(order)
        _, first = np.unique(codes, return_index=True)
        first.sort()
        codes, order = codes[first], order[first]
        start += size
    return np.stack([codes[:count] // n, codes[:count] % n], axis=1).astype(np.int32)
