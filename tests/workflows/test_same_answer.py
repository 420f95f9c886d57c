"""The same graph gives the same answer to the bit, whatever it comes in and in whatever order."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pandas as pd
import polars as pl
import pytest

import pulink

Edges = list[tuple[str, str]]
QUICK: dict[str, Any] = {"n_folds": 2, "n_epochs": 5, "n_trees": 10, "max_rounds": 1, "n_splits": 2, "threads": 1}
METHODS = {"l3n": {"method": "l3n", "threads": 1}, "pull-plus": QUICK}

MISERABLES: Edges = [(str(a), str(b)) for a, b in nx.les_miserables_graph().edges()]


def shuffled(edges: Edges, seed: int) -> Edges:
    """Rows in another order, and some of them the other way round."""
    dice = np.random.default_rng(seed)
    rows = [edge if dice.random() < 0.5 else edge[::-1] for edge in edges]
    return [rows[k] for k in dice.permutation(len(rows)).tolist()]


def as_csv(edges: Edges, folder: Path) -> str:
    path = folder / "edges.csv"
    path.write_text("source,target\n" + "".join(f"{a},{b}\n" for a, b in edges))
    return str(path)


def as_networkx(edges: Edges, _: Path) -> nx.Graph:
    graph = nx.Graph()
    graph.add_nodes_from(sorted({name for edge in edges for name in edge})[::-5])
    graph.add_edges_from(edges)
    return graph


def as_graphml(edges: Edges, folder: Path) -> str:
    path = folder / "edges.graphml"
    nx.write_graphml(nx.Graph(edges), path)
    return str(path)


WAYS: dict[str, Callable[[Edges, Path], Any]] = {
    "csv": as_csv,
    "list": lambda edges, _: edges,
    "array": lambda edges, _: np.array(edges),
    "polars": lambda edges, _: pl.DataFrame(edges, schema=["source", "target"], orient="row"),
    "pandas": lambda edges, _: pd.DataFrame(edges, columns=["source", "target"]),
    "swapped columns": lambda edges, _: pd.DataFrame(edges, columns=["target", "source"]),
    "networkx": as_networkx,
    "graphml": as_graphml,
}


def rows_of(links: Any) -> list[tuple[Any, ...]]:
    return list(zip(*(list(links[name]) for name in links.columns), strict=True))


@pytest.fixture(scope="module", params=METHODS)
def expected(request: pytest.FixtureRequest) -> tuple[dict[str, Any], list[tuple[Any, ...]]]:
    asked = METHODS[request.param]
    return asked, rows_of(pulink.find(MISERABLES, **asked).links)


@pytest.mark.parametrize("way", WAYS)
def test_edges(way: str, expected: tuple[dict[str, Any], list[tuple[Any, ...]]], tmp_path: Path) -> None:
    asked, rows = expected
    found = pulink.find(WAYS[way](shuffled(MISERABLES, len(way)), tmp_path), **asked)
    assert rows_of(found.links) == rows


# Numbers with gaps, in the order of numbers; as text 10 would stand before 9.
NUMBERED: Edges = [(str(3 * a + 7), str(3 * b + 7)) for a, b in nx.karate_club_graph().edges()]


@pytest.mark.parametrize("way", ["csv", "polars", "networkx", "graphml"])
def test_nodes_that_are_numbers(way: str, tmp_path: Path) -> None:
    rows = rows_of(pulink.find(NUMBERED, **METHODS["l3n"]).links)
    assert rows_of(pulink.find(WAYS[way](shuffled(NUMBERED, 1), tmp_path), **METHODS["l3n"]).links) == rows
    numbers = nx.Graph((int(a), int(b)) for a, b in shuffled(NUMBERED, 2))
    assert rows_of(pulink.find(numbers, **METHODS["l3n"]).links) == rows


def node_rows(seed: int) -> list[dict[str, Any]]:
    """A number, a category, words, and gaps; the same for each name, in another order."""
    names = sorted({name for edge in MISERABLES for name in edge})
    rows = [
        {
            "id": name,
            "size": None if k % 7 == 0 else k * 0.1,
            "kind": "abc"[k % 3],
            "text": f"w{k % 5} v{k % 4} both",
        }
        for k, name in enumerate(names)
    ]
    return [rows[k] for k in np.random.default_rng(seed).permutation(len(rows)).tolist()]


@pytest.mark.parametrize(
    "way",
    ["csv", *(pytest.param(way, marks=pytest.mark.slow) for way in ("list", "pandas", "networkx", "graphml"))],
)
def test_attributes_follow_their_nodes(way: str, tmp_path: Path) -> None:
    first = pulink.find(MISERABLES, pl.DataFrame(node_rows(0)), **QUICK)
    table = tmp_path / "nodes.csv"
    pl.DataFrame(node_rows(1)).write_csv(table)
    again = pulink.find(WAYS[way](shuffled(MISERABLES, 5), tmp_path), str(table), **QUICK)
    assert again.graph.feature_names == first.graph.feature_names
    assert (again.graph.features != first.graph.features).nnz == 0
    assert rows_of(again.links) == rows_of(first.links)


def test_of_repeated_edges_the_largest_weight_counts_whichever_comes_first() -> None:
    rows = [("a", "b", 0.1), ("b", "a", 0.2), ("a", "b", 0.3), ("b", "c", 8.0), ("c", "b", 1.0)]
    for order in ([0, 1, 2, 3, 4], [4, 2, 1, 3, 0], [3, 1, 0, 4, 2]):
        frame = pl.DataFrame([rows[k] for k in order], schema=["source", "target", "weight"], orient="row")
        weights = pulink.from_frame(frame, weight="weight").weights
        assert weights is not None
        assert weights.tolist() == [np.float32(0.3), 8.0]
