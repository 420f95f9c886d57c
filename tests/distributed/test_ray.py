"""A Ray cluster whose nodes have addresses of their own, and whatever may happen to it: the folder is the same."""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import pulink
from tests.support.command import call
from tests.support.ray_nodes import RayNodes, missing_tool

PULINK = [sys.executable, "-m", "pulink"]
BRIEF = (
    "--set", "pull-plus.n_epochs=3", "--set", "pull-plus.n_trees=5", "--set", "pull-plus.n_folds=3",
    "--set", "pull-plus.n_splits=1", "--threads", "1",
)  # fmt: skip
# Seconds of work in pieces, so that there is something to disturb.
LONGER = (
    "--set", "pull-plus.n_epochs=1500", "--set", "pull-plus.n_trees=5", "--set", "pull-plus.n_folds=4",
    "--set", "pull-plus.n_splits=2", "--threads", "1",
)  # fmt: skip
LIMIT = 120.0


def test_nothing_but_one_file_knows_ray() -> None:
    source = Path(pulink.__file__).parent
    knows = set()
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if any(name.split(".")[0] == "ray" for name in names):
                knows.add(path.relative_to(source).as_posix())
    assert knows == {"distributed/on_ray/driver.py"}


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def pieces(folder: Path) -> dict[str, int]:
    """Those that were kept, and when they were written."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob(".unfinished/*/*.piece")}


def until(holds: Callable[[], object], process: subprocess.Popen[str] | None = None) -> None:
    """Wait until something holds, while a process is running."""
    limit = time.monotonic() + LIMIT
    while not holds():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < limit
        time.sleep(0.05)


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Status, and what it said."""
    _, err = process.communicate(timeout=LIMIT)
    return process.returncode, err


def need_tools() -> None:
    if (missing := missing_tool()) is not None:
        pytest.skip(missing)


@pytest.fixture
def folder(tmp_path: Path, planted_csv: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copy(planted_csv, tmp_path / "edges.csv")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_two_nodes_give_the_same_folder(folder: Path) -> None:
    need_tools()
    assert call("find", "edges.csv", *BRIEF, "--out", "out").status == 0
    alone = content(folder / "out")
    shutil.rmtree(folder / "out")
    with RayNodes([1, 1]) as nodes:
        helped = nodes.run([*PULINK, "find", "edges.csv", *BRIEF, "--out", "out", "--cluster", "auto"])
    assert helped.returncode == 0, helped.stderr
    assert content(folder / "out") == alone


@pytest.fixture(scope="module")
def undisturbed(planted_csv: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    need_tools()
    place = tmp_path_factory.mktemp("undisturbed")
    shutil.copy(planted_csv, place / "edges.csv")
    made = subprocess.run([*PULINK, "find", "edges.csv", *LONGER, "--out", "out"], cwd=place, capture_output=True)
    assert made.returncode == 0, made.stderr
    return content(place / "out")


def start(nodes: RayNodes, *words: str, **options: object) -> subprocess.Popen[str]:
    """On the cluster, with seconds of work."""
    command = [*PULINK, "find", "edges.csv", *LONGER, "--out", "out", "--cluster", "auto", *words]
    return nodes.start(command, **options)  # type: ignore[arg-type]


@pytest.mark.slow
def test_workers_and_a_node_are_killed_and_a_node_joins(folder: Path, undisturbed: dict[str, bytes]) -> None:
    with RayNodes([0, 1, 1]) as nodes:
        process = start(nodes)
        until(lambda: any(node.workers() for node in nodes.nodes), process)
        for pid in nodes.nodes[1].workers() + nodes.nodes[2].workers():
            os.kill(pid, signal.SIGKILL)
        until(lambda: pieces(folder / "out"), process)
        nodes.kill(nodes.nodes[1])
        nodes.add(1)
        status, err = ended(process)
        assert status == 0, err
        assert content(folder / "out") == undisturbed
        assert "node 10.77.0.2 is lost: its pieces are made again by" in err
        assert "the cluster auto has a node more, 10.77.0.4" in err


@pytest.mark.slow
def test_a_cluster_that_is_too_small_is_waited_for(folder: Path, undisturbed: dict[str, bytes]) -> None:
    with RayNodes([0, 1]) as nodes:
        process = start(nodes)
        until(lambda: pieces(folder / "out"), process)
        nodes.kill(nodes.nodes[1])
        # Long enough for a word about it.
        time.sleep(5.0)
        kept = pieces(folder / "out")
        nodes.add(1)
        until(lambda: len(pieces(folder / "out")) > len(kept), process)
        assert kept.items() <= pieces(folder / "out").items()
        status, err = ended(process)
        assert status == 0, err
        assert content(folder / "out") == undisturbed
        assert err.count("waiting for a node of the cluster auto with 1 processor") == 1
        assert err.count("has what was waited for: going on") == 1


@pytest.mark.slow
def test_without_any_node_it_stops_after_a_while_and_names_what_is_kept(folder: Path) -> None:
    need_tools()
    with RayNodes([0, 1]) as nodes:
        process = start(nodes, "--quiet", env={"PULINK_CLUSTER_WAIT": "4"})
        until(lambda: pieces(folder / "out"), process)
        nodes.kill(nodes.nodes[1])
        status, err = ended(process)
        assert status == 3
        assert len(err.strip().splitlines()) == 1
        assert "no node of the cluster auto with 1 processor" in err
        assert "finished work is kept in out/.unfinished. Resume with: pulink find" in err


@pytest.mark.slow
def test_ctrl_c_ends_waiting_at_once(folder: Path) -> None:
    need_tools()
    with RayNodes([0]) as nodes:
        process = start(nodes, stderr=subprocess.DEVNULL)
        until(lambda: (folder / "out").exists(), process)
        # In its namespace it is a child of `ip`, which became it.
        time.sleep(8.0)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=10) == 130
        assert time.monotonic() - begun < 3.0
        until(lambda: not any("on_ray" in name for name in titles(nodes)))


def titles(nodes: RayNodes) -> Iterator[str]:
    for pid in nodes.nodes[0].pids():
        try:
            yield Path(f"/proc/{pid}/cmdline").read_text()
        except OSError:
            continue


@pytest.mark.slow
def test_what_was_done_before_the_driver_was_killed_is_not_done_again(
    folder: Path, undisturbed: dict[str, bytes]
) -> None:
    with RayNodes([0, 1, 1]) as nodes:
        place = folder / "tmp"
        place.mkdir()
        first = start(nodes, env={"TMPDIR": str(place)})
        until(lambda: len(pieces(folder / "out")) >= 2, first)
        first.kill()
        first.communicate()
        kept = pieces(folder / "out")
        until(lambda: not any("on_ray" in name for name in titles(nodes)))
        assert not list(place.glob("pulink-*"))
        second = start(nodes)
        until(lambda: len(pieces(folder / "out")) > len(kept), second)
        assert kept.items() <= pieces(folder / "out").items()
        status, err = ended(second)
        assert status == 0, err
        assert "resuming a run that was stopped" in err
        assert content(folder / "out") == undisturbed


@pytest.mark.slow
def test_a_head_that_dies_is_one_line_and_the_work_is_kept(folder: Path, undisturbed: dict[str, bytes]) -> None:
    with RayNodes([0, 1]) as nodes:
        process = start(nodes, "--quiet")
        until(lambda: pieces(folder / "out"), process)
        nodes.kill_head()
        status, err = ended(process)
        assert status == 3, err
        assert len(err.strip().splitlines()) == 1, err
        assert "the cluster auto is lost" in err
        assert "finished work is kept in out/.unfinished" in err
        kept = pieces(folder / "out")
        assert kept
    words = [*PULINK, "find", "edges.csv", *LONGER, "--out", "out"]
    alone = subprocess.run(words, cwd=folder, capture_output=True, text=True)
    assert alone.returncode == 0, alone.stderr
    assert "resuming a run that was stopped" in alone.stderr
    assert content(folder / "out") == undisturbed


@pytest.mark.slow
def test_whoever_has_no_token_is_refused_in_one_line(folder: Path) -> None:
    need_tools()
    words = [*PULINK, "find", "edges.csv", *BRIEF, "--cluster"]
    with RayNodes([1]) as nodes:
        open_here = {"RAY_AUTH_MODE": "disabled"}
        for address in ("auto", nodes.client_address):
            found = nodes.run([*words, address], env=open_here)
            assert found.returncode == 3
            assert len(found.stderr.strip().splitlines()) == 1
        assert "start it with RAY_AUTH_MODE=token" in found.stderr
        (nodes.folder / "wrong").write_text("0" * 64)
        wrong = nodes.run([*words, "auto"], env={"RAY_AUTH_TOKEN_PATH": str(nodes.folder / "wrong")})
        assert wrong.returncode == 3
        assert len(wrong.stderr.strip().splitlines()) == 1
        nobody = nodes.run([*words, "auto"], env={"RAY_ADDRESS": "127.0.0.9:1"})
        assert nobody.returncode == 3
        assert "cannot use the cluster auto: " in nobody.stderr.strip().splitlines()[-1]


@pytest.mark.slow
def test_a_cluster_without_a_token_is_refused(folder: Path) -> None:
    need_tools()
    with RayNodes([1], token=False) as nodes:
        found = nodes.run([*PULINK, "find", "edges.csv", *BRIEF, "--cluster", "auto"])
    assert found.returncode == 3
    assert "10.77.0.1 is not of this machine alone" in found.stderr.strip().splitlines()[-1]


@pytest.mark.slow
def test_what_pieces_share_lies_in_the_store_and_is_not_copied() -> None:
    need_tools()
    with RayNodes([0, 1, 1]) as nodes:
        found = nodes.run([sys.executable, "-m", "tests.support.ray_copies"])
    assert found.returncode == 0, found.stderr
    assert found.stdout.split() == ["in-store", "in-store", "in-store", "in-store"]
