"""Encoders as other methods use them: trained for so many epochs, applied to new nodes, described by shapes."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink.engine.threads import use_threads
from pulink.graph.new_nodes import append_nodes
from pulink.methods.pull_plus.learned.encoders import ENCODERS
from pulink.nn import encoders
from pulink.predictor.encoder_predictor import EpochEmbedding
from pulink.predictor.new_nodes import NewNodes
from tests.support.small_views import numbers, random_graph, words

N = 20
FEATURES = {"none": None, "sparse": words(N, 9, 0), "dense": numbers(N, 4, 0)}
TWINS: dict[str, type[EpochEmbedding]] = {"gcn": pulink.GCNCE, "vgnae": pulink.VGNAE}


@pytest.fixture(params=list(FEATURES))
def graph(request: pytest.FixtureRequest) -> pulink.Graph:
    return random_graph(N, 60, 0, features=FEATURES[request.param])


@pytest.mark.parametrize("name", list(ENCODERS))
def test_the_encoders_of_pull_plus_learn_what_the_methods_of_their_names_learn(
    name: str, graph: pulink.Graph, monkeypatch: pytest.MonkeyPatch
) -> None:
    """So many epochs of either, from the same seed, give the same bytes; the autoencoder of PULL+ has no noise."""
    monkeypatch.setattr(encoders, "_sampled", lambda mean, *_: (mean.contiguous(), None))
    settings = {"n_units": 5, "learning_rate": 0.02, "seed": 3}
    z, parameters = ENCODERS[name](**settings).train_encoder(graph, 7)
    twin = TWINS[name](**settings, max_epochs=7, min_epochs=0, stop=False, refit=False, threads=1)
    twin.fit(pulink.split(graph, val=0.0, test=0.0, seed=0))
    assert np.array_equal(z, twin.embeddings_)
    assert [*parameters] == [own for own in twin.state_ if own != "embeddings"]
    assert all(np.array_equal(own, twin.state_[part]) for part, own in parameters.items())


@pytest.mark.parametrize("name", list(ENCODERS))
def test_shapes_are_those_of_the_parameters(name: str, graph: pulink.Graph) -> None:
    encoder = ENCODERS[name](n_units=5)
    _, parameters = encoder.train_encoder(graph, 1)
    shapes = encoder.parameter_shapes(graph.n_features or N)
    assert shapes == {part: own.shape for part, own in parameters.items()}
    assert encoder.parameter_shapes(N + 1) != shapes


@pytest.mark.parametrize("name", list(ENCODERS))
def test_parameters_embed_the_graph_that_they_were_learned_on_as_then(name: str, graph: pulink.Graph) -> None:
    encoder = ENCODERS[name](n_units=5)
    with use_threads(1):
        z, parameters = encoder.train_encoder(graph, 5)
        again = encoder.encode_by(parameters, NewNodes(graph, graph, N))
        more = append_nodes(graph, ["x"], [("x", "3"), ("x", "9")], None)
        grown = encoder.encode_by(parameters, NewNodes(graph, more, N))
    np.testing.assert_allclose(again, z, rtol=0, atol=1e-6)
    assert grown.shape == (N + 1, 5)
    assert np.isfinite(grown).all()
    assert not hasattr(encoder, "state_"), "what is encoded with others' parameters is nothing that it learned"
