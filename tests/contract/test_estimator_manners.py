"""How a well-behaved estimator behaves: scikit-learn's checks, as far as they make sense for graphs, and more.

CHECKS says which test follows which check of scikit-learn; `tests.support.scikit_learn` says why others do not.
Every test runs on every method, some of them in the slow tests only.
"""

import copy
import inspect
import pickle
import random
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
import sklearn
import torch
from sklearn.base import clone
from sklearn.utils import estimator_checks
from threadpoolctl import threadpool_info

import pulink
from pulink.errors import InputError, NotFittedError, ParameterError, PulinkError, UnknownNameError
from pulink.predictor.by_epochs import EpochPredictor
from pulink.predictor.fitting.fit_run import FitRun, Learned
from pulink.predictor.predictor import LinkPredictor
from tests.contract import test_odd_graphs
from tests.support.odd import LEAST, all_pairs
from tests.support.planted import planted_graph
from tests.support.quick import make
from tests.support.scikit_learn import LEFT_OUT, PORTED

CHECKS = PORTED
NAMES = list(pulink.METHODS)
# What takes several fits, or is the same code for all, is asked of these always and of all in the slow tests.
FEW = ("pull", "gcn-ce", "katz")
FEW_THEN_ALL = [name if name in FEW else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
# Of several methods that are one class with other settings, the first is always asked.
FIRSTS = {entry.home: name for name, entry in reversed(pulink.METHODS.items())}.values()
on_all = pytest.mark.parametrize(
    "name", [name if name in FIRSTS else pytest.param(name, marks=pytest.mark.slow) for name in NAMES]
)
on_few = pytest.mark.parametrize("name", FEW_THEN_ALL)

WORDS = (np.random.default_rng(3).random((16, 4)) < 0.4).astype(np.float32)
GRAPH = planted_graph(8, 2, 0.7, 0.1, seed=0).with_features(WORDS)
OTHER = planted_graph(6, 3, 0.7, 0.1, seed=1)
PAIRS = all_pairs(GRAPH.n_nodes)
NONSENSE: tuple[Any, ...] = (object(), "helloworld", np.array([1.0, 4.0]), [1], {}, float("nan"), -1, 3.5, None)

F64 = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Fitted:
    """A model, and what was seen before and after its fit."""

    model: LinkPredictor
    returned: LinkPredictor
    before: dict[str, Any]
    process: tuple[list[object], list[object]]
    graph: tuple[list[bytes], list[bytes]]


def process_state() -> list[object]:
    """What a fit could leave changed in this process."""
    pools = [(pool["filepath"], pool["num_threads"]) for pool in threadpool_info()]
    switches = torch.is_grad_enabled(), torch.get_default_dtype(), torch.are_deterministic_algorithms_enabled()
    seeds = str(np.random.get_state()), random.getstate(), torch.get_rng_state().tolist()  # noqa: NPY002
    return [pools, torch.get_num_threads(), switches, seeds, np.geterr(), list(warnings.filters), str(Path.cwd())]


def graph_bytes(graph: pulink.Graph) -> list[bytes]:
    a, features = graph.adjacency, np.asarray(graph.features)
    return [own.tobytes() for own in (graph.edges, a.indptr, a.indices, features)]


@cache
def wake() -> None:
    """The first fit of a process loads libraries, which set filters of warnings."""
    make("pull", LEAST).fit(OTHER)


@cache
def fitted(name: str) -> Fitted:
    wake()
    model = make(name, LEAST)
    before = dict(vars(model))
    process, graph = process_state(), graph_bytes(GRAPH)
    returned = model.fit(GRAPH)
    return Fitted(model, returned, before, (process, process_state()), (graph, graph_bytes(GRAPH)))


@cache
def scores(name: str) -> F64:
    return fitted(name).model.decision_function(PAIRS)


def test_every_check_is_here_or_left_out_for_a_reason() -> None:
    assert all(name in globals() or hasattr(test_odd_graphs, name) for name in CHECKS)
    followed = [check for checks in CHECKS.values() for check in checks]
    named = followed + [check for checks in LEFT_OUT.values() for check in checks]
    assert len(named) == len(set(named))
    if sklearn.__version__.startswith("1.9."):
        checks = inspect.getmembers(estimator_checks, inspect.isfunction)
        theirs = {n for n, f in checks if n.startswith("check_") and f.__module__ == estimator_checks.__name__}
        assert set(named) == theirs
        assert (len(CHECKS), len(followed), len(named)) == (35, 48, 106)


@on_all
def test_the_constructor_only_stores(name: str) -> None:
    kind = pulink.METHODS[name].predictor
    model = kind()
    assert {own for own in vars(model) if not own.startswith("_")} == set(kind.parameter_names())
    assert all(getattr(model, own) is default for own, default in kind.defaults().items())


@on_all
def test_neither_constructor_nor_set_params_judges(name: str) -> None:
    kind = pulink.METHODS[name].predictor
    for value in NONSENSE:
        settings = dict.fromkeys(kind.parameter_names(), value)
        model = kind(**settings).set_params(**settings)
        assert all(getattr(model, own) is value for own in settings)
        assert type(model).__name__ in repr(model) + model._repr_html_()


@on_few
def test_settings_go_out_and_in_unchanged(name: str) -> None:
    model = make(name, LEAST, seed=3)
    settings = model.get_params(deep=False)
    assert settings == model.get_params(deep=True)
    other = type(model)()
    assert other.set_params(**settings) is other
    assert all(other.get_params()[own] is value for own, value in settings.items())
    assert other.set_params() is other


@on_few
def test_unknown_settings_are_refused_and_nothing_is_set(name: str) -> None:
    model = make(name, LEAST)
    settings = model.get_params()
    with pytest.raises(UnknownNameError, match=f"unknown parameter of {type(model).__name__} 'sead'.*'seed'"):
        model.set_params(seed=7, sead=8)
    assert model.get_params() == settings
    with pytest.raises(UnknownNameError, match=f"unknown parameter of {re.escape(name)} 'sead'"):
        pulink.make(name, sead=8)
    with pytest.raises(TypeError, match="sead"):
        type(model)(sead=8)


@on_all
def test_every_setting_is_judged_by_fit_in_one_line(name: str) -> None:
    model = make(name, LEAST)
    for own, usual in model.get_params().items():
        model.set_params(**{own: object()})
        with pytest.raises(ParameterError, match=own) as refusal:
            model.fit(GRAPH)
        assert len(str(refusal.value).splitlines()) == 1
        for value in NONSENSE:
            model.set_params(**{own: value})
            try:
                model.check_settings()
            except PulinkError as error:
                assert own in str(error)
            else:
                assert not isinstance(value, list | dict | np.ndarray)
        model.set_params(**{own: usual})
    assert not hasattr(model, "graph_")


@on_all
def test_it_can_be_cloned(name: str) -> None:
    model = fitted(name).model
    twin = clone(model)
    assert type(twin) is type(model)
    assert twin.get_params() == model.get_params()
    assert not hasattr(twin, "graph_")


@on_all
def test_repr_shows_what_was_changed(name: str) -> None:
    kind = pulink.METHODS[name].predictor
    assert repr(kind()) == f"{kind.__name__}()"
    assert repr(kind(seed=5, val_ratio=0.2)) == f"{kind.__name__}(val_ratio=0.2, seed=5)"


@on_all
def test_fit_returns_self(name: str) -> None:
    assert fitted(name).returned is fitted(name).model


@on_all
def test_fit_leaves_settings_alone(name: str) -> None:
    own = fitted(name)
    public = {key: value for key, value in vars(own.model).items() if not key.startswith("_")}
    assert all(public[key] is value for key, value in own.before.items() if not key.startswith("_"))
    assert own.model.get_params() == make(name, LEAST).get_params()


@on_all
def test_fit_leaves_its_input_alone(name: str) -> None:
    before, after = fitted(name).graph
    assert before == after
    assert not GRAPH.edges.flags.writeable
    assert not np.asarray(GRAPH.features).flags.writeable


@on_all
def test_what_is_learned_ends_with_an_underscore(name: str) -> None:
    own = fitted(name)
    learned = {key for key in vars(own.model) if not key.startswith("_")} - set(own.before)
    assert {"graph_", "state_", "n_steps_"} <= learned
    assert all(key.endswith("_") for key in learned)
    assert not any(key.endswith("_") for key in own.before)
    if isinstance(own.model, EpochPredictor):
        assert own.model.n_epochs_ >= 1
        assert own.model.n_steps_ >= 1


@on_few
def test_nothing_answers_before_fit(name: str, tmp_path: Path) -> None:
    model = make(name, LEAST)
    questions: list[Callable[[], object]] = [
        lambda: model.decision_function([(0, 1)]),
        lambda: model.predict_proba([(0, 1)]),
        lambda: model.missing_links(3),
        lambda: model.suggest(0),
        lambda: model.links_per_node(1),
        lambda: model.best_pairs(3),
        lambda: model.estimate_missing(),
        lambda: model.reliability(),
        lambda: model.assuming(0.2),
        lambda: model.summary(),
        lambda: model.score(pulink.split(GRAPH)),
        lambda: model.with_nodes(["new"], [("new", "0")]),
        lambda: model.save(tmp_path / "model"),
    ]
    for ask in questions:
        with pytest.raises(NotFittedError, match="is not fitted yet: call fit first"):
            ask()
    assert not (tmp_path / "model").exists()


@on_few
def test_fit_says_what_it_takes(name: str) -> None:
    for data in (
        None,
        3,
        "edges.csv",
        {0: 1},
        pd.Series([1, 2]),
        sp.csr_array(np.eye(3)),
    ):
        with pytest.raises(
            ParameterError, match=r"fit takes a Graph or a Split.*frame.*array.*list of pairs, got"
        ):
            make(name, LEAST).fit(data)


@on_few
def test_fit_refuses_edges_that_are_none(name: str) -> None:
    for data, reason in (
        (np.arange(4), r"m x 2 array of node numbers, got shape \(4,\)"),
        (np.eye(4), r"m x 2 array of node numbers, got shape \(4, 4\)"),
        (np.ones((2, 2)), "whole node numbers, got float64"),
        ([[0, 1], [2]], "rows of different lengths"),
        ([(0, 0)], "nothing to learn from"),
        ([], "the list of edges: has columns .* but no rows, so no edges"),
        (pl.DataFrame({"a": [1]}), "the edge frame: has 1 column; an edge list needs two"),
    ):
        with pytest.raises(InputError, match=reason):
            make(name, LEAST).fit(data)


@on_all
def test_a_fit_that_fails_leaves_no_half_model(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = copy.copy(fitted(name).model)

    def fails(*_: object) -> int:
        model.state_ = {}
        raise InputError("half done")

    monkeypatch.setattr(model, "_learn", fails)
    with pytest.raises(InputError, match="half done"):
        model.fit(GRAPH)
    with pytest.raises(NotFittedError):
        model.decision_function(PAIRS)
    assert not any(key.endswith("_") for key in vars(model))


@on_all
def test_nothing_is_learned_until_all_is(name: str) -> None:
    model = copy.copy(fitted(name).model)
    hidden = {"_calibrator", "_held", "_scorer", "_candidates", "_pair_signals"}
    seen: list[str] = []

    def look(_: object) -> None:
        seen.extend(key for key in vars(model) if key.endswith("_") or key in hidden)

    model.fit(GRAPH, progress=look)
    assert seen == []
    assert np.array_equal(model.decision_function(PAIRS), scores(name))


@on_few
def test_a_refit_that_fails_leaves_nothing_of_the_first_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model = make(name, LEAST)
    learn = model._learn

    def fails_at_last(train: Any, validation: Any, run: FitRun) -> Learned:
        if run.stage == "refit":
            raise InputError("half done")
        return learn(train, validation, run)

    monkeypatch.setattr(model, "_learn", fails_at_last)
    before = dict(vars(model))
    with pytest.raises(InputError, match="half done"):
        model.fit(GRAPH)
    assert vars(model) == before


@on_all
def test_fit_leaves_the_process_as_it_was(name: str) -> None:
    before, after = fitted(name).process
    assert before == after


@on_all
def test_answers_are_numbers_of_one_kind(name: str) -> None:
    model = fitted(name).model
    for answers in (scores(name), model.predict_proba(PAIRS)):
        assert (answers.dtype, answers.shape) == (np.dtype(np.float64), (len(PAIRS),))
        assert np.isfinite(answers).all()
    assert model.decision_function([]).shape == model.predict_proba(PAIRS[:0]).shape == (0,)


@on_all
def test_answering_changes_nothing(name: str) -> None:
    model = fitted(name).model
    before = dict(vars(model))
    state = {key: array.tobytes() for key, array in model.state_.items()}
    for ask in (model.decision_function, model.predict_proba):
        ask(PAIRS)
    model.missing_links(5)
    model.suggest(0)
    assert vars(model).keys() == before.keys()
    assert all(vars(model)[key] is value for key, value in before.items())
    assert {key: array.tobytes() for key, array in model.state_.items()} == state


@on_all
def test_a_part_of_the_pairs_gets_the_same_answers(name: str) -> None:
    model = fitted(name).model
    for ask in (model.decision_function, model.predict_proba):
        whole, parts = ask(PAIRS), [ask(part) for part in (PAIRS[:1], PAIRS[1:50], PAIRS[50:])]
        assert np.array_equal(np.concatenate(parts), whole)


@on_all
def test_the_order_of_pairs_plays_no_part(name: str) -> None:
    order = np.random.default_rng(0).permutation(len(PAIRS))
    model = fitted(name).model
    for ask in (model.decision_function, model.predict_proba):
        assert np.array_equal(ask(PAIRS[order][:, ::-1]), ask(PAIRS)[order])


@on_all
def test_chances_and_scores_agree(name: str) -> None:
    probabilities = fitted(name).model.predict_proba(PAIRS)
    assert ((probabilities >= 0) & (probabilities <= 1)).all()
    assert (np.diff(probabilities[np.argsort(scores(name))]) >= 0).all()


@on_few
def test_pairs_come_in_many_forms(name: str) -> None:
    model, asked = fitted(name).model, PAIRS[:7]
    text = [(str(i), str(j)) for i, j in asked]
    forms: list[object] = [
        asked.tolist(),
        list(map(tuple, asked.tolist())),
        tuple(map(tuple, asked.tolist())),
        (pair for pair in asked.tolist()),
        *(asked.astype(kind) for kind in (np.int32, np.uint8, np.uint64, object)),
        np.asfortranarray(asked),
        np.repeat(asked, 2, axis=0)[::2],
        text,
        np.array(text),
        pl.DataFrame(text, schema=["source", "target"], orient="row"),
        pd.DataFrame(text),
        pl.DataFrame({"source": asked[:, 0], "target": asked[:, 1]}),
    ]
    for form in forms:
        assert np.array_equal(model.decision_function(form), scores(name)[:7])


@on_few
def test_pairs_that_are_none_are_refused(name: str) -> None:
    model = fitted(name).model
    wrong: list[object] = [
        5, None, "01", [0, 1], [(0, 1, 2)], [(0,)], np.array([0, 1]), np.zeros((2, 3), int), np.zeros((2, 2)),
        np.array([[0, 1j]]), np.array([[True, False]]), [(0, 16)], [(-1, 0)], [("0", "nobody")], [(0, None)],
        [(0.0, 1.0)], np.array([[0, 16]]), np.array([[-1, 3]]), [(0, 2**70)], [[0, 1], [2]],
    ]  # fmt: skip
    for pairs in wrong:
        with pytest.raises(InputError) as refusal:
            model.decision_function(pairs)
        assert len(str(refusal.value).splitlines()) == 1, pairs
    for node in (16, -1, "nobody", None, 1.5):
        with pytest.raises(InputError):
            model.suggest(node)


@on_few
def test_copies_answer_alike(name: str) -> None:
    model = fitted(name).model
    assert copy.deepcopy(model).missing_links(5).equals(model.missing_links(5))
    for twin in (copy.deepcopy(model), pickle.loads(pickle.dumps(model))):  # noqa: S301 (our own bytes)
        assert np.array_equal(twin.decision_function(PAIRS), scores(name))
        assert twin.state_ is not model.state_


@on_few
def test_fitting_again_gives_the_same(name: str) -> None:
    # Whatever the global generators stand at.
    np.random.seed(12)  # noqa: NPY002
    random.seed(12)
    torch.manual_seed(12)
    model = make(name, LEAST).fit(GRAPH)
    assert np.array_equal(model.decision_function(PAIRS), scores(name))
    assert np.array_equal(model.fit(GRAPH).decision_function(PAIRS), scores(name))


@on_few
def test_fitting_another_graph_forgets_the_first(name: str) -> None:
    pairs = all_pairs(OTHER.n_nodes)
    fresh, used = make(name, LEAST).fit(OTHER), make(name, LEAST).fit(GRAPH).fit(OTHER)
    assert np.array_equal(used.decision_function(pairs), fresh.decision_function(pairs))
    assert used.missing_links(20).equals(fresh.missing_links(20))
    assert used.summary() == fresh.summary()
    assert vars(used).keys() == vars(fresh).keys()


@on_few
def test_two_models_do_not_meet(name: str) -> None:
    first, second = make(name, LEAST), make(name, LEAST, seed=1)
    halfway: list[LinkPredictor] = []

    def meanwhile(_: object) -> None:
        if not halfway:
            halfway.append(second.fit(OTHER))

    first.fit(GRAPH, progress=meanwhile)
    assert np.array_equal(first.decision_function(PAIRS), scores(name))
    pairs = all_pairs(OTHER.n_nodes)
    alone = make(name, LEAST, seed=1).fit(OTHER)
    assert np.array_equal((halfway or [alone])[0].decision_function(pairs), alone.decision_function(pairs))


@on_few
def test_equal_weights_are_no_weights(name: str) -> None:
    ones = pulink.Graph.from_edges(GRAPH.edges, GRAPH.n_nodes, weights=np.ones(GRAPH.n_edges), features=WORDS)
    found = make(name, LEAST).fit(ones).decision_function(PAIRS)
    np.testing.assert_allclose(found, scores(name), rtol=1e-4, atol=1e-5)
