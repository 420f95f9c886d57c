"""Parquet, read twice: first on trial in a process of its own.

polars trusts what a file says of itself: a flipped bit can make it ask for exabytes, which ends the whole process,
or write its own alarm to the terminal. Only a file that the trial got through is read here. The trial's limits of
memory and time grow with the file.
"""

from __future__ import annotations

import io
import os
import subprocess
import sys
from pathlib import Path

import polars as pl

from pulink.data import parquet_trial
from pulink.data.limits import check_columns
from pulink.data.sources import label, read_bytes
from pulink.data.table import Table
from pulink.data.wording import reason
from pulink.errors import InputError

_MAGIC = b"PAR1"
_FREE_MEMORY = 400_000_000
_MEMORY_PER_BYTE = 30
_PATIENCE = 60


def read_parquet(path: str | Path) -> Table:
    """The table of a Parquet file."""
    data = read_bytes(path)
    if not (len(data) > 12 and data.startswith(_MAGIC) and data.endswith(_MAGIC)):
        raise InputError(
            f"{path}: cannot be read as Parquet (it does not begin and end as a whole Parquet file does)"
        )
    if problem := _problem(data):
        raise InputError(f"{path}: cannot be read as Parquet ({problem})")
    try:
        frame = pl.read_parquet(io.BytesIO(data), glob=False)
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read as Parquet ({reason(error)})") from error
    check_columns(frame.width, str(path))
    return Table(frame, label(path))


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
        return reason(ValueError(trial.stdout.decode(errors="replace")))
    if trial.returncode < 0:
        return f"it is damaged, or takes more than {n_bytes / 1e6:,.0f} MB or {n_seconds} s to read"
    return None
