"""Arrow IPC files and streams (Feather, version 2) that a user names."""

from __future__ import annotations

from pathlib import Path

from pulink.data.formats.limits import check_columns
from pulink.data.formats.sources import label, read_bytes
from pulink.errors import InputError
from pulink.graph.tables.table import Table
from pulink.system.parquet_guard import arrow_frame
from pulink.text import reason

_FEATHER_1 = b"FEA1"


def read_arrow(path: str | Path) -> Table:
    """The table of a file or a stream."""
    data = read_bytes(path)
    if data.startswith(_FEATHER_1):
        raise InputError(
            f"{label(path)}: is Feather version 1; write version 2, as pandas.DataFrame.to_feather does"
        )
    try:
        frame = arrow_frame(data)
    except ValueError as error:
        raise InputError(f"{label(path)}: cannot be read as Arrow IPC ({reason(error)})") from error
    check_columns(frame.width, label(path))
    return Table(frame, label(path))
