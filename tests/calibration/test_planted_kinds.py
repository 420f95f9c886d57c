"""Where links were planted and some removed, answers are right whatever the kind of graph.

Probabilities within a group add up to the links that it misses, 90% intervals hold the number of removed links,
and lists by `fdr` hold no larger share of false links than was asked for.
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pytest

import pulink
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, UNDIRECTED
from pulink.predictor.predictor import LinkPredictor
from tests.support.planted import planted_graph
from tests.support.planted_kinds import planted_sides, planted_ways

KINDS = (UNDIRECTED, DIRECTED, BIPARTITE)
N_GROUPS, LEVELS = 4, (0.2, 0.4)
SEEDS = {"l3n": 4, "pull-plus": 8}
# As good as the defaults on graphs of this size, in a fraction of the time.
SETTINGS: dict[str, dict[str, int]] = {
    "l3n": {"n_splits": 2},
    "pull-plus": {"n_epochs": 30, "n_trees": 60, "n_splits": 2, "n_folds": 4},
}


class Answers(NamedTuple):
    """Of one graph: its removed links, the model that knows their share, and the one that does not."""

    removed: npt.NDArray[np.int32]
    knowing: LinkPredictor
    guessing: LinkPredictor


@cache
def whole(kind: str, seed: int) -> pulink.Graph:
    if kind == UNDIRECTED:
        return planted_graph(30, N_GROUPS, 0.96, 0.01, seed)
    if kind == DIRECTED:
        return planted_ways(120, N_GROUPS, 0.96, 0.01, seed)
    return planted_sides(100, 80, N_GROUPS, 0.96, 0.01, seed)


@cache
def answers(name: str, kind: str, seed: int) -> Answers:
    graph = whole(kind, seed)
    rng = np.random.default_rng([seed, 7])
    gone = rng.random(graph.n_edges) < rng.uniform(0.1, 0.3)
    model = pulink.make(name, seed=seed, **SETTINGS[name]).fit(graph.keep_edges(~gone))
    return Answers(graph.edges[gone], model.assuming(float(gone.mean())), model)


def groups_of(kind: str, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """The group of both ends of each pair (k); -1 where they are of two."""
    nodes = np.arange(whole(kind, 0).n_nodes)
    by_node = nodes // 30 if kind == UNDIRECTED else nodes % N_GROUPS
    if kind == BIPARTITE:
        by_node = np.where(nodes < 100, nodes % N_GROUPS, (nodes - 100) % N_GROUPS)
    first, second = by_node[pairs[:, 0]], by_node[pairs[:, 1]]
    return np.where(first == second, first, -1)


QUICK = {("l3n", DIRECTED)}
CASES = [
    pytest.param(name, kind, marks=[] if (name, kind) in QUICK else [pytest.mark.slow])
    for name in SETTINGS
    for kind in KINDS
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_a_group_misses_as_many_links_as_its_probabilities_say(name: str, kind: str) -> None:
    ratios = []
    for seed in range(SEEDS[name]):
        found = answers(name, kind, seed)
        graph = found.knowing.graph_
        free = graph.pair_space.unconnected(graph.adjacency)
        chances, of_group = found.knowing.predict_proba(free), groups_of(kind, free)
        missing = np.bincount(groups_of(kind, found.removed) + 1, minlength=N_GROUPS + 1)[1:]
        expected = np.bincount(of_group + 1, chances, minlength=N_GROUPS + 1)[1:]
        ratios.append(expected.sum() / missing.sum())
        # One group of one graph has few links, so it is held to less.
        assert expected == pytest.approx(missing, rel=0.6)
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_intervals_hold_the_number_of_removed_links(name: str, kind: str) -> None:
    held = []
    for seed in range(SEEDS[name]):
        found = answers(name, kind, seed)
        missing = found.guessing.estimate_missing()
        assert missing is not None
        held.append(missing.low <= len(found.removed) <= missing.high)
    assert np.sum(held) >= SEEDS[name] - 1


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_trusted_lists_hold_no_more_false_links_than_was_asked(name: str, kind: str) -> None:
    for level in LEVELS:
        false_shares, lengths = [], []
        for seed in range(SEEDS[name]):
            found = answers(name, kind, seed)
            space = found.knowing.graph_.pair_space
            links = found.knowing.missing_links(fdr=level)
            pairs = links.select("source", "target").cast(int).to_numpy().reshape(-1, 2)
            right = space.isin(pairs, found.removed)
            false_shares.append(1 - right.mean() if len(right) else 0.0)
            lengths.append(len(right))
        assert np.mean(false_shares) <= level + 0.03, level
    # The lax list is no empty promise.
    assert np.mean(lengths) > 10
