"""PS2: one forward pass by hand, weights that turn with their pair, and a selection that is learned apart."""

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import torch

import pulink
from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.sparse import SparseOperator, propagation_operator
from pulink.engine.threads import use_threads
from pulink.errors import InputError, ParameterError
from pulink.methods.baselines.structural import ps2
from pulink.methods.baselines.structural.ps2 import (
    PS2,
    HopEncoder,
    HopScore,
    HopSelector,
    SelectedTraining,
    held_out,
)
from pulink.nn.inputs import FeatureInput
from pulink.nn.mlp import PairNetwork
from tests.support.adjacencies import dense
from tests.support.planted import planted_graph

F64 = npt.NDArray[np.float64]

GRAPH = planted_graph(30, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, val=0.05, test=0.15, seed=0)
ALL_PAIRS = np.stack(np.triu_indices(GRAPH.n_nodes, k=1), axis=1)


def quick(**settings: object) -> PS2:
    given = {"n_units": 16, "search_epochs": 5, "max_epochs": 4, "min_epochs": 4} | settings
    return PS2(**given)  # type: ignore[arg-type]


def numbers(parameter: torch.Tensor) -> F64:
    return parameter.detach().numpy().astype(np.float64)


def mlp(network: PairNetwork, x: F64) -> F64:
    first, second = network.layers
    hidden = np.maximum(x @ numbers(first.weight) + numbers(first.bias), 0.0)
    return hidden @ numbers(second.weight) + numbers(second.bias)


def dense_hops(encoder: HopEncoder, x: F64, adjacency: Adjacency) -> list[F64]:
    closed = dense(adjacency) + np.eye(adjacency.n_nodes)
    scale = 1.0 / np.sqrt(closed.sum(axis=1))
    hops = [x @ numbers(encoder.projection)]
    for layer in encoder.layers:
        inner = np.maximum(hops[-1], 0.0) @ numbers(layer.weight)
        hops.append((scale[:, None] * closed * scale) @ inner + numbers(layer.bias))
    return hops


def pair_weights(selector: HopSelector, hops: list[F64], i: int, j: int) -> F64:
    n_hops = len(hops)
    own, other = (np.concatenate([h[v] for h in hops]) for v in (i, j))
    forth, back = (
        mlp(selector.network, np.concatenate(ends))[: n_hops**2].reshape(n_hops, n_hops)
        for ends in ([own, other], [other, own])
    )
    powers = np.exp(forth + back.T)
    return powers / powers.sum()


def test_a_forward_pass_equals_the_dense_one() -> None:
    x = np.random.default_rng(0).normal(size=(GRAPH.n_nodes, 5)).astype(np.float32)
    encoder, selector, score = HopEncoder(5, 4, 2, seed=1), HopSelector(4, 3, seed=1), HopScore(4, seed=1)
    torch.testing.assert_close(selector(torch.rand(2, 3, 4), torch.tensor([[0, 1]])), torch.full((1, 3, 3), 1 / 9))
    selector.network.layers[-1].weight.data = torch.from_numpy(
        np.random.default_rng(2).normal(size=(16, 16)).astype(np.float32)
    )
    found = encoder(FeatureInput(x, len(x)), propagation_operator(GRAPH.adjacency))
    hops = dense_hops(encoder, x.astype(np.float64), GRAPH.adjacency)
    np.testing.assert_allclose(found.detach().numpy(), np.stack(hops, axis=1), rtol=1e-4, atol=1e-5)
    pairs = torch.from_numpy(ALL_PAIRS[::200])
    weights = selector(found, pairs)
    logits = score(found, pairs, weights).detach().numpy()
    for k, (i, j) in enumerate(pairs.tolist()):
        expected = pair_weights(selector, hops, i, j)
        np.testing.assert_allclose(weights[k].detach().numpy(), expected, rtol=1e-3, atol=1e-5)
        total = sum(
            expected[a, b] * mlp(score.network, hops[a][i] * hops[b][j])[0] for a in range(3) for b in range(3)
        )
        assert logits[k] == pytest.approx(total, rel=1e-3, abs=1e-5)


@pytest.fixture(scope="module")
def fitted() -> PS2:
    return quick(search_epochs=20, max_epochs=30, min_epochs=30).fit(SPLIT)


def weights_of(model: PS2, pairs: npt.NDArray[np.int64]) -> torch.Tensor:
    selector = model.selector()
    ps2.from_state(selector, model.state_, "selector.")
    weights: torch.Tensor = selector(torch.from_numpy(model.state_["selector_hops"]), torch.from_numpy(pairs))
    return weights.detach()


def test_weights_sum_to_one_and_turn_with_the_pair(fitted: PS2) -> None:
    forth, back = weights_of(fitted, ALL_PAIRS), weights_of(fitted, ALL_PAIRS[:, ::-1].copy())
    torch.testing.assert_close(forth.sum(dim=(1, 2)), torch.ones(len(ALL_PAIRS)))
    torch.testing.assert_close(forth, back.transpose(1, 2), rtol=1e-4, atol=1e-6)
    # They are neither uniform nor the same for all pairs.
    assert float((forth - 1 / 9).abs().max()) > 0.1
    assert float(forth.std(dim=0).max()) > 0.01


def test_blocks_are_found(fitted: PS2) -> None:
    assert fitted.score(SPLIT)["auroc"] > 0.8
    scores = fitted.decision_function(ALL_PAIRS)
    inside = ALL_PAIRS[:, 0] // 30 == ALL_PAIRS[:, 1] // 30
    assert pulink.metrics.auroc(scores[inside], scores[~inside]) > 0.9


def coloured() -> pulink.Graph:
    """A node's feature is its colour, which alone decides about links; neighbourhoods are too sparse to tell."""
    rng = np.random.default_rng(1)
    colours = rng.integers(12, size=240)
    low, high = np.triu_indices(240, k=1)
    linked = rng.random(len(low)) < np.where(colours[low] == colours[high], 0.3, 0.006)
    edges = np.stack([low[linked], high[linked]], axis=1)
    return pulink.Graph.from_edges(edges, 240, features=np.eye(12)[colours])


def test_the_selector_looks_where_there_is_something_to_see(tmp_path: Path) -> None:
    graph = coloured()
    split = pulink.split(graph, val=0.1, test=0.2, seed=0)
    model = quick(search_epochs=20, max_epochs=20, min_epochs=20).fit(split)
    pairs = np.stack(np.triu_indices(240, k=1), axis=1)
    # A node's own colour is exact, hops blur it: hop 0 gets more than its third of the weight.
    weights = weights_of(model, pairs).mean(dim=0).numpy()
    assert weights[0].sum() > 0.45
    bare = pulink.split(graph.with_features(None), val=0.1, test=0.2, seed=0)
    without = quick(search_epochs=20, max_epochs=20, min_epochs=20).fit(bare)
    assert model.score(split)["auroc"] > max(0.8, without.score(bare)["auroc"] + 0.03)
    model.save(tmp_path / "model")
    loaded = PS2.load(tmp_path / "model")
    loaded.graph_ = loaded.graph_.with_features(None)
    assert np.array_equal(loaded.decision_function(pairs), model.decision_function(pairs))


def test_a_slice_teaches_the_selector_and_the_rest_the_network() -> None:
    held, rest = held_out(600, 0.2, seed=0)
    assert (len(held), len(rest)) == (120, 480)
    assert np.array_equal(np.sort(np.concatenate([held, rest])), np.arange(600))
    assert [len(part) for part in held_out(3, 0.0, seed=0)] == [1, 2]
    held, rest = held_out(1, 0.2, seed=0)
    assert held.tolist() == rest.tolist() == [0]


def test_the_slice_is_not_seen_in_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Adjacency] = []

    def recorded(adjacency: Adjacency) -> SparseOperator:
        seen.append(adjacency)
        return propagation_operator(adjacency)

    monkeypatch.setattr(ps2, "propagation_operator", recorded)
    with use_threads(1):
        SelectedTraining(quick(), SPLIT.train)
    held, rest = held_out(SPLIT.train.n_edges, 0.2, seed=0)
    search, final = (dense(adjacency) for adjacency in seen)
    assert (search[tuple(SPLIT.train.edges[held].T)] == 0).all()
    assert (search[tuple(SPLIT.train.edges[rest].T)] == 1).all()
    assert np.array_equal(final, dense(SPLIT.train.adjacency))


def test_the_selection_is_fixed_once_it_is_learned() -> None:
    with use_threads(1):
        training = SelectedTraining(quick(), SPLIT.train)
        # Five epochs of five batches; from the third on, five of the slice.
        n_searched = 5 * 5 + 3 * 5
        assert training.n_steps == n_searched
        training.advance(1)
        before = training.snapshot()
        training.advance(3)
        after = training.snapshot()
    assert training.n_steps == n_searched + 4 * 5
    for name in before:
        assert np.array_equal(before[name], after[name]) == name.startswith("selector"), name


@pytest.mark.parametrize("n_units", [6, 10, 16])
def test_a_score_is_one_number_in_any_company(n_units: int) -> None:
    model = quick(n_units=n_units).fit(SPLIT)
    together = model.decision_function(ALL_PAIRS)
    order = np.random.default_rng(0).permutation(len(ALL_PAIRS))
    assert np.array_equal(model.decision_function(ALL_PAIRS[order][:, ::-1]), together[order])
    assert model.decision_function(ALL_PAIRS[77:78])[0] == together[77]


def test_a_graph_of_one_edge_is_served() -> None:
    model = quick(val_ratio=0.0).fit(pulink.Graph.from_edges([[0, 1]], 3))
    assert np.isfinite(model.decision_function(np.array([[0, 2]]))).all()


def test_a_graph_that_would_take_hours_is_refused_before_the_work() -> None:
    with pytest.raises(InputError, match=r"would take about [0-9.]+ hours on \d+ edges: use l3n or gcn-ce"):
        quick(max_epochs=10**8).fit(SPLIT)


@pytest.mark.parametrize("name", ["n_units", "n_layers", "search_epochs"])
def test_counts_are_judged(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be a whole number from 1, got 0"):
        quick(**{name: 0}).fit(SPLIT)


def test_the_slice_is_judged() -> None:
    with pytest.raises(ParameterError, match="selector_share must lie in"):
        quick(selector_share=1.0).fit(SPLIT)
