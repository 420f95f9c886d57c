"""Arrow IPC files, streams and folders of Parquet parts: good, broken and blown up."""

from __future__ import annotations

import datetime
import io
from pathlib import Path

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pulink
from pulink.errors import InputError
from pulink.system import parquet_guard
from tests.conftest import Write
from tests.support.edges_of import edges_of
from tests.support.hostile import refused

FRAME = pl.DataFrame(
    {"source": ["a", "b", "c"], "target": ["b", "c", "d"], "when": [datetime.date(2024, 1, n) for n in (1, 2, 3)]}
)
EDGES = [("a", "b"), ("b", "c"), ("c", "d")]


def stored(frame: pl.DataFrame, stream: bool = False) -> bytes:
    buffer = io.BytesIO()
    (frame.write_ipc_stream if stream else frame.write_ipc)(buffer, compression="zstd")
    return buffer.getvalue()


def test_files_streams_and_feather(write: Write, tmp_path: Path) -> None:
    assert edges_of(pulink.read(write("e.arrow", stored(FRAME)), time="when")) == EDGES
    assert edges_of(pulink.read(write("e.ipc", stored(FRAME, stream=True)))) == EDGES
    pd.DataFrame({"source": pd.Categorical(["a", "b", "c"]), "target": ["b", "c", "d"]}).to_feather(
        tmp_path / "e.feather"
    )
    assert edges_of(pulink.read(tmp_path / "e.feather")) == EDGES


def test_dictionaries_and_large_strings(tmp_path: Path) -> None:
    table = pa.table(
        {
            "source": pa.array(["a", "b", "c"]).dictionary_encode(),
            "target": pa.array(["b", "c", "d"], pa.large_string()),
        }
    )
    with pa.OSFile(str(tmp_path / "e.arrow"), "wb") as file, pa.ipc.new_file(file, table.schema) as writer:
        writer.write_table(table)
    assert edges_of(pulink.read(tmp_path / "e.arrow")) == EDGES


def test_broken_files_are_refused(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_guard, "_passed", set())
    whole = stored(FRAME)
    refused("cannot be read as Arrow IPC", write("cut.arrow", whole[: len(whole) // 2]))
    refused("neither as an Arrow file nor as an Arrow stream", write("text.arrow", "a,b\n"))
    refused("Feather version 1; write version 2", write("old.feather", b"FEA1" + b"\0" * 40))


def test_a_bomb_is_refused_on_trial(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_guard, "_passed", set())
    monkeypatch.setattr(parquet_guard, "_FREE_MEMORY", 40_000_000)
    cells = pl.select(pl.repeat(0, 40_000_000, dtype=pl.Int64).alias("source")).with_columns(
        target=pl.col("source")
    )
    data = stored(cells)
    assert len(data) < 1_000_000
    refused("cannot be read as Arrow IPC", write("bomb.arrow", data))


def test_parts_are_one_table(tmp_path: Path) -> None:
    for number, year in enumerate((2023, 2024)):
        folder = tmp_path / "edges.parquet" / f"year={year}"
        folder.mkdir(parents=True)
        FRAME.slice(number, 2).write_parquet(folder / f"part-{number}.parquet")
    root = tmp_path / "edges.parquet"
    for name in ("_SUCCESS", ".part-0.parquet.crc", "_hidden.parquet"):
        (root / name).write_bytes(b"")
    graph = pulink.read(root, time="year")
    assert edges_of(graph) == EDGES
    assert graph.times is not None
    assert sorted(set(graph.times.times.tolist())) == [2023.0, 2024.0]


def test_parts_that_do_not_fit_are_named(tmp_path: Path) -> None:
    FRAME.write_parquet(tmp_path / "part-0.parquet")
    FRAME.rename({"target": "to"}).write_parquet(tmp_path / "part-1.parquet")
    with pytest.raises(
        InputError, match=r"part-1.parquet: has the columns source, to, when, and part-0.parquet has"
    ):
        pulink.read(tmp_path)
    FRAME.with_columns(target=pl.lit(datetime.date(2024, 1, 1))).write_parquet(tmp_path / "part-1.parquet")
    with pytest.raises(
        InputError, match=r"part-1.parquet: column 'target' holds Date, and String in part-0.parquet"
    ):
        pulink.read(tmp_path)
    (tmp_path / "part-1.parquet").write_bytes((tmp_path / "part-0.parquet").read_bytes()[:-9])
    with pytest.raises(InputError, match=r"part-1.parquet: cannot be read as Parquet"):
        pulink.read(tmp_path)
