"""Delimited text that nobody wrote by hand: wrong encodings, no end of columns, lines, blanks and quotes."""

from __future__ import annotations

import time
from pathlib import Path

import polars as pl
import pytest

import pulink
from pulink.data.formats import delimited
from pulink.data.formats.csv_records import Text, parse_slowly
from pulink.data.formats.delimited import read_delimited
from pulink.data.formats.limits import MAX_COLUMNS
from pulink.errors import InputError, ParameterError
from tests.conftest import Write
from tests.support.hostile import EDGES, refused

MANY = 1_000_000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("a,b\nb,c\n".encode("utf-16")[:-1], "is not utf-16"),
        ("a,b\nb,c\n".encode("utf-32")[:-1], "is not utf-32"),
        ("a,b\nb,c\n".encode("utf-16-le"), "a zero byte, the first in line 1.; is it UTF-16"),
        ("a,b\nb,c\n".encode("utf-16-be"), "a zero byte, the first in line 1.; is it UTF-16"),
        (b"a,b\nb,c\nc,d\0d\n", "a zero byte, the first in line 3.; a text file is needed"),
        ("a,b\nZürich,c\n".encode("latin-1"), "line 2: not UTF-8 .byte 0xfc.; .* latin-1"),
        (b"a,b\n\xed\xa0\x80,c\n", "line 2: not UTF-8 .byte 0xed"),
        (b"a,b\n\xc0\x80,c\n", "line 2: not UTF-8 .byte 0xc0"),
    ],
)
def test_wrong_encodings_are_named(write: Write, content: bytes, message: str) -> None:
    refused(message, write("edges.csv", content))


def test_byte_order_marks_are_no_part_of_a_name(write: Write) -> None:
    for n_marks in (1, 2):
        graph = pulink.read(write("edges.csv", b"\xef\xbb\xbf" * n_marks + b"source,target\na,b\nb,c\n"))
        assert graph.names.series().to_list() == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ('a,b\n"c,d\n' + "e,f\n" * 10, "line 2: a quotation mark is never closed"),
        ('a,b\n"c,d\n' + "e,f\n" * 50_000, "line 2: a cell longer than 131,072 characters; is a quotation mark"),
        ('"a"b,c\nd,e\n', "line 1: text follows a closing quotation mark"),
        ('"' * 100_001, "line 1: only one column"),
        ("#" * 200_000 + "x,b\nb,c\n", "line 1: only one column"),
        ("source,target\n" + "x" * 3_000_000 + ",b\n", "line 2: a cell longer than 131,072 characters"),
        (
            "source,target\na,b\n" + "x" * 5_000 + ",b\n",
            "line 3: source is 'x+'… .5,000 characters.; ids have at most",
        ),
    ],
)
def test_quotes_without_end_and_gigantic_cells_are_refused(write: Write, content: str, message: str) -> None:
    refused(message, write("edges.csv", content))


@pytest.mark.parametrize("n_rows", [1, 3])
def test_a_million_columns_are_refused_at_once(write: Write, n_rows: int) -> None:
    wide = write("wide.csv", (",".join(["1"] * MANY) + "\n") * n_rows)
    started = time.process_time()
    refused("line 1: 1,000,000 columns; at most 5,000 are allowed", wide)
    refused("line 1: 1,000,000 columns", write("edges.csv", EDGES), wide)
    assert time.process_time() - started < 2


def test_a_line_of_a_million_cells_below_short_ones_is_refused(write: Write) -> None:
    refused("line 3: 1,000,001 columns; at most", write("edges.csv", "a,b\nb,c\n" + "x," * MANY + "\n"))


def test_as_many_columns_as_allowed_are_read(write: Write) -> None:
    header = ["id", *("x" for _ in range(MAX_COLUMNS - 1))]
    rows = [[name, *[str(number)] * (MAX_COLUMNS - 1)] for number, name in enumerate("abcd")]
    nodes = write("nodes.csv", "\n".join(",".join(row) for row in [header, *rows]))
    graph = pulink.read(write("edges.csv", EDGES), nodes, kinds={f"x_{k}": "ignore" for k in range(2, 4_999)})
    assert graph.feature_names == ("x", "x_4999")


@pytest.mark.parametrize("cell", ["b", '"b"', ' "b"'])
def test_a_wide_first_row_does_not_blow_up_narrow_ones(write: Write, cell: str) -> None:
    wide = ",".join(f"c{k}" for k in range(4_000))
    message = "columns where line 1 has 4,000; every row needs the same columns"
    refused(message, write("edges.csv", f"{wide}\n" + f"a,{cell}\n" * 50_000))


@pytest.mark.parametrize(
    "content",
    [
        "a,b\n" + "\n" * 3_000_000 + "b,c\n",
        'a,"b"\n' + "\n" * 3_000_000 + "b,c\n",
        "\n" * 3_000_000 + "a,b\nb,c\n",
        "# \n" * 500_000 + "a,b\nb,c\n",
        ("a" + " " * 30_000 + "b\n") * 20 + "b c\n",
        " " * 200_000 + "a,b\nb,c\n",
        "a,b\nb,c\n" + " , \n" * 200_000,
    ],
)
def test_no_end_of_blanks_and_comments_is_read_in_no_time(write: Write, content: str) -> None:
    started = time.process_time()
    assert pulink.read(write("edges.txt", content)).edges.tolist() == [[0, 1], [1, 2]]
    assert time.process_time() - started < 4


def test_lines_are_still_counted_where_blank_ones_were_left_out(write: Write) -> None:
    refused(", line 2000003: column_2 is empty", write("edges.csv", "a,b\n" + "\n" * 2_000_001 + "b,\n"))


def test_a_header_that_repeats_one_name_a_thousand_times_is_read(write: Write) -> None:
    nodes = write("nodes.csv", "id,x,x,x_2,,x\na,1,2,3,4,5\nb,2,3,4,5,6\nc,0,0,0,0,0\nd,1,1,1,1,1\n")
    graph = pulink.read(write("edges.csv", EDGES), nodes)
    assert graph.feature_names == ("x", "x_3", "x_2", "column_5", "x_4")


def test_columns_may_be_called_like_patterns(write: Write) -> None:
    nodes = write("nodes.csv", "*,^.*$,x\na,1,2\nb,2,3\nc,0,0\nd,5,1\n")
    graph = pulink.read(write("edges.csv", "*,^.*$,weight\na,b,1\nb,c,2\nc,d,1\n"), nodes)
    assert graph.feature_names == ("^.*$", "x")
    assert graph.n_edges == 3


def test_messages_stay_short_and_on_one_line(write: Write) -> None:
    refused("'tar.nget' is empty", write("edges.csv", '"so\nurce","tar\nget"\na,\n'), header=True)
    many = ",".join(f"a-rather-long-name-{k}" for k in range(3_000))
    refused("and 2,990 more. but no rows", write("edges.csv", f"source,target,{many}\n"), header=True)
    note = str(pulink.read(write("edges.csv", f"source,target,{many}\n" + "a,b" + ",1" * 3_000 + "\n")).cleaning)
    assert len(note) < 600
    with pytest.raises(ParameterError) as caught:
        pulink.read(write("edges.csv", f"source,target,{many}\n" + "a,b" + ",1" * 3_000 + "\n"), weight="y")
    assert len(str(caught.value)) < 600


@pytest.mark.parametrize("separator", ['"', "\n", "\r", "\0", "é", ""])
def test_separators_that_cannot_separate_are_refused(write: Write, separator: str) -> None:
    with pytest.raises(ParameterError, match="separator must be one character"):
        pulink.read(write("edges.csv", EDGES), separator=separator)


@pytest.mark.parametrize("encoding", ["klingon", "zlib", "a\0b"])
def test_encodings_that_are_none_are_refused(write: Write, encoding: str) -> None:
    with pytest.raises(ParameterError, match="encoding"):
        pulink.read(write("edges.csv", EDGES), encoding=encoding)


def test_what_is_no_regular_file_is_refused() -> None:
    with pytest.raises(InputError, match="is no regular file; pass - and send a stream"):
        pulink.read(Path("/dev/zero"))


def test_an_empty_id_among_the_first_rows_is_found_before_the_rest_is_read(
    write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    read, sizes = pl.read_csv, []
    monkeypatch.setattr(pl, "read_csv", lambda data, **given: sizes.append(len(data)) or read(data, **given))
    refused("line 2: column_2 is empty", write("edges.csv", "x,y\n" + "a,\n" * 1_000_000))
    assert max(sizes) <= 1_000_000


def test_a_row_s_line_is_counted_no_further_than_the_row(write: Write) -> None:
    rows = "x,y\n" + "a,b\n" * 10 + '"a\nb",\n' + '"a",b\n' * 500_000
    table = read_delimited(write("edges.csv", rows))
    assert table.line_of is not None
    started = time.process_time()
    assert [table.line_of(row) for row in (12, 0, 11)] == [14, 1, 12]
    assert time.process_time() - started < 0.1


@pytest.mark.parametrize(
    "row",
    ['a, "b"', ' "a",  "b"', 'a, "b ""c"" d"', 'a, "b, c"', 'a, "b\n, ""c"', '"a", b', 'a, """b"""', 'a, ""'],
)
def test_blanks_before_quoted_cells_are_left_out_the_fast_way_too(
    write: Write, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    path = write("edges.csv", f'x,y\nc, "d"\n{row}\n')
    slow = parse_slowly(Text(path.read_bytes(), ",", "", 0))
    monkeypatch.setattr(delimited, "parse_slowly", None)
    stripped = slow.select(pl.all().str.strip_chars().replace("", None))
    assert read_delimited(path).frame.rows() == stripped.rows()


@pytest.mark.parametrize("row", ['a, b"c', 'a, 5"x, "b"', 'a, "b'])
def test_marks_within_cells_are_left_to_the_slow_reader(row: str) -> None:
    assert delimited.quotes_at_cells(f'c, "d"\n{row}\n'.encode(), b",") is None
