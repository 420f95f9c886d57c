"""LearnedParts: what is trained on one graph, and what it makes of others on the same nodes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import pulink
from pulink.engine.threads import use_threads
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.learned.encoders import ENCODERS
from pulink.methods.pull_plus.learned.pair_net import PairNetConfig
from pulink.methods.pull_plus.learned.parts import NOTHING_LEARNED, LearnedParts
from pulink.methods.pull_plus.signals import ATTRIBUTES, SPECTRUM
from tests.support.small_views import CONFIG, random_graph, words

N = 30
FEATURES = words(N, 9, 0)
GRAPH = random_graph(N, 80, 0, features=FEATURES)
ATTRIBUTES_OF_NODES = Attributes.of(FEATURES, 0)
NETWORKED = replace(CONFIG, net=PairNetConfig(n_units=4, n_steps=5, dropout=0.0))


@pytest.fixture(scope="module")
def learned() -> LearnedParts:
    with use_threads(1):
        return LearnedParts.train(GRAPH, ATTRIBUTES_OF_NODES, NETWORKED)


@pytest.mark.parametrize("features", [None, FEATURES], ids=["plain", "attributed"])
def test_embeddings_on_the_graph_of_the_training_are_those_of_the_training(features: object) -> None:
    graph = GRAPH.with_features(features)  # type: ignore[arg-type]
    with use_threads(1):
        found = LearnedParts.train(graph, None, CONFIG).embeddings(graph, CONFIG.n_units)
        for name, kind in ENCODERS.items():
            encoder = kind(n_units=CONFIG.n_units, learning_rate=CONFIG.learning_rate, seed=CONFIG.seed)
            assert np.array_equal(found[name], encoder.train_encoder(graph, CONFIG.n_epochs)[0])


def test_embeddings_on_another_graph_are_others(learned: LearnedParts) -> None:
    other = random_graph(N, 80, 1, features=FEATURES)
    here, there = (learned.embeddings(own, CONFIG.n_units) for own in (GRAPH, other))
    assert all(not np.array_equal(z, there[name]) for name, z in here.items())


def test_state_comes_back_to_the_bit_among_other_arrays(learned: LearnedParts) -> None:
    state = learned.state()
    again = LearnedParts.from_state(state | {"embedding.gcn": np.zeros(3)})
    assert again.state().keys() == state.keys()
    assert all(np.array_equal(array, state[name]) for name, array in again.state().items())
    assert not LearnedParts.from_state({}).state()
    assert not NOTHING_LEARNED.state()


def test_only_what_is_used_is_trained() -> None:
    assert LearnedParts.train(GRAPH, None, NETWORKED).pair_net is None
    assert LearnedParts.train(GRAPH, ATTRIBUTES_OF_NODES, CONFIG).pair_net is None
    bare = replace(NETWORKED, families=(SPECTRUM, ATTRIBUTES))
    assert not LearnedParts.train(GRAPH, ATTRIBUTES_OF_NODES, bare).state()
    assert bare.n_steps(ATTRIBUTES_OF_NODES) == 0
    assert (NETWORKED.n_steps(None), NETWORKED.n_steps(ATTRIBUTES_OF_NODES)) == (6, 11)


def test_a_damaged_network_is_refused(learned: LearnedParts) -> None:
    state = learned.state()
    for name in [own for own in state if own.startswith("pair_net.")]:
        with pytest.raises(ValueError, match="its network of pairs is not whole"):
            LearnedParts.from_state({key: array for key, array in state.items() if key != name})


def test_directions_and_weights_are_not_learned_from() -> None:
    directed = pulink.Graph.from_edges(GRAPH.edges[:, ::-1], N, kind="directed", features=FEATURES)
    plain = directed.without_direction
    with use_threads(1):
        one, other = (LearnedParts.train(own, ATTRIBUTES_OF_NODES, NETWORKED).state() for own in (directed, plain))
    assert all(np.array_equal(array, other[name]) for name, array in one.items())
