"""pulink evaluate: runs, their summary, and the table."""

from __future__ import annotations

import json
import statistics
from pathlib import Path
from typing import Any

import pytest

from tests.cli.command import Outcome, call

SCORES = ("auroc", "auprc", "hits_at_50", "mrr", "precision_at_k")


@pytest.fixture(scope="module")
def outcome(planted_csv: Path) -> Outcome:
    return call("evaluate", str(planted_csv), "--method", "pull,gcn-ce", "--seeds", "2", "--seed", "5", "--json")


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
    said = outcome.err.splitlines()
    assert said[0].startswith("read ")
    assert [line.partition(":")[0] for line in said[1:]] == [
        f"{method}, seed {seed}" for seed in (5, 6) for method in ("pull", "gcn-ce@pull", "gcn-ce")
    ]


def test_a_pipe_gets_a_table(planted_csv: Path) -> None:
    outcome = call("evaluate", str(planted_csv), "--method", "gcn-ce,gcn-ce", "--quiet", "--test-ratio", "0.2")
    assert outcome.status == 0
    assert outcome.err == ""
    lines = [line.split("\t") for line in outcome.out.splitlines()]
    assert lines[0] == ["method", "AUROC", "AUPRC", "Hits@50", "MRR", "precision@K", "seconds", "peak MB"]
    assert [line[0] for line in lines[1:]] == ["gcn-ce"]
    assert 0 <= float(lines[1][1]) <= 1
