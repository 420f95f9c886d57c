"""Columns that stand the other way round, and names that lists cannot carry."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import polars as pl
import pytest

import pulink
from pulink import Graph
from pulink.data.absent_pairs import with_known_absent
from pulink.data.new_nodes import read_new_nodes
from pulink.errors import ParameterError
from pulink.graph.tables.kind_detection import kind_by_rows, natural_places


def test_cited_before_citing_is_read_from_citing_to_cited(tmp_path: Path) -> None:
    (tmp_path / "cites.csv").write_text("cited,citing\nold,new\nold,newer\nnew,newer\n")
    graph = pulink.read(tmp_path / "cites.csv")
    assert (graph.kind, graph.ends) == ("directed", ("citing", "cited"))
    assert graph.has_edges(graph.names.index_of(["new", "old"]).reshape(1, 2)).all()


def test_known_absent_pairs_are_read_by_the_names_of_the_columns() -> None:
    graph = Graph.from_edges([[0, 1], [1, 2]], kind="directed", names=["a", "b", "c"], ends=("u", "v"))
    marked = with_known_absent(pl.DataFrame({"v": ["c"], "u": ["a"]}), graph)
    assert marked.absent is not None
    assert marked.absent.tolist() == [[0, 2]]


def test_first_edges_of_new_nodes_are_read_by_the_names_of_the_columns(tmp_path: Path) -> None:
    bought = pl.DataFrame({"user": ["1", "1", "2"], "item": ["1", "2", "2"]})
    graph = pulink.from_frame(bought)
    (tmp_path / "new.csv").write_text("item,user\n1,31\n2,31\n")
    new = read_new_nodes(graph, tmp_path / "new.csv")
    assert new.names == ["user:31"]
    assert set(new.edges) == {("31", "1"), ("31", "2")}


def test_names_with_numbers_are_compared_as_people_count() -> None:
    rng = np.random.default_rng(0)
    names = pl.Series(sorted(f"n{i}" for i in range(40)))
    number = {name: place for place, name in enumerate(names)}
    low, high = np.triu_indices(40, 1)
    rows = np.array([[number[f"n{i}"], number[f"n{j}"]] for i, j in zip(low, high, strict=True)])
    rows = rows[rng.permutation(len(rows))][:200]
    assert kind_by_rows(natural_places(names)[rows], 40).kind == "undirected"


@pytest.mark.parametrize(
    "wrong",
    [
        {"ends": ("rank", "b")},
        {"ends": ("x", "x")},
        {"ends": ("x",)},
        {"ends": (1, 2)},
        {"kind": None},
        {"kind": 3},
    ],
)
def test_what_a_list_cannot_carry_is_refused_in_a_line(wrong: dict[str, object]) -> None:
    with pytest.raises(ParameterError, match="must be"):
        Graph.from_edges([[0, 1]], **{"kind": "directed"} | wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("between", [5, [5], [], "ab"])
def test_odd_pairs_of_types_are_refused_in_a_line(between: object) -> None:
    with pytest.raises(ParameterError, match="between takes"):
        Graph.from_edges([[0, 1]], kind="typed", node_types=["a", "b"], between=between)  # type: ignore[arg-type]
