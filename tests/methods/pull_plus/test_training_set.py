"""TrainingSet: nobody sees the edge that is asked for, and no edge is called unconnected."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

import pulink
from pulink.engine.pace import listening
from pulink.engine.threads import use_threads
from pulink.graph.pair_space import UndirectedPairs
from pulink.methods.pull_plus.pair_signals import PairSignals
from pulink.methods.pull_plus.scoring.added_terms import UNREAD
from pulink.methods.pull_plus.signals import signal_names
from pulink.methods.pull_plus.training_set import TrainingSet, gather
from tests.support.planted import planted_graph
from tests.support.small_views import CONFIG, made, random_graph

GRAPH = planted_graph(20, 2, 0.4, 0.05, seed=0)


@dataclass
class Settings:
    n_folds: int = 3
    max_folds: int | None = None
    most_unseen: float = 0.25
    far_per_edge: int = 2
    near_per_edge: int = 3
    seed: int = 0


def training_set_of(graph: pulink.Graph, settings: Settings | None = None) -> TrainingSet:
    with use_threads(1):
        return gather(graph, None, CONFIG, settings or Settings())


Asked = list[tuple[pulink.Graph, npt.NDArray[np.int64]]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Every graph and the pairs whose signals were asked for on it."""
    seen: Asked = []
    signals = PairSignals.signals

    def recorded(pair_signals: PairSignals, pairs: npt.NDArray[np.int64], unread: tuple[str, ...] = ()) -> object:
        seen.append((pair_signals.graph, pairs))
        return signals(pair_signals, pairs, unread)

    monkeypatch.setattr(PairSignals, "signals", recorded)
    return seen


def test_a_pair_known_to_be_absent_is_settled_wherever_it_is_drawn(asked: Asked) -> None:
    free = np.array([pair for pair in np.ndindex(40, 40) if pair[0] < pair[1]])
    absent = free[~GRAPH.has_edges(free)][::2]
    training_set = training_set_of(GRAPH.with_absent(absent))
    pairs = np.concatenate([own for _, own in asked])
    known = UndirectedPairs(40).isin(pairs, absent)
    assert np.array_equal(training_set.absent, known)
    assert known.sum() > training_set.n_folds * len(absent)


def test_every_edge_is_hidden_once_and_asked_for_where_it_is_hidden(asked: Asked) -> None:
    training_set = training_set_of(GRAPH)
    assert training_set.n_folds == len(asked) == 3
    hidden = []
    start = 0
    for graph, pairs in asked:
        own = slice(start, start + len(pairs))
        start = own.stop
        is_edge = GRAPH.has_edges(pairs)
        assert np.array_equal(is_edge, training_set.labels[own] == 1)
        assert not graph.has_edges(pairs).any()
        assert graph.n_edges + is_edge.sum() == GRAPH.n_edges
        assert training_set.far[own][is_edge].all()
        # So small a graph is all candidates.
        assert training_set.near[own][is_edge].all()
        assert (training_set.far[own] ^ training_set.near[own])[~is_edge].all()
        hidden += pairs[is_edge].tolist()
    assert start == len(training_set.labels)
    assert sorted(hidden) == GRAPH.edges.tolist()


def test_signals_are_those_of_graphs_that_never_held_the_edges(asked: Asked) -> None:
    training_set = training_set_of(GRAPH)
    fresh = [
        made(pulink.Graph.from_edges(graph.edges, GRAPH.n_nodes)).signals(pairs, UNREAD)
        for graph, pairs in asked.copy()
    ]
    assert np.array_equal(np.concatenate(fresh), training_set.signals[:, :-1])


def test_no_lesson_can_read_its_own_edge() -> None:
    """On so small a graph all eigenpairs together are the adjacency: an edge left in would show as a 1."""
    entries = training_set_of(GRAPH).signals[:, signal_names().index("adjacency_entry_128")]
    assert np.abs(entries).max() < 1e-3


def test_unconnected_pairs_come_in_the_numbers_asked_for_and_once(asked: Asked) -> None:
    training_set = training_set_of(GRAPH)
    sizes = [len(pairs) for _, pairs in asked]
    for (_, pairs), near, labels in zip(
        asked,
        np.split(training_set.near, np.cumsum(sizes)[:-1]),
        np.split(training_set.labels, np.cumsum(sizes)[:-1]),
        strict=True,
    ):
        n_hidden = int(labels.sum())
        for part, per_edge in ((near & (labels == 0), 3), (~near & (labels == 0), 2)):
            assert part.sum() == per_edge * n_hidden
            assert len(GRAPH.pair_space.unique(pairs[part])) == part.sum()


def test_the_lists_end_where_the_pairs_do() -> None:
    graph = pulink.Graph.from_edges([[i, j] for i in range(8) for j in range(i)][2:], 8)
    training_set = training_set_of(graph, Settings(far_per_edge=50, near_per_edge=50))
    # Two pairs are unconnected: in each of three folds both come as any pairs, and both as candidates.
    assert (training_set.labels == 0).sum() == 12
    assert (training_set.near & (training_set.labels == 0)).sum() == 6


def test_offsets_are_those_of_the_shares_that_were_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """60 edges in three folds of 20, of which 4 each; 130 pairs are unconnected, of which 8 and 12 are drawn."""
    monkeypatch.setattr("pulink.methods.pull_plus.training_set.ENOUGH_EDGES", 12)
    graph = random_graph(20, 60, 0)
    training_set = training_set_of(graph)
    assert training_set.far_offset == pytest.approx(np.log((8 / 130) / (4 / 20)))
    assert training_set.near_offset == pytest.approx(np.log((12 / 130) / (4 / 20)))


def test_a_complete_graph_teaches_edges_alone() -> None:
    training_set = training_set_of(pulink.Graph.from_edges([[i, j] for i in range(6) for j in range(i)], 6))
    assert training_set.labels.tolist() == 15 * [1]


def test_large_graphs_are_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.methods.pull_plus.training_set.ENOUGH_EDGES", 10)
    shares: list[float] = []
    graph = random_graph(20, 60, 0)
    with use_threads(1), listening(shares.append):
        training_set = gather(graph, None, CONFIG, Settings(n_folds=6))
    assert (training_set.n_folds, int(training_set.labels.sum())) == (2, 10)
    assert {0.5, 1.0} <= {*shares}
    assert max(shares) == 1.0
    assert sum(share < 0.5 for share in shares) > 20, "a fold tells how far it is"


def test_of_many_hidden_edges_some_are_enough(monkeypatch: pytest.MonkeyPatch, asked: Asked) -> None:
    monkeypatch.setattr("pulink.methods.pull_plus.training_set.ENOUGH_EDGES", 10)
    training_set = training_set_of(random_graph(20, 60, 0))
    assert int(training_set.labels.sum()) == 2 * 5
    assert [graph.n_edges for graph, _ in asked] == 2 * [40]


@pytest.mark.parametrize("n_edges", [1, 2])
def test_folds_are_no_more_than_edges(n_edges: int) -> None:
    training_set = training_set_of(random_graph(6, n_edges, 0), Settings(n_folds=8))
    assert (training_set.n_folds, int(training_set.labels.sum())) == (n_edges, n_edges)


def test_a_seed_fixes_the_lessons() -> None:
    graph = random_graph(20, 60, 0)
    one, again, other = (training_set_of(graph, Settings(seed=seed)) for seed in (0, 0, 1))
    assert np.array_equal(one.signals, again.signals)
    assert not np.array_equal(one.signals, other.signals)
