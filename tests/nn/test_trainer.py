"""The inner loop against a plain PyTorch loop, and what a warm start keeps."""

import numpy as np
import pytest
import torch

from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from pulink.nn.encoders import GCN, VGAE
from pulink.nn.inputs import FeatureInput
from pulink.nn.trainer import LossTerm, Trainer
from tests.support.planted import planted_graph
from tests.support.pyg import GCNConv

GRAPH = planted_graph(12, 3, 0.6, 0.05, seed=1).with_features(
    np.random.default_rng(0).normal(size=(36, 6)).astype(np.float32)
)
SAMPLER = NonEdgeSampler(GRAPH.adjacency)
OPERATOR = propagation_operator(GRAPH.adjacency)
ONES = np.ones(GRAPH.n_edges, dtype=np.float32)


def term() -> LossTerm:
    return LossTerm(OPERATOR, GRAPH.edges, ONES, ONES, GRAPH.n_edges, SAMPLER)


def trainer(seed: int = 0, first_step: int = 0) -> Trainer:
    return Trainer(GCN(6, 4, 2, seed), FeatureInput.of(GRAPH, "none"), 0.01, seed, first_step)


def test_steps_equal_a_plain_loop_on_the_same_non_edges() -> None:
    fused = trainer()
    start = fused.state()
    losses = fused.train([term()], 5)
    convs = torch.nn.ModuleList([GCNConv(6, 4), GCNConv(4, 4)])
    with torch.no_grad():
        for k, conv in enumerate(convs):
            conv.lin.weight.copy_(start[f"weights.{k}"].T)
            conv.bias.zero_()
    optimizer = torch.optim.Adam(convs.parameters(), lr=0.01)
    ends = torch.from_numpy(np.concatenate([GRAPH.edges, GRAPH.edges[:, ::-1]]).T.astype(np.int64))
    x = torch.from_numpy(np.array(GRAPH.features))
    for step in range(5):
        optimizer.zero_grad()
        z = convs[1](torch.relu(convs[0](x, ends)), ends)
        drawn = SAMPLER.draw(GRAPH.n_edges, stream_key(0, "non-edges", step, 0))
        pairs = torch.from_numpy(np.concatenate([GRAPH.edges, drawn]).astype(np.int64))
        labels = torch.cat([torch.ones(GRAPH.n_edges), torch.zeros(len(drawn))])
        loss = torch.nn.functional.binary_cross_entropy_with_logits(
            (z[pairs[:, 0]] * z[pairs[:, 1]]).sum(dim=1), labels
        )
        loss.backward()
        optimizer.step()
    np.testing.assert_allclose(losses, [float(loss.detach())], rtol=1e-5)
    end_z = convs[1](torch.relu(convs[0](x, ends)), ends)
    np.testing.assert_allclose(fused.embed(OPERATOR), end_z.detach().numpy(), atol=1e-5)
    end = fused.state()
    for k, conv in enumerate(convs):
        np.testing.assert_allclose(end[f"weights.{k}"].numpy(), conv.lin.weight.detach().T.numpy(), atol=1e-5)
        np.testing.assert_allclose(end[f"biases.{k}"].numpy(), conv.bias.detach().numpy(), atol=1e-5)


def test_a_warm_start_keeps_adams_moments() -> None:
    whole, halves = trainer(), trainer()
    whole.train([term()], 20)
    halves.train([term()], 10)
    middle = halves.state()
    halves.train([term()], 10)
    assert whole.n_steps == halves.n_steps == 20
    assert all(torch.equal(value, halves.state()[name]) for name, value in whole.state().items())
    # The same weights and the same non-edges, but a new optimiser, end elsewhere.
    cold = trainer(first_step=10)
    cold.restore(middle)
    cold.train([term()], 10)
    assert not torch.allclose(cold.state()["weights.0"], whole.state()["weights.0"], atol=1e-4)


def test_losses_fall() -> None:
    model = trainer()
    first = model.train([term()], 1)
    later = model.train([term()], 100)
    assert later[0] < 0.8 * first[0]


def test_the_gradients_of_terms_are_added() -> None:
    other = planted_graph(12, 3, 0.6, 0.05, seed=2)
    second = LossTerm(
        propagation_operator(other.adjacency),
        other.edges,
        np.full(other.n_edges, 0.5, dtype=np.float32),
        np.ones(other.n_edges, dtype=np.float32),
        other.n_edges,
        NonEdgeSampler(other.adjacency),
    )
    encoder = GCN(6, 4, 2, seed=0)
    losses = Trainer(encoder, FeatureInput.of(GRAPH, "none"), 0.01, seed=0).train([term(), second], 1)
    twin = GCN(6, 4, 2, seed=0)
    for number, one in enumerate((term(), second)):
        z, _ = twin.propagate(twin.project(FeatureInput.of(GRAPH, "none")), one.adjacency, None)
        loss = one.loss(z, stream_key(0, "non-edges", 0, number))
        loss.backward()
        assert losses[number] == pytest.approx(float(loss.detach()), rel=1e-6)
    for ours, theirs in zip(encoder.parameters(), twin.parameters(), strict=True):
        np.testing.assert_allclose(ours.grad.numpy(), theirs.grad.numpy(), atol=1e-6)


def test_noise_is_fresh_in_every_step_and_fixed_by_the_seed() -> None:
    def run(seed: int, n_epochs: int) -> float:
        alone = LossTerm(OPERATOR, GRAPH.edges, ONES, ONES, 0, SAMPLER)
        model = Trainer(VGAE(6, 4, 2, seed=0), FeatureInput.of(GRAPH, "none"), 1e-12, seed)
        return model.train([alone], n_epochs)[0]

    # With next to no learning rate and no non-edges only the noise can move the loss.
    assert run(0, 1) == run(0, 1)
    assert abs(run(0, 1) - run(0, 2)) > 1e-3
    assert abs(run(0, 1) - run(1, 1)) > 1e-3


def test_scoring_embeddings_carry_no_noise() -> None:
    model = Trainer(VGAE(6, 4, 2, seed=0), FeatureInput.of(GRAPH, "none"), 0.01, 0)
    assert np.array_equal(model.embed(OPERATOR), model.embed(OPERATOR))


def test_states_are_copies() -> None:
    model = trainer()
    state = model.state()
    kept = {name: value.clone() for name, value in state.items()}
    model.train([term()], 3)
    assert all(torch.equal(value, kept[name]) for name, value in state.items())
    model.restore(kept)
    assert all(torch.equal(value, kept[name]) for name, value in model.state().items())


def test_every_step_is_reported() -> None:
    calls: list[int] = []
    model = trainer()
    model.train([term()], 7, lambda: calls.append(model.n_steps))
    assert calls == [1, 2, 3, 4, 5, 6, 7]
