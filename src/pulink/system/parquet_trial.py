"""A program of its own: read Parquet or Arrow from standard input within limits, and say why where that fails.

    python parquet_trial.py BYTES SECONDS FORMAT SIZE... < FILES

    python parquet_trial.py BYTES SECONDS parquet-file ROWS PATH COLUMN...

FORMAT is parquet, arrow or arrow-stream; the files follow one another, and each SIZE is how many bytes one has.
Standard output names each by its number before it is read. Exit status: 0 they can be read, 1 the last one cannot
and standard output says why, 2 there is no way to try; a signal: it broke the program or a limit. Nothing of
pulink is imported, so that the trial starts quickly.
"""

from __future__ import annotations

import io
import resource
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

_CELL = 16


def main() -> int:
    n_bytes, n_seconds, kind, rest = int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], sys.argv[4:]
    try:
        import polars as pl
    except ImportError:
        return 2
    data = sys.stdin.buffer.read()
    _limit(n_bytes + len(data), n_seconds)
    try:
        if kind == "parquet-file":
            return _tried_file(pl, rest[1], rest[2:], int(rest[0]))
        return _tried(pl, data, n_bytes, kind, map(int, rest))
    except (pl.exceptions.PolarsError, pl.exceptions.PanicException, OSError, ValueError, MemoryError) as error:
        print((str(error).splitlines() or [type(error).__name__])[0])
        return 1


def _tried(pl: Any, data: bytes, n_bytes: int, kind: str, sizes: Iterable[int]) -> int:
    place = 0
    for number, size in enumerate(sizes):
        print(number, flush=True)
        part = data[place : place + size]
        place += size
        if kind == "arrow":
            pl.read_ipc(io.BytesIO(part))
        elif kind == "arrow-stream":
            pl.read_ipc_stream(io.BytesIO(part))
        else:
            n_columns = len(pl.read_parquet_schema(io.BytesIO(part)))
            n_rows = pl.scan_parquet(io.BytesIO(part)).select(pl.len()).collect().item()
            if n_rows * n_columns * _CELL > n_bytes:
                print(f"{n_rows:,} rows of {n_columns:,} columns would take more than {n_bytes / 1e6:,.0f} MB")
                return 1
            pl.read_parquet(io.BytesIO(part), glob=False)
    return 0


def _tried_file(pl: Any, path: str, columns: list[str], n_rows: int) -> int:
    """Some columns of all rows, some rows at a time; the first rows of all columns where none are named."""
    scan = pl.scan_parquet(path, glob=False, hive_partitioning=False)
    known = scan.collect_schema().names()
    if not columns:
        scan.slice(0, n_rows).collect()
        return 0
    chosen = scan.select([pl.nth(known.index(name)) for name in columns if name in known])
    for first in range(0, scan.select(pl.len()).collect().item(), n_rows):
        chosen.slice(first, n_rows).collect()
    return 0


def _limit(n_bytes: int, n_seconds: int) -> None:
    """Memory and time from now on, where the system keeps such limits."""
    spent = int(resource.getrusage(resource.RUSAGE_SELF).ru_utime)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_CPU, (spent + n_seconds, spent + n_seconds))
    sizes = Path("/proc/self/statm")
    if sizes.exists():
        most = int(sizes.read_text().split()[5]) * resource.getpagesize() + n_bytes
        resource.setrlimit(resource.RLIMIT_DATA, (most, most))


if __name__ == "__main__":
    sys.exit(main())
