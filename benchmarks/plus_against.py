"""`find` by PULL+ of this revision and of an earlier one, in processor seconds, in turn in the same run.

The whole command counts: start of Python, reading, fit, refit, list, reasons and report, in a process of its own
with one thread. Each side runs once on the sample beforehand, so that its kernels are compiled.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.measure import ROOT
from pulink.data.catalog import datasets

GRAPHS = ("sample", "chameleon", "pubmed", "facebook")


def plus_against(revision: str, names: tuple[str, ...] = GRAPHS) -> dict[str, Any]:
    """Processor and clock seconds of both sides by dataset, and how many times the earlier one took."""
    with tempfile.TemporaryDirectory() as folder:
        sides = {"earlier": _checked_out(revision, Path(folder) / "earlier"), "now": ROOT / "src"}
        for source in sides.values():
            _find("sample", source, Path(folder) / "warm")
        rows = []
        for name in [name for name in names if datasets()[name].available]:
            row: dict[str, Any] = {"dataset": name}
            for side, source in sides.items():
                row[side] = _find(name, source, Path(folder) / f"{name}-{side}")
            row["times"] = row["earlier"]["processor_seconds"] / row["now"]["processor_seconds"]
            rows.append(row)
            print(f"  {name}: {row['times']:.2f} times", flush=True)
    return {"revision": revision, "rows": rows}


def _checked_out(revision: str, folder: Path) -> Path:
    folder.mkdir()
    git = shutil.which("git")
    if git is None:
        raise SystemExit("git is needed to look at an earlier revision")
    packed = subprocess.run([git, "archive", revision, "src"], cwd=ROOT, check=True, capture_output=True).stdout
    with tarfile.open(fileobj=io.BytesIO(packed)) as archive:
        archive.extractall(folder, filter="data")
    return folder / "src"


def _find(name: str, source: Path, out: Path) -> dict[str, float]:
    """One `pulink find` by the package in this folder."""
    env = os.environ | {"PYTHONPATH": str(source), "PULINK_THREADS": "1", "OMP_NUM_THREADS": "1"}
    if "PULINK_DATA" in env:
        env["PULINK_DATA"] = str(Path(env["PULINK_DATA"]).resolve())
    command = [sys.executable, "-m", "pulink", "find", name, "--out", str(out), "--quiet"]
    started = time.perf_counter()
    with subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, cwd=source) as process:
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"find {name} by {source} failed")
    taken = time.perf_counter() - started
    return {
        "processor_seconds": usage.ru_utime + usage.ru_stime,
        "seconds": taken,
        "peak_mb": usage.ru_maxrss / 1e3,
    }
