"""pulink reproduce: what is planned, what is kept, what a kill costs."""

from __future__ import annotations

import json
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.data.catalog import datasets
from pulink.experiments.spec import experiments
from tests.experiments.in_this_process import runs_here
from tests.support.command import call, start
from tests.support.planted import planted_graph

CHAMELEON = ("simple-rivals", "--datasets", "chameleon", "--seeds", "1")
needs_chameleon = pytest.mark.skipif(
    not datasets()["chameleon"].available, reason="chameleon.npz is not in PULINK_DATA"
)


@pytest.fixture
def no_processes() -> Iterator[None]:
    """Runs in this process; that they have processes of their own is tested with the runner."""
    with runs_here():
        yield


def test_the_status_lists_every_experiment_with_its_runs(tmp_path: Path) -> None:
    outcome = call("reproduce", "--status", "--seeds", "1", "--json", "--results", str(tmp_path))
    assert outcome.status == 0
    rows = {row["experiment"]: row for row in json.loads(outcome.out)["experiments"]}
    assert list(rows) == list(experiments())
    assert rows["iterations"] == {
        "experiment": "iterations",
        "source": "Figure 3",
        "planned": 8,
        "done": 0,
        "failed": 0,
    }
    # Eleven methods and PULL's control on four graphs; Cora-full is not at hand.
    assert rows["accuracy-0.1"]["planned"] == 48
    assert rows["scaling"]["planned"] == 45


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("acuracy-0.1",), "Did you mean 'accuracy-0.1'"),
        (("accuracy-0.1", "--datasets", "chamelion"), "Did you mean 'chameleon'"),
        (("accuracy-0.1", "--methods", "pul"), "Did you mean 'pull'"),
        (("accuracy-0.1", "--budget", "soon"), "--budget takes a number with s, m, h or d"),
        (("scaling", "--methods", "gat-ce"), "nothing to run"),
    ],
)
def test_a_wrong_word_gets_one_line_and_runs_nothing(
    tmp_path: Path, arguments: tuple[str, ...], words: str
) -> None:
    outcome = call("reproduce", *arguments, "--results", str(tmp_path / "results"))
    assert outcome.status == 2
    assert words in outcome.err
    assert len(outcome.err.strip().splitlines()) == 1
    assert not (tmp_path / "results").exists()


@pytest.mark.usefixtures("no_processes")
def test_a_dataset_that_is_not_here_is_a_recorded_failure(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_DATA", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    outcome = call("reproduce", *CHAMELEON, "--methods", "l3n", "--results", str(tmp_path / "results"), "--json")
    assert outcome.status == 0
    assert json.loads(outcome.out)["experiments"][0]["failed"] == 1
    (file,) = (tmp_path / "results").rglob("*.json")
    assert "is not on this machine" in json.loads(file.read_text())["failed"]
    report = call("reproduce", "simple-rivals", "--report", "--results", str(tmp_path / "results"))
    assert report.status == 0
    assert "l3n on chameleon failed: " in (tmp_path / "results/report/reproduction.md").read_text()


@needs_chameleon
@pytest.mark.usefixtures("no_processes")
def test_a_finished_run_is_kept_and_reported(tmp_path: Path) -> None:
    arguments = ("reproduce", *CHAMELEON, "--methods", "jaccard", "--results", str(tmp_path))
    assert call(*arguments).status == 0
    (file,) = tmp_path.rglob("*.json")
    first = file.stat().st_mtime_ns
    assert call(*arguments).status == 0
    assert file.stat().st_mtime_ns == first
    auroc = json.loads(file.read_text())["run"]["auroc"]
    call("reproduce", "simple-rivals", "--report", "--results", str(tmp_path))
    assert f"{100 * auroc:.2f}" in (tmp_path / "report/reproduction.md").read_text()


@pytest.fixture
def small_datasets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Small graphs under the names of the catalogue, one of them with its publisher's split."""
    folder = tmp_path / "data"
    folder.mkdir()
    monkeypatch.setenv("PULINK_DATA", str(folder))
    pulink.write_npz(planted_graph(75, 4, 0.2, 0.01, seed=0), folder / "cora_planetoid.npz")
    pulink.write_npz(planted_graph(30, 3, 0.3, 0.02, seed=1), folder / "seal_usair.npz")
    data = pulink.split(planted_graph(40, 3, 0.4, 0.02, seed=2), val=0.1, test=0.1)
    rows = np.concatenate([data.train.edges, data.val_edges, data.test_edges])
    pairs = {"valid_edge": data.val_edges, "valid_edge_neg": data.val_non_edges}
    pairs |= {"test_edge": data.test_edges, "test_edge_neg": data.test_non_edges}
    arrays = {name: own.T for name, own in ({"edge_index": rows} | pairs).items()}
    np.savez(folder / "ogbl_ddi.npz", num_nodes=120, n_train=data.train.n_edges, **arrays)


@pytest.mark.usefixtures("no_processes", "small_datasets")
def test_records_are_run_and_reported_beside_what_is_published(tmp_path: Path) -> None:
    results = tmp_path / "results"
    narrowed = ("--datasets", "cora,usair,ogbl-ddi", "--methods", "l3n", "--seeds", "1")
    outcome = call("reproduce", "records", *narrowed, "--results", str(results), "--json")
    assert outcome.status == 0, outcome.err
    rows = {row["experiment"]: row for row in json.loads(outcome.out)["experiments"]}
    assert [*rows] == ["records-planetoid", "records-ddi", "records-small", "records-heart"]
    assert all((row["planned"], row["done"], row["failed"]) == (1, 1, 0) for row in rows.values())
    files = {
        path.relative_to(results).as_posix(): json.loads(path.read_text()) for path in results.rglob("*.json")
    }
    assert sorted(files) == [
        "cora/l3n/records-70-10-20-seed-0.json",
        "cora/l3n/records-heart-seed-0.json",
        "ogbl-ddi/l3n/records-official-seed-0.json",
        "usair/l3n/records-90-10-seed-0.json",
    ]
    hits = files["cora/l3n/records-70-10-20-seed-0.json"]["run"]["hits_at_100"]
    assert 0 < hits < 1
    assert files["cora/l3n/records-heart-seed-0.json"]["run"]["mrr_hard"] > 1 / 501
    assert files["ogbl-ddi/l3n/records-official-seed-0.json"]["run"]["hits_at_20"] > 0
    assert call("reproduce", "records", "--report", "--results", str(results)).status == 0
    page = (results / "report/reproduction.md").read_text()
    assert f"{100 * hits:.2f}" in page
    assert "| OCN<br><sub>published</sub> | 89.82 ± 0.91 | 93.62 ± 1.30 | 83.96 ± 0.51 |" in page
    assert "Published numbers of WalkPool: " in page
    assert "written down from memory" in page
    assert "Each test edge is ranked among 500 hard non-edges of its own." in page


def numbers(folder: Path) -> Any:
    """What a report says, but for seconds and memory."""
    call("reproduce", "simple-rivals", "--report", "--seeds", "1", "--results", str(folder))
    report = json.loads((folder / "report/reproduction.json").read_text())["simple-rivals"]
    return [{k: v for k, v in row.items() if k not in {"cpu_seconds", "peak_mb"}} for row in report["rows"]]


@needs_chameleon
@pytest.mark.slow
@pytest.mark.parametrize(
    ("seconds", "how"), [(3, signal.SIGKILL), (7, signal.SIGKILL), (9, signal.SIGINT), (5, signal.SIGTERM)]
)
def test_a_report_is_the_same_after_a_kill(tmp_path: Path, seconds: float, how: signal.Signals) -> None:
    methods = ("--methods", "gcn-ce,l3n,jaccard", "--jobs", "2")
    undisturbed, disturbed = tmp_path / "undisturbed", tmp_path / "disturbed"
    assert call("reproduce", *CHAMELEON, *methods, "--results", str(undisturbed)).status == 0
    process = start("reproduce", *CHAMELEON, *methods, "--results", str(disturbed))
    time.sleep(seconds)
    process.send_signal(how)
    process.communicate()
    assert process.returncode == (-how if how == signal.SIGKILL else 128 + how)
    for file in disturbed.rglob("*.json"):
        assert "run" in json.loads(file.read_text())
    assert call("reproduce", *CHAMELEON, *methods, "--results", str(disturbed)).status == 0
    assert numbers(disturbed) == numbers(undisturbed)
