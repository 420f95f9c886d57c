"""suggest, explain, estimate and evaluate as functions: what the commands print, without a terminal."""

from __future__ import annotations

import json
import logging
from pathlib import Path

import pandas as pd
import polars as pl
import pytest

import pulink
from pulink.errors import InputError, ParameterError
from pulink.predictor.link_lists import COLUMNS
from pulink.workflows.estimate import estimate
from pulink.workflows.evaluate import Evaluation, evaluate
from pulink.workflows.explain import explain
from pulink.workflows.finding.result import FindResult
from pulink.workflows.suggest import suggest
from tests.support.command import call


@pytest.fixture(scope="module")
def result(planted_csv: Path) -> FindResult:
    return pulink.find(planted_csv, method="gcn-ce", max_epochs=20, threads=1)


@pytest.fixture(scope="module")
def folder(result: FindResult, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("found") / "out"
    result.save(out)
    return out


def test_suggestions_are_those_of_the_command(result: FindResult, folder: Path) -> None:
    node = result.found["source"][0]
    told = json.loads(call("suggest", str(folder), node, "--top", "3", "--json").out)
    for model in (result.model, folder, str(folder / "model")):
        found = suggest(model, node, 3)
        assert found.records() == told["links"]
        assert [why[0].text for why in found.reasons] == found.links["reason"].to_list()
        assert found.node == node


def test_suggestions_come_in_the_frames_of_the_edges(planted_csv: Path) -> None:
    frame = pd.read_csv(planted_csv)
    model = pulink.find(frame, method="l3n").model
    found = suggest(model, frame["source"][0], 2)
    assert isinstance(found.links, pd.DataFrame)
    assert list(found.links.columns) == [*COLUMNS, "reason", "reasons"]
    assert isinstance(found.found, pl.DataFrame)


def test_new_nodes_are_told_of(folder: Path, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "first.csv").write_text("source,target\nnewcomer,n1\n")
    with caplog.at_level(logging.INFO, "pulink.workflows"):
        found = suggest(folder, "newcomer", 2, new_edges=tmp_path / "first.csv")
    assert found.links.height == 2
    assert "new node: 'newcomer'" in caplog.text


def test_an_explanation_is_that_of_the_command(result: FindResult, folder: Path) -> None:
    source, target, probability = result.found.select("source", "target", "probability").row(0)
    found = explain(result.model, source, target)
    assert found.record() == json.loads(call("explain", str(folder), source, target, "--json").out)
    assert (found.probability, found.known) == (probability, None)
    assert found.reasons == result.reasons[0]
    edge = result.graph.names.take(result.graph.edges[0]).to_list()
    assert explain(folder, *edge).known == "link"
    with pytest.raises(InputError, match="a link needs two different nodes"):
        explain(folder, source, source)


def test_an_estimate_is_that_of_the_command(planted_csv: Path) -> None:
    found = estimate(planted_csv, methods=["l3n", "gae"], settings={"gae": {"n_units": 4}})
    told = json.loads(call("estimate", str(planted_csv), "--method", "l3n,gae", "--json").out)
    assert [own.method for own in found.methods] == [own["method"] for own in told["methods"]]
    assert found.record()["graph"] == told["graph"]
    assert set(found.record()) == set(told)
    assert all(own.fits and own.memory_bytes > 0 for own in found.methods)
    with pytest.raises(ParameterError, match="settings are given for 'vgae', which is not asked about"):
        estimate(planted_csv, methods=["gae"], settings={"vgae": {"n_units": 4}})


@pytest.fixture(scope="module")
def evaluation(planted_csv: Path) -> Evaluation:
    return evaluate(pl.read_csv(planted_csv), methods=["l3n", "gcn-ce"], settings={"gcn-ce": {"max_epochs": 9}})


def test_an_evaluation_holds_every_run(evaluation: Evaluation, planted_csv: Path) -> None:
    assert [run.method for run in evaluation.runs] == ["l3n", "gcn-ce"]
    assert [row["method"] for row in evaluation.summary] == ["l3n", "gcn-ce"]
    given = ("--method", "l3n,gcn-ce", "--set", "gcn-ce.max_epochs=9", "--json", "--quiet")
    told = json.loads(call("evaluate", str(planted_csv), *given).out)
    assert [run["auroc"] for run in told["runs"]] == [run.auroc for run in evaluation.runs]
    assert set(told) == set(evaluation.record())
    assert evaluation.record()["edges"] == "a polars frame"


def test_an_evaluation_writes_what_the_command_writes(evaluation: Evaluation, tmp_path: Path) -> None:
    evaluation.save(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["evaluation.html", "evaluation.json"]
    assert json.loads((tmp_path / "out" / "evaluation.json").read_text()) == evaluation.record()
    assert "Methods on a polars frame" in (tmp_path / "out" / "evaluation.html").read_text()
