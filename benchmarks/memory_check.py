"""`pulink estimate` against `pulink find`, each a process of its own, on sizes from which no price was taken."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import polars as pl

from benchmarks.measure import ROOT
from benchmarks.memory import SHARES, hasty, scaled
from benchmarks.memory_run import make_graph
from pulink.methods import METHODS

_STARTER = """
import os, sys
words = sys.argv[1:]
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, used = os.wait4(os.posix_spawn(words[0], words, os.environ, file_actions=quiet), 0)
print(os.waitstatus_to_exitcode(status), used.ru_maxrss, round(used.ru_utime + used.ru_stime, 1))
"""
COMMAND = str(Path(sys.executable).with_name("pulink"))
# (nodes, edges, features, stored features of a node; 0: all of them)
CHECKED = ((1_500, 8_000, 30, 0), (40_000, 150_000, 0, 0))


def memory_check() -> dict[str, Any]:
    """Estimated and measured peaks of `find` by every method, on two sizes from which no price was taken."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for name in METHODS:
            for size in CHECKED:
                files = written(Path(folder), scaled(size, SHARES.get(name, 1.0)))
                rows.append({"method": name, "size": size} | compared(name, files))
    return {"rows": rows}


def written(folder: Path, size: dict[str, int]) -> list[str]:
    """Arguments that name a graph of this size, once it was written."""
    stem = "-".join(str(value) for value in size.values())
    edges, nodes = folder / f"{stem}.csv", folder / f"{stem}-nodes.csv"
    if not edges.exists():
        graph = make_graph(**size)
        pl.DataFrame(graph.edges, schema=["source", "target"]).write_csv(edges)
        if graph.features is not None:
            ids = pl.Series("id", range(graph.n_nodes))
            pl.DataFrame(graph.features).insert_column(0, ids).write_csv(nodes)
    return [str(edges), *(["--nodes", str(nodes)] if nodes.exists() else [])]


def compared(name: str, files: list[str]) -> dict[str, Any]:
    """Bytes and processor seconds as they were estimated and as they were."""
    given = [word for key, value in hasty(METHODS[name]).items() for word in ("--set", f"{name}.{key}={value}")]
    arguments = [*files, "--method", name, *given, "--quiet"]
    told = subprocess.check_output([COMMAND, "estimate", *arguments, "--json"], cwd=ROOT, env=_environment())
    (estimated,) = json.loads(told)["methods"]
    status, peak, seconds = used_by([COMMAND, "find", *arguments])
    return {
        "status": status,
        "estimated": estimated["memory_bytes"],
        "peak": peak,
        "ratio": round(estimated["memory_bytes"] / peak, 3),
        "estimated_seconds": estimated["cpu_seconds"],
        "seconds": seconds,
    }


def used_by(words: list[str]) -> tuple[int, int, float]:
    """Exit status, largest resident bytes and processor seconds of a command.

    A process inherits the peak of the one that starts it, so a small one stands between.
    """
    told = subprocess.check_output([sys.executable, "-S", "-c", _STARTER, *words], cwd=ROOT, env=_environment())
    status, peak, seconds = told.split()[-3:]
    return int(status), 1024 * int(peak), float(seconds)


def _environment() -> dict[str, str]:
    return os.environ | dict.fromkeys(("OMP_NUM_THREADS", "MKL_NUM_THREADS", "PULINK_THREADS"), "1")
