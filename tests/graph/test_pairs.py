"""Pairs as users write them."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from pulink import Graph
from pulink.errors import InputError
from pulink.graph.pairs import resolve_pairs

NAMED = Graph.from_edges([[0, 1], [1, 2]], names=["a", "b", "c"])
FRAME = {"source": ["a", "c"], "target": ["c", "b"]}


@pytest.mark.parametrize(
    "pairs",
    [
        [("a", "c"), ("c", "b")],
        [["a", "c"], ["c", "b"]],
        iter([("a", "c"), ("c", "b")]),
        zip(["a", "c"], ["c", "b"], strict=True),
        [(0, 2), (2, 1)],
        np.array([[0, 2], [2, 1]], dtype=np.uint8),
        np.array([["a", "c"], ["c", "b"]]),
        np.array([["a", "c"], ["c", "b"]], dtype=object),
        pl.DataFrame(FRAME),
        pd.DataFrame(FRAME),
    ],
    ids=lambda pairs: type(pairs).__name__,
)
def test_names_and_numbers_in_any_wrapping(pairs: object) -> None:
    assert resolve_pairs(NAMED, pairs).tolist() == [[0, 2], [2, 1]]


def test_no_pairs_are_no_pairs() -> None:
    assert resolve_pairs(NAMED, []).shape == (0, 2)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (("a", "b"), "two nodes each, got 'a'"),
        (["ab", "bc"], "two nodes each, got 'ab'"),
        ([("a", "b", "c")], "two nodes each"),
        ([("a", "x")], "no node is called 'x'"),
        ([("a", 1)], "node names are strings, got 1"),
        ([(0, 3)], r"0 \.\. 2"),
        ([(0, -1)], r"0 \.\. 2"),
        (np.array([0, 1]), r"k x 2 array, got shape \(2,\)"),
        (np.array([[0.0, 1.0]]), "float64"),
        ("ab", "got str"),
        (7, "got int"),
    ],
)
def test_what_is_no_list_of_pairs_is_refused(pairs: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        resolve_pairs(NAMED, pairs)
