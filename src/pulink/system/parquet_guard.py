"""Parquet and Arrow of unknown origin, read twice: first on trial in a process of its own.

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
from collections.abc import Callable, Sequence
from pathlib import Path

import polars as pl

from pulink.system import parquet_trial

ARROW = b"ARROW1"
_MAGIC = b"PAR1"
# How every message of a stream begins; schemas of old streams do without.
_STREAM = b"\xff\xff\xff\xff"
_FREE_MEMORY = 400_000_000
_MEMORY_PER_BYTE = 30
# Of rows that are in memory at a time.
_MEMORY_PER_ROW = 400
_PATIENCE = 60

# Digests of bytes that got through: the same model may be loaded many times.
_passed: set[bytes] = set()


class BrokenPart(ValueError):  # noqa: N818 (says what it is)
    """Why one of several files cannot be read; `number` says which."""

    def __init__(self, problem: str, number: int) -> None:
        super().__init__(problem)
        self.number = number


def parquet_frame(data: bytes) -> pl.DataFrame:
    """The table that bytes hold; ValueError says why they hold none, or none that may be read."""
    return parquet_frames([data])[0]


def parquet_frames(files: Sequence[bytes]) -> list[pl.DataFrame]:
    """The table of each file, by one trial for all; BrokenPart says which cannot be read."""
    for number, data in enumerate(files):
        if not (len(data) > 12 and data.startswith(_MAGIC) and data.endswith(_MAGIC)):
            raise BrokenPart("it does not begin and end as a whole Parquet file does", number)
    return _frames(files, "parquet", lambda data: pl.read_parquet(io.BytesIO(data), glob=False))


def arrow_frame(data: bytes) -> pl.DataFrame:
    """The table of an Arrow IPC file or stream; ValueError says why there is none."""
    if data.startswith(ARROW):
        return _frames([data], "arrow", lambda data: pl.read_ipc(io.BytesIO(data)))[0]
    if data.startswith(_STREAM):
        return _frames([data], "arrow-stream", lambda data: pl.read_ipc_stream(io.BytesIO(data)))[0]
    raise ValueError("it begins neither as an Arrow file nor as an Arrow stream does")


def _frames(files: Sequence[bytes], kind: str, read: Callable[[bytes], pl.DataFrame]) -> list[pl.DataFrame]:
    digests = [hashlib.sha256(data).digest() for data in files]
    untried = [number for number, digest in enumerate(digests) if digest not in _passed]
    if untried and (problem := _problem([files[number] for number in untried], kind)):
        raise BrokenPart(problem[0], untried[problem[1]])
    _passed.update(digests)
    found = []
    for number, data in enumerate(files):
        try:
            found.append(read(data))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError) as error:
            raise BrokenPart(str(error), number) from error
    return found


def try_parquet_file(path: Path, columns: Sequence[str], n_rows: int) -> None:
    """ValueError if these columns of a file of any size cannot be read, so many rows at a time."""
    n_bytes, n_seconds = (
        _FREE_MEMORY + _MEMORY_PER_ROW * n_rows * max(len(columns), 8),
        60 + path.stat().st_size // 1_000_000,
    )
    command = [
        sys.executable,
        "-P",
        parquet_trial.__file__,
        str(n_bytes),
        str(n_seconds),
        "parquet-file",
        str(n_rows),
    ]
    trial = _run([*command, str(path), *columns], b"", n_seconds)
    if trial is None:
        return
    if trial.returncode == 1:
        raise ValueError(" ".join(trial.stdout.decode(errors="replace").split("\n")).strip() or "it is damaged")
    if trial.returncode < 0:
        raise ValueError(f"it is damaged, or {n_rows:,} rows take more than {n_bytes / 1e6:,.0f} MB")


def _problem(files: Sequence[bytes], kind: str) -> tuple[str, int] | None:
    """Why a trial failed, and with which file; None if it went well, or where there is no way to make one."""
    size = sum(map(len, files))
    n_bytes, n_seconds = _FREE_MEMORY + _MEMORY_PER_BYTE * size, 5 + size // 10_000_000
    command = [sys.executable, "-P", parquet_trial.__file__, str(n_bytes), str(n_seconds), kind]
    command += [str(len(data)) for data in files]
    try:
        trial = _run(command, b"".join(files), n_seconds)
    except ValueError as error:
        return str(error), 0
    if trial is None:
        return None
    said = trial.stdout.decode(errors="replace").split("\n")
    number = max((int(line) for line in said if line.isdecimal() and int(line) < len(files)), default=0)
    if trial.returncode == 1:
        problem = " ".join(line for line in said if not line.isdecimal()).strip()
        return problem or "it is damaged", number
    if trial.returncode < 0:
        return f"it is damaged, or takes more than {n_bytes / 1e6:,.0f} MB or {n_seconds} s to read", number
    return None


def _run(command: list[str], data: bytes, n_seconds: int) -> subprocess.CompletedProcess[bytes] | None:
    """A trial that came to an end; None where there is no way to make one."""
    paths = os.pathsep.join(path for path in sys.path if path)
    settings = os.environ | {"PYTHONPATH": paths, "POLARS_MAX_THREADS": "1", "RUST_BACKTRACE": "0"}
    try:
        return subprocess.run(  # noqa: S603
            command, input=data, env=settings, capture_output=True, timeout=_PATIENCE + n_seconds, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise ValueError("it is damaged: reading it came to no end") from error
    except OSError:
        return None
