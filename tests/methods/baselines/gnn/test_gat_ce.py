"""GAT+CE: one step against PyG's layers, dropout in training and none in scoring, settings, and that it learns."""

import numpy as np
import pytest
import torch

import pulink
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key
from pulink.errors import ParameterError
from pulink.methods.baselines.gnn.gat_ce import GATCE
from pulink.nn.gat import GAT
from tests.nn.test_gat import pyg_embeddings, pyg_layers
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=0)


def test_a_step_equals_pyg() -> None:
    fitted = GATCE(max_epochs=1, val_ratio=0.0, seed=4, dropout=0.0).fit(GRAPH)
    layers = pyg_layers(GAT(60, 16, 2, seed=4).state_dict())
    drawn = NonEdgeSampler(GRAPH.adjacency).draw(GRAPH.n_edges, stream_key(4, "non-edges", 0, 0))
    pairs = torch.from_numpy(np.concatenate([GRAPH.edges, drawn]).astype(np.int64))
    labels = torch.cat([torch.ones(GRAPH.n_edges), torch.zeros(len(drawn))])
    z = pyg_embeddings(layers, torch.eye(60), GRAPH)
    logits = (z[pairs[:, 0]] * z[pairs[:, 1]]).sum(dim=1)
    optimizer = torch.optim.Adam([p for layer in layers for p in layer.parameters()], lr=0.01)
    torch.nn.functional.binary_cross_entropy_with_logits(logits, labels).backward()
    optimizer.step()
    np.testing.assert_allclose(
        fitted.embeddings_, pyg_embeddings(layers, torch.eye(60), GRAPH).detach().numpy(), atol=1e-4
    )


def test_scoring_drops_nothing() -> None:
    fitted = GATCE(max_epochs=5, val_ratio=0.0).fit(GRAPH)
    twin = pyg_embeddings(pyg_layers(fitted.encoder_state_), torch.eye(60), GRAPH).detach().numpy()
    np.testing.assert_allclose(fitted.embeddings_, twin, atol=1e-5)


def test_training_drops_and_every_epoch_anew() -> None:
    class Watched(GAT):
        seen: list[int | None] = []  # noqa: RUF012 (of one test)

        def propagate(self, *arguments: object) -> object:
            self.seen.append(None if self.key is None else int(self.key))
            return super().propagate(*arguments)

    class WatchedGATCE(GATCE):
        def _encoder(self) -> type[GAT]:
            return Watched

    split = pulink.split(GRAPH, seed=0)
    WatchedGATCE(max_epochs=4, check_every=2).fit(split)
    keys = Watched.seen
    assert [key is None for key in keys] == [False, False, True, False, False, True]
    assert len(set(keys)) == 5


def test_a_step_with_dropout_is_the_same_in_plain_operations() -> None:
    steps = [GATCE(max_epochs=3, val_ratio=0.0, device=device).fit(GRAPH) for device in ("cpu", "plain")]
    np.testing.assert_allclose(steps[0].embeddings_, steps[1].embeddings_, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(("name", "value"), [("n_heads", 0), ("dropout", 1.0), ("dropout", -0.1)])
def test_a_bad_setting_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=f"{name} must .* got {value}"):
        GATCE(**{name: value}).fit(GRAPH)


def test_it_learns_planted_blocks() -> None:
    split = pulink.split(planted_graph(30, 3, 0.7, 0.03, seed=1), seed=0)
    assert GATCE(max_epochs=60, check_every=20, learning_rate=0.03).fit(split).score(split)["auroc"] > 0.85
