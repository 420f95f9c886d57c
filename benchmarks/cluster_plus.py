"""`find` by PULL+ with and without workers of this machine: seconds on the wall, and what workers gain.

Each run is the command in a process of its own, with one thread per process; the files of all runs are compared.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from pulink.data.catalog import datasets

DATASET = "facebook"
WORKERS = (None, 1, 2)
_ROUNDS = 2


def cluster_plus() -> dict[str, Any]:
    """PULL+ on Facebook without a cluster, with one worker and with two: the best of two rounds of each."""
    if not datasets()[DATASET].available:
        return {"rows": []}
    with tempfile.TemporaryDirectory() as name:
        # In turn, so that a busy moment of the machine meets all of them.
        runs = [run(DATASET, n_workers, Path(name)) for _ in range(_ROUNDS) for n_workers in WORKERS]
    rows = [min((one for one in runs if one["workers"] == n), key=lambda one: one["seconds"]) for n in WORKERS]
    alone, one, two = (row["seconds"] for row in rows)
    files = [one.pop("files") for one in runs]
    return {
        "dataset": DATASET,
        "rows": rows,
        "two_against_one": one / two,
        "overhead_of_one": one / alone - 1,
        "load_before": os.getloadavg()[0],
        "same_files": all(own == files[0] for own in files),
    }


def run(dataset: str, n_workers: int | None, root: Path) -> dict[str, Any]:
    """One find: seconds on the wall, processor seconds of all its processes, and its files."""
    folder = Path(tempfile.mkdtemp(dir=root))
    cluster = [] if n_workers is None else ["--cluster", f"local:{n_workers}"]
    words = ["find", dataset, "--threads", "1", "--quiet", "--out", "out", *cluster]
    before, started = _child_seconds(), time.perf_counter()
    made = subprocess.run(
        [sys.executable, "-m", "pulink", *words], cwd=folder, capture_output=True, text=True, check=False
    )
    seconds, cpu = time.perf_counter() - started, _child_seconds() - before
    assert made.returncode == 0, made.stderr
    files = {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted((folder / "out").rglob("*"))
        if path.is_file()
    }
    return {"workers": n_workers, "seconds": seconds, "cpu_seconds": cpu, "files": files}


def _child_seconds() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
