"""Which files of a folder are its parts: Parquet, or text in columns, as Spark, Dask and `split` write them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

from pulink.data.formats.limits import MAX_PARTS
from pulink.data.formats.sources import existing_file, label, suffix
from pulink.errors import InputError
from pulink.text import shown

PARQUET, TEXT = "parquet", "text"

_TEXTS = (".csv", ".tsv", ".txt", ".tab", ".edges", ".edgelist")
_HIDDEN = (".", "_")
_MOST_SEARCHED = 10_000


def is_parts(source: str | Path) -> bool:
    """Whether it is a folder with parts in it; one may be a whole disk, so not all of it is searched."""
    try:
        if not Path(source).is_dir():
            return False
    except (OSError, ValueError):
        return False
    return any(_format(path) for path in islice(_files(Path(source)), _MOST_SEARCHED))


def list_parts(source: str | Path) -> tuple[str, list[Path]]:
    """Their format, and all of them in the order of their names; a single file is the only part."""
    root = Path(source)
    if not root.is_dir():
        path = existing_file(root)
        kind = _format(path)
        if kind is None:
            raise InputError(f"{label(path)}: parts are .parquet, .csv or .tsv (also gzipped), and this is none")
        return kind, [path]
    found: dict[str, list[Path]] = {PARQUET: [], TEXT: []}
    for path in _files(root):
        if (kind := _format(path)) is not None:
            found[kind].append(path)
        if sum(map(len, found.values())) > MAX_PARTS:
            raise InputError(f"{label(root)}: more than {MAX_PARTS:,} parts; join some of them first")
    parquet, text = (sorted(found[kind]) for kind in (PARQUET, TEXT))
    if parquet and text:
        raise InputError(
            f"{label(root)}: holds parts of two formats, {shown(parquet[0].name)} and {shown(text[0].name)}; "
            "all parts need the same"
        )
    if not parquet and not text:
        raise InputError(f"{label(root)}: holds no parts; they are .parquet, .csv or .tsv files (also gzipped)")
    return (PARQUET, parquet) if parquet else (TEXT, text)


def is_gzipped(path: Path) -> bool:
    """Whether its first bytes say so."""
    with path.open("rb") as file:
        return file.read(2) == b"\x1f\x8b"


def _files(root: Path) -> Iterator[Path]:
    """Whatever is not hidden, however deep."""
    for place, inner, names in os.walk(root):
        inner[:] = sorted(name for name in inner if not name.startswith(_HIDDEN))
        yield from (Path(place, name) for name in names if not name.startswith(_HIDDEN))


def _format(path: Path) -> str | None:
    ending = suffix(path)
    if ending == ".parquet":
        return PARQUET
    is_part = ending in _TEXTS or (not ending and path.name.startswith("part-"))
    return TEXT if is_part else None
