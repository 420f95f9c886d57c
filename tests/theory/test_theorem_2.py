"""Theorem 2: operations grow linearly with edges (nodes fixed) and with nodes (edges fixed).

Counted, not timed: multiplications of sparse products (stored entries x columns, forward and backward) and of
dense ones, pairs in the losses (x units), and cells scored in the E-step (x units).
"""

from typing import Any

import numpy as np
import pytest
import torch
from torch.utils.flop_counter import FlopCounterMode

import pulink
from pulink.engine.autograd import sparse
from pulink.methods.pull import expected_graph
from pulink.nn.trainer import LossTerm

N_UNITS = 8
SETTINGS: dict[str, Any] = {"n_units": N_UNITS, "n_epochs": 2, "max_iterations": 3, "n_hubs": 20}


def random_graph(n_nodes: int, n_edges: int) -> pulink.Graph:
    """Exactly that many edges, and eight features."""
    rng = np.random.default_rng(0)
    codes = rng.choice(n_nodes * (n_nodes - 1) // 2, n_edges, replace=False)
    low, high = np.triu_indices(n_nodes, k=1)
    edges = np.stack([low[codes], high[codes]], axis=1)
    return pulink.Graph.from_edges(edges, n_nodes, features=rng.normal(size=(n_nodes, 8)))


def count(graph: pulink.Graph, patch: pytest.MonkeyPatch) -> dict[str, int]:
    counts = {"propagation": 0, "loss": 0, "candidates": 0, "dense": 0}
    product, top_by_embedding = sparse.sparse_product, expected_graph.top_by_embedding
    loss = LossTerm.loss_and_gradient

    def counted_product(matrix: torch.Tensor, dense: torch.Tensor) -> torch.Tensor:
        counts["propagation"] += matrix.values().numel() * dense.shape[1]
        # PyTorch's counter takes a sparse matrix for a dense one.
        counts["dense"] -= 2 * matrix.shape[0] * matrix.shape[1] * dense.shape[1]
        return product(matrix, dense)

    def counted_loss(self: LossTerm, z: np.ndarray, key: np.uint64) -> tuple[float, np.ndarray]:
        counts["loss"] += (len(self.positives) + self.n_non_edges) * z.shape[1]
        return loss(self, z, key)

    def counted_cells(z: np.ndarray, *rest: Any, rows: np.ndarray, **others: Any) -> np.ndarray:
        counts["candidates"] += len(rows) * z.shape[0] * z.shape[1]
        return top_by_embedding(z, *rest, rows=rows, **others)

    with patch.context() as patched:
        patched.setattr(sparse, "sparse_product", counted_product)
        patched.setattr(LossTerm, "loss_and_gradient", counted_loss)
        patched.setattr(expected_graph, "top_by_embedding", counted_cells)
        with FlopCounterMode(display=False) as flops:
            pulink.PULL(**SETTINGS, val_ratio=0.0).fit(graph)
    counts["dense"] += flops.get_total_flops()
    return counts


def is_linear(values: list[int]) -> bool:
    """Sizes 1, 2, 4: the second step is twice the first, up to a per cent of floors and picks."""
    first, second, third = values
    return abs((third - second) - 2 * (second - first)) <= 0.01 * third


def test_operations_are_linear_in_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = [count(random_graph(400, m), monkeypatch) for m in (1_000, 2_000, 4_000)]
    for kind in counted[0]:
        assert is_linear([run[kind] for run in counted]), kind
    assert counted[2]["loss"] == pytest.approx(4 * counted[0]["loss"], rel=0.01)
    assert counted[2]["candidates"] == counted[0]["candidates"]
    assert counted[2]["dense"] == counted[0]["dense"]


def test_operations_are_linear_in_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = [count(random_graph(n, 1_000), monkeypatch) for n in (400, 800, 1_600)]
    for kind in counted[0]:
        assert is_linear([run[kind] for run in counted]), kind
    assert counted[2]["candidates"] == 4 * counted[0]["candidates"]
    assert counted[2]["loss"] == pytest.approx(counted[0]["loss"], rel=0.01)


def test_the_counts_are_those_of_the_theorem(monkeypatch: pytest.MonkeyPatch) -> None:
    # n = 400, m = 1,000, two epochs in each of three iterations, eight units, twenty hubs.
    counted = count(random_graph(400, 1_000), monkeypatch)
    # An E-step before iterations 2 and 3, and the last one that is stored: M · n · d each.
    assert counted["candidates"] == 3 * 20 * 400 * N_UNITS
    # L'_E: m pairs and 2m non-edges; from iteration 2 on the added pairs too, and L_C: m and m.
    n_added = (50, 100)
    pairs = 2 * 3_000 + sum(2 * (3_000 + 3 * added + 2_000) for added in n_added)
    # A pair of two hubs fills two cells and stands once among the positives.
    assert pairs - 2 * sum(n_added) <= counted["loss"] / N_UNITS <= pairs


def test_cost_grows_with_the_rounds_as_the_expected_graph_does(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(400, 4_000)
    monkeypatch.setitem(SETTINGS, "max_iterations", 1)
    one = count(graph, monkeypatch)
    monkeypatch.setitem(SETTINGS, "max_iterations", 2)
    two = count(graph, monkeypatch)
    # One more round on (1 + r)|E_P|, and L_C on |E_P|: at most 2 (1 + r) of the first round's propagation.
    assert two["propagation"] - one["propagation"] <= 2.1 * one["propagation"]
    assert two["propagation"] > 2.5 * one["propagation"]
