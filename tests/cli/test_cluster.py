"""--cluster: who makes the pieces, typed, in a file or in the environment; the result is the same."""

from __future__ import annotations

import csv
import signal
import time
from pathlib import Path

import pytest

from pulink.cli.parsing.completion import cluster_addresses
from tests.support.command import call, start

BRIEF = (
    "--set", "pull-plus.n_epochs=3", "--set", "pull-plus.n_trees=5", "--set", "pull-plus.n_folds=3",
    "--set", "pull-plus.n_splits=1", "--threads", "1",
)  # fmt: skip


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_whole_folder_is_the_same(folder: Path, planted_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert call("find", str(planted_csv), *BRIEF, "--out", "out").status == 0
    alone = content(folder / "out")
    (folder / "out" / "run.json").unlink()
    monkeypatch.setenv("PULINK_CLUSTER", "local:2")
    outcome = call("find", str(planted_csv), *BRIEF, "--out", "out")
    assert outcome.status == 0, outcome.err
    assert content(folder / "out") == alone


def test_evaluate_takes_a_cluster_too(folder: Path, planted_csv: Path) -> None:
    words = ("evaluate", str(planted_csv), "--method", "l3n,pull-plus", *BRIEF, "--format", "csv", "--quiet")
    plain, helped = call(*words), call(*words, "--cluster", "local:1")
    assert helped.status == 0, helped.err
    clock = ("seconds", "cpu_seconds", "peak_mb")
    tables = [list(csv.DictReader(outcome.out.splitlines())) for outcome in (plain, helped)]
    kept = [[{name: one for name, one in row.items() if name not in clock} for row in rows] for rows in tables]
    assert kept[0] == kept[1]
    assert [row["method"] for row in kept[0]] == ["l3n", "pull-plus"]


@pytest.mark.parametrize("command", ["find", "evaluate"])
@pytest.mark.parametrize("address", ["local:0", "lokal:2", "ray://head"])
def test_a_wrong_address_is_one_line(command: str, address: str, planted_csv: Path) -> None:
    outcome = call(command, str(planted_csv), "--method", "l3n", "--cluster", address)
    assert outcome.status == 2
    assert outcome.err.strip().splitlines()[-1] == (
        f"pulink: cluster must be local:N with N from 1 to 1,024, auto or ray://HOST:PORT, got {address!r}"
    )


def test_a_wrong_address_of_the_environment_is_named(planted_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_CLUSTER", "lokal:2")
    outcome = call("find", str(planted_csv), "--method", "l3n")
    assert outcome.status == 2
    assert "'lokal:2' (given by PULINK_CLUSTER)" in outcome.err


def test_a_method_that_divides_nothing_says_so(planted_csv: Path) -> None:
    outcome = call("find", str(planted_csv), "--method", "l3n", "--cluster", "local:1000")
    assert outcome.status == 0
    assert (
        "the cluster has nothing to do: l3n works in this process; pull-plus, pull and gcn-ce divide their work"
        in outcome.err
    )


def test_addresses_are_completed() -> None:
    assert cluster_addresses("l") == ["local:2", "local:4"]
    assert cluster_addresses("ray") == ["ray://"]


def test_ctrl_c_ends_workers_and_what_was_done_is_kept(folder: Path, planted_csv: Path) -> None:
    slow = ("--set", "pull-plus.n_epochs=20000", "--set", "pull-plus.n_splits=1", "--threads", "1")
    process = start("find", str(planted_csv), *slow, "--cluster", "local:2", "--out", "out")
    children: list[int] = []
    limit = time.monotonic() + 60
    while len(children) < 2 and time.monotonic() < limit:
        time.sleep(0.1)
        found = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        children = [int(pid) for pid in found]
    time.sleep(1)
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    assert not any(Path(f"/proc/{pid}").exists() for pid in children)
    assert "Traceback" not in err
    assert "--cluster local:2" in err or "interrupted" in err
