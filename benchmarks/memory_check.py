"""`pulink estimate` against `pulink find`, each a process of its own, on a graph of which no price knows."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.measure import ROOT
from benchmarks.memory import SHARES, hasty, scaled
from benchmarks.memory_run import make_graph
from pulink.methods.registry import METHODS

_STARTER = """
import os, sys
words = sys.argv[1:]
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, used = os.wait4(os.posix_spawn(words[0], words, os.environ, file_actions=quiet), 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss, round(used.ru_utime + used.ru_stime, 1))
"""
COMMAND = str(Path(sys.executable).with_name("pulink"))
# (nodes, edges, features, stored features of a node; 0: all of them)
CHECKED = (30_000, 120_000, 50, 0)


def memory_check() -> dict[str, Any]:
    """Estimated and measured peaks of `find` by every method, on a graph of which no price knows."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for share in sorted({SHARES.get(name, 1.0) for name in METHODS}, reverse=True):
            names = [name for name in METHODS if SHARES.get(name, 1.0) == share]
            size = scaled(CHECKED, share)
            rows += [{"size": size} | row for row in compared(names, written(Path(folder), size))]
    return {"rows": rows}


def written(folder: Path, size: dict[str, int]) -> list[str]:
    """Arguments that name a graph of this size, once it is written."""
    graph = make_graph(**size)
    edges, nodes = folder / f"{graph.n_nodes}.csv", folder / f"{graph.n_nodes}-nodes.csv"
    pl.DataFrame(graph.edges, schema=["source", "target"]).write_csv(edges)
    ids = pl.Series("id", range(graph.n_nodes))
    pl.DataFrame(graph.features).insert_column(0, ids).write_csv(nodes)
    return [str(edges), "--nodes", str(nodes), "--quiet"]


def compared(names: list[str], files: list[str]) -> Iterator[dict[str, Any]]:
    """Bytes and processor seconds as they were estimated and as they were."""
    given = {name: _set(name) for name in names}
    every = [word for words in given.values() for word in words]
    asked = [COMMAND, "estimate", *files, "--method", ",".join(names), *every, "--json"]
    answer = json.loads(subprocess.check_output(asked, cwd=ROOT, env=_environment()))
    for estimated in answer["methods"]:
        name = estimated["method"]
        status, peak, seconds = used_by([COMMAND, "find", *files, "--method", name, *given[name]])
        yield {
            "method": name,
            "status": status,
            "estimated": estimated["memory_bytes"],
            "peak": peak,
            "ratio": round(estimated["memory_bytes"] / peak, 3),
            "estimated_seconds": estimated["cpu_seconds"],
            "seconds": seconds,
        }


def _set(name: str) -> list[str]:
    """Few epochs, as arguments."""
    return [word for key, value in hasty(METHODS[name]).items() for word in ("--set", f"{name}.{key}={value}")]


def used_by(words: list[str]) -> tuple[int, int, float]:
    """Exit status, largest resident bytes and processor seconds of a command.

    A process inherits the peak of the one that starts it, so a small one stands between.
    """
    printed = subprocess.check_output([sys.executable, "-S", "-c", _STARTER, *words], cwd=ROOT, env=_environment())
    status, peak, seconds = printed.split()[-3:]
    return int(status), 1024 * int(peak), float(seconds)


def _environment() -> dict[str, str]:
    return os.environ | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "PULINK_THREADS"), "1")
