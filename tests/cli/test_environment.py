"""PULINK_<OPTION>: options from the environment."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from torture.runs import write_edges

from tests.cli.test_config import config, params
from tests.support.command import call


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("variable", "text", "name", "value"),
    [
        ("PULINK_SEED", "3", "seed", 3),
        ("PULINK_SEED", " ", "seed", 0),
        ("PULINK_METHOD", "l3n", "method", "l3n"),
        ("PULINK_MIN_PROBABILITY", "0.5", "min_probability", 0.5),
        ("PULINK_OUT", "results", "out", "results"),
        ("PULINK_QUIET", "yes", "quiet", True),
        ("PULINK_JSON", "1", "as_json", True),
        ("PULINK_HEADER", "off", "header", False),
        ("PULINK_VERBOSE", "2", "verbose", 2),
        ("PULINK_SET", "pull.n_epochs=60 'pull.encoder=a b'", "setting", ["pull.n_epochs=60", "pull.encoder=a b"]),
        ("PULINK_COLUMN", "year=category", "kinds", ["year=category"]),
        ("PULINK_BETWEEN", "drug protein", "between", ["drug", "protein"]),
        ("PULINK_EDGES", "other.csv", "edges", "e.csv"),
        ("PULINK_THREADS", "2", "threads", None),
        ("PULINK_SED", "3", "seed", 0),
    ],
)
def test_a_variable_is_an_option(
    monkeypatch: pytest.MonkeyPatch, variable: str, text: str, name: str, value: Any
) -> None:
    monkeypatch.setenv(variable, text)
    assert params("find", "e.csv")[name] == value


@pytest.mark.parametrize(
    ("variable", "text", "message"),
    [
        ("PULINK_TOP", "many", "PULINK_TOP should be a valid integer, got 'many'"),
        ("PULINK_TOP", "0", "PULINK_TOP should be greater than or equal to 1, got '0'"),
        ("PULINK_QUIET", "maybe", "PULINK_QUIET must be 1 or 0 (also true, yes, on, false, no, off), got 'maybe'"),
        ("PULINK_SET", "'", "PULINK_SET must be values between blanks"),
        ("PULINK_METHOD", "l3m", "(given by PULINK_METHOD)"),
        ("PULINK_SET", "l3n.sed=1", "(given by PULINK_SET)"),
        ("PULINK_THREADS", "many", "PULINK_THREADS must be a whole number from 1 to 1,024, got 'many'"),
        ("PULINK_OUT", "edges.csv", "(given by PULINK_OUT)"),
        ("PULINK_CONFIG", "none.toml", "none.toml: no such file (given by PULINK_CONFIG)"),
    ],
)
def test_a_bad_value_names_its_variable(
    folder: Path, monkeypatch: pytest.MonkeyPatch, variable: str, text: str, message: str
) -> None:
    write_edges(folder)
    monkeypatch.setenv(variable, text)
    outcome = call("find", "edges.csv", *(("--method", "l3n") if variable != "PULINK_METHOD" else ()))
    assert outcome.status in (2, 3, 5)
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_a_file_may_be_named_by_a_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_CONFIG", config("seed = 7\n"))
    assert params("find", "e.csv")["seed"] == 7
    assert params("find", "e.csv", "--config", config("seed = 8\n", "other.toml"))["seed"] == 8


def test_threads_of_the_environment_beat_those_of_a_file(monkeypatch: pytest.MonkeyPatch) -> None:
    file = config("threads = 3\n")
    assert params("find", "e.csv", "--config", file)["threads"] == 3
    monkeypatch.setenv("PULINK_THREADS", "2")
    assert params("find", "e.csv", "--config", file)["threads"] is None
    assert params("find", "e.csv", "--config", file, "--threads", "5")["threads"] == 5


def test_a_typed_value_makes_that_of_a_variable_idle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_SEED", "3")
    monkeypatch.setenv("PULINK_DIRECTED", "1")
    found = params("find", "e.csv", "--seed", "0", "--undirected")
    assert (found["seed"], found["directed"], found["undirected"]) == (0, False, True)


def test_verbose_says_what_was_not_typed(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_edges(folder)
    monkeypatch.setenv("PULINK_SEED", "3")
    err = call("find", "edges.csv", "-v", "--config", config('method = "l3n"\n')).err
    assert "s  not typed: study.toml: method = l3n, PULINK_SEED = 3\n" in err
    assert "s  seed 3, " in err
