"""The list of methods: complete, importable, grouped, and settable by name."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import pulink
from pulink.errors import InputError, ModelError, ParameterError, UnknownNameError
from pulink.evaluation import Run, evaluate, run_once
from pulink.experiments import worker
from pulink.experiments.plan import RunSpec
from pulink.methods.registry import GROUPS, METHODS, expand, method, parse_settings
from pulink.predictor.predictor import LinkPredictor
from tests.support.planted import planted_graph

PAPER = {"gcn-ce", "gat-ce", "sage-ce", "gae", "vgae", "arga", "argva", "vgnae", "bagging-pu", "ness"}
WITH_PULL = {"pull", "pull-ws", "pull-no-lc", "gae+pull", "vgae+pull", "vgnae+pull"}
COUNTS = {"common-neighbours", "adamic-adar", "resource-allocation", "jaccard", "preferential-attachment"}
HEURISTICS = COUNTS | {"katz", "ppr", "l3", "l3n"}
RIVALS = {"buddy", "ncn", "neo-gnn", "seal", "id-gnn", "mvgae", "ps2", "nnpu", "pu-auc"}


def test_every_promised_name_is_there() -> None:
    assert set(METHODS) >= PAPER | WITH_PULL | HEURISTICS | RIVALS | {"pull-plus"}


def test_groups_hold_what_their_names_say() -> None:
    assert set(GROUPS["all"]) == set(METHODS)
    assert set(GROUPS["paper"]) == PAPER | WITH_PULL
    assert set(GROUPS["heuristics"]) >= HEURISTICS
    assert {METHODS[name].family for name in GROUPS["heuristics"]} == {"heuristic"}
    assert not set(GROUPS) & set(METHODS)


@pytest.mark.parametrize("name", list(METHODS))
def test_every_name_makes_a_predictor_with_its_settings(name: str) -> None:
    model = method(name).make(seed=7)
    assert isinstance(model, LinkPredictor)
    params = model.get_params()
    assert params["seed"] == 7
    assert METHODS[name].settings.items() <= params.items()
    json.dumps(params)
    model.check_settings()


def test_every_predictor_is_a_public_name() -> None:
    for entry in METHODS.values():
        name = entry.predictor.__name__
        missing = f"{entry.predictor.__module__}.{name} is no public name: add it to src/pulink/__init__.py"
        assert getattr(pulink, name, None) is entry.predictor, missing


def test_names_and_groups_expand_in_order_and_once() -> None:
    assert expand(["l3n", "heuristics"]) == ["l3n", *(name for name in GROUPS["heuristics"] if name != "l3n")]
    assert expand(["pull", "pull"]) == ["pull"]
    with pytest.raises(UnknownNameError, match=r"unknown method 'papers'. Did you mean 'paper'"):
        expand(["papers"])


def test_settings_are_read_by_method() -> None:
    texts = [
        "pull.max_iterations=5",
        "gae+pull.growth = 0.1",
        "pull.stop=false",
        "pull.reduction=none",
        "pull.candidates=all",
        "pull.feature_scaling=none",
    ]
    assert parse_settings(texts) == {
        "pull": {
            "max_iterations": 5,
            "stop": False,
            "reduction": None,
            "candidates": "all",
            "feature_scaling": "none",
        },
        "gae+pull": {"growth": 0.1},
    }


@pytest.mark.parametrize("text", ["max_iterations=5", "pull.max_iterations", ".x=1", "pull.=1", ""])
def test_a_setting_that_is_none_is_refused(text: str) -> None:
    with pytest.raises(ParameterError, match=r"method\.parameter=value, got"):
        parse_settings([text])


def test_an_unknown_method_or_parameter_is_named_with_its_likeliest_meaning() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'gcn-ce'"):
        parse_settings(["gcn_ce.seed=1"])
    with pytest.raises(
        UnknownNameError, match=r"parameter of pull 'max_iteration'. Did you mean 'max_iterations'"
    ):
        parse_settings(["pull.max_iteration=1"])
    with pytest.raises(UnknownNameError, match="parameter of gae"):
        method("gae").make(max_iterations=3)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "pull-ws.correction=true",
            "pull-ws.correction cannot be set: correction=False is what makes it pull-ws; pull.correction can be",
        ),
        (
            "gae+pull.encoder=vgae",
            "gae+pull.encoder cannot be set: encoder='gae' is what makes it gae+pull; pull.encoder can be",
        ),
    ],
)
def test_a_setting_that_makes_a_method_what_it_is_cannot_be_changed(text: str, message: str) -> None:
    with pytest.raises(ParameterError) as caught:
        parse_settings([text])
    assert str(caught.value) == message
    name, _, value = text.partition("=")
    name, _, parameter = name.rpartition(".")
    given = {name: {parameter: True if value == "true" else value}}
    with pytest.raises(ParameterError, match="is what makes it"):
        evaluate(planted_graph(10, 2, 0.5, 0.1, seed=0), [name], settings=given)


def test_a_setting_that_a_method_has_anyway_is_none_to_refuse() -> None:
    assert parse_settings(["pull-ws.correction=false", "pull-ws.patience=2"]) == {
        "pull-ws": {"correction": False, "patience": 2}
    }
    assert parse_settings(["pull.correction=false"]) == {"pull": {"correction": False}}


def test_every_kind_of_model_is_loaded_by_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pulink.CommonNeighbours(val_ratio=0.0).fit(planted_graph(10, 2, 0.5, 0.1, seed=0)).save(tmp_path / "model")
    loaded: list[type[LinkPredictor]] = []
    monkeypatch.setattr(LinkPredictor, "load", classmethod(lambda cls, _: loaded.append(cls)))
    for entry in METHODS.values():
        rename(tmp_path / "model", entry.predictor.__name__)
        pulink.load_model(tmp_path / "model")
    assert loaded == [entry.predictor for entry in METHODS.values()]


@pytest.mark.parametrize("kind", ["os:system", "pulink.methods.registry", "LinkPredictor", "pull", ""])
def test_a_model_of_an_unknown_kind_is_refused_in_one_line(kind: str, tmp_path: Path) -> None:
    pulink.CommonNeighbours(val_ratio=0.0).fit(planted_graph(10, 2, 0.5, 0.1, seed=0)).save(tmp_path / "model")
    rename(tmp_path / "model", kind)
    with pytest.raises(InputError, match=f"holds a '{kind}', which is no method of this pulink: ARGA, ") as caught:
        pulink.load_model(tmp_path / "model")
    assert "\n" not in str(caught.value)
    (tmp_path / "empty").mkdir()
    with pytest.raises(ModelError, match="is not a model folder"):
        pulink.load_model(tmp_path / "empty")


def test_the_folder_that_find_wrote_is_as_good_as_the_model_in_it(tmp_path: Path) -> None:
    graph = planted_graph(10, 2, 0.5, 0.1, seed=0)
    pulink.make("l3n").fit(graph).save(tmp_path / "model")
    (tmp_path / "missing_links.csv").write_text("")
    for folder in (tmp_path, str(tmp_path), tmp_path / "model"):
        assert pulink.load_model(folder).graph_.n_edges == graph.n_edges


def rename(folder: Path, kind: str) -> None:
    model = json.loads((folder / "model.json").read_text())
    (folder / "model.json").write_text(json.dumps(model | {"kind": kind}))


def test_listing_the_methods_does_not_load_pytorch() -> None:
    code = "import sys, pulink.methods.registry; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_an_evaluation_tells_which_share_it_hid(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []

    def listen(name: str, model: LinkPredictor, *others: Any) -> Run:
        told.append((name, model.missing_share))
        return run_once(name, model, *others)

    monkeypatch.setattr("pulink.evaluation.run_once", listen)
    graph, settings = planted_graph(20, 2, 0.5, 0.1, seed=0), {"l3": {"missing_share": 0.4}}
    evaluate(graph, ["l3n", "l3"], test=0.25, settings=settings)
    assert told == [("l3n", 0.25), ("l3", 0.4)]


def test_a_run_of_an_experiment_is_told_too() -> None:
    spec = RunSpec("sample", "l3n", 0.2, 0)
    assert worker._model(spec, None, 1).missing_share == 0.2
