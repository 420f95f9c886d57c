"""pulink methods and pulink datasets."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from pulink import METHODS, datasets
from pulink.cli.listings import methods
from tests.cli.test_console import terminal
from tests.support.command import call


def test_methods_are_all_listed() -> None:
    outcome = call("methods")
    assert outcome.status == 0
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert lines[0] == ["name", "kinds", "what it is", "family", "citation", "in the paper", "features", "cost"]
    assert [line[0] for line in lines[1:]] == list(METHODS)
    rows = {line[0]: line for line in lines[1:]}
    assert rows["gat-ce"][4:7] == ["Veličković et al., ICLR 2018", "Tables 1, 4, 6", "used"]
    assert rows["l3n"][5:7] == ["-", "not used"]
    assert "groups: all, paper, heuristics" in outcome.err


@pytest.mark.parametrize("columns", ["80", "120"])
def test_a_person_can_read_the_methods_in_a_narrow_terminal(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setenv("TERM", "xterm-256color")
    with terminal() as stream:
        methods(quiet=True)
    page = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())
    lines = page.splitlines()
    assert max(map(len, lines)) <= int(columns)
    assert len(lines) < 3 * len(METHODS)
    # No name and no word is broken.
    for name, entry in METHODS.items():
        assert any(f" {name} " in line for line in lines)
        assert all(f" {word} " in page for word in entry.summary.split())


def test_one_method_is_shown_with_its_source_and_parameters() -> None:
    rows = dict(line.split("\t") for line in call("methods", "pull-ws").out.splitlines())
    assert rows["citation"] == "Kim et al., AAAI 2025"
    assert rows["in the paper"] == "Table 5"
    assert rows["pull-ws.correction"] == "false (fixed)"
    assert rows["pull-ws.threads"] == "none"
    assert rows["pull-ws.learning_rate"] == "0.01"
    (entry,) = json.loads(call("methods", "pull-ws", "--json").out)["methods"]
    assert entry["name"] == "pull-ws"
    outcome = call("methods", "seel")
    assert outcome.status == 2
    assert "unknown method 'seel'. Did you mean 'seal'" in outcome.err


def test_methods_as_json() -> None:
    entries = {entry["name"]: entry for entry in json.loads(call("methods", "--json").out)["methods"]}
    assert list(entries) == list(METHODS)
    fields = {
        "name",
        "family",
        "summary",
        "citation",
        "tables",
        "features",
        "cost",
        "settings",
        "kinds",
        "parameters",
    }
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
    entries = {entry["name"]: entry for entry in json.loads(call("datasets", "--json").out)["datasets"]}
    assert entries["sample"]["available"]
    assert entries["sample"]["how"] is None
    physics = entries["physics"]
    assert not physics["available"]
    assert physics["source"] in physics["how"]
    assert physics["paper"] == [34493, 495924, 8415]
    assert {"title", "nodes", "edges", "features", "licence", "sha256"} <= set(physics)
