"""The different names of a block in order, and its rows as places among them.

Whole numbers are in the order of the numbers, as long as all names of the graph may be such; text in that of its
bytes.
"""

from __future__ import annotations

import io
from itertools import pairwise
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.graph.tables.numbering import number_nodes, places_of
from pulink.persistence.array_file import ArrayFile, write_arrays

Longs = npt.NDArray[np.int64]
Places = npt.NDArray[np.int32]

_BATCH = 65_536


def distinct(columns: list[pl.Series], *, whole: bool) -> tuple[pl.Series, Places]:
    """The different names of some columns, and each cell as a place among them (rows x columns)."""
    if whole:
        numbers, places = number_nodes([column.cast(pl.Int64).to_numpy() for column in columns])
        return pl.Series("name", numbers), np.stack(places, axis=1).astype(np.int32)
    texts = [column.cast(pl.String).alias("name") for column in columns]
    names = pl.concat(texts).unique().sort()
    return names, np.stack([places_of(column, names) for column in texts], axis=1).astype(np.int32)


def renamed(names: pl.Series, *, whole: bool) -> tuple[pl.Series, Places]:
    """Names that were changed, in order and each once, and where each of them went."""
    found, places = distinct([names], whole=whole)
    return found, places[:, 0]


def write_names(path: Path, names: pl.Series, cuts: Longs | None = None) -> None:
    """The names of each range behind those of the range before, so that they are read without others.

    cuts  where those of each range begin, and the end; None: all are one range
    """
    bounds = [0, names.len()] if cuts is None else cuts.tolist()
    if names.dtype != pl.String:
        write_arrays(path, {"numbers": names.to_numpy(), "starts": np.array(bounds)})
        return
    content, starts = io.BytesIO(), [0]
    for first, end in pairwise(bounds):
        names.slice(first, end - first).to_frame("name").write_ipc_stream(content, compression="uncompressed")
        starts.append(content.tell())
    write_arrays(path, {"texts": np.frombuffer(content.getbuffer(), dtype=np.uint8), "starts": np.array(starts)})


def read_names(path: Path, k: int = 0) -> pl.Series:
    """The names of range k."""
    with ArrayFile(path) as file:
        first, end = file.read("starts", k, k + 2).tolist()
        if "numbers" in file:
            return pl.Series("name", file.read("numbers", first, end))
        return pl.read_ipc_stream(io.BytesIO(file.read("texts", first, end).tobytes())).to_series()


def cuts(names: pl.Series, splitting: pl.Series) -> Longs:
    """Where the names of each range begin, and how many names there are."""
    found = np.zeros(splitting.len() + 2, dtype=np.int64)
    if splitting.len():
        found[1:-1] = names.search_sorted(splitting, side="left").to_numpy()
    found[-1] = names.len()
    return found


def letters_of(names: pl.Series) -> dict[str, npt.NDArray[np.generic]]:
    """Texts as the arrays of a file of names."""
    starts = np.zeros(names.len() + 1, dtype=np.int64)
    np.cumsum(names.str.len_bytes().to_numpy(), out=starts[1:])
    pieces = [
        names.slice(first, _BATCH).str.join("").cast(pl.Binary).item() for first in range(0, names.len(), _BATCH)
    ]
    return {"letters": np.frombuffer(b"".join(pieces), dtype=np.uint8), "starts": starts}
