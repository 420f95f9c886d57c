"""Parquet of unknown origin, read twice: first on trial in a process of its own.

polars trusts what a file says of itself: a flipped bit can make it ask for exabytes, which ends the whole process,
or write its own alarm to the terminal. Only bytes that the trial got through are read here. The trial's limits of
memory and time grow with them.
"""

from __future__ import annotations

import hashlib
import io
import os
import subprocess
import sys

import polars as pl

from pulink.system import parquet_trial

_MAGIC = b"PAR1"
_FREE_MEMORY = 400_000_000
_MEMORY_PER_BYTE = 30
_PATIENCE = 60

# Digests of bytes that got through: the same model may be loaded many times.
_passed: set[bytes] = set()


def parquet_frame(data: bytes) -> pl.DataFrame:
    """The table that bytes hold; ValueError says why they hold none, or none that may be read."""
    if not (len(data) > 12 and data.startswith(_MAGIC) and data.endswith(_MAGIC)):
        raise ValueError("it does not begin and end as a whole Parquet file does")
    digest = hashlib.sha256(data).digest()
    if digest not in _passed and (problem := _problem(data)):
        raise ValueError(problem)
    _passed.add(digest)
    try:
        return pl.read_parquet(io.BytesIO(data), glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
        raise ValueError(str(error)) from error


def _problem(data: bytes) -> str | None:
    """Why a trial failed; None if it went well, or where there is no way to make one."""
    n_bytes, n_seconds = _FREE_MEMORY + _MEMORY_PER_BYTE * len(data), 5 + len(data) // 10_000_000
    command = [sys.executable, "-P", parquet_trial.__file__, str(n_bytes), str(n_seconds)]
    paths = os.pathsep.join(path for path in sys.path if path)
    settings = os.environ | {"PYTHONPATH": paths, "POLARS_MAX_THREADS": "1", "RUST_BACKTRACE": "0"}
    try:
        trial = subprocess.run(  # noqa: S603
            command, input=data, env=settings, capture_output=True, timeout=_PATIENCE + n_seconds, check=False
        )
    except subprocess.TimeoutExpired:
        return "it is damaged: reading it came to no end"
    except OSError:
        return None
    if trial.returncode == 1:
        return trial.stdout.decode(errors="replace").strip() or "it is damaged"
    if trial.returncode < 0:
        return f"it is damaged, or takes more than {n_bytes / 1e6:,.0f} MB or {n_seconds} s to read"
    return None
