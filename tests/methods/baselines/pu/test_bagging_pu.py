"""Bagging-PU: fixed samples, members that are GCNs of their own, the vote, and the exact search by it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import expit, logit

import pulink
from pulink.engine.autograd.pair_loss import pair_logits
from pulink.errors import ParameterError
from pulink.methods.baselines.pu.bagging_pu import BaggingPU, vote
from pulink.nn.trainer import LossTerm
from pulink.predictor.search_scope import HubsAndNorms
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, seed=0)
ALL_PAIRS = np.stack(np.triu_indices(60, k=1), axis=1)


@given(st.lists(st.lists(st.floats(-8, 8), min_size=3, max_size=3), min_size=1, max_size=5))
def test_the_vote_is_the_logit_of_the_mean_probability(rows: list[list[float]]) -> None:
    logits = np.array(rows).T
    np.testing.assert_allclose(vote(logits), logit(expit(logits).mean(axis=0)), rtol=1e-7, atol=1e-9)


def test_the_vote_does_not_saturate() -> None:
    high = vote(np.array([[60.0, 61.0, 2000.0], [60.0, 61.0, 2000.0]]))
    np.testing.assert_allclose(high, [60.0, 61.0, 2000.0])
    np.testing.assert_allclose(vote(np.array([[500.0], [-500.0]])), [0.0], atol=1e-9)


def test_the_vote_never_exceeds_its_best_member() -> None:
    logits = np.random.default_rng(0).normal(0, 9, (3, 1000))
    assert (vote(logits) <= logits.max(axis=0) + 1e-12).all()
    assert (vote(logits) >= logits.min(axis=0) - 1e-12).all()


def drawn_while_training(monkeypatch: pytest.MonkeyPatch, n_epochs: int) -> list[np.ndarray]:
    """The non-edges that the loss takes, in order: all members' of an epoch, then all of the next."""
    seen = []
    plain = LossTerm.loss

    def watched(self: LossTerm, z: object, key: np.uint64, backend: object) -> object:
        seen.append(self.sampler.draw(self.n_non_edges, key))
        return plain(self, z, key, backend)

    monkeypatch.setattr(LossTerm, "loss", watched)
    BaggingPU(max_epochs=n_epochs, val_ratio=0.0).fit(GRAPH)
    return seen


def test_samples_stay_fixed_and_differ_between_members(monkeypatch: pytest.MonkeyPatch) -> None:
    seen = drawn_while_training(monkeypatch, 4)
    assert len(seen) == 12
    for sample, later in zip(seen[:3] * 3, seen[3:], strict=True):
        assert np.array_equal(sample, later)
        assert len(sample) == GRAPH.n_edges
        assert not GRAPH.has_edges(sample).any()
    for first, second in ((0, 1), (1, 2), (0, 2)):
        assert not np.array_equal(seen[first], seen[second])


def test_a_member_alone_is_a_gcn_against_a_fixed_sample() -> None:
    # One member's embeddings equal those of the ensemble's first columns: members do not see each other.
    three, one = (BaggingPU(max_epochs=6, val_ratio=0.0, n_members=n).fit(GRAPH) for n in (3, 1))
    assert np.array_equal(three.embeddings_[:, :16], one.embeddings_)
    columns = np.split(three.embeddings_, 3, axis=1)
    assert not np.array_equal(columns[0], columns[1])
    logits = np.stack([pair_logits(np.ascontiguousarray(z), ALL_PAIRS) for z in columns])
    np.testing.assert_allclose(three.predict_proba(ALL_PAIRS), expit(logits).mean(axis=0), rtol=1e-10)
    assert three.n_steps_ == 18


def test_the_loss_is_the_mean_over_edges_and_the_sample() -> None:
    model = BaggingPU(n_members=1)
    training = model._training(GRAPH)
    term, trainer = training._terms[0], training._trainers[0]
    z = trainer.embed(training._observed)
    loss = trainer.train([term], 1)[0]
    pairs = np.concatenate([GRAPH.edges, term.sampler.draw(GRAPH.n_edges, term.sample)])
    signs = np.where(np.arange(len(pairs)) < GRAPH.n_edges, -1.0, 1.0)
    assert loss == pytest.approx(np.logaddexp(0, signs * pair_logits(z, pairs)).mean(), rel=1e-5)


@pytest.mark.parametrize("count", [1, 7, 100, 10_000])
def test_the_search_is_exact(count: int) -> None:
    model = BaggingPU(max_epochs=25, check_every=25).fit(SPLIT)
    free = ALL_PAIRS[~SPLIT.train.has_edges(ALL_PAIRS)]
    scores = model.decision_function(free)
    best = free[np.lexsort((free[:, 1], free[:, 0], -scores))][:count]
    pairs, scope = model.best_pairs(count)
    np.testing.assert_allclose(model.decision_function(np.sort(pairs, axis=1)), model.decision_function(best))
    assert scope.exact


def test_pairs_that_no_member_ranks_first_are_found() -> None:
    # Pair (0, 1): every member gives 4. Pairs (2, 3), (4, 5), (6, 7): one member gives 9, the others -9.
    model = BaggingPU(n_units=4)
    z = np.zeros((3, 8, 4), dtype=np.float32)
    z[:, :2, 0] = 2.0
    for b, (i, j) in enumerate([(2, 3), (4, 5), (6, 7)]):
        z[:, i, 1 + b], z[:, j, 1 + b] = 3.0, -3.0
        z[b, j, 1 + b] = 3.0
    model.graph_ = pulink.Graph.from_edges([[0, 7]], 8)
    model.state_ = {"embeddings": np.concatenate(list(z), axis=1)}
    assert model.best_pairs(1)[0].tolist() == [[0, 1]]
    assert model.missing_links(1)["probability"][0] == pytest.approx(expit(4.0))


def test_large_graphs_are_searched_among_the_members_best() -> None:
    model = BaggingPU(max_epochs=25, check_every=25).fit(SPLIT)
    pairs, scope = model.best_pairs(20, exact_nodes=10)
    assert isinstance(scope, HubsAndNorms)
    assert scope.reason.exact_nodes == 10
    scores = model.decision_function(pairs)
    assert len(np.unique(pairs, axis=0)) == 20
    assert (np.diff(scores) <= 0).all()


def test_the_number_of_members_is_judged() -> None:
    with pytest.raises(ParameterError, match="n_members must be a whole number from 1, got 0"):
        BaggingPU(n_members=0).fit(GRAPH)


def test_it_learns_planted_blocks() -> None:
    split = pulink.split(planted_graph(30, 3, 0.7, 0.03, seed=1), seed=0)
    assert BaggingPU(max_epochs=40, check_every=10).fit(split).score(split)["auroc"] > 0.85
