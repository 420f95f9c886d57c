"""Whoever makes the pieces, and however often it is stopped: the files are the same, and nothing is done twice."""

from __future__ import annotations

import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

from pulink.data.read_options import ReadOptions
from pulink.distributed.cluster import working_on
from pulink.distributed.task import Task
from pulink.persistence.checkpoints import Checkpoint
from pulink.workflows.sharded import blocks, node_columns, plan, prepare, ranges
from tests.support.parts import SMALL, content_of, csv_parts, parquet_parts
from tests.workflows.sharded.test_same_graph import NAMES, drawn, weighted

UNDIRECTED = ReadOptions(kind="undirected")
STEPS = {
    blocks: ("SURVEY", "READ", "CUT", "HALVES"),
    ranges: ("NUMBER", "ROWS"),
    node_columns: ("SPREAD", "FEATURES"),
}


@pytest.fixture
def sources(tmp_path: Path) -> tuple[Path, Path]:
    """Names of two sorts, so that all steps have something to do."""
    edges = weighted(drawn(NAMES["one text among numbers"]))
    nodes = edges.select(id="source", size="weight", other=-edges["weight"]).unique("id")
    return csv_parts(edges, tmp_path / "edges", packed=True), parquet_parts(nodes, tmp_path / "nodes")


def made(sources: tuple[Path, Path], folder: Path) -> dict[str, bytes]:
    prepare.prepare(*sources, UNDIRECTED, folder, sizes=SMALL)
    return content_of(folder)


@pytest.mark.parametrize("n_workers", [2, *(pytest.param(n, marks=pytest.mark.slow) for n in (1, 3))])
def test_workers_make_the_same_files(tmp_path: Path, sources: tuple[Path, Path], n_workers: int) -> None:
    expected = made(sources, tmp_path / "here")
    assert {name.split("-")[0] for name in expected} == {"graph.json", "rows", "names", "features"}
    with working_on(f"local:{n_workers}"):
        assert made(sources, tmp_path / "elsewhere") == expected


class _Stop(BaseException):
    """Nothing in between may catch it."""


def test_a_run_that_is_stopped_anywhere_goes_on_and_does_nothing_twice(
    tmp_path: Path, sources: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = made(sources, tmp_path / "whole")
    done: Counter[tuple[str, int]] = Counter()

    def counted(name: str, task: Task[plan.Plan]) -> Task[plan.Plan]:
        def function(own: plan.Plan, piece: Checkpoint) -> Checkpoint:
            told = task.function(own, piece)
            done[name, piece.plain["k"]] += 1
            if sum(done.values()) % 11 == 0:
                raise _Stop
            return told

        return Task(task.home, task.name, function, task.unpack)

    for module, names in STEPS.items():
        for name in names:
            monkeypatch.setattr(prepare, name, counted(name, getattr(module, name)))
    n_stops = 0
    while True:
        try:
            found = made(sources, tmp_path / "stopped")
        except _Stop:
            n_stops += 1
        else:
            break
    assert found == expected
    assert n_stops > 4
    assert {name for name, _ in done} == {name for names in STEPS.values() for name in names}
    assert set(done.values()) == {1}


@pytest.mark.slow
def test_a_process_that_is_killed_leaves_what_another_goes_on_with(
    tmp_path: Path, sources: tuple[Path, Path]
) -> None:
    """By SIGKILL, at five moments of the run."""
    expected = made(sources, tmp_path / "whole")
    program = (
        "import sys; from pathlib import Path; from tests.workflows.sharded.test_workers import *;"
        "prepare.prepare(Path(sys.argv[1]), Path(sys.argv[2]), UNDIRECTED, Path(sys.argv[3]), sizes=SMALL)"
    )
    folder = tmp_path / "killed"
    command = [sys.executable, "-c", program, *map(str, sources), str(folder)]
    for n_files in range(5, 80, 15):
        process = subprocess.Popen(command)
        while process.poll() is None and sum(1 for _ in folder.rglob("*.done")) < n_files:
            time.sleep(0.01)
        process.kill()
        process.wait()
    assert made(sources, folder) == expected
