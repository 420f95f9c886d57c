"""What every method promises, on a planted graph whose missing links are known."""

from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
import scipy.sparse as sp
from scipy.stats import hypergeom

import pulink
from pulink import metrics
from pulink.errors import NotFittedError
from pulink.methods.pull_plus.scoring import added_terms
from pulink.predictor.link_lists import COLUMNS
from pulink.predictor.predictor import LinkPredictor
from tests.support.planted import planted_graph, planted_hubs
from tests.support.quick import BRIEF, LEARNING, is_random, make

PER_BLOCK = 30
GRAPH = planted_graph(PER_BLOCK, 3, 0.8, 0.02, seed=0)
SPLIT = pulink.split(GRAPH, val=0.05, test=0.1, seed=0)
# Blocks of equal nodes are nothing to a product of degrees: it gets a graph of hubs.
SEES_DEGREES_ONLY = {"preferential-attachment"}
ALL_PAIRS = np.stack(np.triu_indices(GRAPH.n_nodes, k=1), axis=1)
# Whether two models are one: another training gives other scores nearly everywhere.
SOME_PAIRS = ALL_PAIRS[::4]


@pytest.fixture(scope="module", params=list(pulink.METHODS))
def name(request: pytest.FixtureRequest) -> Iterator[str]:
    yield request.param


@pytest.fixture(scope="module")
def fitted(name: str) -> LinkPredictor:
    return make(name, LEARNING).fit(SPLIT)


@pytest.fixture(scope="module")
def scores(fitted: LinkPredictor) -> npt.NDArray[np.float64]:
    """Of all pairs."""
    return fitted.decision_function(ALL_PAIRS)


def scores_after(name: str, data: pulink.Split | pulink.Graph, seed: int = 0) -> npt.NDArray[np.float64]:
    return make(name, BRIEF, seed).fit(data).decision_function(SOME_PAIRS)


@cache
def clean_scores(name: str) -> npt.NDArray[np.float64]:
    return scores_after(name, SPLIT)


def test_it_finds_removed_edges_far_above_chance(fitted: LinkPredictor, name: str) -> None:
    data = SPLIT
    if name in SEES_DEGREES_ONLY:
        data = pulink.split(planted_hubs(12, GRAPH.n_nodes - 12, 0.85, 0.01, seed=0), val=0.05, test=0.1, seed=0)
        fitted = make(name, LEARNING).fit(data)
    k = len(data.test_edges)
    found = fitted.missing_links(k)
    pairs = found.select("source", "target").cast(int).to_numpy()
    precision = metrics.precision_at(pairs, data.test_edges, GRAPH.pair_space)
    n_unconnected = data.train.n_pairs - data.train.n_edges
    # As many hits by luck alone would be a wonder.
    assert hypergeom.sf(round(precision * k) - 1, n_unconnected, k, k) < 1e-9
    assert fitted.score(data)["auroc"] > 0.85


def test_its_list_is_sorted_new_and_complete(fitted: LinkPredictor) -> None:
    found = fitted.missing_links(10**6)
    assert found.columns == [*COLUMNS]
    assert len(found) == SPLIT.train.n_pairs - SPLIT.train.n_edges
    probs = found["probability"].to_numpy()
    assert (np.diff(probs) <= 0).all()
    pairs = found.select("source", "target").cast(int).to_numpy()
    assert not SPLIT.train.has_edges(pairs).any()
    assert np.array_equal(probs, fitted.predict_proba(pairs))


def test_scores_are_symmetric(fitted: LinkPredictor, scores: npt.NDArray[np.float64]) -> None:
    assert np.array_equal(fitted.decision_function(ALL_PAIRS[:, ::-1]), scores)


def test_a_score_does_not_depend_on_its_batch(fitted: LinkPredictor, scores: npt.NDArray[np.float64]) -> None:
    order = np.random.default_rng(0).permutation(len(ALL_PAIRS))
    assert np.array_equal(fitted.decision_function(ALL_PAIRS[order]), scores[order])
    for k in (0, 17, 4_001):
        assert fitted.decision_function(ALL_PAIRS[k : k + 1])[0] == scores[k]


def test_probabilities_rise_with_scores(fitted: LinkPredictor, scores: npt.NDArray[np.float64]) -> None:
    probs = fitted.predict_proba(ALL_PAIRS)
    assert ((probs >= 0) & (probs <= 1)).all()
    assert (np.diff(probs[np.argsort(scores)]) >= 0).all()


def test_chances_sum_to_the_links_that_are_thought_missing(fitted: LinkPredictor) -> None:
    """All unconnected pairs are asked here, so that only the cap at 0.99 takes anything away."""
    missing = fitted.estimate_missing()
    assert missing is not None
    free = ALL_PAIRS[~SPLIT.train.has_edges(ALL_PAIRS)]
    n_links = missing.best + len(SPLIT.val_edges)
    assert 0.9 * n_links < fitted.predict_proba(free).sum() < n_links + 1e-6


def test_score_is_the_auroc_of_the_test_pairs(fitted: LinkPredictor) -> None:
    edges = fitted.decision_function(SPLIT.test_edges)
    non_edges = fitted.decision_function(SPLIT.test_non_edges)
    wins = (edges[:, None] > non_edges).mean() + 0.5 * (edges[:, None] == non_edges).mean()
    assert fitted.score(SPLIT)["auroc"] == pytest.approx(wins, abs=1e-12)


def test_a_seed_fixes_the_scores_and_fitting_again_starts_afresh(name: str) -> None:
    model = make(name, BRIEF, seed=1).fit(SPLIT)
    assert np.array_equal(model.decision_function(SOME_PAIRS), clean_scores(name)) is not is_random(name)
    # Of what was learned with the other seed nothing is left.
    model.set_params(seed=0).fit(SPLIT)
    assert np.array_equal(model.decision_function(SOME_PAIRS), clean_scores(name))


def test_settings_stay_untouched(fitted: LinkPredictor, name: str) -> None:
    assert fitted.get_params() == make(name, LEARNING).get_params()


def test_an_unfitted_one_refuses_to_answer(name: str) -> None:
    model = pulink.METHODS[name].make()
    for ask in (model.missing_links, lambda: model.predict_proba(ALL_PAIRS), lambda: model.score(SPLIT)):
        with pytest.raises(NotFittedError):
            ask()


def test_a_saved_one_answers_alike(fitted: LinkPredictor, scores: npt.NDArray[np.float64], tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    loaded = pulink.load_model(tmp_path / "model")
    assert type(loaded) is type(fitted)
    assert np.array_equal(loaded.decision_function(ALL_PAIRS), scores)
    assert loaded.missing_links(50).equals(fitted.missing_links(50))
    assert loaded.get_params() == fitted.get_params()
    assert loaded.score(SPLIT) == fitted.score(SPLIT)


def test_without_a_refit_no_edge_is_listed_and_a_saved_one_answers_alike(name: str, tmp_path: Path) -> None:
    model = make(name, BRIEF).set_params(refit=False).fit(GRAPH)
    probabilities = model.predict_proba(SOME_PAIRS)
    assert not GRAPH.has_edges(model.best_pairs(500)[0]).any()
    model.save(tmp_path / "model")
    loaded = pulink.load_model(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(SOME_PAIRS), probabilities)
    assert np.array_equal(loaded.best_pairs(500)[0], model.best_pairs(500)[0])


def test_names_lead_to_the_same_scores_as_numbers(name: str) -> None:
    called = [f"node {k:03d}" for k in range(GRAPH.n_nodes)]
    model = make(name, BRIEF).fit(pulink.Graph.from_edges(GRAPH.edges, GRAPH.n_nodes, names=called))
    by_name = model.decision_function([(called[i], called[j]) for i, j in ALL_PAIRS[:50]])
    assert np.array_equal(by_name, model.decision_function(ALL_PAIRS[:50]))


def test_features_are_taken_and_the_model_is_saved_without_them(name: str, tmp_path: Path) -> None:
    words = (np.random.default_rng(1).random((GRAPH.n_nodes, 12)) < 0.2).astype(np.float32)
    words[:, :3] = np.eye(3)[np.repeat(np.arange(3), PER_BLOCK)]
    for features in (sp.csr_array(words), words - 0.5):
        data = replace(SPLIT, train=SPLIT.train.with_features(features))
        model = make(name, BRIEF).fit(data)
        model.save(tmp_path / "model")
        loaded = type(model).load(tmp_path / "model")
        found = model.decision_function(SOME_PAIRS)
        assert np.array_equal(loaded.decision_function(SOME_PAIRS), found)
        uses = not np.array_equal(found, clean_scores(name))
        assert uses == (pulink.METHODS[name].features == "used")


def test_the_test_pairs_cannot_be_tasted(name: str) -> None:
    # Poison: the test edges are called non-edges and the other way round, or are not there at all.
    swapped = replace(SPLIT, test_edges=SPLIT.test_non_edges, test_non_edges=SPLIT.test_edges)
    absent = replace(SPLIT, test_edges=SPLIT.test_edges[:0], test_non_edges=SPLIT.test_non_edges[:0])
    assert np.array_equal(clean_scores(name), scores_after(name, swapped))
    assert np.array_equal(clean_scores(name), scores_after(name, absent))


def test_the_graph_behind_the_split_cannot_be_tasted(name: str) -> None:
    whole = planted_graph(PER_BLOCK, 3, 0.8, 0.02, seed=0)
    hidden = pulink.split(whole, val=0.05, test=0.1, seed=0)
    assert np.array_equal(hidden.test_edges, SPLIT.test_edges)
    # Poison: every array of the whole graph now says that test non-edges are edges.
    liars = np.resize(hidden.test_non_edges, whole.edges.shape)
    for array, lies in ((whole.edges, liars), (whole.adjacency.indices, np.resize(liars, 2 * len(liars)))):
        array.flags.writeable = True
        array[:] = lies
    assert np.array_equal(scores_after(name, hidden), clean_scores(name))


def test_validation_pairs_choose_but_do_not_teach(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # With one round or check, and no terms to add, there is nothing to choose: validation pairs change no bit.
    monkeypatch.setattr(added_terms, "TRIED", {})
    brief = BRIEF | {"max_iterations": 1, "max_epochs": 1, "min_epochs": 1}
    other = replace(SPLIT, val_edges=SPLIT.val_edges[::2], val_non_edges=SPLIT.val_non_edges[1::2])
    first, second = (make(name, brief).fit(data).decision_function(SOME_PAIRS) for data in (SPLIT, other))
    assert np.array_equal(first, second)
