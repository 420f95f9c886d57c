"""pulink estimate: what it prints, for people, pipes and programs, and what it refuses."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from pulink import METHODS
from pulink.system import memory
from pulink.text import in_bytes, in_time
from tests.support.command import call


def told(path: Path, *arguments: str) -> dict[str, Any]:
    outcome = call("estimate", str(path), *arguments, "--json", "--quiet")
    assert outcome.status == 0
    assert outcome.err == ""
    content: dict[str, Any] = json.loads(outcome.out)
    return content


def test_every_method_has_a_line(planted_csv: Path) -> None:
    outcome = call("estimate", str(planted_csv))
    assert outcome.status == 0
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert lines[0] == ["method", "memory", "processor time", "fits"]
    assert [line[0] for line in lines[1:]] == list(METHODS)
    assert {line[3] for line in lines[1:]} == {"yes"}
    assert "60 nodes" in outcome.err
    assert "may be half or twice as much" in outcome.err


def test_the_figures_are_those_of_the_process_and_of_the_method(
    planted_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "resident_bytes", lambda: 10**12)
    monkeypatch.setattr(memory, "peak_bytes", lambda: 0)
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**11)
    content = told(planted_csv, "--method", "gcn-ce,l3n")
    assert content["edges"] == str(planted_csv)
    assert content["graph"]["n_nodes"] == 60
    assert content["free_bytes"] == 10**11
    gcn, l3n = content["methods"]
    assert (gcn["method"], l3n["method"]) == ("gcn-ce", "l3n")
    assert 10**12 < l3n["memory_bytes"] < gcn["memory_bytes"] < 10**12 + 10**9
    assert 0 < l3n["cpu_seconds"] < gcn["cpu_seconds"]
    assert (gcn["fits"], gcn["reason"]) == (True, None)


def test_reading_may_be_the_peak(planted_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "peak_bytes", lambda: 10**13)
    assert told(planted_csv, "--method", "l3n")["methods"][0]["memory_bytes"] == 10**13


def test_settings_count(planted_csv: Path) -> None:
    (usual,) = told(planted_csv, "--method", "gae")["methods"]
    (wide,) = told(planted_csv, "--method", "gae", "--set", "gae.n_units=100000")["methods"]
    assert wide["memory_bytes"] > usual["memory_bytes"] + 10**8
    (brief,) = told(planted_csv, "--method", "gae", "--set", "gae.max_epochs=1")["methods"]
    assert brief["cpu_seconds"] < usual["cpu_seconds"]


def test_what_find_would_refuse_is_said_with_its_reason(
    planted_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**6)
    outcome = call("estimate", str(planted_csv), "--method", "buddy")
    assert outcome.status == 0
    assert outcome.out.splitlines()[1].split("\t")[3] == "no"
    assert "buddy: sketching 60 nodes needs about" in outcome.err
    (line,) = told(planted_csv, "--method", "buddy")["methods"]
    assert not line["fits"]
    assert "gcn-ce or l3n" in line["reason"]
    refused = call("find", str(planted_csv), "--method", "buddy")
    assert refused.status == 4
    assert refused.err.splitlines()[-1] == f"pulink: {line['reason']}"


@pytest.mark.parametrize(
    ("arguments", "status", "complaint"),
    [
        (["--method", "gnn"], 2, "unknown method 'gnn'"),
        (["--method", ","], 2, "--method needs at least one name"),
        (["--method", "gae", "--set", "vgae.n_units=4"], 2, "not asked about"),
        (["--method", "gae", "--set", "gae.n_units=0"], 2, "n_units"),
    ],
)
def test_a_bad_question_ends_in_one_line(
    planted_csv: Path, arguments: list[str], status: int, complaint: str
) -> None:
    outcome = call("estimate", str(planted_csv), *arguments)
    assert outcome.status == status
    assert outcome.out == ""
    assert complaint in outcome.err.splitlines()[-1]


def test_a_graph_without_edges_has_nothing_to_learn_from(tmp_path: Path) -> None:
    path = tmp_path / "loops.csv"
    path.write_text("source,target\na,a\nb,b\n")
    outcome = call("estimate", str(path))
    assert outcome.status == 3
    assert outcome.out == ""


def test_figures_for_people() -> None:
    assert [in_bytes(n) for n in (99_600_000, 999_000_000, 1_000_000_000, 23_400_000_000)] == [
        "100 MB",
        "999 MB",
        "1.0 GB",
        "23.4 GB",
    ]
    assert [in_time(s) for s in (0.4, 119.0, 120.0, 7_199.0, 7_200.0)] == [
        "0 s",
        "119 s",
        "2 min",
        "120 min",
        "2.0 h",
    ]
