"""MVGAE: its fused encoder against dense arithmetic, its second decoder, and what it learns."""

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.special import softmax

import pulink
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.random import stream_key
from pulink.errors import InputError, ParameterError
from pulink.methods.baselines.autoencoder.mvgae import MVGAE, MultiViewGCN, TwoDecoders, Views
from pulink.nn.backend import ENGINE
from pulink.nn.inputs import FeatureInput
from pulink.nn.trainer import LossTerm
from tests.support.adjacencies import dense, random_adjacency
from tests.support.planted import planted_graph

GRAPH = planted_graph(25, 3, 0.5, 0.03, seed=0)
WORDS = (np.random.default_rng(1).random((75, 20)) < np.where(np.repeat(np.eye(3), 25, axis=0) @
         np.repeat(np.eye(3), [7, 7, 6], axis=1) > 0, 0.4, 0.05)).astype(np.float32)  # fmt: skip
WITH_WORDS = GRAPH.with_features(sp.csr_array(WORDS))
QUICK = {"max_epochs": 80, "min_epochs": 0, "patience": 80}


def normalised(matrix: np.ndarray) -> np.ndarray:
    with_loops = matrix + np.eye(len(matrix))
    scale = 1 / np.sqrt(with_loops.sum(axis=1))
    return scale[:, None] * with_loops * scale


@pytest.mark.parametrize("n_layers", [1, 2, 3])
def test_the_encoder_is_a_gcn_per_view_and_attention(n_layers: int) -> None:
    adjacencies = [random_adjacency(12, 0.3, seed) for seed in range(3)]
    encoder = MultiViewGCN(5, 4, n_layers, seed=0, n_views=3, reads_features=False)
    for bias in [*encoder.biases, encoder.attention.bias]:
        torch.nn.init.uniform_(bias, generator=torch.Generator().manual_seed(0))
    features = np.random.default_rng(0).normal(size=(12, 5)).astype(np.float32)
    weights = [weight.detach().numpy() for weight in encoder.weights]
    biases = [bias.detach().numpy().reshape(3, 4) for bias in encoder.biases]
    embeddings = []
    for v, adjacency in enumerate(adjacencies):
        S, z = normalised(dense(adjacency)), features
        for k in range(n_layers):
            z = S @ (z if k == 0 else np.maximum(z, 0)) @ weights[k][v] + biases[k][v]
        embeddings.append(z)
    stacked = np.stack(embeddings)
    W, b, q = (p.detach().numpy() for p in (encoder.attention.weight, encoder.attention.bias, encoder.query[0]))
    expected = (softmax(np.tanh(stacked @ W + b) @ q, axis=0) * stacked).sum(axis=0)
    views = Views([propagation_operator(adjacency) for adjacency in adjacencies])
    z, penalty = encoder.propagate(encoder.project(FeatureInput(features, 12)), views, None)
    np.testing.assert_allclose(z.detach().numpy(), expected, rtol=1e-4, atol=1e-5)
    assert penalty is None


def test_views_start_from_weights_of_their_own() -> None:
    weights = MultiViewGCN(5, 4, 2, seed=0, n_views=2, reads_features=True).weights
    assert not torch.equal(weights[0][0], weights[0][1])
    assert not torch.equal(weights[1][0], weights[1][1])


def test_there_are_two_views_without_features_and_three_with() -> None:
    assert len(MVGAE()._views(GRAPH)) == 2
    views = MVGAE()._views(WITH_WORDS)
    assert len(views) == 3
    assert views[0] is WITH_WORDS.adjacency
    # The words of a block are shared mostly by its own nodes.
    links = np.stack([np.repeat(np.arange(75), np.diff(views[2].indptr)), views[2].indices], axis=1)
    assert (links[:, 0] // 25 == links[:, 1] // 25).mean() > 2 / 3


def test_the_second_decoder_is_added_with_its_weight() -> None:
    model = MVGAE(feature_weight=0.25)
    training = model._training(WITH_WORDS)
    term = training._terms[0]  # type: ignore[attr-defined]
    assert isinstance(term, TwoDecoders)
    z = torch.randn((75, 16), generator=torch.Generator().manual_seed(0))
    key = stream_key(0, "test")
    with torch.no_grad():
        edges = float(LossTerm.loss(term, z, key, ENGINE))
        words = float(term.cells.loss(z, term.vectors[0], GRAPH.n_edges, stream_key(int(key), "cells"), ENGINE))
        assert float(term.loss(z, key, ENGINE)) == pytest.approx(edges + 0.25 * words, rel=1e-6)


def test_features_are_read_back_after_training() -> None:
    model = MVGAE(feature_weight=1.0, max_epochs=120, min_epochs=120, val_ratio=0.0).fit(WITH_WORDS)
    vectors = model.encoder_state_["vectors"][0].numpy()
    told = model.embeddings_ @ vectors.T
    assert pulink.metrics.auroc(told[WORDS == 1].astype(np.float64), told[WORDS == 0].astype(np.float64)) > 0.75


def test_without_weight_or_features_nothing_is_read_back() -> None:
    for model, graph in ((MVGAE(feature_weight=0), WITH_WORDS), (MVGAE(), GRAPH)):
        model.set_params(max_epochs=2, min_epochs=2).fit(graph)
        assert "vectors" not in model.encoder_state_


@pytest.mark.parametrize(
    "features", [None, WORDS, sp.csr_array(WORDS), np.random.default_rng(2).normal(size=(75, 6))]
)
def test_it_learns_what_was_planted_whatever_the_features(features: object) -> None:
    split = pulink.split(GRAPH.with_features(features), val=0.1, test=0.1, seed=0)
    model = MVGAE(**QUICK).fit(split)  # type: ignore[arg-type]
    assert model.score(split)["auroc"] > 0.85


def test_a_step_on_plain_operations_equals_the_kernels() -> None:
    embeddings = [
        MVGAE(device=device, max_epochs=4, min_epochs=4, val_ratio=0.0).fit(WITH_WORDS).embeddings_
        for device in ("cpu", "plain")
    ]
    np.testing.assert_allclose(embeddings[0], embeddings[1], rtol=1e-3, atol=1e-4)


def test_too_many_dense_features_are_refused_with_a_way_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.methods.baselines.autoencoder.mvgae._MOST_STEPS", 75**2 * 6 - 1)
    with pytest.raises(InputError, match="75 nodes with 6 dense features are too many: leave the features out"):
        MVGAE().fit(GRAPH.with_features(np.ones((75, 6))))


@pytest.mark.parametrize(("name", "value"), [("n_neighbours", 0), ("feature_weight", -0.1)])
def test_a_bad_setting_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=f"{name} must .* got {value}"):
        MVGAE(**{name: value}).fit(GRAPH)  # type: ignore[arg-type]
