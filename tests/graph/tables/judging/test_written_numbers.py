"""Numbers as people write them are read where a column agrees, and told; else the cell is named."""

from __future__ import annotations

from itertools import pairwise

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import pulink
from pulink.errors import InputError
from pulink.graph.tables.judging.written_numbers import read_numbers
from tests.conftest import Write


@pytest.mark.parametrize(
    ("cells", "semicolons", "expected"),
    [
        (["1,5", "2,25"], False, [1.5, 2.25]),
        (["1,5", "2"], True, [1.5, 2]),
        (["0,125", "1,250"], False, [0.125, 1.25]),
        (["1.234,56", "7"], False, [1234.56, 7]),
        (["1,234.56", "7"], False, [1234.56, 7]),
        (["1,234,567", "7"], True, [1234567, 7]),
        (["1.234.567", "7"], False, [1234567, 7]),
        (["1,234", "12,345"], False, [1234, 12345]),
        (["1,234", "12,345"], True, [1.234, 12.345]),
        (["1 234,5", "7"], False, [1234.5, 7]),
        (["1\u202f234,5", "12\u00a0345"], False, [1234.5, 12345]),
        (["1 234", "1,234"], False, [1234, 1.234]),
        (["1'234", "7.5"], False, [1234, 7.5]),
        (["1\u2019234"], False, [1234]),
        (["85%", "7.5 %"], False, [0.85, 0.075]),
        (["85%", "7,5%"], False, [0.85, 0.075]),
        (["\u22121,5", "2"], False, [-1.5, 2]),
        (["1,5", None, "2,5"], False, [1.5, None, 2.5]),
        (["1,5", "NA", "2,5"], False, [1.5, None, 2.5]),
    ],
)
def test_a_column_that_agrees_is_read_and_told(
    cells: list[str | None], semicolons: bool, expected: list[float | None]
) -> None:
    reading = read_numbers(pl.Series("w", cells), semicolons=semicolons, unknown=["na"])
    assert reading.cells.to_list() == pytest.approx(expected)
    assert reading.note is not None
    assert reading.note.startswith("numbers of w are read as ")


@pytest.mark.parametrize(
    "cells",
    [
        ["1,5", "1.5"],
        ["1.234", "1,234"],
        ["0.5", "85%"],
        ["1,5", "about 2"],
        ["1,23,456", "2"],
        ["1,2,3", "4"],
        [",", "1,5"],
        ["%", "5%"],
    ],
)
def test_a_column_that_does_not_agree_stays_text(cells: list[str]) -> None:
    for semicolons in (False, True):
        reading = read_numbers(pl.Series("w", cells), semicolons=semicolons)
        assert reading.cells.to_list() == cells
        assert reading.note is None


def test_plain_numbers_stay_as_they_are_and_a_point_that_may_part_thousands_is_told() -> None:
    assert read_numbers(pl.Series("w", ["1.5", "2e3"]), semicolons=True).note is None
    assert read_numbers(pl.Series("w", ["1.234", "2.000"])).note is None
    assert read_numbers(pl.Series("w", ["1.234", "2.000"]), semicolons=True).note == (
        "numbers of w are read as '1.234' = 1.234"
    )
    assert read_numbers(pl.Series("w", ["900", "1.500", "12.250"]), semicolons=True).note == (
        "numbers of w are read as '1.500' = 1.5"
    )
    assert read_numbers(pl.Series("w", ["900", "1.500", "0.25"]), semicolons=True).note is None
    assert read_numbers(pl.Series("w", ["900", "7"]), semicolons=True).note is None


@given(
    st.lists(st.integers(-(10**9), 10**9), min_size=1, max_size=6),
    st.sampled_from([(".", ","), (".", " "), (".", "'"), (",", "."), (",", " "), (",", "'")]),
)
def test_what_is_written_in_any_one_way_is_read_back(hundredths: list[int], style: tuple[str, str]) -> None:
    """Two decimals leave no doubt which sign is which."""
    written = [
        f"{number / 100:,.2f}".replace(",", "g").replace(".", style[0]).replace("g", style[1])
        for number in hundredths
    ]
    cells = read_numbers(pl.Series("w", written)).cells.cast(pl.Float64)
    assert cells.to_list() == pytest.approx([number / 100 for number in hundredths])


def test_numbers_of_nodes_are_features_whatever_their_comma(write: Write) -> None:
    edges = write("edges.csv", "source,target\na,b\nb,c\n")
    plain = write("plain.csv", "id,income,share\na,1234.5,0.1\nb,2,0.25\nc,7.25,0.5\n")
    excel = write("excel.csv", "id;income;share\na;1.234,5;10%\nb;2;25%\nc;7,25;50%\n")
    expected, read = pulink.read(edges, plain), pulink.read(edges, excel)
    assert read.features.toarray().tolist() == expected.features.toarray().tolist()  # type: ignore[union-attr]
    assert "numbers of income are read as '1.234,5' = 1234.5" in read.cleaning.notes
    assert "numbers of share are read as '10%' = 0.1" in read.cleaning.notes


def test_a_column_of_nodes_that_is_nearly_numbers_is_never_dropped_without_a_word(write: Write) -> None:
    ids = [f"n{k}" for k in range(40)]
    edges = write("edges.csv", "source,target\n" + "".join(f"{a},{b}\n" for a, b in pairwise(ids)))
    cells = [f"{k}.5" for k in range(39)] + ['"7,5"']
    rows = "".join(f"{name},{cell},{k % 3}\n" for k, (name, cell) in enumerate(zip(ids, cells, strict=True)))
    nodes = write("nodes.csv", f"id,income,group\n{rows}")
    told = (
        "income is nearly all numbers, and line 41 has '7,5': read as ignore; --column NAME=number (kinds) names "
    )
    assert any(note.startswith(told) for note in pulink.read(edges, nodes).cleaning.notes)
    with pytest.raises(InputError, match=r"nodes.csv, line 41: income is '7,5'; numbers must be finite"):
        pulink.read(edges, nodes, kinds={"income": "number"})


def test_a_column_that_was_asked_for_as_a_category_keeps_its_cells(write: Write) -> None:
    edges = write("edges.csv", "source,target\na,b\nb,c\n")
    nodes = write("nodes.csv", "id;size\na;1,5\nb;2,5\nc;1,5\n")
    assert pulink.read(edges, nodes, kinds={"size": "category"}).feature_names == ("size=1,5", "size=2,5")
