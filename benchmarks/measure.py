"""Medians of repeated calls, and work in a process of its own with its peak memory."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent


def seconds_each(call: Callable[[], object], repeats: int) -> list[float]:
    """How long each of `repeats` calls took, after one that is not counted."""
    call()
    taken = []
    for _ in range(repeats):
        started = time.perf_counter()
        call()
        taken.append(time.perf_counter() - started)
    return taken


def median_seconds(call: Callable[[], object], repeats: int = 7) -> float:
    return statistics.median(seconds_each(call, repeats))


def in_own_process(module: str, threads: int, **arguments: Any) -> dict[str, Any]:
    """Run `python -m module '{json}'`; it prints one JSON object, to which its peak memory is added."""
    env = os.environ | {
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "PULINK_THREADS": str(threads),
    }
    finished = subprocess.run(
        [sys.executable, "-m", module, json.dumps(arguments | {"threads": threads})],
        cwd=ROOT,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    if finished.returncode != 0:
        return {"failed": finished.stderr.strip().splitlines()[-1] if finished.stderr.strip() else "killed"}
    result: dict[str, Any] = json.loads(finished.stdout.strip().splitlines()[-1])
    return result


def own_arguments() -> dict[str, Any]:
    """The arguments of a process that `in_own_process` started."""
    arguments: dict[str, Any] = json.loads(sys.argv[1])
    return arguments


def finish(**figures: Any) -> None:
    """Print the figures of this process with its peak memory."""
    from pulink.system.memory import peak_bytes

    print(json.dumps(figures | {"peak_mb": round(peak_bytes() / 1e6, 1)}))
