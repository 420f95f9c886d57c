"""PU-AUC: its risk against a double loop, and its probabilities, which are no logits."""

from pathlib import Path

import numpy as np
import pytest
import torch

import pulink
from pulink.calibration.platt import LogisticMap
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.non_edges import unlabelled_pairs
from pulink.engine.random import stream_key
from pulink.methods.baselines.pu.pu_auc import PUAUC, RankingTerm, ranking_risk
from pulink.nn.backend import backend_of
from tests.support.planted import planted_graph

GRAPH = planted_graph(25, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, val=0.1, test=0.1, seed=0)
KEY = stream_key(0, "test")
QUICK = {"max_epochs": 120, "min_epochs": 0, "patience": 120}


def risk_of_every_pair_of_pairs(edges: np.ndarray, unlabelled: np.ndarray) -> float:
    total = 0.0
    for p in edges.tolist():
        for u in unlabelled.tolist():
            total += (1 - (p - u)) ** 2
    return total / (len(edges) * len(unlabelled))


@pytest.mark.parametrize(("n_edges", "n_unlabelled"), [(1, 1), (7, 30), (40, 3)])
def test_the_risk_equals_a_double_loop(n_edges: int, n_unlabelled: int) -> None:
    rng = np.random.default_rng(n_edges)
    edges, unlabelled = rng.normal(1, 2, n_edges), rng.normal(-1, 3, n_unlabelled)
    risk = float(ranking_risk(torch.tensor(edges), torch.tensor(unlabelled)))
    assert risk == pytest.approx(risk_of_every_pair_of_pairs(edges, unlabelled), rel=1e-12)


def test_the_risk_by_hand() -> None:
    # (1 − (2 − 0))², (1 − (2 − 1))², and the same with 4 for 2: 1, 0, 9, 4
    assert float(ranking_risk(torch.tensor([2.0, 4.0]), torch.tensor([0.0, 1.0]))) == pytest.approx(14 / 4)


@pytest.mark.parametrize("device", ["cpu", "plain"])
def test_a_term_compares_edges_with_drawn_pairs(device: str) -> None:
    ones = np.ones(GRAPH.n_edges, dtype=np.float32)
    operator = propagation_operator(GRAPH.adjacency)
    term = RankingTerm(operator, GRAPH.edges, ones, ones, 90, unlabelled_pairs(GRAPH.n_nodes))
    rows = np.random.default_rng(0).normal(size=(GRAPH.n_nodes, 5)).astype(np.float32)
    products = rows.astype(np.float64) @ rows.T
    drawn = unlabelled_pairs(GRAPH.n_nodes).draw(90, KEY)
    expected = risk_of_every_pair_of_pairs(
        products[GRAPH.edges[:, 0], GRAPH.edges[:, 1]], products[drawn[:, 0], drawn[:, 1]]
    )
    z = torch.tensor(rows, requires_grad=True)
    loss = term.loss(z, KEY, backend_of(device))
    assert float(loss.detach()) == pytest.approx(expected, rel=1e-4)
    loss.backward()
    assert z.grad is not None
    # Along the gradient the double loop's value changes as the gradient says.
    step = 1e-4 * z.grad.numpy().astype(np.float64)
    ahead, behind = (
        float(term.loss(torch.tensor(rows + sign * step, dtype=torch.float32), KEY, backend_of(device)))
        for sign in (1, -1)
    )
    assert ahead - behind == pytest.approx(2 * float((step * z.grad.numpy()).sum()), rel=0.02)


def test_it_learns_what_was_planted() -> None:
    model = PUAUC(**QUICK).fit(SPLIT)  # type: ignore[arg-type]
    assert model.score(SPLIT)["auroc"] > 0.85


def test_its_own_probabilities_come_from_the_validation_pairs() -> None:
    model = PUAUC(**QUICK).fit(SPLIT)  # type: ignore[arg-type]
    scores = [model.decision_function(pairs) for pairs in (SPLIT.val_edges, SPLIT.val_non_edges)]
    expected = LogisticMap.fit(scores[0], scores[1])
    test = model.decision_function(SPLIT.test_edges)
    np.testing.assert_allclose(model._probabilities(test), expected(test), rtol=1e-12)
    # Scores lie around 0 and 1, which σ would squeeze into 0.5 to 0.73.
    edges, non_edges = (
        model._probabilities(model.decision_function(pairs)).mean()
        for pairs in (SPLIT.test_edges, SPLIT.test_non_edges)
    )
    assert edges > 0.65
    assert non_edges < 0.35


def test_the_refit_keeps_the_map_that_held_out_edges_gave() -> None:
    budget = {"max_epochs": 30, "min_epochs": 30}
    refitted, alone = (PUAUC(refit=refit, **budget).fit(GRAPH) for refit in (True, False))  # type: ignore[arg-type]
    assert not np.array_equal(refitted.embeddings_, alone.embeddings_)
    np.testing.assert_array_equal(refitted.state_["logistic_map"], alone.state_["logistic_map"])


def test_without_held_out_edges_the_training_edges_give_the_map() -> None:
    model = PUAUC(max_epochs=60, val_ratio=0.0).fit(GRAPH)
    probs = model.predict_proba(GRAPH.edges)
    assert probs.mean() > 0.6


def test_a_saved_one_has_the_same_probabilities(tmp_path: Path) -> None:
    model = PUAUC(max_epochs=10, min_epochs=10).fit(SPLIT)
    model.save(tmp_path / "model")
    loaded = PUAUC.load(tmp_path / "model")
    np.testing.assert_array_equal(loaded.predict_proba(SPLIT.test_edges), model.predict_proba(SPLIT.test_edges))


def test_a_complete_graph_is_no_accident() -> None:
    complete = pulink.Graph.from_edges(np.stack(np.triu_indices(8, k=1), axis=1))
    assert np.isfinite(PUAUC(max_epochs=5, val_ratio=0.0).fit(complete).predict_proba(complete.edges)).all()
