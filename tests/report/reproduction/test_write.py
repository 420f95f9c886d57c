"""The whole report: every experiment of the paper, from an empty folder to a finished run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from pulink.errors import InputError, OutputError
from pulink.experiments.results import Results
from pulink.experiments.spec import experiments
from pulink.report.reproduction.phrases import heading
from pulink.report.reproduction.write import write_report
from tests.support.made_up_runs import Store

FILES = {"reproduction.md", "reproduction.html", "reproduction.json"}


def test_nothing_run_gives_a_report_that_says_so(tmp_path: Path) -> None:
    written = write_report(Results(tmp_path / "results"), experiments().values(), tmp_path / "out")
    assert {path.name for path in written} == {path.name for path in (tmp_path / "out").iterdir()} == FILES
    text = (tmp_path / "out/reproduction.md").read_text(encoding="utf-8")
    assert "No run of it is finished yet." in text
    assert "cora-full is not run: " in text
    assert "ogbn-arxiv is not run: " in text
    assert "not yet run: 15." in text
    for experiment in experiments().values():
        assert f"## {heading(experiment)}\n" in text


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """A little of everything."""
    results = Results(tmp_path_factory.mktemp("results"))
    accuracy = Store(results.folder, experiments()["accuracy-0.1"])
    for row, shift in (("pull", 0.0), ("gcn-ce", -1.0), ("gcn-ce@pull", 0.5)):
        accuracy.put(row, "pubmed", [96.0 + shift + 0.1 * seed * (1 + abs(shift)) for seed in range(10)])
    steps = [{"iteration": t, "k": 80 + 4 * (t - 1), "val_auroc": 0.9 + 0.001 * t} for t in range(1, 11)]
    run = {"run": {"history": steps, "n_train_edges": 80, "k": 20, "cpu_seconds": 9.0}}
    Store(results.folder, experiments()["iterations"]).write("pull", "pubmed", 0, run)
    scaling = Store(results.folder, experiments()["scaling"])
    for share in (0.1, 0.2, 0.3):
        own = {"run": {"n_train_edges": int(800 * share), "k": int(200 * share), "cpu_seconds": 10 * share}}
        scaling.write("pull", "pubmed", 0, own, share)
    return results


@pytest.fixture(scope="module")
def out(store: Results, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    write_report(store, experiments().values(), folder)
    return folder


def test_everything_is_in_all_three_files(out: Path) -> None:
    assert {path.name for path in out.iterdir()} == FILES | {"iterations.png", "scaling.png"}
    markdown, page = ((out / f"reproduction.{kind}").read_text(encoding="utf-8") for kind in ("md", "html"))
    assert "(iterations.png)\n\nMean over seeds" in markdown
    assert "no, the control is better: 1; not yet run: 14." in markdown
    assert page.count("data:image/png;base64,") == 4
    data = json.loads((out / "reproduction.json").read_text(encoding="utf-8"))
    (answer,) = [entry for entry in data["same_steps"] if entry["answer"] == "no, the control is better"][:1]
    assert answer["control"]["against"]["p"] == pytest.approx(2 / 1024)
    assert data["iterations"][0]["crossing"] == 6.0
    assert data["scaling"][0]["over_shares"]["slope"] == pytest.approx(10.0)


def test_the_same_results_give_the_same_bytes(store: Results, out: Path, tmp_path: Path) -> None:
    for again in write_report(store, experiments().values(), tmp_path):
        assert again.read_bytes() == (out / again.name).read_bytes()


def test_other_files_of_the_folder_stay(store: Results, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    (tmp_path / "out/mine.txt").write_text("mine")
    write_report(store, [experiments()["accuracy-0.1"]], tmp_path / "out")
    assert (tmp_path / "out/mine.txt").read_text() == "mine"


def test_a_damaged_result_is_named(tmp_path: Path) -> None:
    file = tmp_path / "results/pubmed/pull/missing-0.1-seed-0.json"
    file.parent.mkdir(parents=True)
    file.write_text('{"spec": ')
    with pytest.raises(InputError, match=r"missing-0\.1-seed-0\.json: is not a result of a run"):
        write_report(Results(tmp_path / "results"), experiments().values(), tmp_path / "out")
    assert not (tmp_path / "out").exists()


def test_a_folder_that_cannot_be_made_is_named(store: Results, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        write_report(store, [experiments()["accuracy-0.1"]], tmp_path / "file/out")
