"""nnPU: its risk by hand on both sides of zero, its unlabelled pairs, and what it learns."""

import numpy as np
import pytest
import torch

import pulink
from pulink.engine.adjacency import symmetric_adjacency
from pulink.engine.autograd.sparse import propagation_operator
from pulink.engine.non_edges import unlabelled_pairs
from pulink.engine.random import stream_key
from pulink.errors import ParameterError
from pulink.methods.baselines.pu.nnpu import NNPU, NonNegativeTerm, Risk
from pulink.nn.backend import ENGINE, backend_of
from tests.support.planted import planted_graph

GRAPH = planted_graph(25, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, val=0.1, test=0.1, seed=0)
KEY = stream_key(0, "test")


def value_and_slopes(risk: Risk, *risks: float) -> tuple[float, list[float]]:
    """What is minimised, and how it changes with R_p⁺, R_p⁻ and R_u⁻."""
    leaves = [torch.tensor(value, requires_grad=True) for value in risks]
    value = risk(*leaves)
    value.backward()
    return float(value.detach()), [0.0 if leaf.grad is None else float(leaf.grad) for leaf in leaves]


def test_the_balanced_risk_by_hand() -> None:
    # a = 0.3 − 0.1 · 1.5 = 0.15; 0.5 · 0.2 + 0.5 / 0.9 · 0.15
    value, slopes = value_and_slopes(Risk(0.1), 0.2, 1.5, 0.3)
    assert value == pytest.approx(0.1 + 0.15 * 5 / 9)
    assert slopes == pytest.approx([0.5, -0.1 * 5 / 9, 5 / 9])


def test_the_plain_risk_by_hand() -> None:
    # 0.1 · 0.2 + 0.15
    value, slopes = value_and_slopes(Risk(0.1, balance=None), 0.2, 1.5, 0.3)
    assert value == pytest.approx(0.17)
    assert slopes == pytest.approx([0.1, -0.1, 1.0])


def test_the_negative_side_by_hand() -> None:
    # a = 0.3 − 0.4 · 1.5 = −0.3: what is descended is −γ a, and links have no say.
    for balance in (0.5, None):
        value, slopes = value_and_slopes(Risk(0.4, balance, gamma=2.0), 0.2, 1.5, 0.3)
        assert value == pytest.approx(0.6)
        assert slopes == pytest.approx([0.0, 0.8, -2.0])


def test_beta_lets_the_risk_fall_a_little_below_zero() -> None:
    assert value_and_slopes(Risk(0.4, None, beta=0.4), 0.2, 1.5, 0.3)[0] == pytest.approx(0.08 - 0.3)
    assert value_and_slopes(Risk(0.4, None, beta=0.2), 0.2, 1.5, 0.3)[0] == pytest.approx(0.3)


def tiny_term(prior: float) -> NonNegativeTerm:
    """Four nodes, edges 0-1 and 2-3."""
    edges = np.array([[0, 1], [2, 3]], dtype=np.int32)
    ones = np.ones(2, dtype=np.float32)
    operator = propagation_operator(symmetric_adjacency(edges, 4))
    return NonNegativeTerm(operator, edges, ones, ones, 50, unlabelled_pairs(4), risk=Risk(prior))


@pytest.mark.parametrize("device", ["cpu", "plain"])
@pytest.mark.parametrize("prior", [0.05, 0.95])
def test_a_term_is_its_three_means(prior: float, device: str) -> None:
    # Logits: 0-1 and 2-3 get 4, all others −4; edges called none cost much, so a is negative for a large prior.
    z = torch.tensor([[2.0], [2.0], [-2.0], [-2.0]], requires_grad=True)
    term = tiny_term(prior)
    drawn = unlabelled_pairs(4).draw(50, KEY)
    logits = np.where((drawn < 2).sum(axis=1) % 2 == 0, 4.0, -4.0)
    as_none = np.log1p(np.exp(logits)).mean() - prior * np.log1p(np.exp(4.0))
    expected = -as_none if as_none < 0 else 0.5 * np.log1p(np.exp(-4.0)) + 0.5 / (1 - prior) * as_none
    assert (as_none < 0) == (prior == 0.95)
    assert float(term.loss(z, KEY, backend_of(device)).detach()) == pytest.approx(expected, rel=1e-5)


def test_a_step_back_raises_the_risk_of_unlinked_pairs() -> None:
    z = torch.tensor([[2.0], [2.0], [-2.0], [-2.0]], requires_grad=True)
    term = tiny_term(0.95)
    before = float(term.loss(z, KEY, ENGINE).detach())
    term.loss(z, KEY, ENGINE).backward()
    assert z.grad is not None
    after = float(term.loss((z - 0.05 * z.grad).detach(), KEY, ENGINE))
    # The loss is −a here, so a smaller one is an a nearer to zero.
    assert 0 < after < before


def test_unlabelled_pairs_are_any_pairs() -> None:
    drawn = unlabelled_pairs(5).draw(20_000, KEY)
    assert (drawn[:, 0] != drawn[:, 1]).all()
    low, high = np.sort(drawn, axis=1).T
    counts = np.bincount(low * 5 + high, minlength=25)
    assert (counts > 0).sum() == 10
    np.testing.assert_allclose(counts[counts > 0], 2_000, atol=6 * np.sqrt(2_000))


def test_the_prior_is_the_density_without_what_is_missing() -> None:
    density = GRAPH.n_edges / GRAPH.n_pairs
    assert NNPU(missing_share=0.2)._prior(GRAPH) == pytest.approx(density / 0.8)
    assert NNPU(prior=0.01)._prior(GRAPH) == 0.01
    complete = pulink.Graph.from_edges(np.stack(np.triu_indices(6, k=1), axis=1))
    assert NNPU()._prior(complete) == 0.99


@pytest.mark.parametrize("settings", [{}, {"balance": None}, {"prior": 0.3}, {"beta": 0.05, "gamma": 0.5}])
def test_it_learns_what_was_planted(settings: dict[str, float]) -> None:
    model = NNPU(max_epochs=100, min_epochs=0, patience=100, **settings).fit(SPLIT)  # type: ignore[arg-type]
    assert model.score(SPLIT)["auroc"] > 0.85


def test_the_settings_matter() -> None:
    scores = [
        NNPU(max_epochs=20, min_epochs=20, **settings).fit(SPLIT).decision_function(SPLIT.test_edges)  # type: ignore[arg-type]
        for settings in ({}, {"balance": None}, {"prior": 0.5}, {"missing_share": 0.5})
    ]
    assert all(not np.array_equal(scores[0], other) for other in scores[1:])


@pytest.mark.parametrize(
    ("name", "value"),
    [("prior", 0.0), ("prior", 1.0), ("balance", 1.5), ("missing_share", 1.0), ("beta", -0.1), ("gamma", 0.0)],
)
def test_a_bad_setting_is_refused_by_name(name: str, value: float) -> None:
    with pytest.raises(ParameterError, match=f"{name} must .* got {value}"):
        NNPU(**{name: value}).fit(SPLIT)
