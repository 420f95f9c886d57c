"""What the trees learn from: hidden edges and unconnected pairs, with signals of graphs that hold none of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import permutation, stream_key
from pulink.graph.graph import Edges, Graph
from pulink.plus.attributes import Attributes
from pulink.plus.candidates import candidate_count, find_candidates
from pulink.plus.folds import ENOUGH_EDGES, deal, n_used, without
from pulink.plus.view import Recipe, View

_HIDDEN, _FAR, _NEAR = 0, 1, 2


class Settings(Protocol):
    """How much to learn from."""

    n_folds: int
    max_folds: int | None
    far_per_edge: int
    near_per_edge: int
    seed: int


@dataclass(frozen=True)
class Lessons:
    """signals (k x S), labels (k): 1 for hidden edges, 0 for unconnected pairs; near: whether a candidate (k).

    near_share  how many of all unconnected pairs are candidates
    """

    signals: npt.NDArray[np.float32]
    labels: npt.NDArray[np.float64]
    near: npt.NDArray[np.bool_]
    near_share: float
    n_views: int


def gather(
    train: Graph,
    features: Attributes | None,
    recipe: Recipe,
    settings: Settings,
    on_view: Callable[[int, int], None],
) -> Lessons:
    """Fold by fold: hide, look at the graph that is left, take the signals of hidden and of unconnected pairs."""
    n_folds = min(settings.n_folds, train.n_edges)
    folds = deal(train.n_edges, n_folds, settings.seed)
    n_views = n_used(train.n_edges, n_folds, settings.max_folds)
    sampler = NonEdgeSampler(train.adjacency)
    most = -(-ENOUGH_EDGES // n_views)
    signals, kinds, n_near = [], [], 0
    for fold in range(n_views):
        graph, hidden = without(train, folds, fold)
        hidden = hidden[permutation(stream_key(settings.seed, "hidden", fold), len(hidden))[:most]]
        view = View.make(graph, features, recipe)
        found = _candidates(train, view)
        n_near += len(found)
        order = permutation(stream_key(settings.seed, "near", fold), len(found))
        near = found[order[: settings.near_per_edge * len(hidden)]]
        parts = hidden, _far(sampler, settings, len(hidden), fold), near
        signals.append(view.signals(np.concatenate(parts)))
        kinds.append(np.repeat([_HIDDEN, _FAR, _NEAR], [len(part) for part in parts]))
        on_view(fold + 1, n_views + 1)
    kind = np.concatenate(kinds)
    share = n_near / max(n_views * sampler.n_free, 1)
    return Lessons(np.concatenate(signals), (kind == _HIDDEN).astype(np.float64), kind == _NEAR, share, n_views)


def _far(sampler: NonEdgeSampler, settings: Settings, n_hidden: int, fold: int) -> Edges:
    """Any unconnected pairs."""
    count = min(settings.far_per_edge * n_hidden, sampler.n_free)
    return np.asarray(sampler.draw_distinct(count, stream_key(settings.seed, "far", fold)), dtype=np.int32)


def _candidates(train: Graph, view: View) -> Edges:
    """Candidates on the graph without the fold that are no edges of the whole graph."""
    found = find_candidates(view, view.graph.adjacency, candidate_count(train)).pairs
    return found[~train.has_edges(found)]
