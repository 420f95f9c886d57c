"""Groups of folds: what is trained for a fold has never seen the edges that the fold is asked about."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pytest

import pulink
from pulink.engine.threads import use_threads
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.learned.pair_net import PairNetConfig
from pulink.methods.pull_plus.learned.parts import LearnedParts
from pulink.methods.pull_plus.pair_signals import PairSignals, SignalConfig
from pulink.methods.pull_plus.training_set import TrainingSet, deal, gather
from tests.support.small_views import CONFIG, random_graph, words

N, N_EDGES = 40, 120
FEATURES = words(N, 9, 0)
GRAPH = random_graph(N, N_EDGES, 0, features=FEATURES)
ATTRIBUTES = Attributes.of(FEATURES, 0)
NETWORKED = replace(CONFIG, net=PairNetConfig(n_units=4, n_steps=5, dropout=0.0))


@dataclass
class Settings:
    n_folds: int = 8
    max_folds: int | None = None
    most_unseen: float = 0.25
    far_per_edge: int = 2
    near_per_edge: int = 3
    seed: int = 0


@dataclass
class Seen:
    """Graphs that something was trained on, and of each fold its graph and by what it was served."""

    trained: list[tuple[pulink.Graph, LearnedParts]]
    served: list[tuple[pulink.Graph, LearnedParts]]
    asked: list[npt.NDArray[np.int64]]


@pytest.fixture
def seen(monkeypatch: pytest.MonkeyPatch) -> Seen:
    found = Seen([], [], [])
    train, make, signals = LearnedParts.train, PairSignals.make, PairSignals.signals

    def trained(graph: pulink.Graph, features: Attributes | None, config: SignalConfig) -> LearnedParts:
        found.trained.append((graph, train(graph, features, config)))
        return found.trained[-1][1]

    def made(
        graph: pulink.Graph, features: Attributes | None, config: SignalConfig, learned: LearnedParts
    ) -> PairSignals:
        found.served.append((graph, learned))
        return make(graph, features, config, learned)

    def asked(
        pair_signals: PairSignals, pairs: npt.NDArray[np.int64], unread: tuple[str, ...] = ()
    ) -> npt.NDArray[np.float32]:
        found.asked.append(pairs)
        return signals(pair_signals, pairs, unread)

    monkeypatch.setattr(LearnedParts, "train", trained)
    monkeypatch.setattr(PairSignals, "make", made)
    monkeypatch.setattr(PairSignals, "signals", asked)
    return found


def gathered(graph: pulink.Graph = GRAPH, settings: Settings | None = None) -> TrainingSet:
    with use_threads(1):
        return gather(graph, ATTRIBUTES, NETWORKED, settings or Settings())


def same(one: LearnedParts, other: LearnedParts) -> bool:
    arrays = other.state()
    return all(np.array_equal(array, arrays[name]) for name, array in one.state().items())


@pytest.mark.parametrize(
    ("n_folds", "most_unseen", "n_groups"), [(8, 0.25, 4), (8, 0.125, 8), (8, 0.5, 2), (5, 0.25, 5), (2, 0.25, 2)]
)
def test_no_fold_is_served_by_what_saw_its_edges(
    n_folds: int, most_unseen: float, n_groups: int, seen: Seen
) -> None:
    lessons = gathered(settings=Settings(n_folds=n_folds, most_unseen=most_unseen))
    assert lessons.n_trained == len(seen.trained) == n_groups, "nothing is trained twice"
    assert len(seen.served) == len(seen.asked) == n_folds
    hidden_in_all = 0
    for (graph, learned), pairs in zip(seen.served, seen.asked, strict=True):
        hidden = pairs[GRAPH.has_edges(pairs)]
        hidden_in_all += len(hidden)
        assert graph.n_edges == N_EDGES - len(hidden)
        assert not graph.has_edges(hidden).any()
        (of,) = (own for own, parts in seen.trained if same(parts, learned))
        assert not of.has_edges(hidden).any()
        assert graph.has_edges(of.edges).all(), "it may serve a graph with more edges, never one with fewer"
    assert hidden_in_all == N_EDGES
    assert lessons.learned is not None
    assert same(lessons.learned, seen.trained[0][1])


def test_of_few_folds_that_are_used_few_groups_are_trained(seen: Seen) -> None:
    lessons = gathered(settings=Settings(max_folds=3))
    assert (lessons.n_folds, lessons.n_trained, len(seen.trained)) == (3, 2, 2)


def with_others_for(folds: npt.NDArray[np.bool_]) -> pulink.Graph:
    """The graph with other edges in the place of some; all stay sorted, so that each keeps its number and fold."""
    every = np.stack(np.triu_indices(N, k=1), axis=1)
    free = every[~GRAPH.has_edges(every)]
    free_codes = free @ [N, 1]
    edges = GRAPH.edges.astype(np.int64)
    for place in np.flatnonzero(folds):
        codes = edges @ [N, 1]
        low, high = (codes[k] if 0 <= k < N_EDGES else limit for k, limit in ((place - 1, -1), (place + 1, N * N)))
        between = free[(free_codes > low) & (free_codes < high)]
        if len(between):
            edges[place] = between[0]
    return pulink.Graph.from_edges(edges, N, features=FEATURES)


def test_other_edges_in_a_group_change_no_bit_of_what_is_trained_for_it(seen: Seen) -> None:
    poisoned = with_others_for(deal(N_EDGES, 8, 0) < 2)
    assert (~GRAPH.has_edges(poisoned.edges)).sum() > 10
    gathered()
    gathered(poisoned)
    before, after = ([parts for _, parts in seen.trained[k : k + 4]] for k in (0, 4))
    assert same(before[0], after[0])
    assert not any(same(one, other) for one, other in zip(before[1:], after[1:], strict=True))


def test_other_edges_in_a_fold_change_no_bit_of_what_it_reads(seen: Seen) -> None:
    poisoned = with_others_for(deal(N_EDGES, 8, 0) == 0)
    assert (~GRAPH.has_edges(poisoned.edges)).sum() > 5
    gathered()
    gathered(poisoned)
    (graph, learned), (after, relearned) = seen.served[0], seen.served[8]
    assert np.array_equal(graph.edges, after.edges)
    every = np.stack(np.triu_indices(N, k=1), axis=1)
    with use_threads(1):
        one, other = (
            PairSignals(own, {}, parts.embeddings(own, CONFIG.n_units), ATTRIBUTES, parts).signals(every)
            for own, parts in ((graph, learned), (after, relearned))
        )
    assert np.array_equal(one, other)
    assert "pair_net" in PairSignals(graph, {}, {}, ATTRIBUTES, replace(learned, encoders={})).names
