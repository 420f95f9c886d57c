"""Gradients written out against autograd's, to the bit, and who keeps going through autograd."""

from dataclasses import dataclass

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from pulink.engine.autograd import sparse
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.threads import use_threads
from pulink.nn.backend import ENGINE, Backend, backend_of
from pulink.nn.encoders import GCN, VGAE
from pulink.nn.inputs import FeatureInput
from pulink.nn.trainer import LossTerm, Trainer
from tests.support.planted import planted_graph

GRAPH = planted_graph(40, 4, 0.4, 0.02, seed=1)
OTHER = planted_graph(40, 4, 0.3, 0.03, seed=2)
N = GRAPH.n_nodes
DENSE = np.random.default_rng(0).normal(size=(N, 9)).astype(np.float32)
SPARSE = sp.random_array((N, 30), density=0.2, rng=0, dtype=np.float32, format="csr")
FEATURES = {"dense": DENSE, "sparse": SPARSE, "none": None}


def terms(count: int, backend: Backend = ENGINE) -> list[LossTerm]:
    """Soft labels, uneven counts and known non-edges over one graph, then plain edges over another."""
    rng = np.random.default_rng(3)
    targets, counts = (rng.uniform(low, 1, GRAPH.n_edges).astype(np.float32) for low in (0, 0.5))
    sampler = NonEdgeSampler(GRAPH.adjacency)
    first = LossTerm(
        backend.operator(propagation_operator(GRAPH.adjacency)),
        GRAPH.edges,
        targets,
        counts,
        2 * GRAPH.n_edges,
        sampler,
        absent=sampler.draw_distinct(20, np.uint64(7)),
    )
    observed = backend.operator(propagation_operator(OTHER.adjacency))
    return [first, LossTerm.of_edges(observed, OTHER.edges, sampler, reduction="per_class")][:count]


def trainer(encoder: torch.nn.Module, kind: str, backend: Backend = ENGINE) -> Trainer:
    return Trainer(encoder, FeatureInput(FEATURES[kind], N, backend), 0.01, 5, backend=backend)


def with_biases(n_columns: int, n_units: int, n_layers: int) -> GCN:
    encoder = GCN(n_columns, n_units, n_layers, seed=2)
    with torch.no_grad():
        for bias in encoder.biases:
            bias.copy_(torch.linspace(-0.2, 0.3, n_units))
    return encoder


@pytest.mark.parametrize("kind", FEATURES)
@pytest.mark.parametrize("n_layers", [1, 2, 3])
@pytest.mark.parametrize("n_terms", [1, 2])
@pytest.mark.parametrize(("n_units", "n_threads"), [(16, 1), (16, 2), (5, 1)])
def test_gradients_and_losses_are_autograds(
    kind: str, n_layers: int, n_terms: int, n_units: int, n_threads: int
) -> None:
    features = FEATURES[kind]
    encoder = with_biases(N if features is None else features.shape[1], n_units, n_layers)
    model, losses = trainer(encoder, kind), terms(n_terms)
    with use_threads(n_threads):
        assert model._is_written_out(losses)
        values = model._gradients(losses)
        found = [parameter.grad for parameter in encoder.parameters()]
        model._optimizer.zero_grad(set_to_none=True)
        assert model._gradients_by_autograd(losses) == values
    for ours, parameter in zip(found, encoder.parameters(), strict=True):
        assert ours.abs().max() > 0
        assert torch.equal(ours, parameter.grad)


def test_gradients_are_replaced_and_not_added_up() -> None:
    encoder = with_biases(9, 4, 2)
    model, losses = trainer(encoder, "dense"), terms(2)
    model._gradients(losses)
    first = [parameter.grad.clone() for parameter in encoder.parameters()]
    model._gradients(losses)
    assert all(torch.equal(a, b.grad) for a, b in zip(first, encoder.parameters(), strict=True))


def test_training_ends_with_the_weights_that_autograd_gives(monkeypatch: pytest.MonkeyPatch) -> None:
    ours, theirs = (trainer(with_biases(30, 16, 2), "sparse") for _ in range(2))
    values = ours.train(terms(2), 30)
    monkeypatch.setattr(Trainer, "_is_written_out", lambda *_: False)
    assert theirs.train(terms(2), 30) == values
    assert all(torch.equal(value, theirs.state()[name]) for name, value in ours.state().items())


@pytest.mark.parametrize("cached", [0, 1 << 30])
def test_rows_that_are_read_at_random_begin_at_cache_lines(cached: int, monkeypatch: pytest.MonkeyPatch) -> None:
    # NumPy's memory does not; rows of 16 would then lie in two lines each, and kernels fetch the first ahead.
    monkeypatch.setattr(sparse, "_CACHED", cached)
    operator, term = propagation_operator(GRAPH.adjacency), terms(1)[0]
    for seed in range(5):
        weight = GCN(N, 16, 2, seed=seed).weights[0].detach()
        z = operator.times(weight)
        _, gradient = term.loss_and_gradient(z.numpy(), np.uint64(seed))
        assert [weight.data_ptr() % 64, z.data_ptr() % 64, gradient.ctypes.data % 64] == [0, 0, 0]


class OwnGCN(GCN):
    """An encoder of a user: what it does is known to autograd alone."""


@dataclass(frozen=True)
class OwnTerm(LossTerm):
    """A loss of its own."""


def test_what_is_not_known_goes_through_autograd() -> None:
    plain = backend_of("plain")
    own_term = [OwnTerm.of_edges(terms(1)[0].adjacency, GRAPH.edges, NonEdgeSampler(GRAPH.adjacency))]
    fixed = GCN(9, 4, 2, seed=0)
    fixed.biases[0].requires_grad_(False)
    assert trainer(GCN(9, 4, 2, seed=0), "dense")._is_written_out(terms(2))
    assert not trainer(OwnGCN(9, 4, 2, seed=0), "dense")._is_written_out(terms(2))
    assert not trainer(VGAE(9, 4, 2, seed=0), "dense")._is_written_out(terms(2))
    assert not trainer(GCN(9, 4, 2, seed=0), "dense", plain)._is_written_out(terms(2, plain))
    assert not trainer(GCN(9, 4, 2, seed=0), "dense")._is_written_out(own_term)
    model = trainer(fixed, "dense")
    model.train(terms(2), 1)
    assert fixed.biases[0].grad is None
    assert fixed.biases[1].grad is not None
