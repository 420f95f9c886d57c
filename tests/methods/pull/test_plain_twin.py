"""PULL against the plain loop: losses and gradients of one step, and whole fits."""

from typing import Any

import numpy as np
import pytest

import pulink
from pulink.nn.encoders import GCN
from tests.methods.pull.plain_pull import PlainPull
from tests.support.planted import planted_graph

GRAPH = planted_graph(14, 3, 0.5, 0.04, seed=3).with_features(
    np.random.default_rng(3).normal(size=(42, 6)).astype(np.float32)
)
SHARED: dict[str, Any] = {"n_units": 5, "growth": 0.15, "n_hubs": 8, "learning_rate": 0.05}
VARIANTS = [
    {"reduction": "mean", "correction": True},
    {"reduction": "sum", "correction": True},
    {"reduction": "per_class", "correction": True},
    {"reduction": "mean", "correction": False},
]


def fit_both(n_epochs: int, n_iterations: int, variant: dict[str, Any]) -> tuple[pulink.PULL, GCN, PlainPull]:
    made: list[GCN] = []

    def factory(*shape: int) -> GCN:
        made.append(GCN(*shape))
        return made[-1]

    model = pulink.PULL(
        **SHARED,
        **variant,
        n_epochs=n_epochs,
        max_iterations=n_iterations,
        encoder=factory,
        feature_scaling="none",
        val_ratio=0.0,
    ).fit(GRAPH)
    twin = PlainPull(GRAPH, n_epochs=n_epochs, n_iterations=n_iterations, **SHARED, **variant).fit()
    return model, made[0], twin


def check_losses(model: pulink.PULL, twin: PlainPull, tolerance: float) -> None:
    for record, (expected, corrected) in zip(model.history_, twin.losses, strict=True):
        assert record.loss_expected == pytest.approx(expected, rel=tolerance)
        if corrected is None:
            assert record.loss_correction is None
        else:
            assert record.loss_correction == pytest.approx(corrected, rel=tolerance)


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_step_on_the_full_loss_has_the_plain_value_and_gradient(variant: dict[str, Any]) -> None:
    # One step per iteration: the gradients left behind are those of L'_E + L_C at the third step.
    model, encoder, twin = fit_both(1, 3, variant)
    check_losses(model, twin, 1e-5)
    for k, conv in enumerate(twin.convs):
        for ours, theirs in (
            (encoder.weights[k].grad, conv.lin.weight.grad.T),
            (encoder.biases[k].grad, conv.bias.grad),
        ):
            scale = float(theirs.abs().max())
            np.testing.assert_allclose(ours.numpy(), theirs.numpy(), atol=1e-5 * max(scale, 1.0))


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_whole_fit_equals_the_plain_loop(variant: dict[str, Any]) -> None:
    model, _, twin = fit_both(6, 4, variant)
    check_losses(model, twin, 1e-4)
    np.testing.assert_allclose(model.embeddings_, twin.embed(twin.observed).detach().numpy(), atol=1e-3)


def test_the_twin_meets_soft_labels_and_doubled_hub_pairs() -> None:
    # Else the comparison above would prove nothing about them.
    model, _, _ = fit_both(6, 4, VARIANTS[0])
    added = ~GRAPH.has_edges(model.expected_graph_.edges)
    n_cells = int(0.15 * 4 * 2 * GRAPH.n_edges) // 2
    assert 0.5 * n_cells <= added.sum() < n_cells
    assert model.expected_graph_.weights is not None
    assert model.expected_graph_.weights[added].min() < 0.95
