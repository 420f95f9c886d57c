"""GAE, VGAE, ARGA and ARGVA: every loss equals PyTorch Geometric's own, and so does a training step."""

from collections.abc import Callable

import numpy as np
import pytest
import torch
from torch import Tensor

import pulink
from pulink.engine.autograd.pair_loss import LabelledPairs, pair_loss
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import normals, stream_key
from pulink.methods.baselines.autoencoder.arga import ARGA, AdversarialTrainer, discriminator_loss, fooling_loss
from pulink.methods.baselines.autoencoder.argva import ARGVA
from pulink.methods.baselines.autoencoder.gae import GAE
from pulink.methods.baselines.autoencoder.vgae import VGAE
from pulink.nn import encoders
from pulink.nn.mlp import PairNetwork
from pulink.predictor.encoder_predictor import EpochEmbedding
from tests.nn.test_gcn import both_ways, layer
from tests.support import pyg_rivals
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=0)
SEED = 7
ENDS = both_ways(GRAPH)[0]


class PygEncoder(torch.nn.Module):
    """Two GCNConv layers with an encoder's first weights; for the variational one, two heads on one layer."""

    def __init__(self, variational: bool) -> None:
        super().__init__()
        if variational:
            ours = encoders.VGAE(60, 16, 2, SEED)
            first, heads = ours.shared.weights[0], ours.weight.chunk(2, dim=1)
        else:
            plain = encoders.GCN(60, 16, 2, SEED)
            first, heads = plain.weights[0], (plain.weights[1],)
        self.first = layer(first.detach(), torch.zeros(16))
        self.heads = torch.nn.ModuleList([layer(head.detach(), torch.zeros(16)) for head in heads])

    def forward(self) -> Tensor | list[Tensor]:
        hidden = torch.relu(self.first(torch.eye(60), ENDS))
        outputs = [head(hidden, ENDS) for head in self.heads]
        return outputs if len(outputs) > 1 else outputs[0]


def model_of(kind: type, variational: bool, *more: torch.nn.Module) -> torch.nn.Module:
    """A model of PyG's, which draws new weights when it is made, with our first weights again."""
    encoder = PygEncoder(variational)
    first = {name: value.clone() for name, value in encoder.state_dict().items()}
    model = kind(encoder, *more)
    model.encoder.load_state_dict(first)
    return model


def drawn(*path: int | str) -> Tensor:
    """Standard normal numbers of the stream that our training takes (n x 16)."""
    return torch.from_numpy(normals(stream_key(SEED, *path), 960).astype(np.float32)).view(60, 16)


@pytest.fixture
def fixed_noise(monkeypatch: pytest.MonkeyPatch) -> Callable[[list[Tensor]], None]:
    """Let PyTorch's randn_like give these tensors, one after the other."""

    def fix(tensors: list[Tensor]) -> None:
        waiting = iter(tensors)
        monkeypatch.setattr(torch, "randn_like", lambda _: next(waiting))

    return fix


def negatives() -> Tensor:
    pairs = NonEdgeSampler(GRAPH.adjacency).draw(GRAPH.n_edges, stream_key(SEED, "non-edges", 0, 0))
    return torch.from_numpy(pairs.T.astype(np.int64))


def ours_after_a_step(method: type[EpochEmbedding]) -> np.ndarray:
    return method(max_epochs=1, val_ratio=0.0, seed=SEED).fit(GRAPH).embeddings_


@pytest.mark.parametrize(("method", "variational"), [(GAE, False), (VGAE, True)])
def test_a_step_of_the_autoencoder(
    method: type[EpochEmbedding], variational: bool, fixed_noise: Callable[[list[Tensor]], None]
) -> None:
    fixed_noise([drawn("noise", 0, 0)])
    kind = pyg_rivals.VGAE if variational else pyg_rivals.GAE
    model = model_of(kind, variational)
    optimizer = torch.optim.Adam(model.parameters(), lr=0.01)
    z = model.encode()
    loss = model.recon_loss(z, ENDS[:, : GRAPH.n_edges], negatives())
    if variational:
        loss = loss + model.kl_loss() / 60
    loss.backward()
    optimizer.step()
    model.eval()
    np.testing.assert_allclose(ours_after_a_step(method), model.encode().detach().numpy(), atol=1e-5)


@pytest.mark.parametrize(("method", "variational"), [(ARGA, False), (ARGVA, True)])
def test_a_step_against_the_discriminator(
    method: type[ARGA], variational: bool, fixed_noise: Callable[[list[Tensor]], None]
) -> None:
    real = [drawn("real", 0, step) for step in range(5)]
    fixed_noise([drawn("noise", 0, 0), *real] if variational else real)
    discriminator = PairNetwork([16, 16, 64, 1], SEED, "discriminator")
    kind = pyg_rivals.ARGVA if variational else pyg_rivals.ARGA
    model = model_of(kind, variational, discriminator)
    of_encoder = torch.optim.Adam(model.encoder.parameters(), lr=0.001)
    of_discriminator = torch.optim.Adam(model.discriminator.parameters(), lr=0.001)
    z = model.encode()
    for _ in range(5):
        of_discriminator.zero_grad()
        model.discriminator_loss(z).backward()
        of_discriminator.step()
    loss = model.recon_loss(z, ENDS[:, : GRAPH.n_edges], negatives()) + model.reg_loss(z)
    if variational:
        loss = loss + model.kl_loss() / 60
    loss.backward()
    of_encoder.step()
    model.eval()
    np.testing.assert_allclose(ours_after_a_step(method), model.encode().detach().numpy(), atol=1e-5)


def test_every_loss_equals_pyg_on_the_same_embeddings(fixed_noise: Callable[[list[Tensor]], None]) -> None:
    z = (0.4 * drawn("z")).requires_grad_()
    twin = z.detach().clone().requires_grad_()
    real, edges, others = drawn("real"), ENDS[:, : GRAPH.n_edges], negatives()
    fixed_noise([real])
    discriminator = PairNetwork([16, 16, 64, 1], SEED, "discriminator")
    model = pyg_rivals.ARGVA(torch.nn.Identity(), discriminator)
    parts = [
        LabelledPairs(
            pairs.T.numpy().astype(np.int32),
            np.full(pairs.shape[1], label, np.float32),
            np.full(pairs.shape[1], 1 / pairs.shape[1], np.float32),
        )
        for pairs, label in ((edges, 1.0), (others, 0.0))
    ]
    losses = [
        (pair_loss(z, *parts), model.recon_loss(twin, edges, others)),
        (fooling_loss(discriminator, z), model.reg_loss(twin)),
    ]
    for ours, theirs in losses:
        assert float(ours.detach()) == pytest.approx(float(theirs.detach()), rel=1e-5)
        ours.backward()
        theirs.backward()
        torch.testing.assert_close(z.grad, twin.grad, atol=1e-6, rtol=1e-5)
    assert float(discriminator_loss(discriminator, real, z).detach()) == pytest.approx(
        float(model.discriminator_loss(twin).detach()), rel=1e-5
    )


def test_no_gradient_of_the_discriminator_reaches_the_encoder() -> None:
    z = drawn("z").requires_grad_()
    discriminator_loss(PairNetwork([16, 16, 64, 1], SEED, "discriminator"), drawn("real"), z).backward()
    assert z.grad is None


def test_the_discriminator_takes_its_steps_and_learns_to_tell() -> None:
    model = ARGA(seed=SEED, discriminator_rate=0.01)
    trainer = model.new_trainer("gcn", GRAPH)
    assert isinstance(trainer, AdversarialTrainer)
    far = drawn("z") + 3.0
    losses = []
    for _ in range(30):
        losses.append(float(discriminator_loss(trainer.discriminator, drawn("real"), far).detach()))
        trainer._train_discriminator(far)
    assert losses[-1] < 0.2 < losses[0]


def test_means_alone_score_and_runs_are_repeatable() -> None:
    split = pulink.split(GRAPH, seed=0)
    for method in (ARGA, ARGVA):
        first, again, other = (method(max_epochs=3, seed=seed).fit(split).embeddings_ for seed in (1, 1, 2))
        assert np.array_equal(first, again)
        assert not np.array_equal(first, other)
