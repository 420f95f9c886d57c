"""NESS: parts that are disjoint and cover, fresh dropout, one step against a dense twin, the authors' oddities."""

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

import pulink
from pulink import metrics
from pulink.engine.adjacency import symmetric_adjacency
from pulink.engine.autograd.pair_loss import pair_logits
from pulink.engine.autograd.sparse import SparseOperator
from pulink.engine.non_edges import NonEdgeSampler
from pulink.engine.random import stream_key, uniforms
from pulink.errors import ParameterError
from pulink.methods.baselines.gnn.ness import NESS, LegacyPart, NarrowingGCN, Part, deal_out, one_way_operator
from tests.engine.autograd.test_sparse import dense_propagation
from tests.support.planted import planted_graph
from tests.support.pyg import GCNConv

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, seed=0)
KEY = np.uint64(3)


def matrix(operator: SparseOperator) -> np.ndarray:
    return operator.matrix.to_dense().numpy()


def dense_part(pairs: np.ndarray) -> np.ndarray:
    """D^-1/2 (A + I) D^-1/2 of pairs on 60 nodes, cell by cell."""
    adjacency = np.zeros((60, 60))
    for i, j in pairs:
        adjacency[i, j] = adjacency[j, i] = 1.0
    return dense_propagation(adjacency)


@given(st.integers(8, 300), st.integers(1, 8), st.sampled_from([0.5, 0.95, 1.0]))
def test_parts_are_disjoint_and_cover_all_but_what_the_last_leaves(
    n_pairs: int, n_parts: int, last_share: float
) -> None:
    parts = deal_out(n_pairs, n_parts, last_share, KEY)
    together = np.concatenate(parts)
    assert len(np.unique(together)) == len(together)
    left = n_pairs - n_pairs * (n_parts - 1) // n_parts
    assert len(parts[-1]) == max(1, round(last_share * left))
    assert len(together) == n_pairs - left + len(parts[-1])
    sizes = [len(part) for part in parts[:-1]]
    assert not sizes or max(sizes) - min(sizes) <= 1
    if last_share == 1.0:
        assert np.array_equal(np.sort(together), np.arange(n_pairs))


def test_a_part_is_thinned_afresh_and_by_the_right_share() -> None:
    part = Part(GRAPH, np.arange(GRAPH.n_edges), NonEdgeSampler(GRAPH.adjacency))
    sizes = [(part.thinned(0.2, np.uint64(k)).n_entries - 60) / 2 for k in range(200)]
    assert np.mean(sizes) == pytest.approx(0.8 * GRAPH.n_edges, rel=0.01)
    kept = uniforms(KEY, GRAPH.n_edges) >= 0.2
    np.testing.assert_allclose(matrix(part.thinned(0.2, KEY)), dense_part(GRAPH.edges[kept]), atol=1e-6)
    np.testing.assert_allclose(matrix(part.whole), dense_part(GRAPH.edges), atol=1e-6)


def test_parts_keep_edge_weights() -> None:
    weighted = pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3]], 4, weights=[3.0, 1.0, 2.0])
    part = Part(weighted, np.array([0, 2]), NonEdgeSampler(weighted.adjacency))
    expected = [[1 / 4, 3 / 4, 0, 0], [3 / 4, 1 / 4, 0, 0], [0, 0, 1 / 3, 2 / 3], [0, 0, 2 / 3, 1 / 3]]
    np.testing.assert_allclose(matrix(part.whole), expected, atol=1e-6)


def test_a_step_equals_a_dense_twin() -> None:
    fitted = NESS(max_epochs=1, val_ratio=0.0, seed=4, last_share=1.0, n_units=8).fit(GRAPH)
    twin = NarrowingGCN(60, 8, 2, seed=4)
    assert [tuple(w.shape) for w in twin.weights] == [(60, 16), (16, 8)]
    parts = [GRAPH.edges[numbers] for numbers in deal_out(GRAPH.n_edges, 4, 1.0, stream_key(4, "parts"))]
    sampler = NonEdgeSampler(GRAPH.adjacency)

    def embed(pairs: np.ndarray) -> torch.Tensor:
        S = torch.from_numpy(dense_part(pairs).astype(np.float32))
        return S @ (torch.relu(S @ twin.weights[0] + twin.biases[0]) @ twin.weights[1]) + twin.biases[1]

    def logits(z: torch.Tensor, pairs: np.ndarray) -> torch.Tensor:
        return (z[pairs[:, 0].tolist()] * z[pairs[:, 1].tolist()]).sum(dim=1)

    optimizer = torch.optim.AdamW(twin.parameters(), lr=0.01, eps=1e-7, weight_decay=0.01)
    losses = []
    for s, pairs in enumerate(parts):
        z = embed(pairs[uniforms(stream_key(4, "thin", 0, s), len(pairs)) >= 0.2])
        drawn = sampler.draw(len(pairs), stream_key(4, "non-edges", 0, s))
        assert not GRAPH.has_edges(drawn).any()
        softplus = torch.nn.functional.softplus
        losses.append(softplus(-logits(z, pairs)).mean() + softplus(logits(z, drawn)).mean())
    torch.stack(losses).mean().backward()
    optimizer.step()
    mean = torch.stack([embed(pairs) for pairs in parts]).mean(dim=0)
    np.testing.assert_allclose(fitted.embeddings_, mean.detach().numpy(), atol=1e-5)


def test_one_way_propagation_equals_pyg() -> None:
    entries = np.array([[0, 1], [0, 2], [3, 1], [1, 2]])
    conv = GCNConv(5, 3)
    x = torch.randn(5, 5, generator=torch.Generator().manual_seed(0))
    expected = conv(x, torch.from_numpy(entries.T.copy()))
    ours = one_way_operator(entries, 5) @ (x @ conv.lin.weight.T) + conv.bias
    torch.testing.assert_close(ours, expected, atol=1e-6, rtol=1e-5)


def test_legacy_edges_vanish_and_scoring_goes_one_way() -> None:
    numbers = np.arange(0, GRAPH.n_edges, 4)
    part = LegacyPart(GRAPH, numbers)
    sizes = [part.thinned(0.2, np.uint64(k)).n_entries - 60 for k in range(12)]
    assert (np.diff(sizes) < 0).all()
    assert sizes[-1] == pytest.approx(2 * len(numbers) * 0.8**12, rel=0.5)
    whole = matrix(part.whole)
    assert not np.triu(whole, k=1).any()
    assert np.count_nonzero(np.tril(whole, k=-1)) == len(numbers)


def test_legacy_non_edges_avoid_only_their_own_part() -> None:
    part = LegacyPart(GRAPH, np.arange(0, GRAPH.n_edges, 4))
    drawn = part.term.sampler.draw(20_000, KEY)
    own = symmetric_adjacency(part.pairs, 60)
    assert not pulink.Graph.from_edges(part.pairs, 60).has_edges(drawn).any()
    assert GRAPH.has_edges(drawn).any()
    assert own.indices.size == 2 * len(part.pairs)


def test_legacy_weighs_parts_by_k_to_1_and_repeats_its_random_numbers() -> None:
    model = NESS(legacy=True, edge_dropout=0.0, n_units=4, learning_rate=1e-9)
    trainer = model._training(GRAPH)._trainer
    first, again = trainer.train([], 1), trainer.train([], 1)
    np.testing.assert_allclose(first, again, rtol=1e-5)
    gradients = [parameter.grad.clone() for parameter in trainer._module.parameters()]
    total = 0.0
    trainer._module.zero_grad()
    projected = trainer.encoder.project(trainer.features)
    for weight, (s, part) in zip((4, 3, 2, 1), enumerate(trainer._parts), strict=True):
        z, _ = trainer.encoder.propagate(projected, part.thinned(0.0, KEY), None)
        total = total + weight / 4 * part.term.loss(z, stream_key(0, "non-edges", 0, s))
    total.backward()
    for ours, expected in zip(gradients, trainer._module.parameters(), strict=True):
        torch.testing.assert_close(ours, expected.grad, atol=1e-6, rtol=1e-4)


def test_legacy_keeps_the_last_state() -> None:
    legacy = NESS(legacy=True, max_epochs=30, stop=False).fit(SPLIT)
    edges, non_edges = (pair_logits(legacy.embeddings_, pairs) for pairs in (SPLIT.val_edges, SPLIT.val_non_edges))
    last = metrics.auroc(edges, non_edges)
    assert legacy.n_epochs_ == 30
    assert last == legacy.history_[-1][1] == legacy.best_val_auroc_
    assert last < max(auroc for _, auroc in legacy.history_)
    best = NESS(max_epochs=30, stop=False).fit(SPLIT)
    assert best.best_val_auroc_ == max(auroc for _, auroc in best.history_)


@pytest.mark.parametrize(
    ("name", "value"),
    [("n_parts", 0), ("edge_dropout", 1.0), ("legacy", 1), ("last_share", 0.0), ("last_share", 1.5)],
)
def test_a_bad_setting_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=f"{name} must .* got {value}"):
        NESS(**{name: value}).fit(GRAPH)


def test_more_parts_than_edges_are_refused() -> None:
    with pytest.raises(ParameterError, match="n_parts must be at most the number of edges, 2, got 4"):
        NESS().fit(pulink.Graph.from_edges([[0, 1], [1, 2]]))


def test_it_learns_planted_blocks() -> None:
    split = pulink.split(planted_graph(30, 3, 0.7, 0.03, seed=1), seed=0)
    assert NESS(max_epochs=40, check_every=10).fit(split).score(split)["auroc"] > 0.85
