"""pulink methods and pulink datasets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pulink import METHODS, datasets
from tests.cli.command import call


def test_methods_are_all_listed() -> None:
    outcome = call("methods")
    assert outcome.status == 0
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert lines[0] == ["name", "family", "what it is", "citation", "in the paper", "features", "cost"]
    assert [line[0] for line in lines[1:]] == list(METHODS)
    rows = {line[0]: line for line in lines[1:]}
    assert rows["gat-ce"][3:6] == ["Veličković et al., ICLR 2018", "Tables 1, 4, 6", "used"]
    assert rows["l3n"][4:6] == ["-", "not used"]
    assert "groups: all, paper, heuristics" in outcome.err


def test_methods_as_json() -> None:
    entries = {entry["name"]: entry for entry in json.loads(call("methods", "--json").out)}
    assert list(entries) == list(METHODS)
    fields = {"name", "family", "summary", "citation", "tables", "features", "cost", "settings", "parameters"}
    assert all(set(entry) == fields for entry in entries.values())
    assert entries["pull-ws"]["settings"] == {"selection": "sample", "correction": False}
    assert entries["pull-ws"]["parameters"]["selection"] == "sample"
    assert entries["gcn-ce"]["parameters"]["max_epochs"] == 2000


def test_datasets_are_all_listed_and_where_they_were_looked_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PULINK_DATA", str(tmp_path))
    outcome = call("datasets")
    assert outcome.status == 0
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert [line[0] for line in lines[1:]] == list(datasets())
    assert lines[1][:5] == ["sample", "yes", "5,769", "22,019", "5,860"]
    assert str(tmp_path) in outcome.err


def test_datasets_as_json_say_how_to_get_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    entries = {entry["name"]: entry for entry in json.loads(call("datasets", "--json").out)}
    assert entries["sample"]["available"]
    assert entries["sample"]["how"] is None
    physics = entries["physics"]
    assert not physics["available"]
    assert physics["source"] in physics["how"]
    assert physics["paper"] == [34493, 495924, 8415]
    assert {"title", "nodes", "edges", "features", "licence", "sha256"} <= set(physics)
