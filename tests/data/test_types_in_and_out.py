"""The caller's type comes back: one test per library, from a table to a list of links."""

from __future__ import annotations

import datetime
from typing import Any

import duckdb
import igraph
import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp

import pulink
from pulink.errors import InputError, ParameterError
from pulink.workflows.suggest import suggest
from tests.support.edges_of import edges_of
from tests.support.pyg import Data

ROWS = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "e"), ("a", "c")]
COLUMNS = {"source": [row[0] for row in ROWS], "target": [row[1] for row in ROWS]}
TABLE = pa.table(COLUMNS)
# One path of three steps leads from a, and from b, to each of d and e; e has fewer links to be reached by.
BEST = [("a", "e"), ("b", "e")]


class Handed:
    """Any other library's table: it hands over a stream of Arrow and nothing else."""

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return TABLE.__arrow_c_stream__(requested_schema)


WAYS: dict[str, tuple[Any, type]] = {
    "polars": (lambda: pl.DataFrame(COLUMNS), pl.DataFrame),
    "lazy": (lambda: pl.LazyFrame(COLUMNS), pl.DataFrame),
    "pandas": (lambda: pd.DataFrame(COLUMNS, index=[7, 7, 8, 9, 1]), pd.DataFrame),
    "pyarrow": (lambda: TABLE, pa.Table),
    "batch": (lambda: TABLE.to_batches()[0], pa.Table),
    "reader": (lambda: TABLE.to_reader(), pa.Table),
    "duckdb": (lambda: duckdb.from_arrow(TABLE), pa.Table),
    "capsule": (Handed, pa.Table),
    "networkx": (lambda: nx.Graph(ROWS), pl.DataFrame),
    "igraph": (lambda: igraph.Graph.TupleList(ROWS), pl.DataFrame),
    "list": (lambda: ROWS, pl.DataFrame),
}


@pytest.mark.parametrize("way", WAYS)
def test_the_same_list_comes_back_in_the_callers_type(way: str) -> None:
    make, kind = WAYS[way]
    found = pulink.find(make(), method="l3n")
    assert edges_of(found.graph) == sorted(ROWS)
    assert type(found.links) is kind
    listed = found.model.missing_links(3)
    assert type(listed) is kind
    frame = pl.DataFrame(listed) if kind is not pd.DataFrame else pl.DataFrame(listed.to_dict("list"))
    assert frame.select("source", "target").rows()[:2] == BEST


def test_matrices_and_pyg_give_polars() -> None:
    matrix = sp.csr_array(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    assert isinstance(pulink.find(matrix, method="l3n").links, pl.DataFrame)
    torch = pytest.importorskip("torch")
    data = Data(edge_index=torch.tensor([[0, 1, 1, 2], [1, 0, 2, 1]]), num_nodes=3)
    assert isinstance(pulink.find(data, method="l3n").links, pl.DataFrame)


def test_a_stored_model_of_an_arrow_table_still_loads(tmp_path: Any) -> None:
    model = pulink.L3N().fit(TABLE)
    assert isinstance(model.missing_links(2), pa.Table)
    model.save(tmp_path / "model")
    assert pulink.load_model(tmp_path / "model").missing_links(2).select("source", "target").rows() == BEST


def test_columns_of_every_sort() -> None:
    table = pa.table(
        {
            "source": pa.array(["a", "b"]).dictionary_encode(),
            "target": pa.array(["b", "c"], pa.large_string()),
            "when": pa.array([datetime.datetime(2024, 1, 1), datetime.datetime(2024, 1, 2)]),
        }
    )
    graph = pulink.from_frame(table, time="when")
    assert edges_of(graph) == [("a", "b"), ("b", "c")]
    assert graph.times is not None
    frame = pd.DataFrame(
        {
            "source": pd.Categorical(["a", "b"]),
            "target": ["b", "c"],
            "when": pd.to_datetime(["2024-01-01", "2024-01-02"]),
        }
    )
    assert edges_of(pulink.from_frame(frame, time="when")) == [("a", "b"), ("b", "c")]


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (pd.DataFrame({"source": [1, 2], "target": [2, None]}), "the edge frame, row 2: target is empty"),
        (pd.DataFrame({"source": ["a", pd.NA], "target": ["b", "c"]}), "the edge frame, row 2: source is empty"),
        (pd.DataFrame([["a", "b"]], columns=["x", "x"]), "two columns are called 'x'"),
        (TABLE["source"], "the ChunkedArray is no table that can be read"),
        (pa.table({}), "has columns .* but no rows|has 0 column"),
        (pl.LazyFrame(COLUMNS).select("nope"), "the LazyFrame is no table that can be read"),
    ],
)
def test_strange_frames_end_in_one_line(frame: Any, message: str) -> None:
    with pytest.raises(InputError, match=message) as caught:
        pulink.from_frame(frame)
    assert len(str(caught.value).splitlines()) == 1


def test_igraph_there_and_back() -> None:
    graph = pulink.Graph.from_edges(
        [[0, 2], [1, 2]], n_nodes=4, weights=[0.5, 2.0], names=["ann", "bob", "cid", "lone"]
    )
    there = pulink.to_igraph(graph)
    assert (there.vs["name"], there.es["weight"]) == (["ann", "bob", "cid", "lone"], [0.5, 2.0])
    back = pulink.from_igraph(there)
    assert (edges_of(back), back.n_nodes) == ([("ann", "cid"), ("bob", "cid")], 4)
    assert back.weights is not None
    assert back.weights.tolist() == [0.5, 2.0]


def test_igraph_of_any_kind() -> None:
    directed = igraph.Graph(n=3, edges=[(2, 0), (0, 1)], directed=True)
    assert (pulink.from_igraph(directed).kind, edges_of(pulink.from_igraph(directed))) == (
        "directed",
        [("0", "1"), ("2", "0")],
    )
    sides = igraph.Graph.Bipartite([0, 1, 0, 1], [(0, 1), (2, 3), (1, 2)])
    graph = pulink.from_igraph(sides)
    assert (graph.kind, graph.cleaning.kind_seen) == (
        "bipartite",
        "its nodes have the attribute type, False or True",
    )
    assert edges_of(graph) == [("0", "1"), ("2", "1"), ("2", "3")]
    assert pulink.to_igraph(graph).is_bipartite()
    sides.vs["name"] = ["x", "x", "y", "z"]
    with pytest.raises(InputError, match="two nodes of the igraph graph have the same name"):
        pulink.from_igraph(sides)
    with pytest.raises(ParameterError, match="have no attribute 'cost'"):
        pulink.from_igraph(directed, weight="cost")


NUMBERS = {"source": [10, 20, 30, 40, 10], "target": [20, 30, 40, 50, 30]}
NUMBERED: dict[str, Any] = {
    "polars": lambda: pl.DataFrame(NUMBERS),
    "pandas": lambda: pd.DataFrame(NUMBERS),
    "pyarrow": lambda: pa.table(NUMBERS),
    "array": lambda: np.array([*zip(*NUMBERS.values(), strict=True)]),
    "list": lambda: [*zip(*NUMBERS.values(), strict=True)],
}


@pytest.mark.parametrize("way", NUMBERED)
def test_ids_that_came_as_whole_numbers_come_back_as_whole_numbers(way: str) -> None:
    found = pulink.find(NUMBERED[way](), method="l3n")
    for listed in (found.links, found.model.missing_links(2), found.model.suggest(10, 1)):
        frame = pl.DataFrame(listed) if not isinstance(listed, pd.DataFrame) else pl.DataFrame(dict(listed))
        assert frame.schema["source"] == frame.schema["target"] == pl.Int64
        assert frame.row(0)[1:3] == (10, 50)


def test_lists_join_with_the_frame_that_they_came_from() -> None:
    narrow = pl.DataFrame(NUMBERS, schema={"source": pl.Int32, "target": pl.Int32})
    links = pulink.find(narrow, method="l3n").links
    assert links.join(narrow, on="source").height
    frame = pd.DataFrame(NUMBERS)
    found = pulink.find(frame, method="l3n")
    assert len(found.links.merge(frame, on="source"))
    assert found.links.dtypes["target"] == "int64"
    assert pulink.find(frame, method="l3n", min_probability=1.0).links.merge(frame, on="source").empty


def test_pairs_of_a_list_of_links_are_scored_again() -> None:
    found = pulink.find(pd.DataFrame(NUMBERS), method="l3n")
    again = found.model.predict_proba(found.links[["source", "target"]])
    assert again.tolist() == pytest.approx(found.links["probability"].tolist())
    assert suggest(found.model, 10).links["target"].dtype == "int64"


def test_whole_numbers_of_one_side_stay_numbers_and_names_stay_texts() -> None:
    frame = pl.DataFrame({"user": [1, 2, 2, 3], "film": ["Alien", "Alien", "Brazil", "Brazil"]})
    links = pulink.find(frame, method="l3n", kind="bipartite").links
    assert (links.schema["user"], links.schema["film"]) == (pl.Int64, pl.String)
    mixed = pl.DataFrame({"id": ["10", "x"], "size": [1.0, 2.0]})
    links = pulink.find(pl.DataFrame(NUMBERS), nodes=mixed, method="l3n").links
    assert links.schema["source"] == pl.String


def test_a_stored_model_still_calls_nodes_by_numbers(tmp_path: Any) -> None:
    pulink.L3N().fit(pl.DataFrame(NUMBERS)).save(tmp_path / "model")
    assert pulink.load_model(tmp_path / "model").missing_links(1).row(0)[1:3] == (10, 50)
