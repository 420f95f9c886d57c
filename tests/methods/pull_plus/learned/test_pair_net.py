"""PairNet: its inputs by hand, its logits, its state, and what it can and cannot learn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import pytest

import pulink
from pulink.engine.random import permutation, stream_key
from pulink.engine.threads import use_threads
from pulink.methods.pull_plus.learned.pair_net import PairNet, PairNetConfig, around
from pulink.metrics import auroc
from tests.support.small_views import all_pairs, numbers, random_graph

BRIEF = PairNetConfig(n_units=16, n_steps=12, dropout=0.2)
N = 24
GRAPH = random_graph(N, 60, 0)
COMPONENTS = numbers(N, 3, 0)
PAIRS = all_pairs(N)


def trained(seed: int = 0, graph: pulink.Graph = GRAPH) -> PairNet:
    return PairNet.trained_on(graph, COMPONENTS, BRIEF, seed)


def logits_of(
    net: PairNet, pairs: npt.NDArray[np.int64] = PAIRS, graph: pulink.Graph = GRAPH
) -> npt.NDArray[np.float32]:
    return net.logits(net.vectors(graph, COMPONENTS), pairs)


def test_its_inputs_by_hand() -> None:
    """The path 0-1-2 with its loops: degrees 2, 3, 2, and node 3 with its loop alone."""
    graph = pulink.Graph.from_edges([[0, 1], [1, 2]], 4)
    one = np.float32([[1], [0], [0], [5]])
    sixth = 1 / np.sqrt(6)
    once = [0.5, sixth, 0, 5]
    twice = [0.25 + sixth**2, 0.5 * sixth + sixth / 3, sixth**2, 5]
    assert np.allclose(around(graph.adjacency, one), np.stack([one[:, 0], once, twice], axis=1), atol=1e-6)


def test_columns_come_hop_by_hop_and_weights_do_not_count() -> None:
    inputs = around(GRAPH.adjacency, COMPONENTS)
    each = [around(GRAPH.adjacency, np.ascontiguousarray(COMPONENTS[:, [k]])) for k in range(3)]
    assert np.allclose(
        inputs, np.concatenate([np.concatenate([own[:, [h]] for own in each], 1) for h in range(3)], 1)
    )
    weighted = random_graph(N, 60, 0, weights=np.arange(1, 61))
    assert np.array_equal(around(weighted.adjacency, COMPONENTS), inputs)


def test_logits_are_those_of_the_equations() -> None:
    net = trained()
    state = net.state()
    z = (around(GRAPH.adjacency, COMPONENTS) - state["means"]) / state["spreads"]
    layer = [
        (state[f"{part}.layers.{k}.weight"], state[f"{part}.layers.{k}.bias"])
        for part in ("ends", "pairs")
        for k in (0, 1)
    ]
    h = np.maximum(z @ layer[0][0] + layer[0][1], 0) @ layer[1][0] + layer[1][1]
    product = h[PAIRS[:, 0]] * h[PAIRS[:, 1]]
    wanted = np.maximum(product @ layer[2][0] + layer[2][1], 0) @ layer[3][0] + layer[3][1]
    assert np.allclose(logits_of(net), wanted[:, 0], rtol=1e-3, atol=1e-4)
    assert np.ptp(wanted) > 0.01


def test_a_logit_is_the_same_from_both_ends_and_in_every_company() -> None:
    net = trained()
    every = logits_of(net)
    assert np.array_equal(logits_of(net, PAIRS[:, ::-1]), every)
    assert np.array_equal(logits_of(net, PAIRS[::-1])[::-1], every)
    for size in (1, 2, 7):
        some = np.concatenate([logits_of(net, PAIRS[k : k + size]) for k in range(0, 28, size)])
        assert np.array_equal(some, every[: len(some)])


def test_state_comes_back_to_the_bit() -> None:
    net = trained()
    again = PairNet.from_state(net.state())
    assert np.array_equal(logits_of(again), logits_of(net))
    assert all(np.array_equal(array, net.state()[name]) for name, array in again.state().items())


@pytest.mark.parametrize("name", [*trained().state()])
def test_a_damaged_state_is_refused(name: str) -> None:
    state = trained().state()
    for damaged in (
        {key: array for key, array in state.items() if key != name},
        state | {name: state[name][:-1]},
        state | {name: state[name][..., None]},
        state | {name: np.float32(1)},
        state | {"more": state[name]},
    ):
        with pytest.raises(ValueError, match="its network of pairs is not whole"):
            PairNet.from_state(damaged)


def test_a_small_array_cannot_ask_for_a_large_network() -> None:
    with pytest.raises(ValueError, match="not whole"):
        PairNet.from_state({"ends.layers.0.weight": np.zeros((1, 1_000_000), dtype=np.float32)})


def test_only_components_of_its_width_are_read() -> None:
    net = trained()
    assert net.reads(COMPONENTS)
    assert not net.reads(COMPONENTS[:, :2])
    assert not net.reads(None)


def test_seeds_decide_and_threads_do_not() -> None:
    with use_threads(1):
        wanted = trained(3).state()
    for n_threads in (1, 2, 3):
        with use_threads(n_threads):
            found = trained(3).state()
            assert np.array_equal(logits_of(trained(3)), logits_of(PairNet.from_state(wanted)))
        assert all(np.array_equal(found[name], array) for name, array in wanted.items())
    assert not np.array_equal(trained(4).state()["ends.layers.0.weight"], wanted["ends.layers.0.weight"])


@pytest.mark.parametrize("n_edges", [1, 2, 3, 276])
def test_few_edges_and_nearly_all_pairs_are_no_hindrance(n_edges: int) -> None:
    graph = random_graph(N, n_edges, 1) if n_edges < 276 else random_graph(N, 275, 1)
    assert np.isfinite(logits_of(trained(0, graph), PAIRS, graph)).all()


@dataclass
class Hidden:
    """A graph, edges that it does not hold, and pairs that are no edges at all."""

    graph: pulink.Graph
    hidden: npt.NDArray[np.int64]
    others: npt.NDArray[np.int64]


def hide(graph: pulink.Graph, share: float, seed: int) -> Hidden:
    n_hidden = int(share * graph.n_edges)
    chosen = np.zeros(graph.n_edges, dtype=bool)
    chosen[permutation(stream_key(seed, "hidden"), graph.n_edges)[:n_hidden]] = True
    sampler = graph.pair_space.sampler(graph.adjacency)
    others = sampler.draw_distinct(n_hidden, stream_key(seed, "others"))
    return Hidden(graph.keep_edges(~chosen), graph.edges[chosen].astype(np.int64), others.astype(np.int64))


def found(case: Hidden, components: npt.NDArray[np.float32], seed: int) -> float:
    net = PairNet.trained_on(case.graph, components, PairNetConfig(32, 150, 0.0), seed)
    vectors = net.vectors(case.graph, components)
    return float(auroc(net.logits(vectors, case.hidden), net.logits(vectors, case.others)))


def attributed_graph(seed: int) -> tuple[pulink.Graph, npt.NDArray[np.float32]]:
    """Each of 300 nodes is of one of ten kinds, which its attributes tell with noise. Kinds 0 and 1, 2 and 3 and
    so on are linked: an inner product of attributes says the contrary.
    """
    rng = np.random.default_rng(seed)
    kind = rng.integers(0, 10, 300)
    low, high = np.triu_indices(300, k=1)
    linked = rng.random(len(low)) < np.where(kind[low] // 2 == kind[high] // 2, 0.2, 0.002) * (
        kind[low] != kind[high]
    )
    components = (np.eye(10)[kind] + 0.2 * rng.normal(size=(300, 10))).astype(np.float32)
    return pulink.Graph.from_edges(np.stack([low, high], axis=1)[linked], 300), components


@pytest.mark.parametrize("seed", [0, 1])
def test_hidden_edges_are_found_where_attributes_tell_them(seed: int) -> None:
    graph, components = attributed_graph(seed)
    assert found(hide(graph, 0.2, seed), components, seed) > 0.9


def test_random_edges_are_found_by_chance_alone() -> None:
    """Edges and attributes have nothing to do with each other, and no edge was learned by itself: over six graphs
    of about 200 hidden edges the mean errs by 0.012.
    """
    rng = np.random.default_rng(7)
    values = []
    for seed in range(6):
        components = rng.permutation(attributed_graph(seed)[1])
        values.append(found(hide(random_graph(300, 1_000, seed), 0.2, seed), components, seed))
    assert abs(float(np.mean(values)) - 0.5) < 0.05, values


def test_few_edges_are_not_drawn_again_and_again() -> None:
    config = PairNetConfig(16, n_steps=900, batch=100, most_passes=40)
    assert [config.fitting(64, n).n_steps for n in (10, 500, 1_000, 10**6)] == [200, 200, 400, 900]
    assert PairNetConfig(16, n_steps=300).fitting(64, 10) == PairNetConfig(16, n_steps=300)
    assert PairNetConfig(16, n_steps=50, most_passes=40).fitting(64, 10).n_steps == 50


def test_a_network_is_as_wide_as_nodes_have_components() -> None:
    config = PairNetConfig(16, n_steps=10, n_components=64)
    assert [config.fitting(n, 100).n_units for n in (3, 64, 127, 128, 256)] == [16, 16, 16, 32, 64]
    assert PairNetConfig(16, n_steps=10).fitting(128, 100).n_units == 16
