"""`pulink find FOLDER --cluster local:N`: files, refusals, a run that is stopped, less memory than edges."""

from __future__ import annotations

import json
import signal
import subprocess
import time
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from pulink.engine.random import permutation, stream_key, uniforms
from tests.support.command import COMMAND
from tests.support.planted import planted_graph

BRIEF = (
    "--method", "pull", "--set", "pull.n_epochs=40", "--set", "pull.max_iterations=3", "--set", "pull.n_hubs=20",
    "--top", "20", "--threads", "1",
)  # fmt: skip
GRAPH = planted_graph(25, 4, 0.5, 0.03, seed=0)


def write_parts(folder: Path) -> None:
    folder.mkdir()
    edges = pl.DataFrame(
        {"from": [f"n{i}" for i in GRAPH.edges[:, 0]], "to": [f"n{i}" for i in GRAPH.edges[:, 1]]}
    )
    for k in range(3):
        edges.gather_every(3, k).write_csv(folder / f"part-{k}.csv")


def run(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([COMMAND, *words], cwd=folder, capture_output=True, text=True, timeout=300, check=False)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(scope="module")
def found(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with parts and the results of two workers."""
    folder = tmp_path_factory.mktemp("parts")
    write_parts(folder / "edges")
    finished = run(folder, "find", "edges", *BRIEF, "--cluster", "local:2", "--out", "out")
    assert finished.returncode == 0, finished.stderr
    assert "held by 2 processes" in finished.stderr
    return folder


def test_the_planted_links_are_listed_and_nothing_is_left_behind(found: Path) -> None:
    links = pl.read_csv(found / "out" / "missing_links.csv")
    assert links.height == 20
    edges = {frozenset(pair) for pair in GRAPH.edges.tolist()}
    pairs = [(int(a[1:]), int(b[1:])) for a, b in links.select("source", "target").rows()]
    assert not {frozenset(pair) for pair in pairs} & edges
    assert np.mean([a // 25 == b // 25 for a, b in pairs]) > 0.8
    assert sorted(path.name for path in (found / "out").iterdir()) == [
        "missing_links.csv", "model", "report.html", "run.json",
    ]  # fmt: skip
    record = json.loads((found / "out" / "run.json").read_text())
    assert record["model"]["engine"] == "group"
    assert record["graph"]["n_edges"] == GRAPH.n_edges
    assert "--cluster local:1" in (found / "out" / "report.html").read_text()


def test_suggest_and_explain_open_the_folder(found: Path) -> None:
    best = pl.read_csv(found / "out" / "missing_links.csv").row(0, named=True)
    listed = run(found, "suggest", "out", best["source"], "--json")
    first = json.loads(listed.stdout)["links"][0]
    assert first["probability"] == pytest.approx(best["probability"])
    told = json.loads(run(found, "explain", "out", best["source"], best["target"], "--json").stdout)
    assert told["probability"] == pytest.approx(best["probability"])
    assert told["known"] is None


@pytest.mark.slow
@pytest.mark.parametrize("n_workers", [1, 4])
def test_other_numbers_of_workers_write_the_same_bytes(n_workers: int, found: Path, tmp_path: Path) -> None:
    write_parts(tmp_path / "edges")
    finished = run(tmp_path, "find", "edges", *BRIEF, "--cluster", f"local:{n_workers}", "--out", "out")
    assert finished.returncode == 0, finished.stderr
    assert content(tmp_path / "out") == content(found / "out")


@pytest.mark.slow
def test_a_run_that_was_stopped_goes_on_with_another_number_of_workers(tmp_path: Path) -> None:
    write_parts(tmp_path / "edges")
    long = (*BRIEF, "--set", "pull.n_epochs=1500", "--set", "pull.stop=false", "--out", "out")
    process = subprocess.Popen(
        [COMMAND, "find", "edges", *long, "--cluster", "local:2"],
        cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    while not list((tmp_path / "out").glob(".unfinished/*/find/events.jsonl")):
        time.sleep(0.1)
        assert process.poll() is None
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=120)
    assert process.returncode == 130
    assert "Resume with: pulink find edges" in said
    again = run(tmp_path, "find", "edges", *long, "--cluster", "local:1")
    assert again.returncode == 0, again.stderr
    assert not (tmp_path / "out" / ".unfinished").exists()


@pytest.mark.parametrize(
    ("more", "status", "words"),
    [
        ((), 2, "needs a folder for its results"),
        (("--out", "refused", "--directed"), 2, "undirected"),
        (("--out", "refused", "--known-absent", "edges/part-0.csv"), 2, "known_absent is not served"),
    ],
)
def test_what_is_not_served_is_one_line(more: tuple[str, ...], status: int, words: str, found: Path) -> None:
    refused = run(found, "find", "edges", *BRIEF, "--cluster", "local:1", "--quiet", *more)
    assert refused.returncode == status
    assert words in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


def test_text_parts_without_a_cluster_are_one_line(found: Path) -> None:
    refused = run(found, "find", "edges", "--quiet")
    assert refused.returncode == 3
    assert "which a cluster reads" in refused.stderr
    assert len(refused.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_edges_beyond_the_memory_of_each_process_are_trained_on_by_four(tmp_path: Path) -> None:
    """`ulimit -d` counts what a process asks for besides files and shared memory."""
    limit, n_nodes, n_parts, n_rows = 1_150_000_000, 300_000, 8, 7_500_000
    folder = tmp_path / "edges"
    folder.mkdir()
    numbers = permutation(stream_key(0, "numbers"), n_nodes) + 10**9
    for k in range(n_parts):
        # As `power_law_graph` draws ends.
        draws = [uniforms(stream_key(0, side, k), n_rows) for side in ("a", "b")]
        ends = [numbers[(n_nodes * draw**2).astype(np.int64)] for draw in draws]
        pl.DataFrame({"source": ends[0], "target": ends[1]}).write_csv(folder / f"{k}.csv")
    assert sum(path.stat().st_size for path in folder.iterdir()) > limit
    short = ("n_epochs=2", "max_iterations=2", "val_ratio=0.001")
    words = ["--method", "pull", "--undirected", "--threads", "1", "--top", "50", "--cluster", "local:4"]
    words += [word for setting in short for word in ("--set", f"pull.{setting}")]
    finished = subprocess.run(
        ["bash", "-c", f'ulimit -d {limit // 1000}; exec "$@"', "limited",
         COMMAND, "find", "edges", *words, "--out", "out"],
        cwd=tmp_path, capture_output=True, text=True, timeout=3_000, check=False,
    )  # fmt: skip
    assert finished.returncode == 0, finished.stderr
    assert pl.read_csv(tmp_path / "out" / "missing_links.csv").height == 50
