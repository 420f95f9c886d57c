"""Walks of up to seven steps: by hand, against powers of the dense matrix, and blind to hidden pairs."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink.methods.pull_plus.pair_signals import PairSignals, SignalConfig
from pulink.methods.pull_plus.quantities import dense_walks
from pulink.methods.pull_plus.quantities import pairs as quantities
from pulink.methods.pull_plus.signals import LINEAR, LONG_WALKS, MOST_SOLVED, MOST_WALKED, signal_names, subject_of
from tests.support.small_views import all_pairs, random_graph

NAMES = tuple(name for name in signal_names(()) if subject_of(name) in (LINEAR, LONG_WALKS))


def signals(graph: pulink.Graph, pairs: np.ndarray) -> dict[str, np.ndarray]:
    view = PairSignals(graph, {}, {}, None)
    return dict(zip(view.names, view.signals(pairs).T, strict=True))


def test_a_triangle_by_hand() -> None:
    """Of a triangle M = A / 2 has eigenvalues 1, -1/2, -1/2: (M^k)_ij = (1 - (-1/2)^k) / 3 beside the diagonal."""
    found = signals(pulink.Graph.from_edges([[0, 1], [1, 2], [0, 2]]), np.array([[0, 1]]))
    for k in range(2, 8):
        assert found[f"walks_{k}"][0] == pytest.approx((1 - (-0.5) ** k) / 3)
        for end in ("low", "high"):
            assert found[f"return_{k}_{end}"][0] == pytest.approx((1 + 2 * (-0.5) ** k) / 3)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_equal_to_powers_of_the_matrix(monkeypatch: pytest.MonkeyPatch, share: float) -> None:
    """Whether the product is with the sparse or with the dense matrix."""
    monkeypatch.setattr(dense_walks, "_DENSE", share)
    graph, pairs = random_graph(20, 50, 2), all_pairs(20)
    a = np.zeros((20, 20))
    a[graph.edges[:, 0], graph.edges[:, 1]] = 1.0
    a += a.T
    roots = np.sqrt(np.maximum(a.sum(axis=1), 1.0))
    m = a / roots[:, None] / roots
    found = signals(graph, pairs)
    for k in range(2, 8):
        power = np.linalg.matrix_power(m, k)
        assert found[f"walks_{k}"] == pytest.approx(power[pairs[:, 0], pairs[:, 1]], abs=1e-6)
        ends = np.diag(power)[pairs]
        assert found[f"return_{k}_low"] == pytest.approx(ends.min(axis=1), abs=1e-6)
        assert found[f"return_{k}_high"] == pytest.approx(ends.max(axis=1), abs=1e-6)


def test_a_hidden_pair_is_not_seen() -> None:
    """Links of a graph that hides an edge are what they are where the edge never was."""
    graph = random_graph(16, 45, 1)
    keep = np.arange(45) != 7
    hidden = graph.edges[7:8].astype(np.int64)
    unseen = signals(graph.keep_edges(keep), hidden)
    fresh = signals(pulink.Graph.from_edges(graph.edges[keep], 16), hidden)
    seen = signals(graph, hidden)
    for name in NAMES:
        assert np.array_equal(unseen[name], fresh[name])
    assert unseen["linear_optimisation"][0] < seen["linear_optimisation"][0]


def test_large_graphs_have_neither() -> None:
    def kept(n_nodes: int) -> set[str]:
        names = signal_names((), n_nodes=n_nodes)
        return {subject_of(name) for name in names} & {LINEAR, LONG_WALKS}

    assert kept(MOST_WALKED) == {LINEAR, LONG_WALKS}
    assert kept(MOST_WALKED + 1) == kept(MOST_SOLVED) == {LINEAR}
    assert kept(MOST_SOLVED + 1) == set()
    config = SignalConfig(4, 3, 0.01, 0, n_nodes=MOST_SOLVED + 1)
    assert not {*NAMES} & {*config.signal_names(None)}


def test_linear_optimisation_is_left_out_where_nodes_are_many_and_edges_few(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    graph, pairs = random_graph(20, 50, 2), all_pairs(20)
    assert signals(graph, pairs)["linear_optimisation"].any()
    monkeypatch.setattr(quantities, "_ALWAYS_SOLVED", 19)
    assert not signals(graph, pairs)["linear_optimisation"].any(), "the mean degree is 5"
    monkeypatch.setattr(quantities, "_FEWEST_LINKS", 5)
    assert signals(graph, pairs)["linear_optimisation"].any()


def test_a_model_that_has_them_keeps_them_beyond_the_limit() -> None:
    """A graph that grows past the limit is read by the names of the fit; the path 0 - 1 - 2 - 3, over 2 and 2."""
    graph = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3]], MOST_WALKED + 1)
    assert "walks_3" not in PairSignals(graph, {}, {}, None).names
    view = PairSignals(graph, {}, {}, None, names=("common", "walks_3"))
    assert view.signals(np.array([[0, 3]])).tolist() == [[0.0, pytest.approx(1 / 4)]]
