"""--effort: how much work a method takes upon itself, typed, in a file or in the environment."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pulink
from pulink.cli.parsing.completion import effort_names
from pulink.errors import ParameterError
from tests.cli.test_config import config, params
from tests.support.command import call

BRIEF = ("--set", "pull-plus.n_trees=4", "--set", "pull-plus.n_folds=2", "--threads", "1")
EDGES = [(f"a{k}", f"a{(k * step + 1) % 20}") for k in range(20) for step in (3, 7)]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_an_effort_reaches_the_model_and_the_record_and_comes_back(planted_csv: Path, folder: Path) -> None:
    first = call("find", str(planted_csv), "--effort", "fast", *BRIEF, "--out", "out")
    assert first.status == 0, first.err
    record = json.loads((folder / "out" / "run.json").read_text())
    assert record["options"]["effort"] == "fast"
    assert record["options"]["set"] == {"pull-plus": {"n_trees": 4, "n_folds": 2}}
    assert record["settings"]["parameters"]["effort"] == "fast"
    model = pulink.load_model("out")
    assert isinstance(model, pulink.PULLPlus)
    assert (model.effort, model.n_steps_) == ("fast", 0)
    again = call("find", "--config", "out/run.json", "--out", "again", "-q")
    assert again.status == 0, again.err
    assert (folder / "again" / "run.json").read_bytes() == (folder / "out" / "run.json").read_bytes()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("find", "--method", "l3n", "--effort", "fast"), "--effort is a setting of pull-plus: l3n has none"),
        (
            ("evaluate", "--method", "l3n,jaccard", "--effort", "fast"),
            "--effort is a setting of pull-plus: l3n, jaccard have none",
        ),
        (
            ("estimate", "--method", "l3n", "--effort", "fast"),
            "--effort is a setting of pull-plus: l3n has none",
        ),
        (
            ("find", "--effort", "fast", "--set", "pull-plus.effort=high"),
            "--effort and --set give the same setting: give one of them",
        ),
    ],
)
def test_an_effort_that_nobody_takes_is_a_usage_error_of_one_line(
    planted_csv: Path, words: tuple[str, ...], message: str
) -> None:
    outcome = call(words[0], str(planted_csv), *words[1:])
    assert (outcome.status, outcome.out) == (2, "")
    assert outcome.err == f"pulink: {message}\n"


@pytest.mark.parametrize("command", ["find", "evaluate", "estimate"])
def test_an_unknown_effort_is_told_with_those_there_are(planted_csv: Path, command: str) -> None:
    outcome = call(command, str(planted_csv), "--method", "pull-plus", "--effort", "fats")
    assert outcome.status == 2
    assert len(outcome.err.splitlines()) == 1
    assert all(word in outcome.err for word in ("effort", "'fats'", "fast", "normal", "high"))


@pytest.mark.parametrize("command", ["find", "evaluate", "estimate"])
def test_a_file_and_the_environment_give_it(command: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert params(command, "e.csv")["effort"] is None
    assert params(command, "e.csv", "--config", config("effort = 'high'\n"))["effort"] == "high"
    monkeypatch.setenv("PULINK_EFFORT", "fast")
    assert params(command, "e.csv")["effort"] == "fast"
    assert params(command, "e.csv", "--effort", "normal")["effort"] == "normal"


def test_a_variable_that_does_not_fit_is_named(planted_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_EFFORT", "fast")
    outcome = call("find", str(planted_csv), "--method", "l3n")
    assert outcome.status == 2
    assert "(given by PULINK_EFFORT)" in outcome.err


def test_of_several_methods_those_take_it_that_have_it(planted_csv: Path) -> None:
    words = ("--method", "l3n,pull-plus", "--effort", "fast", *BRIEF, "--json", "--quiet")
    outcome = call("evaluate", str(planted_csv), *words)
    assert outcome.status == 0, outcome.err
    settings = json.loads(outcome.out)["settings"]
    assert settings == {"pull-plus": {"n_trees": 4, "n_folds": 2, "effort": "fast"}}


def test_less_effort_is_expected_to_take_less_time(planted_csv: Path) -> None:
    seconds = []
    for effort in ("fast", "normal", "high"):
        words = ("--method", "pull-plus", "--effort", effort, "--json", "--quiet")
        (line,) = json.loads(call("estimate", str(planted_csv), *words).out)["methods"]
        seconds.append(line["cpu_seconds"])
    assert seconds[0] < seconds[1] < seconds[2]


def test_the_shell_offers_efforts() -> None:
    assert effort_names("") == ["fast", "normal", "high"]
    assert effort_names("n") == ["normal"]


def test_python_asks_by_a_keyword() -> None:
    found = pulink.find(EDGES, effort="fast", n_trees=4, n_folds=2, threads=1)
    assert found.model.get_params()["effort"] == "fast"
    assert "effort='fast'" in found.request.call()
    with pytest.raises(ParameterError, match=r"^effort is a setting of pull-plus: l3n has none$"):
        pulink.find(EDGES, method="l3n", effort="fast")
    with pytest.raises(ParameterError, match="'slow'"):
        pulink.find(EDGES, effort="slow")
