"""A folder of Parquet parts, as Spark, Dask and DuckDB write them: year=2024/part-00000.parquet."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import unquote

import polars as pl

from pulink.data.formats.limits import MAX_PARTS, check_columns
from pulink.data.formats.recognise import part_files
from pulink.data.formats.sources import label, read_bytes
from pulink.errors import InputError
from pulink.graph.tables.table import Table
from pulink.system.memory import require_memory
from pulink.system.parquet_guard import BrokenPart, parquet_frames
from pulink.text import listed, reason, shown


def read_parts(folder: str | Path) -> Table:
    """One table of all parts, in the order of their names; folders named a=1 give a column a.

    Files and folders that begin with a dot or an underscore are let be, as are files that are no .parquet.
    """
    root = Path(folder)
    paths = _parts(root)
    require_memory(sum(path.stat().st_size for path in paths), label(root), "use fewer parts")
    try:
        frames = parquet_frames([read_bytes(path) for path in paths])
    except BrokenPart as error:
        raise InputError(f"{label(paths[error.number])}: cannot be read as Parquet ({reason(error)})") from error
    frames = [_with_folders(frame, path, root) for frame, path in zip(frames, paths, strict=True)]
    check_columns(frames[0].width, label(paths[0]))
    return Table(_joined(frames, paths), label(root))


def _parts(root: Path) -> list[Path]:
    found: list[Path] = []
    for path in part_files(root):
        found += [] if path is None else [path]
        if len(found) > MAX_PARTS:
            raise InputError(f"{label(root)}: more than {MAX_PARTS:,} parts; join them first")
    return sorted(found)


def _with_folders(frame: pl.DataFrame, path: Path, root: Path) -> pl.DataFrame:
    """The columns that the names of folders tell."""
    told = [name.partition("=") for name in path.relative_to(root).parent.parts if "=" in name]
    columns = [
        pl.Series(name, [unquote(value)], dtype=pl.String).new_from_index(0, frame.height)
        for name, _, value in told
        if name and name not in frame.columns
    ]
    return frame.with_columns(columns)


def _joined(frames: list[pl.DataFrame], paths: list[Path]) -> pl.DataFrame:
    first = frames[0]
    for frame, path in zip(frames, paths, strict=True):
        if set(frame.columns) != set(first.columns):
            raise InputError(
                f"{label(path)}: has the columns {listed(frame.columns)}, and {paths[0].name} has "
                f"{listed(first.columns)}; all parts need the same"
            )
        for name, kind in frame.schema.items():
            if not _fit(kind, first.schema[name]):
                raise InputError(
                    f"{label(path)}: column {shown(name)} holds {kind}, and {first.schema[name]} in "
                    f"{paths[0].name}; all parts need the same"
                )
    return pl.concat([frame.select(first.columns) for frame in frames], how="vertical_relaxed")


def _fit(one: pl.DataType, other: pl.DataType) -> bool:
    """Whether both can become one column without a change of meaning."""
    return one == other or (one.is_numeric() and other.is_numeric()) or pl.Null() in (one, other)
