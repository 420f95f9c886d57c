"""Parquet that is cut off, flipped or blown up; polars alone would end the whole process on some of it."""

from __future__ import annotations

import io
import subprocess
from pathlib import Path

import polars as pl
import pytest

import pulink
from pulink.errors import InputError
from pulink.system import parquet_guard
from tests.conftest import Write
from tests.support.hostile import refused


def stored(frame: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    frame.write_parquet(buffer)
    return buffer.getvalue()


WHOLE = stored(pl.DataFrame({"source": [f"n{k}" for k in range(50)], "target": [f"n{k + 1}" for k in range(50)]}))


@pytest.fixture(autouse=True)
def _no_trial_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_guard, "_passed", set())


def with_footer_size(data: bytes, size: int) -> bytes:
    return data[:-8] + size.to_bytes(4, "little") + data[-4:]


@pytest.mark.parametrize("n_left", [0, 4, 12, 100, len(WHOLE) - 8, len(WHOLE) - 1])
def test_truncated_parquet_is_refused(write: Write, n_left: int) -> None:
    refused("cannot be read as Parquet .it does not begin and end as", write("edges.parquet", WHOLE[:n_left]))


def test_flipped_parquet_ends_in_a_graph_or_in_one_line(write: Write, capfd: pytest.CaptureFixture[str]) -> None:
    footer = len(WHOLE) - 8 - int.from_bytes(WHOLE[-8:-4], "little")
    for place in (5, 40, footer + 3, footer + 20, footer + 60):
        path = write("edges.parquet", WHOLE[:place] + bytes([WHOLE[place] ^ 64]) + WHOLE[place + 1 :])
        try:
            pulink.read(path)
        except InputError as error:
            assert str(error).startswith(str(path))
            assert len(str(error).splitlines()) == 1
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("size", [0, 2**31 - 1, 2**32 - 1])
def test_a_footer_that_lies_about_its_size_is_refused(write: Write, size: int) -> None:
    refused("cannot be read as Parquet", write("edges.parquet", with_footer_size(WHOLE, size)))


@pytest.mark.parametrize("name", ["asks_for_exabytes", "takes_a_gigabyte"])
def test_files_on_which_polars_takes_all_memory_are_refused(name: str) -> None:
    """One number of a valid file is another here: polars 2.1 ends the process on the first of them."""
    refused("cannot be read as Parquet", Path(__file__).parent / "broken" / f"{name}.parquet")


def test_a_parquet_bomb_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquet_guard, "_FREE_MEMORY", 50_000_000)
    names = pl.LazyFrame({"source": ["a"], "target": ["b"]}).select(pl.all().repeat_by(2_000_000).explode())
    names.collect().write_parquet(tmp_path / "edges.parquet")
    assert (tmp_path / "edges.parquet").stat().st_size < 20_000
    refused("2,000,000 rows of 2 columns would take more than 50 MB", tmp_path / "edges.parquet")


@pytest.mark.parametrize("status", [-6, -9, -11, -24])
def test_a_trial_that_breaks_is_a_refusal(write: Write, monkeypatch: pytest.MonkeyPatch, status: int) -> None:
    ended = subprocess.CompletedProcess([], status, b"", b"")
    monkeypatch.setattr(parquet_guard.subprocess, "run", lambda *_, **__: ended)
    refused("it is damaged, or takes more than 400 MB or 5 s to read", write("edges.parquet", WHOLE))


def test_a_trial_without_end_is_a_refusal(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    def run(*_: object, **settings: object) -> None:
        raise subprocess.TimeoutExpired("python", 1)

    monkeypatch.setattr(parquet_guard.subprocess, "run", run)
    refused("reading it came to no end", write("edges.parquet", WHOLE))


def test_where_no_trial_can_be_made_files_are_read_all_the_same(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet_guard.sys, "executable", "/nowhere/python")
    assert pulink.read(write("edges.parquet", WHOLE)).n_edges == 50


def test_files_may_be_called_like_patterns(write: Write) -> None:
    assert pulink.read(write("edges[1]*.parquet", WHOLE)).n_edges == 50
