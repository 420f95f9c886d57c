"""PULL+ as an estimator: what it learns, remembers and refuses, on graphs of all shapes."""

from __future__ import annotations

import json
import pickle
from dataclasses import replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from safetensors.numpy import load_file, save_file

import pulink
from pulink import metrics
from pulink.calibration.blocks import block_curve
from pulink.calibration.pair_sample import PairSample
from pulink.errors import InputError, ModelError, ParameterError, PulinkError, TooLargeError
from pulink.methods.pull_plus.scoring.em import ROUGH
from pulink.methods.pull_plus.scoring.trees import Grower, Trees
from pulink.methods.pull_plus.training_set import TrainingSet
from pulink.predictor.fitting.fit_run import Progress
from pulink.predictor.search_scope import BestBySources
from pulink.system.files import sha256
from tests.support.planted import planted_graph
from tests.support.small_views import all_pairs, numbers, random_graph, words

GRAPH = planted_graph(25, 3, 0.6, 0.02, seed=0)
SPLIT = pulink.split(GRAPH, val=0.1, test=0.15, seed=0)
QUICK: dict[str, Any] = {
    "n_folds": 3, "n_units": 8, "n_epochs": 20, "n_trees": 30, "max_rounds": 2, "n_splits": 1, "threads": 1,
}  # fmt: skip
HASTY = QUICK | {"n_folds": 2, "n_units": 4, "n_epochs": 3, "n_trees": 5}
PAIRS = all_pairs(GRAPH.n_nodes)
FREE = PAIRS[~SPLIT.train.has_edges(PAIRS)]
IS_VALIDATION = (FREE[:, None] == np.sort(SPLIT.val_edges, axis=1)).all(axis=2).any(axis=1)


@pytest.fixture(scope="module")
def fitted() -> pulink.PULLPlus:
    return pulink.PULLPlus(**QUICK).fit(SPLIT)


def test_hidden_edges_are_told_from_other_pairs(fitted: pulink.PULLPlus) -> None:
    assert fitted.score(SPLIT)["auroc"] > 0.85
    found, scope = fitted.best_pairs(len(SPLIT.test_edges))
    by_chance = len(SPLIT.test_edges) / len(FREE)
    assert metrics.precision_at(found, SPLIT.hidden_edges, GRAPH.pair_space) > 5 * by_chance
    assert scope.exact


@pytest.mark.parametrize(
    ("precisions", "kept", "looked_at"),
    [([0.3, 0.5, 0.4, 0.9], 1, 3), ([0.3, 0.3, 0.9], 0, 2), ([0.1, 0.2, 0.3, 0.4], 3, 4), ([0.0, 0.0], 0, 2)],
)
def test_rounds_go_on_while_precision_rises_and_the_best_is_kept(
    precisions: list[float], kept: int, looked_at: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = iter(precisions)
    monkeypatch.setattr(metrics, "auprc", lambda *_: next(planned))
    model = pulink.PULLPlus(**HASTY | {"max_rounds": 3}).fit(SPLIT)
    assert (model.n_rounds_, len(model.history_)) == (kept, looked_at)
    assert [own.round for own in model.history_] == list(range(looked_at))
    edges, non_edges = (model.decision_function(own) for own in (SPLIT.val_edges, SPLIT.val_non_edges))
    assert model.best_val_auroc_ == model.history_[kept].val_auroc == metrics.auroc(edges, non_edges)


def test_history_is_what_the_kept_model_says(fitted: pulink.PULLPlus) -> None:
    """So few pairs are all candidates: the validation set can be scored again through the front door."""
    scores = fitted.decision_function(FREE)
    asked = PairSample(FREE, np.ones(len(FREE)), IS_VALIDATION)
    probabilities = block_curve(scores, asked, SPLIT.train.n_edges, None, ROUGH).probability(scores)
    kept = fitted.history_[fitted.n_rounds_]
    hits = [(scores >= score)[IS_VALIDATION].sum() / (scores >= score).sum() for score in scores[IS_VALIDATION]]
    assert kept.val_average_precision == pytest.approx(np.mean(hits), abs=1e-12)
    edges, non_edges = (fitted.decision_function(own) for own in (SPLIT.val_edges, SPLIT.val_non_edges))
    assert kept.val_auroc == fitted.best_val_auroc_ == pytest.approx(metrics.auroc(edges, non_edges), abs=1e-12)
    assert kept.n_expected == pytest.approx(probabilities.sum())
    assert kept.n_likely == (probabilities >= 0.5).sum()
    assert fitted.recall_["all"] == 1
    assert set(fitted.recall_) == {"two steps", "three steps", "hubs", "spectrum", "vgnae", "direction", "all"}


def test_expected_links_are_no_more_than_are_known(fitted: pulink.PULLPlus) -> None:
    for own in fitted.history_:
        assert own.n_expected is not None
        assert len(SPLIT.val_edges) * 0.9 < own.n_expected < SPLIT.train.n_edges + len(SPLIT.val_edges)


def test_where_nothing_can_be_learned_few_links_are_expected() -> None:
    graph = random_graph(60, 300, 0)
    model = pulink.PULLPlus(**HASTY).fit(pulink.split(graph, val=0.1, test=0.1, seed=0))
    assert all(own.n_expected is not None and own.n_expected <= 300 for own in model.history_)


def test_steps_are_counted(fitted: pulink.PULLPlus) -> None:
    """Each of three folds is a group; two encoders, and without attributes no network of pairs."""
    assert fitted.n_steps_ == 3 * 2 * 20
    assert fitted.training_summary_.startswith("boosted trees with ")


def test_labels_are_chances_and_hidden_edges_stay_links(monkeypatch: pytest.MonkeyPatch) -> None:
    taught: list[npt.NDArray[np.float64]] = []
    grow = Grower.grow

    def recorded(self: Grower, labels: npt.NDArray[np.float64]) -> Trees:
        taught.append(labels)
        return grow(self, labels)

    monkeypatch.setattr(Grower, "grow", recorded)
    model = pulink.PULLPlus(**QUICK).fit(SPLIT)
    far, first, *later = taught
    assert set(far.tolist()) == set(first.tolist()) == {0, 1}
    assert len(later) == min(model.n_rounds_ + 1, 2)
    for labels in later:
        assert len(labels) == len(first)
        assert (labels[first == 1] == 1).all()
        assert labels.min() >= 0
        assert 0 < labels[first == 0].max() <= 0.99


def test_validation_edges_teach_the_trees_of_the_first_round_nothing() -> None:
    other = replace(SPLIT, val_edges=SPLIT.val_edges[::2], val_non_edges=SPLIT.val_non_edges[1::2])
    settings = HASTY | {"max_rounds": 0}
    one, two = (pulink.PULLPlus(**settings).fit(data)._scorer for data in (SPLIT, other))
    # They do choose the weights of added terms.
    one, two = (replace(scorer, terms=()).state() for scorer in (one, two))
    assert all(np.array_equal(array, two[name]) for name, array in one.items())


def test_a_refit_keeps_the_trees_and_looks_at_the_whole_graph() -> None:
    chosen = pulink.PULLPlus(**HASTY, refit=False).fit(GRAPH)
    refitted = pulink.PULLPlus(**HASTY).fit(GRAPH)
    held = pulink.split(GRAPH, val=0.1, test=0.0, seed=0)
    assert refitted.history_ == chosen.history_ == pulink.PULLPlus(**HASTY).fit(held).history_
    # The edges that were hidden to choose by are known now: what is left is less likely a link.
    assert refitted._calibrator is not None
    assert refitted._calibrator.curve.shown
    for name, array in refitted._scorer.state().items():
        assert np.array_equal(array, chosen._scorer.state()[name])
    # Degrees are those of all edges, not of the training edges alone.
    low = GRAPH.degrees[FREE].min(axis=1) - GRAPH.has_edges(FREE)
    for model in (refitted, chosen):
        assert np.array_equal(model._ready_signals().signals(FREE)[:, 0], low)
    # What was trained without some of the training edges serves all edges too.
    assert not np.array_equal(refitted.state_["embedding.gcn"], chosen.state_["embedding.gcn"])
    for name in [own for own in chosen.state_ if own.startswith("encoders.")]:
        assert np.array_equal(refitted.state_[name], chosen.state_[name])
    assert refitted.n_steps_ == chosen.n_steps_ == 2 * 2 * 3


def test_beyond_the_exact_search_candidates_are_ranked(
    fitted: pulink.PULLPlus, monkeypatch: pytest.MonkeyPatch
) -> None:
    exactly, _ = fitted.best_pairs(40)
    monkeypatch.setattr(pulink.PULLPlus, "exact_pairs", 0)
    found, searched = fitted.best_pairs(40)
    # All unconnected pairs are candidates here.
    assert np.array_equal(found, exactly)
    assert isinstance(searched, BestBySources)
    assert searched.n_pairs == len(FREE)
    assert {*searched.sources} >= {"two steps", "three steps", "hubs"}


def test_without_a_refit_validation_edges_are_no_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulink.PULLPlus, "exact_pairs", 0)
    model = pulink.PULLPlus(**HASTY, refit=False).fit(GRAPH)
    n_free = GRAPH.n_pairs - GRAPH.n_edges
    found, searched = model.best_pairs(n_free)
    assert isinstance(searched, BestBySources)
    assert searched.n_pairs == n_free
    assert not GRAPH.has_edges(found).any()


def test_recall_is_told_of_the_candidates_that_it_was_measured_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pulink.PULLPlus, "exact_pairs", 0)
    monkeypatch.setattr("pulink.methods.pull_plus.candidates._FEWEST", 20)
    monkeypatch.setattr("pulink.methods.pull_plus.candidates._PER_EDGE", 0)
    model = pulink.PULLPlus(**HASTY).fit(SPLIT)
    n_candidates = len(model._candidates.codes)
    assert 20 < n_candidates < len(FREE)
    usual, more = (model.best_pairs(n)[1] for n in (n_candidates, n_candidates + 1))
    assert isinstance(usual, BestBySources)
    assert isinstance(more, BestBySources)
    assert (usual.recall, more.recall) == (model.recall_["all"], None)


@pytest.mark.parametrize("times", [2.0**-90, 2.0**90])
def test_the_unit_of_weights_does_not_matter(times: float, tmp_path: Path) -> None:
    weights = np.random.default_rng(0).lognormal(0, 2, GRAPH.n_edges)
    plain, scaled = (GRAPH.with_weights(own) for own in (weights, times * weights))
    model, same = (pulink.PULLPlus(**HASTY).fit(own) for own in (plain, scaled))
    assert np.array_equal(same.predict_proba(PAIRS), model.predict_proba(PAIRS))
    same.save(tmp_path / "model")
    loaded = pulink.load_model(tmp_path / "model")
    assert np.array_equal(loaded.predict_proba(PAIRS), model.predict_proba(PAIRS))
    grown = [own.with_nodes(["75"], [["75", "0"], ["75", "1"]]) for own in (model, loaded)]
    pairs = np.stack([np.full(75, 75), np.arange(75)], axis=1)
    assert np.array_equal(grown[0].predict_proba(pairs), grown[1].predict_proba(pairs))


def test_encoders_that_run_away_are_refused() -> None:
    with pytest.raises(InputError, match="lower learning_rate"):
        pulink.PULLPlus(**HASTY, learning_rate=1e30).fit(GRAPH)


def test_scores_do_not_depend_on_the_size_of_chunks(
    fitted: pulink.PULLPlus, monkeypatch: pytest.MonkeyPatch
) -> None:
    together = fitted.decision_function(PAIRS)
    monkeypatch.setattr("pulink.methods.pull_plus.scoring.scored_graph.CHUNK", 100)
    assert np.array_equal(fitted.decision_function(PAIRS), together)


def test_features_are_used_where_they_alone_know() -> None:
    """Links inside twelve groups of ten, told by a word each; so few that the structure says little."""
    graph = planted_graph(10, 12, 0.3, 0.002, seed=1)
    group = np.repeat(np.arange(12), 10)
    data = pulink.split(graph, val=0.1, test=0.3, seed=0)
    noise = (np.random.default_rng(0).random((120, 5)) < 0.2).astype(np.float32)
    told = data.train.with_features(np.hstack([np.eye(12, dtype=np.float32)[group], noise]))
    without, with_words = (
        pulink.PULLPlus(**HASTY).fit(own).score(own)["auroc"] for own in (data, replace(data, train=told))
    )
    assert with_words > 0.9
    assert with_words > without + 0.1


ODD = {
    "20 nodes, 30 edges": random_graph(20, 30, 0),
    "star": pulink.Graph.from_edges([[0, k] for k in range(1, 25)], 25),
    "path": pulink.Graph.from_edges([[k, k + 1] for k in range(30)], 31),
    "pairs apart": pulink.Graph.from_edges([[2 * k, 2 * k + 1] for k in range(15)], 30),
    "two components": pulink.Graph.from_edges(np.concatenate([all_pairs(9), all_pairs(9) + 9]), 18),
    "nearly complete": pulink.Graph.from_edges(all_pairs(12)[8:], 12),
    "nine edges": random_graph(20, 9, 0),
    "three edges": pulink.Graph.from_edges([[0, 1], [1, 2], [2, 3]], 10),
    "two edges": pulink.Graph.from_edges([[0, 1], [1, 2]], 3),
    "one edge": pulink.Graph.from_edges([[0, 1]], 5),
    "sparse features": random_graph(20, 60, 0, features=words(20, 6, 0)),
    "dense features": random_graph(20, 60, 0, features=numbers(20, 3, 0)),
    "no columns": random_graph(20, 60, 0, features=np.zeros((20, 0))),
    "one constant column": random_graph(20, 60, 0, features=np.ones((20, 1))),
    "weights": random_graph(20, 60, 0, weights=np.linspace(0.01, 100, 60)),
    "isolated nodes": pulink.Graph.from_edges(random_graph(15, 40, 0).edges, 60),
}


@pytest.mark.parametrize("name", list(ODD))
def test_odd_graphs_get_an_answer(name: str, tmp_path: Path) -> None:
    graph = ODD[name]
    model = pulink.PULLPlus(**HASTY).fit(graph)
    n_free = graph.n_pairs - graph.n_edges
    found = model.missing_links(15)
    assert len(found) == min(15, n_free)
    assert found["probability"].is_between(0, 1).all()
    assert not graph.has_edges(found.select("source", "target").cast(int).to_numpy()).any()
    hides = graph.n_edges >= 10
    assert (model.best_val_auroc_ is not None) == hides
    assert (model.history_[0].n_expected is not None) == hides
    assert bool(model.recall_) == hides
    model.save(tmp_path / "model")
    assert pulink.load_model(tmp_path / "model").missing_links(15).equals(found)


@pytest.mark.parametrize(
    ("graph", "settings", "message"),
    [
        (pulink.Graph.from_edges([], 5), {}, "nothing to learn from"),
        (pulink.Graph.from_edges([[0, 1]], 2), {}, "too few pairs to learn from"),
        (pulink.Graph.from_edges(all_pairs(8), 8), {}, "only 0 pairs are unconnected"),
        (random_graph(20, 60, 0), {"learning_rate": 1e30}, "training diverged|not finite"),
    ],
)
def test_graphs_without_an_answer_are_refused_in_a_line(
    graph: pulink.Graph, settings: dict[str, Any], message: str
) -> None:
    with pytest.raises(PulinkError, match=message) as caught:
        pulink.PULLPlus(**HASTY | settings).fit(graph)
    assert isinstance(caught.value, InputError)
    assert "\n" not in str(caught.value)


def test_graphs_beyond_the_memory_are_refused_before_any_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pulink.system.memory.available_bytes", lambda: 10 * 10**9)
    model = pulink.PULLPlus()
    model.check_serves(random_graph(400, 20_000, 0))
    # What is asked of a graph here is its size alone.
    low = np.arange(3_000_000, dtype=np.int32)
    large = pulink.Graph(np.stack([low, low + 1], axis=1), 9_000_000)
    with pytest.raises(TooLargeError, match=r"9,000,000 nodes and 3,000,000 edges needs about .* such as pull"):
        model.fit(large)


def test_a_complete_graph_has_no_links_to_find() -> None:
    model = pulink.PULLPlus(**HASTY, val_ratio=0.0).fit(pulink.Graph.from_edges(all_pairs(8), 8))
    assert model.missing_links(5).is_empty()


def test_validation_without_non_edges_is_enough(tmp_path: Path) -> None:
    model = pulink.PULLPlus(**HASTY).fit(replace(SPLIT, val_non_edges=SPLIT.val_non_edges[:0]))
    assert model.best_val_auroc_ is None
    assert model.history_[0].val_average_precision is not None
    model.save(tmp_path / "model")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_folds", 1),
        ("n_units", 0),
        ("n_epochs", 0),
        ("n_trees", 0),
        ("n_leaves", 1),
        ("n_leaves", 131_073),
        ("tree_rate", 0.0),
        ("tree_rate", 1.5),
        ("learning_rate", -1),
        ("far_per_edge", 0),
        ("near_per_edge", -1),
        ("max_rounds", -1),
        ("max_rounds", True),
        ("leave_out", "structure"),
        ("leave_out", "encoders spectrum"),
        ("leave_out", None),
    ],
)
def test_settings_are_judged_by_name(name: str, value: object) -> None:
    with pytest.raises(ParameterError, match=f"^{name} "):
        pulink.PULLPlus(**{name: value}).fit(GRAPH)  # type: ignore[arg-type]


def test_progress_ends_where_it_said(fitted: pulink.PULLPlus) -> None:
    seen: list[Progress] = []
    pulink.PULLPlus(**HASTY).fit(SPLIT, progress=seen.append)
    done = [own.done for own in seen]
    assert done == sorted({*done}), "it never falls, and nothing is told twice"
    assert {own.total for own in seen} == {done[-1]}
    assert seen[-1].val_auroc is not None
    # Two folds, the whole graph, for which nothing is trained, and the trees.
    told = [sum(k <= 4 * own.done / own.total < k + 1 for own in seen) for k in range(4)]
    assert all(often >= least for often, least in zip(told, (20, 20, 10, 20), strict=True)), told


def test_every_stage_of_a_fit_rises_from_its_beginning_to_its_end() -> None:
    seen: list[Progress] = []
    told = pulink.PULLPlus(**HASTY).fit(GRAPH, progress=seen.append)
    stages = [(stage, [own.done for own in group]) for stage, group in groupby(seen, key=lambda own: own.stage)]
    assert [stage for stage, _ in stages] == ["choose", "calibrate", "refit", "calibrate"]
    for _, done in stages:
        assert done == sorted({*done})
        assert done[-1] == seen[0].total
    assert told.missing_links(20).equals(pulink.PULLPlus(**HASTY).fit(GRAPH).missing_links(20))


@pytest.mark.parametrize(
    "left_out",
    ["encoders", "spectrum,encoders", "spectrum, attributes", "attributes,", "pair-net", "encoders,pair-net"],
)
def test_families_of_signals_may_be_left_out(left_out: str, tmp_path: Path) -> None:
    graph = random_graph(30, 90, 0, features=words(30, 6, 0))
    model = pulink.PULLPlus(**HASTY, leave_out=left_out).fit(graph)
    assert model._pair_signals is not None
    names = " ".join(model._pair_signals.names)
    for family, name in (("encoders", "gcn_dot"), ("spectrum", "adjacency_entry"), ("attributes", "components")):
        assert (name in names) == (family not in left_out)
    networked = not {"attributes", "pair-net"} & {name.strip() for name in left_out.split(",")}
    assert ("pair_net" in names) == networked
    assert model.n_steps_ == 2 * ((0 if "encoders" in left_out else 2 * 3) + 300 * networked)
    model.save(tmp_path / "model")
    again = pulink.load_model(tmp_path / "model")
    assert again.missing_links(20).equals(model.missing_links(20))


def test_without_attributes_the_encoders_see_none_either() -> None:
    graph = random_graph(30, 90, 0, features=words(30, 6, 0))
    left_out = pulink.PULLPlus(**HASTY, leave_out="attributes").fit(graph)
    bare = pulink.PULLPlus(**HASTY).fit(graph.with_features(None))
    assert left_out.missing_links(50).equals(bare.missing_links(50))
    new = left_out.with_nodes(["new"], [("new", "0"), ("new", "1")], features=words(1, 6, 1))
    assert new.graph_.n_features == 6
    assert np.isfinite(new.decision_function(np.array([[30, 5]]))).all()


def test_near_pairs_may_be_left_out() -> None:
    model = pulink.PULLPlus(**HASTY, near_per_edge=0).fit(SPLIT)
    assert model.score(SPLIT)["auroc"] > 0.7


def reseal(folder: Path) -> None:
    """Write checksums that fit, as someone would who changes a model on purpose."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["sha256"] = {name: sha256(folder / name) for name in manifest["sha256"]}
    (folder / "manifest.json").write_text(json.dumps(manifest))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = random_graph(20, 60, 0, features=words(20, 6, 0))
    path = tmp_path_factory.mktemp("plus") / "model"
    pulink.PULLPlus(**HASTY).fit(graph).save(path)
    return path


def test_a_loaded_model_is_the_saved_one(fitted: pulink.PULLPlus, tmp_path: Path) -> None:
    fitted.save(tmp_path / "model")
    loaded = pulink.load_model(tmp_path / "model")
    assert isinstance(loaded, pulink.PULLPlus)
    assert loaded.history_ == fitted.history_
    assert (loaded.n_rounds_, loaded.recall_, loaded.n_steps_) == (
        fitted.n_rounds_,
        fitted.recall_,
        fitted.n_steps_,
    )
    assert np.array_equal(loaded.predict_proba(PAIRS), fitted.predict_proba(PAIRS))
    assert loaded.summary() == fitted.summary()


def test_shortened_arrays_are_refused_even_when_sealed(folder: Path) -> None:
    file = folder / "tensors.safetensors"
    whole = load_file(file)
    try:
        for name, array in whole.items():
            # Fewer edges are a graph, and fewer trees are trees.
            if name.startswith("graph.") or name.endswith(".roots"):
                continue
            save_file(whole | {name: np.ascontiguousarray(array[:-1])}, file)
            reseal(folder)
            with pytest.raises(ModelError, match="does not fit this kind of model"):
                pulink.load_model(folder)
    finally:
        save_file(whole, file)
        reseal(folder)
    pulink.load_model(folder)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("trees.near.columns", 10_000),
        ("trees.far.columns", -1),
        ("trees.near.children", 2**30),
        ("trees.near.children", -(2**31)),
        ("trees.near.children", 0),
        ("trees.far.roots", 2**30),
        ("state.features.rows.indices", 10**6),
    ],
)
def test_ways_out_of_the_arrays_are_refused_even_when_sealed(folder: Path, name: str, value: int) -> None:
    file = folder / "tensors.safetensors"
    whole = load_file(file)
    changed = whole[f"learned.{name}"].copy()
    assert changed.size
    changed.flat[0] = value
    try:
        save_file(whole | {f"learned.{name}": changed}, file)
        reseal(folder)
        with pytest.raises(ModelError):
            pulink.load_model(folder)
    finally:
        save_file(whole, file)
        reseal(folder)


def test_lessons_are_let_go(fitted: pulink.PULLPlus) -> None:
    """A fitted model keeps what scoring needs, not what it learned from."""
    assert not any(isinstance(own, TrainingSet) for own in vars(fitted).values())


def test_a_fitted_model_can_be_sent_to_another_process(fitted: pulink.PULLPlus) -> None:
    pairs = fitted.graph_.edges[:5].astype(np.int64)
    copied = pickle.loads(pickle.dumps(fitted))  # noqa: S301 (made in the line itself)
    assert np.array_equal(copied.decision_function(pairs), fitted.decision_function(pairs))
