"""What the variants of PULL change, and what they must not."""

import numpy as np
import pytest

import pulink
from pulink.engine.autograd.sparse import propagation_operator
from pulink.methods.pull.expected_graph import expect
from pulink.nn.encoders import ENCODERS
from pulink.nn.inputs import FeatureInput
from tests.support.planted import planted_graph

GRAPH = planted_graph(15, 3, 0.5, 0.04, seed=5)


def pair_set(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {tuple(sorted(pair)) for pair in pairs.tolist()}


@pytest.mark.parametrize("encoder", ["gcn", "vgae", "vgnae"])
def test_candidates_are_scored_with_means_not_with_noise(encoder: str) -> None:
    # After one step the E-step sees the embeddings of the first weights.
    model = pulink.PULL(encoder=encoder, n_epochs=1, max_iterations=2, n_hubs=10, growth=0.2, val_ratio=0.0).fit(
        GRAPH
    )
    module = ENCODERS[encoder](45, 16, 2, 0)
    projected = module.project(FeatureInput.of(GRAPH, "none"))
    means = module.propagate(projected, propagation_operator(GRAPH.adjacency), None)[0].detach().numpy()
    expected = expect(
        GRAPH,
        means,
        int(0.2 * 2 * GRAPH.n_edges) // 2,
        candidates="hubs",
        n_hubs=10,
        hub_pairs_twice=True,
        sample_key=None,
    )
    assert pair_set(model.history_[1].entered) == pair_set(expected.added)


def test_sampled_pairs_change_with_the_seed_and_the_round() -> None:
    settings = {"selection": "sample", "correction": False, "n_epochs": 5, "max_iterations": 3, "growth": 0.1}
    first, again, other = (
        pulink.PULL(**settings, n_hubs=10, val_ratio=0.0, seed=seed).fit(GRAPH) for seed in (0, 0, 1)
    )
    rounds = [pair_set(record.entered) for record in first.history_]
    assert rounds == [pair_set(record.entered) for record in again.history_]
    assert rounds != [pair_set(record.entered) for record in other.history_]
    # The best pairs would mostly stay from one round to the next; a sample is drawn anew.
    n_second = first.history_[1].k - GRAPH.n_edges
    assert len(rounds[2]) > n_second


@pytest.mark.parametrize("encoder", ["gae", "vgae", "vgnae"])
def test_autoencoders_take_means_per_class(encoder: str) -> None:
    shared = {"encoder": encoder, "n_epochs": 3, "max_iterations": 2, "val_ratio": 0.0}
    by_default, explicit, mean = (
        pulink.PULL(**shared, reduction=reduction).fit(GRAPH) for reduction in (None, "per_class", "mean")
    )
    assert np.array_equal(by_default.embeddings_, explicit.embeddings_)
    assert by_default.history_[0].loss_expected > 1.5 * mean.history_[0].loss_expected


def test_reductions_of_a_custom_encoder_are_means() -> None:
    shared = {"n_epochs": 3, "max_iterations": 2, "val_ratio": 0.0}
    custom = pulink.PULL(**shared, encoder=lambda *shape: ENCODERS["gcn"](*shape)).fit(GRAPH)
    assert np.array_equal(custom.embeddings_, pulink.PULL(**shared, reduction="mean").fit(GRAPH).embeddings_)
