"""pulink evaluate: runs, their summary, and the table."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from pulink.errors import InputError
from pulink.methods.heuristics.katz import Katz
from pulink.methods.registry import GROUPS
from tests.support.command import Outcome, call

SCORES = ("auroc", "auprc", "hits_at_50", "mrr", "precision_at_k")


@pytest.fixture(scope="module")
def outcome(planted_csv: Path) -> Outcome:
    brief = ("--set", "pull.n_epochs=20", "--set", "pull.max_iterations=3", "--set", "gcn-ce.max_epochs=30")
    seeds = ("--seeds", "2", "--seed", "5")
    return call("evaluate", str(planted_csv), "--method", "pull,gcn-ce", *brief, *seeds, "--json")


@pytest.fixture(scope="module")
def content(outcome: Outcome) -> dict[str, Any]:
    assert outcome.status == 0
    parsed: dict[str, Any] = json.loads(outcome.out)
    return parsed


def test_every_method_runs_on_every_seed_with_its_control(content: dict[str, Any]) -> None:
    runs = [(run["method"], run["seed"]) for run in content["runs"]]
    assert sorted(runs) == [(name, seed) for name in ("gcn-ce", "gcn-ce@pull", "pull") for seed in (5, 6)]
    assert (content["val_ratio"], content["test_ratio"]) == (0.1, 0.1)


def test_a_run_has_scores_as_fractions_and_its_cost(content: dict[str, Any]) -> None:
    for run in content["runs"]:
        # Fewer than 50 test non-edges: no Hits@50.
        assert run["hits_at_50"] is None
        assert all(0 <= run[score] <= 1 for score in SCORES if score != "hits_at_50")
        assert run["k"] > 0
        assert run["n_steps"] > 0
        assert run["seconds"] > 0
        assert run["peak_mb"] > 0


def test_the_control_takes_as_many_steps(content: dict[str, Any]) -> None:
    steps = {(run["method"], run["seed"]): run["n_steps"] for run in content["runs"]}
    for seed in (5, 6):
        assert steps["gcn-ce@pull", seed] == steps["pull", seed]


def test_the_summary_is_of_the_runs(content: dict[str, Any]) -> None:
    for row in content["summary"]:
        own = [run for run in content["runs"] if run["method"] == row["method"]]
        assert row["n_seeds"] == len(own) == 2
        for score in SCORES:
            values = [run[score] for run in own]
            if score == "hits_at_50":
                assert row[f"{score}_mean"] is row[f"{score}_std"] is None
                continue
            assert row[f"{score}_mean"] == pytest.approx(statistics.fmean(values))
            assert row[f"{score}_std"] == pytest.approx(statistics.stdev(values))


def test_every_finished_run_is_told_on_stderr(outcome: Outcome) -> None:
    # Where no kernel was compiled yet, that is told too.
    said = [line for line in outcome.err.splitlines() if not line.startswith("compiling ")]
    assert said[0].startswith("read ")
    assert said[1].startswith("read as undirected")
    assert said[2] == "seeds 5 to 6, 1 thread"
    assert [line.partition(":")[0] for line in said[3:]] == [
        f"{method}, seed {seed}" for seed in (5, 6) for method in ("pull", "gcn-ce@pull", "gcn-ce")
    ]


def test_a_pipe_gets_a_table(planted_csv: Path) -> None:
    given = ("--method", "gcn-ce,gcn-ce", "--set", "gcn-ce.max_epochs=30", "--test-ratio", "0.2")
    outcome = call("evaluate", str(planted_csv), *given, "--quiet")
    assert outcome.status == 0
    assert outcome.err == ""
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    scores = ["AUROC", "AUPRC", "Hits@50", "MRR", "precision@K", "AUROC, degree", "calibration error"]
    assert lines[0] == ["method", *scores, "seconds", "processor s", "peak MB"]
    assert [line[0] for line in lines[1:]] == ["gcn-ce"]
    assert 0 <= float(lines[1][1]) <= 1


def test_a_group_runs_all_its_methods(planted_csv: Path) -> None:
    outcome = call("evaluate", str(planted_csv), "--method", "heuristics", "--json")
    assert outcome.status == 0
    content = json.loads(outcome.out)
    assert [run["method"] for run in content["runs"]] == list(GROUPS["heuristics"])
    assert content["left_out"] == []
    assert all(run["n_steps"] == 0 for run in content["runs"])


def test_a_parameter_reaches_its_method_alone(planted_csv: Path) -> None:
    brief = ("--set", "gcn-ce.max_epochs=3", "--set", "gae.max_epochs=5", "--set", "gae.n_units=4")
    outcome = call("evaluate", str(planted_csv), "--method", "gcn-ce,gae", *brief, "--json")
    content = json.loads(outcome.out)
    assert {run["method"]: run["n_steps"] for run in content["runs"]} == {"gcn-ce": 3, "gae": 5}
    assert content["settings"] == {"gcn-ce": {"max_epochs": 3}, "gae": {"max_epochs": 5, "n_units": 4}}


@pytest.mark.parametrize(
    ("setting", "complaint"),
    [
        ("gae.max_epochs=0", "max_epochs must be a whole number from 1, got 0"),
        ("gae.seed=3", "gae.seed cannot be set here: the seed of a run is that of its split"),
        ("gae.epochs=3", "unknown parameter of gae 'epochs'"),
        ("max_epochs=3", "a setting is written method.parameter=value, got 'max_epochs=3'"),
        ("vgae.max_epochs=3", "settings are given for 'vgae', which is not among the methods to evaluate"),
    ],
)
def test_a_bad_parameter_ends_in_one_line_before_any_work(planted_csv: Path, setting: str, complaint: str) -> None:
    outcome = call("evaluate", str(planted_csv), "--method", "gae", "--set", setting)
    assert outcome.status == 2
    assert outcome.out == ""
    assert complaint in outcome.err.splitlines()[-1]


def test_of_a_group_a_method_that_cannot_serve_is_left_out(
    planted_csv: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: object, graph: object) -> None:
        raise InputError("too many hubs for katz: use l3n")

    monkeypatch.setattr(Katz, "_refuse", refuse)
    content = json.loads(call("evaluate", str(planted_csv), "--method", "heuristics", "--json").out)
    assert content["left_out"] == [{"method": "katz", "reason": "too many hubs for katz: use l3n"}]
    assert "katz" not in {run["method"] for run in content["runs"]}
    alone = call("evaluate", str(planted_csv), "--method", "katz,l3n")
    assert alone.status == 3
    assert alone.out == ""
    assert "too many hubs for katz: use l3n" in alone.err


def test_a_folder_gets_the_figures_and_a_page_with_the_probabilities(planted_csv: Path, tmp_path: Path) -> None:
    given = ("--method", "gcn-ce,l3n", "--set", "gcn-ce.max_epochs=30", "--quiet", "--json")
    outcome = call("evaluate", str(planted_csv), *given, "--out", str(tmp_path / "out"))
    assert outcome.status == 0
    record = json.loads((tmp_path / "out" / "evaluation.json").read_text())
    assert record == json.loads(outcome.out)
    for run in record["runs"]:
        bins, weights = run["reliability"], run["reliability"]["n_pairs"]
        gaps = [abs(p - q) for p, q in zip(bins["mean_probability"], bins["share_true"], strict=True)]
        error = sum(w * gap for w, gap in zip(weights, gaps, strict=True)) / sum(weights)
        assert run["calibration_error"] == pytest.approx(error, rel=0.02)
        assert 0.5 < run["probability_ratio"] < 2
    page = (tmp_path / "out" / "evaluation.html").read_text()
    assert "Can the probabilities of l3n be trusted?" in page
    assert f"{record['summary'][0]['auroc_mean']:.4f}" in page
