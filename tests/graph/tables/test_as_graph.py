"""Frames, arrays and lists of pairs as graphs."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

import pulink
from pulink.errors import InputError, ParameterError
from pulink.graph.tables.as_graph import as_graph, is_edge_source

NUMBERS = [(0, 1), (1, 2), (5, 2), (1, 0)]
NAMES = [("Anna", "Bert"), ("Carl", "Bert"), ("Bert", "Anna")]


def content(graph: pulink.Graph) -> tuple[Any, ...]:
    weights = None if graph.weights is None else graph.weights.tolist()
    names = graph.names.series().to_list()
    return graph.edges.tolist(), graph.n_nodes, weights, names, graph.cleaning, graph.frames


def test_a_graph_stays_what_it_is() -> None:
    graph = pulink.Graph.from_edges(NUMBERS)
    assert as_graph(graph) is graph


@pytest.mark.parametrize(
    "pairs",
    [
        NUMBERS,
        tuple(NUMBERS),
        np.array(NUMBERS),
        np.array(NUMBERS, dtype=np.uint8),
        np.array(NUMBERS, dtype=object),
    ],
    ids=["list", "tuple", "array", "bytes", "objects"],
)
def test_numbers_are_what_nodes_are_called_as_in_a_frame(pairs: Any) -> None:
    graph = as_graph(pairs)
    frame = pl.DataFrame(NUMBERS, schema=["source", "target"], orient="row")
    assert content(graph) == content(pulink.from_frame(frame))
    assert graph.names[:] == sorted({str(node) for pair in NUMBERS for node in pair}, key=int)


@pytest.mark.parametrize("pairs", [NAMES, [list(pair) for pair in NAMES], np.array(NAMES)])
def test_texts_are_names(pairs: Any) -> None:
    columns = {"source": [a for a, _ in NAMES], "target": [b for _, b in NAMES]}
    graph = as_graph(pairs)
    assert content(graph) == content(pulink.from_frame(pl.DataFrame(columns)))
    assert graph.names[:] == ["Anna", "Bert", "Carl"]
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize("library", [pl, pd])
def test_frames_are_read_as_by_from_frame(library: Any) -> None:
    columns = {"kind": ["x"] * 3, "To": [3, 7, 3], "weight": [1.0, 2.0, 3.0], "From": [7, 9, 9]}
    frame = library.DataFrame(columns)
    graph = as_graph(frame)
    assert content(graph) == content(pulink.from_frame(frame))
    assert (graph.names[:], graph.weights is not None) == (["3", "7", "9"], True)
    assert graph.frames == library.__name__


@pytest.mark.parametrize(
    ("pairs", "reason"),
    [
        ([("a", 1)], "pairs of names or pairs of whole numbers, got names and 1"),
        ([("a", "b"), ("c",)], r"pairs of two nodes each, got \('c',\)"),
        (["ab", "cd"], "pairs of two nodes each, got 'ab'"),
        ([("a", "b"), "cd"], "pairs of two nodes each, got 'cd'"),
        ([("a", " ")], "the list of edges, row 1: target is empty"),
        ([(0, 1.5)], "whole node numbers, got float64"),
        ([(0, 2**70)], "whole node numbers, got object"),
        ([(True, False)], "whole node numbers, got bool"),
        ([0, 1], r"m x 2 array of node numbers, got shape \(2,\)"),
        ([(0, 1), (1, 2, 3)], "rows of different lengths"),
    ],
)
def test_pairs_that_are_none(pairs: Any, reason: str) -> None:
    with pytest.raises(InputError, match=reason):
        as_graph(pairs)


@pytest.mark.parametrize(
    "data", [None, "edges.csv", b"0,1", {0: 1}, {(0, 1)}, sp.csr_array(np.eye(2)), pd.Series([1])]
)
def test_other_things_are_none(data: object) -> None:
    assert not is_edge_source(data)
    with pytest.raises(ParameterError, match="edges must be a Graph, a polars or pandas frame, or pairs of nodes"):
        as_graph(data)


def test_what_is_taken_can_be_asked() -> None:
    for data in (pulink.Graph.from_edges(NUMBERS), NUMBERS, np.array(NUMBERS), pl.DataFrame(), pd.DataFrame()):
        assert is_edge_source(data)
