"""SEAL: one forward pass by hand, the target edge nowhere, and structure alone learned."""

from pathlib import Path

import networkx as nx
import numpy as np
import numpy.typing as npt
import pytest
import torch

import pulink
from pulink.engine.random import stream_key
from pulink.engine.structure.enclosing import enclosing_subgraphs
from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.methods.baselines.structural.seal import SEAL, SubgraphNetwork, first_rows
from pulink.predictor.search_scope import BestByWalks
from tests.engine.structure.test_enclosing import twin_labels
from tests.support.planted import planted_graph

F64 = npt.NDArray[np.float64]

GRAPH = planted_graph(30, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, val=0.05, test=0.15, seed=0)
ALL_PAIRS = np.stack(np.triu_indices(GRAPH.n_nodes, k=1), axis=1)
SMALL = {"n_hops": 1, "max_nodes": 20, "n_units": 16, "n_layers": 2, "check_every": 5}


def quick(**settings: object) -> SEAL:
    return SEAL(**(SMALL | {"max_epochs": 2, "min_epochs": 2} | settings))  # type: ignore[arg-type]


@pytest.fixture(scope="module")
def fitted() -> SEAL:
    return quick(max_epochs=15, min_epochs=15).fit(SPLIT)


def layer_rows(network: SubgraphNetwork, inner: nx.Graph, nodes: list[int], start: F64) -> list[F64]:
    """H_1 .. H_L of one subgraph with dense matrices."""
    closed = nx.to_numpy_array(inner, nodelist=nodes) + np.eye(len(nodes))
    scale = 1.0 / np.sqrt(closed.sum(axis=1))
    rows, h = [], start
    for layer in network.layers:
        weight, bias = (getattr(layer, part).detach().numpy() for part in ("weight", "bias"))
        h = np.maximum((scale[:, None] * closed * scale) @ h @ weight + bias, 0.0)
        rows.append(h)
    return rows


def mlp(network: SubgraphNetwork, x: F64) -> float:
    first, second = network.score.layers
    hidden = np.maximum(x @ first.weight.detach().numpy() + first.bias.detach().numpy(), 0.0)
    return float((hidden @ second.weight.detach().numpy() + second.bias.detach().numpy())[0])


def pooled(network: SubgraphNetwork, rows: F64, last: F64) -> F64:
    """The ends' product, or 30 rows by their last number, reduced, the larger of every two."""
    if network.reduce is None:
        return rows[0] * rows[1]
    kept = np.zeros((30, rows.shape[1]))
    order = sorted(range(len(rows)), key=lambda v: (-last[v], v))[:30]
    kept[: len(order)] = rows[order]
    weight, bias = network.reduce.weight.detach().numpy(), network.reduce.bias.detach().numpy()
    reduced = np.maximum(kept @ weight + bias, 0.0)
    return np.maximum(reduced[0::2], reduced[1::2]).ravel()


@pytest.mark.parametrize("pooling", ["centre", "sort"])
@pytest.mark.parametrize("has_features", [False, True])
def test_a_forward_pass_equals_the_dense_one(pooling: str, has_features: bool) -> None:
    network = SubgraphNetwork(8, 3, pooling, has_features, seed=3)
    projected = np.random.default_rng(0).normal(size=(GRAPH.n_nodes, 8)).astype(np.float32)
    pairs = ALL_PAIRS[::300]
    batch = enclosing_subgraphs(GRAPH.adjacency, pairs, 1, None, stream_key(0))
    logits = network(batch, torch.from_numpy(projected) if has_features else None).detach().numpy()
    whole = nx.Graph(GRAPH.edges.tolist())
    for g, (x, y) in enumerate(pairs.tolist()):
        nodes = batch.nodes[batch.starts[g] : batch.starts[g + 1]].tolist()
        inner = nx.Graph(whole.subgraph(nodes))
        inner.remove_edges_from([(x, y)])
        labels = twin_labels(inner, x, y)
        start = network.labels.detach().numpy()[[labels[v] for v in nodes]].astype(np.float64)
        start += projected[nodes] if has_features else 0.0
        layers = layer_rows(network, inner, nodes, start)
        side_by_side = np.concatenate([start, *layers] if has_features else layers, axis=1)
        expected = mlp(network, pooled(network, side_by_side, layers[-1][:, -1]))
        assert logits[g] == pytest.approx(expected, rel=1e-3, abs=1e-4)


def test_rows_are_sorted_within_their_block() -> None:
    numbers = np.array([1.0, 3.0, 3.0, 2.0, 9.0, 0.0, 0.0, 4.0], dtype=np.float32)
    found = first_rows(numbers, np.array([0, 3, 8]))
    assert found.shape == (2, 30)
    assert found[0].tolist() == [1, 2, 0] + 27 * [8]
    assert found[1].tolist() == [4, 7, 3, 5, 6] + 25 * [8]


@pytest.mark.parametrize("pooling", ["centre", "sort"])
def test_the_edge_of_a_pair_does_not_count_in_its_score(pooling: str) -> None:
    model = quick(pooling=pooling, n_hops=2, max_nodes=15).fit(SPLIT)
    train = SPLIT.train
    for k in range(0, train.n_edges, 97):
        pair = train.edges[k : k + 1]
        without = train.keep_edges(np.arange(train.n_edges) != k)
        assert model._state_scores(model.state_, train, pair) == model._state_scores(model.state_, without, pair)


@pytest.mark.parametrize("n_units", [10, 16])
@pytest.mark.parametrize("pooling", ["centre", "sort"])
def test_a_score_is_one_number_in_any_company(pooling: str, n_units: int) -> None:
    model = quick(pooling=pooling, n_units=n_units).fit(SPLIT)
    pairs = ALL_PAIRS[::3]
    together = model.decision_function(pairs)
    order = np.random.default_rng(0).permutation(len(pairs))
    assert np.array_equal(model.decision_function(pairs[order][:, ::-1]), together[order])
    for k in (0, 99, 1_000):
        assert model.decision_function(pairs[k : k + 1])[0] == together[k]


def test_blocks_are_found_by_structure_alone(fitted: SEAL) -> None:
    assert GRAPH.features is None
    # No method can tell the edges across blocks: about 90% of the test edges lie inside one.
    inside = ALL_PAIRS[:, 0] // 30 == ALL_PAIRS[:, 1] // 30
    scores = fitted.decision_function(ALL_PAIRS)
    assert pulink.metrics.auroc(scores[inside], scores[~inside]) > 0.97
    assert fitted.score(SPLIT)["auroc"] > 0.8


def test_sorted_rows_tell_blocks_too() -> None:
    model = quick(pooling="sort", max_epochs=15, min_epochs=15).fit(SPLIT)
    assert model.score(SPLIT)["auroc"] > 0.75


def coloured() -> pulink.Graph:
    """Sparse random edges between nodes of one colour; a node's features are its colour and noise."""
    rng = np.random.default_rng(1)
    colours = rng.integers(3, size=150)
    low, high = np.triu_indices(150, k=1)
    probability = np.where(colours[low] == colours[high], 0.08, 0.0)
    linked = rng.random(len(low)) < probability
    features = np.eye(3)[colours] + rng.normal(size=(150, 3)) * 0.1
    return pulink.Graph.from_edges(np.stack([low[linked], high[linked]], axis=1), 150, features=features)


def test_features_are_used_and_not_needed_again(tmp_path: Path) -> None:
    graph = coloured()
    split = pulink.split(graph, val=0.1, test=0.2, seed=0)
    settings = {"max_epochs": 20, "min_epochs": 20}
    with_features = quick(**settings).fit(split)
    bare = pulink.split(graph.with_features(None), val=0.1, test=0.2, seed=0)
    without = quick(**settings).fit(bare)
    assert with_features.score(split)["auroc"] > max(0.75, without.score(bare)["auroc"] + 0.03)
    with_features.save(tmp_path / "model")
    loaded = SEAL.load(tmp_path / "model")
    loaded.graph_ = loaded.graph_.with_features(None)
    pairs = np.stack(np.triu_indices(150, k=1), axis=1)[::10]
    assert np.array_equal(loaded.decision_function(pairs), with_features.decision_function(pairs))


def test_an_epoch_takes_a_share_of_the_edges() -> None:
    # 600 training edges are ten batches of at most 64.
    assert SPLIT.train.n_edges // 64 + 1 == 10
    for share, n_batches in ((0.1, 5), (0.7, 7), (0.99, 10)):
        assert quick(train_share=share, max_epochs=2).fit(SPLIT).n_steps_ == 2 * n_batches


def test_a_graph_that_would_take_hours_is_refused_before_the_work() -> None:
    with pytest.raises(InputError, match=r"would take about [0-9.]+ hours on 90 nodes .* use l3n or buddy"):
        quick(max_epochs=10**6).fit(SPLIT)


def test_a_search_beyond_its_means_takes_candidates(fitted: SEAL, monkeypatch: pytest.MonkeyPatch) -> None:
    exact, scope = fitted.best_pairs(20)
    assert scope.exact
    monkeypatch.setattr(SEAL, "exact_pairs", 100)
    found, scope = fitted.best_pairs(20)
    assert isinstance(scope, BestByWalks)
    assert not SPLIT.train.has_edges(found).any()
    assert len({tuple(pair) for pair in exact.tolist()} & {tuple(pair) for pair in found.tolist()}) > 10


@pytest.mark.parametrize("name", ["n_hops", "max_nodes", "n_units", "n_layers"])
def test_counts_are_judged(name: str) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be a whole number from 1, got 0"):
        quick(**{name: 0}).fit(SPLIT)


def test_other_settings_are_judged() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown pooling 'mean'.* Known: centre, sort"):
        quick(pooling="mean").fit(SPLIT)
    with pytest.raises(ParameterError, match="train_share must lie in"):
        quick(train_share=1.5).fit(SPLIT)
