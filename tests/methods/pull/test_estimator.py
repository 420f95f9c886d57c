"""The outer loop as an estimator: what it stores, remembers and refuses."""

import inspect

import numpy as np
import pytest
from scipy.special import expit
from sklearn.base import clone

import pulink
from pulink.errors import InputError, NotFittedError, ParameterError
from pulink.nn.encoders import GCN
from pulink.nn.trainer import LossTerm
from pulink.predictor.by_embedding import validation_auroc
from pulink.predictor.fitting.fit_run import Progress, Validation
from tests.support.planted import planted_graph

GRAPH = planted_graph(20, 3, 0.5, 0.03, seed=0)
SPLIT = pulink.split(GRAPH, val=0.15, test=0.1, seed=0)
QUICK = {"n_epochs": 10, "max_iterations": 4, "n_hubs": 12, "growth": 0.1}


@pytest.fixture(scope="module")
def unstopped() -> pulink.PULL:
    return pulink.PULL(**QUICK, stop=False).fit(SPLIT)


def pair_set(pairs: np.ndarray) -> set[tuple[int, int]]:
    return {tuple(sorted(pair)) for pair in pairs.tolist()}


def test_the_constructor_stores_and_judges_nothing() -> None:
    odd = {name: object() for name in inspect.signature(pulink.PULL).parameters}
    model = pulink.PULL(**odd)
    assert all(getattr(model, name) is value for name, value in odd.items())
    assert model.get_params() == odd


def test_the_defaults_are_the_papers() -> None:
    model = pulink.PULL()
    assert (model.n_layers, model.n_units, model.learning_rate) == (2, 16, 0.01)
    assert (model.n_epochs, model.max_iterations) == (200, 10)
    assert (model.growth, model.n_hubs, model.candidates, model.selection) == (0.05, 100, "hubs", "top")
    assert model.correction
    assert model.stop
    assert model.warm_start


def test_scikit_learn_can_clone_it() -> None:
    model = pulink.PULL(**QUICK, encoder="vgae")
    twin = clone(model)
    assert twin is not model
    assert twin.get_params() == model.get_params()
    assert repr(twin) == "PULL(n_epochs=10, max_iterations=4, growth=0.1, n_hubs=12, encoder='vgae')"


def test_fit_returns_itself_and_leaves_its_settings() -> None:
    model = pulink.PULL(**QUICK)
    before = dict(model.get_params())
    assert model.fit(SPLIT) is model
    assert model.get_params() == before


def test_history_tells_every_round(unstopped: pulink.PULL) -> None:
    m = SPLIT.train.n_edges
    assert [record.iteration for record in unstopped.history_] == [1, 2, 3, 4]
    # K = m + floor(floor(0.1 (t − 1) 2m) / 2)
    assert [record.k for record in unstopped.history_] == [m + (2 * (t - 1) * m // 10) // 2 for t in range(1, 5)]
    for record in unstopped.history_:
        assert record.loss_expected > 0
        assert (record.loss_correction is None) == (record.iteration == 1)
        assert record.val_auroc is not None
        assert record.seconds is not None
        assert 0 < record.val_auroc <= 1
        assert record.seconds > 0
    assert unstopped.n_steps_ == 40
    assert unstopped.stop_reason_ == "max_iterations"


def test_pairs_enter_once_and_are_unconnected(unstopped: pulink.PULL) -> None:
    entered = [pair_set(record.entered) for record in unstopped.history_]
    assert not entered[0]
    assert all(entered[1:])
    together = [pair for pairs in entered for pair in pairs]
    assert len(set(together)) == len(together) == sum(len(record.entered) for record in unstopped.history_)
    assert not set(together) & pair_set(SPLIT.train.edges)


def test_a_round_admits_what_its_growth_allows(unstopped: pulink.PULL) -> None:
    before = 0
    for record in unstopped.history_:
        # A pair of hubs may fill two cells, so cells are an upper bound of pairs.
        n_cells = record.k - SPLIT.train.n_edges
        assert n_cells / 2 - before <= len(record.entered) <= n_cells
        before += len(record.entered)


def test_the_best_round_is_kept_without_stopping(unstopped: pulink.PULL) -> None:
    aurocs = [record.val_auroc for record in unstopped.history_]
    assert unstopped.n_iter_ == 1 + int(np.argmax(aurocs))
    rescored = validation_auroc(unstopped.embeddings_, Validation(SPLIT.val_edges, SPLIT.val_non_edges))
    assert rescored == max(aurocs)


def test_it_stops_at_the_first_round_that_does_not_rise() -> None:
    n_falls = 0
    for seed in range(6):
        model = pulink.PULL(**QUICK | {"max_iterations": 8}, learning_rate=0.05, seed=seed).fit(SPLIT)
        aurocs = [record.val_auroc for record in model.history_]
        rises = [aurocs[t] > max(aurocs[:t]) for t in range(1, len(aurocs))]
        assert all(rises[:-1])
        assert model.n_iter_ == 1 + int(np.argmax(aurocs))
        if rises and not rises[-1]:
            n_falls += 1
            assert model.stop_reason_ == "validation AUROC no longer rises"
            assert model.n_iter_ == len(aurocs) - 1
        else:
            assert model.stop_reason_ == "max_iterations"
            assert len(aurocs) == 8
    assert n_falls >= 3


def test_a_tie_is_not_a_rise() -> None:
    # A step too small to move any weight: every round has the AUROC of the first.
    model = pulink.PULL(**QUICK, learning_rate=1e-30).fit(SPLIT)
    assert len(model.history_) == 2
    assert model.history_[0].val_auroc == model.history_[1].val_auroc
    assert model.n_iter_ == 1


def test_patience_allows_that_many_misses() -> None:
    settings = QUICK | {"max_iterations": 8, "learning_rate": 0.05, "seed": 1}
    whole = [record.val_auroc for record in pulink.PULL(**settings, stop=False).fit(SPLIT).history_]
    for patience in (0, 1, 2):
        best, misses, length = -1.0, 0, 8
        for t, auroc in enumerate(whole, start=1):
            assert auroc is not None
            misses = 0 if auroc > best else misses + 1
            best = max(best, auroc)
            if misses > patience:
                length = t
                break
        model = pulink.PULL(**settings, patience=patience).fit(SPLIT)
        assert [record.val_auroc for record in model.history_] == whole[:length]


@pytest.mark.parametrize("data", [SPLIT, GRAPH], ids=["split", "graph"])
def test_the_expected_graph_agrees_with_the_scores(data: pulink.Split | pulink.Graph) -> None:
    model = pulink.PULL(**QUICK).fit(data)
    known = SPLIT.train if isinstance(data, pulink.Split) else GRAPH
    expected = model.expected_graph_
    observed = known.has_edges(expected.edges)
    assert observed.sum() == known.n_edges
    assert expected.weights is not None
    assert (expected.weights[observed] == 1).all()
    added = expected.edges[~observed]
    assert len(added) > 0
    own = expit(model.decision_function(added))
    np.testing.assert_allclose(expected.weights[~observed], own, rtol=1e-6)


def test_a_graph_is_refitted_on_every_edge() -> None:
    model = pulink.PULL(**QUICK).fit(GRAPH)
    held = pulink.split(GRAPH, val=0.1, test=0.0, seed=0)
    chooser = pulink.PULL(**QUICK).fit(held)
    assert model.n_iter_ == chooser.n_iter_
    assert [r.to_dict() for r in model.history_] == [r.to_dict() for r in chooser.history_]
    # The same number of iterations from scratch on every edge, with nothing held out.
    whole = pulink.PULL(**QUICK | {"max_iterations": model.n_iter_}, val_ratio=0.0).fit(GRAPH)
    assert np.array_equal(model.embeddings_, whole.embeddings_)
    assert len(model.refit_history_) == model.n_iter_
    assert all(record.val_auroc is None for record in model.refit_history_)
    assert model.n_steps_ == chooser.n_steps_ + 10 * model.n_iter_
    assert model.graph_ is GRAPH
    assert not GRAPH.has_edges(model.best_pairs(50)[0]).any()


def test_without_refit_the_validation_edges_stay_hidden() -> None:
    model = pulink.PULL(**QUICK, refit=False).fit(GRAPH)
    chooser = pulink.PULL(**QUICK).fit(pulink.split(GRAPH, val=0.1, test=0.0, seed=0))
    assert np.array_equal(model.embeddings_, chooser.embeddings_)
    assert model.refit_history_ == []


def test_a_seed_fixes_every_bit_and_another_changes_them(unstopped: pulink.PULL) -> None:
    again = pulink.PULL(**QUICK, stop=False).fit(SPLIT)
    assert again.embeddings_.tobytes() == unstopped.embeddings_.tobytes()
    assert [r.to_dict() for r in again.history_] == [r.to_dict() for r in unstopped.history_]
    other = pulink.PULL(**QUICK, stop=False, seed=1).fit(SPLIT)
    assert not np.array_equal(other.embeddings_, unstopped.embeddings_)


def test_the_global_random_state_is_neither_used_nor_moved() -> None:
    np.random.seed(1)  # noqa: NPY002
    before = np.random.get_state()[1].tolist()  # noqa: NPY002
    first = pulink.PULL(**QUICK).fit(SPLIT).embeddings_
    assert np.random.get_state()[1].tolist() == before  # noqa: NPY002
    np.random.seed(2)  # noqa: NPY002
    assert np.array_equal(first, pulink.PULL(**QUICK).fit(SPLIT).embeddings_)


def test_a_custom_encoder_is_asked_for_by_its_protocol(unstopped: pulink.PULL) -> None:
    asked: list[tuple[int, ...]] = []

    def factory(n_columns: int, n_units: int, n_layers: int, seed: int) -> GCN:
        asked.append((n_columns, n_units, n_layers, seed))
        return GCN(n_columns, n_units, n_layers, seed)

    model = pulink.PULL(**QUICK, stop=False, encoder=factory).fit(SPLIT)
    assert asked == [(60, 16, 2, 0)]
    assert np.array_equal(model.embeddings_, unstopped.embeddings_)


def test_a_cold_start_makes_a_new_predictor_in_every_round() -> None:
    made: list[GCN] = []

    def factory(*shape: int) -> GCN:
        made.append(GCN(*shape))
        return made[-1]

    pulink.PULL(**QUICK, stop=False, warm_start=False, encoder=factory).fit(SPLIT)
    assert len(made) == 4


@pytest.mark.parametrize("warm_start", [True, False])
def test_non_edges_are_fresh_in_every_epoch_of_every_round(
    warm_start: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys: list[int] = []
    loss = LossTerm.loss_and_gradient

    def recorded(self: LossTerm, z: np.ndarray, key: np.uint64) -> tuple[float, np.ndarray]:
        keys.append(int(key))
        return loss(self, z, key)

    monkeypatch.setattr(LossTerm, "loss_and_gradient", recorded)
    pulink.PULL(**QUICK, stop=False, warm_start=warm_start).fit(SPLIT)
    # Four rounds of ten epochs, with L_C in three of them.
    assert len(set(keys)) == len(keys) == 70


def test_without_correction_there_is_one_loss() -> None:
    model = pulink.PULL(**QUICK, stop=False, correction=False).fit(SPLIT)
    assert [record.loss_correction for record in model.history_] == [None] * 4


def test_gae_reports_twice_the_loss_of_the_mean() -> None:
    # One step from the same weights on as many non-edges as entries: a mean per class is twice the mean.
    gcn, gae = (
        pulink.PULL(n_epochs=1, max_iterations=1, encoder=name).fit(SPLIT).history_[0].loss_expected
        for name in ("gcn", "gae")
    )
    assert gae == pytest.approx(2 * gcn, rel=1e-5)


def test_all_candidates_reach_pairs_without_hubs() -> None:
    few_hubs = QUICK | {"n_hubs": 1, "stop": False}
    everywhere = pulink.PULL(**few_hubs, candidates="all").fit(SPLIT)
    near_hubs = pulink.PULL(**few_hubs).fit(SPLIT)
    hub = int(np.argmax(SPLIT.train.degrees))
    reached = np.concatenate([record.entered for record in everywhere.history_])
    assert not (reached == hub).any(axis=1).all()
    assert (np.concatenate([record.entered for record in near_hubs.history_]) == hub).any(axis=1).all()


def test_progress_counts_every_step() -> None:
    seen: list[Progress] = []
    model = pulink.PULL(**QUICK, n_splits=1).fit(GRAPH, progress=seen.append)
    assert len([event for event in seen if event.stage != "calibrate"]) == model.n_steps_
    for stage in ("choose", "refit"):
        own = [event for event in seen if event.stage == stage]
        assert [event.done for event in own] == list(range(1, len(own) + 1))
        assert all(event.done <= event.total for event in own)


BAD = [
    ("n_units", 0),
    ("n_units", 2.5),
    ("n_layers", 0),
    ("learning_rate", 0.0),
    ("learning_rate", float("nan")),
    ("n_epochs", 0),
    ("max_iterations", 0),
    ("growth", -0.1),
    ("growth", float("inf")),
    ("candidates", "some"),
    ("n_hubs", 0),
    ("selection", "best"),
    ("correction", 1),
    ("encoder", "gat"),
    ("encoder", 7),
    ("stop", "no"),
    ("patience", -1),
    ("warm_start", None),
    ("reduction", "median"),
    ("hub_pairs_twice", 2),
    ("feature_scaling", "log"),
    ("val_ratio", 1.0),
    ("val_ratio", -0.1),
    ("refit", 0),
    ("missing_share", 1.0),
    ("missing_share", "a tenth"),
    ("n_splits", 0),
    ("n_splits", 1.5),
    ("seed", -1),
    ("seed", "0"),
    ("threads", 0),
    ("device", "abacus"),
]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_setting_is_refused_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=name) as caught:
        pulink.PULL(**{name: value}).fit(SPLIT)
    assert str(value) in str(caught.value)


def test_every_setting_has_a_refusal() -> None:
    assert {name for name, _ in BAD} == set(pulink.PULL.parameter_names())


def test_an_unknown_setting_lists_the_known() -> None:
    with pytest.raises(ParameterError, match="Did you mean 'n_epochs'"):
        pulink.PULL().set_params(n_epoch=3)


def test_a_graph_without_edges_teaches_nothing() -> None:
    with pytest.raises(InputError, match="nothing to learn from: the graph has 5 nodes and no edges"):
        pulink.PULL().fit(pulink.Graph.from_edges([], 5))


def test_divergence_is_a_failure() -> None:
    with pytest.raises(InputError, match=r"training diverged.*learning_rate"):
        pulink.PULL(**QUICK, learning_rate=1e30).fit(SPLIT)


def test_unfitted_results_are_refused() -> None:
    model = pulink.PULL()
    for ask in (
        lambda: model.predict_proba([(0, 1)]),
        lambda: model.decision_function([(0, 1)]),
        lambda: model.missing_links(3),
        lambda: model.score(SPLIT),
    ):
        with pytest.raises(NotFittedError, match="this PULL is not fitted yet: call fit first"):
            ask()


@pytest.mark.parametrize("edges", [[[0, 1]], [[0, 1], [1, 2], [0, 2]], [[0, 1], [1, 2], [2, 3]]])
def test_the_smallest_graphs_can_be_fitted(edges: list[list[int]]) -> None:
    model = pulink.PULL(n_epochs=2, max_iterations=3, growth=1.0).fit(pulink.Graph.from_edges(edges))
    assert np.isfinite(model.embeddings_).all()
    assert len(model.missing_links(10)) == model.graph_.n_pairs - len(edges)
