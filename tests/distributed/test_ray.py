"""A Ray cluster of two nodes in a network namespace of its own, which this file makes and removes.

Ray listens on all addresses and asks the outside for some: it never runs outside of a namespace here.
"""

from __future__ import annotations

import ast
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

import pulink
from tests.support.command import COMMAND

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
NAME = f"pulink-{os.getpid()}"
HEAD, OTHER, PORT = "127.0.0.2", "127.0.0.3", 26379
BRIEF = (
    "--set", "pull-plus.n_epochs=3", "--set", "pull-plus.n_trees=5", "--set", "pull-plus.n_folds=3",
    "--set", "pull-plus.n_splits=1", "--threads", "1", "--quiet",
)  # fmt: skip
QUIET = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_DISABLE_IMPORT_WARNING": "1", "OMP_NUM_THREADS": "1"}


def test_nothing_but_one_file_knows_ray() -> None:
    source = Path(pulink.__file__).parent
    knows = set()
    for path in source.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) and not node.level else []
            if any(name.split(".")[0] == "ray" for name in names):
                knows.add(path.relative_to(source).as_posix())
    assert knows == {"distributed/ray_executor.py"}


def missing_tool() -> str | None:
    """What a cluster in a namespace needs and is not here."""
    if find_spec("ray") is None:
        return "Ray is not installed"
    if shutil.which("ip") is None or os.geteuid() != 0:
        return "ip netns needs iproute2 and root"
    tried = subprocess.run(["ip", "netns", "add", f"{NAME}-try"], capture_output=True, check=False)
    subprocess.run(["ip", "netns", "del", f"{NAME}-try"], capture_output=True, check=False)
    return None if tried.returncode == 0 else "ip netns cannot make a namespace"


def inside(*words: str, **options: object) -> subprocess.CompletedProcess[str]:
    """Run a program within the namespace."""
    environment = os.environ | QUIET | {"PYTHONPATH": str(ROOT)} | dict(options.pop("env", {}))  # type: ignore[call-overload]
    return subprocess.run(
        ["ip", "netns", "exec", NAME, *words],
        env=environment, capture_output=True, text=True, timeout=300, check=False, **options,
    )  # type: ignore[call-overload, no-any-return]  # fmt: skip


def start_node(folder: Path, *words: str) -> subprocess.Popen[bytes]:
    """`ray start --block` in the namespace, in a group of processes that can be ended by its number."""
    shared = ("--block", "--num-cpus=1", "--object-store-memory=100000000", "--disable-usage-stats")
    return subprocess.Popen(
        ["ip", "netns", "exec", NAME, str(BIN / "ray"), "start", *shared, f"--temp-dir={folder}", *words],
        env=os.environ | QUIET | {"PYTHONPATH": str(ROOT)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    )


@pytest.fixture(scope="module")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    if (missing := missing_tool()) is not None:
        pytest.skip(missing)
    # Ray's sockets have names of at most 107 letters.
    folder = Path(f"/tmp/{NAME}")  # noqa: S108
    folder.mkdir(mode=0o700)
    subprocess.run(["ip", "netns", "add", NAME], check=True)
    nodes: list[subprocess.Popen[bytes]] = []
    try:
        subprocess.run(["ip", "-n", NAME, "link", "set", "lo", "up"], check=True)
        head = ("--head", f"--node-ip-address={HEAD}", f"--port={PORT}", "--include-dashboard=false")
        nodes.append(start_node(folder, *head))
        time.sleep(15)
        nodes.append(start_node(folder, f"--address={HEAD}:{PORT}", f"--node-ip-address={OTHER}"))
        time.sleep(10)
        yield f"{HEAD}:{PORT}"
    finally:
        for node in nodes:
            os.killpg(node.pid, signal.SIGTERM)
            node.wait(timeout=60)
        found = subprocess.run(["ip", "netns", "pids", NAME], capture_output=True, text=True, check=False)
        for pid in found.stdout.split():
            os.kill(int(pid), signal.SIGKILL)
        subprocess.run(["ip", "netns", "del", NAME], check=False)
        shutil.rmtree(folder, ignore_errors=True)


def content(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.slow
def test_two_nodes_give_the_same_folder(address: str, planted_csv: Path, tmp_path: Path) -> None:
    alone = inside(COMMAND, "find", str(planted_csv), *BRIEF, "--out", "out", cwd=tmp_path)
    assert alone.returncode == 0, alone.stderr
    before = content(tmp_path / "out")
    shutil.rmtree(tmp_path / "out")
    words = ("find", str(planted_csv), *BRIEF, "--out", "out", "--cluster", "auto")
    helped = inside(COMMAND, *words, cwd=tmp_path, env={"RAY_ADDRESS": address})
    assert helped.returncode == 0, helped.stderr
    assert content(tmp_path / "out") == before


@pytest.mark.slow
def test_a_cluster_of_other_machines_needs_a_token(address: str, planted_csv: Path, tmp_path: Path) -> None:
    assert address
    found = inside(COMMAND, "find", str(planted_csv), *BRIEF, "--cluster", "ray://10.0.0.1:10001", cwd=tmp_path)
    assert found.returncode == 3
    assert "RAY_AUTH_MODE=token" in found.stderr
    assert len(found.stderr.strip().splitlines()) == 1


@pytest.mark.slow
def test_a_cluster_that_is_not_there_is_one_line(address: str, planted_csv: Path, tmp_path: Path) -> None:
    assert address
    words = ("find", str(planted_csv), *BRIEF, "--cluster", "auto")
    found = inside(COMMAND, *words, cwd=tmp_path, env={"RAY_ADDRESS": "127.0.0.9:1"})
    assert found.returncode == 3
    assert "cannot use the cluster auto" in found.stderr.strip().splitlines()[-1]
