"""BUDDY: its inputs by hand, its network against a twin, and that no pair sees its own edge."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

import pulink
from pulink import metrics
from pulink.errors import ParameterError, TooLargeError
from pulink.methods.baselines.structural.buddy import BUDDY, _Inputs, _larger_end_first
from tests.support.planted import planted_graph

# By hand: 0 - 1, 0 - 2, 1 - 2, 2 - 3, 3 - 4.
FIVE = pulink.Graph.from_edges([[0, 1], [0, 2], [1, 2], [2, 3], [3, 4]])
GRAPH = planted_graph(15, 3, 0.5, 0.05, seed=0)
LOW, HIGH = np.triu_indices(GRAPH.n_nodes, k=1)
PAIRS = np.stack([LOW, HIGH], axis=1)
Rows = npt.NDArray[np.floating]


def with_features(graph: pulink.Graph, n_columns: int = 6) -> pulink.Graph:
    features = np.random.default_rng(0).random((graph.n_nodes, n_columns))
    return pulink.Graph.from_edges(graph.edges, graph.n_nodes, features=features)


def inputs(model: BUDDY, graph: pulink.Graph) -> _Inputs:
    return _Inputs(graph, model._sketches(graph), model._hops(graph))


def counts(graph: pulink.Graph, pair: tuple[int, int]) -> list[float]:
    """Cells over many seeds, because a sketch only estimates."""
    drawn = [np.expm1(inputs(BUDDY(seed=s), graph).counts(np.array([pair])).numpy()[0]) for s in range(60)]
    return np.round(np.mean(drawn, axis=0)).tolist()


def test_cells_of_a_small_graph_by_hand() -> None:
    # Pair (1, 3). From 1: 0, 2 at one step, 3 at two. From 3: 2, 4 at one, 0, 1 at two. Node 2 is one step from
    # both, 0 is one from 1 and two from 3, 4 is one from 3 and further than two from 1. The ends do not count.
    # Cells: (1,1) (1,2) (1,>2) (2,1) (2,2) (2,>2) (>2,1) (>2,2); 1 and 3 have two neighbours each.
    assert sorted(counts(FIVE, (1, 3))) == sorted([1, 1, 0, 0, 0, 0, 1, 0])
    assert counts(FIVE, (1, 3))[0] == 1


def test_cells_of_an_edge_by_hand_are_those_without_it() -> None:
    # Pair (2, 3) without its edge: 0, 1 one step from 2, 4 one step from 3, nothing in common. 2 is larger.
    assert counts(FIVE, (2, 3)) == [0, 0, 2, 0, 0, 0, 1, 0]


def test_the_larger_end_stands_first() -> None:
    table = np.array([[[1, 0, 2], [4, 5, 6], [7, 8, 0]], [[1, 9, 9], [4, 5, 6], [7, 8, 0]]], dtype=np.float32)
    turned = _larger_end_first(table)
    assert np.array_equal(turned[0], table[0].T)
    assert np.array_equal(turned[1], table[1])


@pytest.mark.parametrize("e", [0, 30, 111])
def test_inputs_of_an_edge_are_those_of_the_graph_without_it(e: int) -> None:
    graph, model = with_features(GRAPH), BUDDY()
    kept = np.ones(graph.n_edges, dtype=np.bool_)
    kept[e] = False
    pair = graph.edges[e : e + 1].astype(np.int64)
    here, bare = inputs(model, graph), inputs(BUDDY(), graph.keep_edges(kept))
    assert np.array_equal(here.counts(pair), bare.counts(pair))
    products = [both.products(pair) for both in (here, bare)]
    assert products[0] is not None
    assert products[1] is not None
    np.testing.assert_allclose(products[0], products[1], rtol=1e-3, atol=1e-5)
    # The test can tell: plain products of what was propagated over the edge are others.
    hops = model._hops(graph)
    assert hops is not None
    plain = (hops[pair[0, 0]] * hops[pair[0, 1]]).ravel()
    assert not np.allclose(plain, products[1][0], rtol=1e-3, atol=1e-5)


def layer(rows: Rows, state: dict[str, Rows], name: str) -> Rows:
    hidden = rows @ state[f"{name}.layers.0.weight"] + state[f"{name}.layers.0.bias"]
    norm = {part: state[f"{name}.norms.0.{part}"] for part in ("mean", "variance", "weight", "bias")}
    hidden = (hidden - norm["mean"]) / np.sqrt(norm["variance"] + 1e-5) * norm["weight"] + norm["bias"]
    return np.maximum(hidden, 0)


@pytest.mark.parametrize("graph", [GRAPH, with_features(GRAPH)], ids=["bare", "features"])
def test_scores_equal_a_plain_twin(graph: pulink.Graph) -> None:
    model = BUDDY(n_units=8, max_epochs=4, min_epochs=4).fit(pulink.split(graph, seed=0))
    state = model.state_
    read = _Inputs(model.graph_, model._sketches(model.graph_), state.get("hops"))
    hidden = layer(read.counts(PAIRS).numpy(), state, "network.structure")
    products = read.products(PAIRS)
    if products is not None:
        hidden = np.concatenate([hidden, layer(products.numpy(), state, "network.features")], axis=1)
    first = hidden @ state["network.join.layers.0.weight"] + state["network.join.layers.0.bias"]
    logits = np.maximum(first, 0) @ state["network.join.layers.1.weight"] + state["network.join.layers.1.bias"]
    assert (products is None) == (graph.n_features == 0)
    np.testing.assert_allclose(model.decision_function(PAIRS), logits[:, 0], rtol=1e-4, atol=1e-4)


def test_removed_edges_of_planted_blocks_are_found() -> None:
    data = pulink.split(planted_graph(40, 3, 0.6, 0.02, seed=1), seed=0)
    assert BUDDY(max_epochs=15, min_epochs=15).fit(data).score(data)["auroc"] > 0.85


def test_its_own_edges_teach_nothing_on_a_random_graph() -> None:
    # No pair differs from another but by its own edge, which is taken out: even training edges stay unknown.
    low, high = np.triu_indices(300, k=1)
    kept = np.random.default_rng(5).choice(len(low), 1_500, replace=False)
    edges = np.stack([low[kept], high[kept]], axis=1)
    features = np.random.default_rng(6).normal(size=(300, 4))
    graph = pulink.Graph.from_edges(edges, 300, features=features)
    model = BUDDY(max_epochs=15, min_epochs=15, refit=False).fit(graph)
    free = np.stack([low, high], axis=1)[np.setdiff1d(np.arange(len(low)), kept)][::20]
    scores = model.decision_function(edges), model.decision_function(free)
    assert metrics.auroc(*scores) == pytest.approx(0.5, abs=0.1)


def test_many_columns_become_few() -> None:
    graph = with_features(GRAPH, n_columns=40)
    hops = BUDDY(n_columns=5)._hops(graph)
    assert hops is not None
    assert hops.shape == (GRAPH.n_nodes, 3, 5)
    assert np.sqrt(np.mean(hops[:, 0] ** 2)) == pytest.approx(1.0, rel=1e-5)


def test_sketches_follow_graph_and_seed(tmp_path: Path) -> None:
    model = BUDDY(max_epochs=2, min_epochs=2).fit(GRAPH)
    first = model.decision_function(PAIRS)
    model.set_params(seed=1).fit(GRAPH)
    second = model.decision_function(PAIRS)
    assert not np.array_equal(first, second)
    assert np.array_equal(second, BUDDY(max_epochs=2, min_epochs=2, seed=1).fit(GRAPH).decision_function(PAIRS))
    model.save(tmp_path / "model")
    assert np.array_equal(BUDDY.load(tmp_path / "model").decision_function(PAIRS), second)


@pytest.mark.parametrize("setting", [{"n_hops": 3}, {"n_hops": 0}, {"n_columns": 0}, {"dropout": 1.0}])
def test_settings_are_judged_by_name(setting: dict[str, float]) -> None:
    (name,) = setting
    with pytest.raises(ParameterError, match=name):
        BUDDY(**setting).fit(GRAPH)  # type: ignore[arg-type]


def test_too_little_memory_is_refused_before_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.system.memory.available_bytes", lambda: 1_000)
    with pytest.raises(TooLargeError, match=r"sketching 45 nodes needs about .* gcn-ce or l3n"):
        BUDDY().fit(GRAPH)
