"""Benchmarks take minutes; here only that they still fit the code that they measure."""

from __future__ import annotations

import importlib
import json
import pkgutil
import time
from collections.abc import Callable
from typing import Any

import pytest

import benchmarks
import pulink
from benchmarks import first_answer, page_tables, plus_parts
from pulink.graph.graph import Graph
from tests.conftest import Write


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # by PyG, when it is imported
@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(benchmarks.__path__)])
def test_what_a_benchmark_needs_is_there(name: str) -> None:
    importlib.import_module(f"benchmarks.{name}")


@pytest.mark.parametrize(("name", "home", "attribute"), plus_parts.PARTS)
def test_a_part_that_is_timed_is_there(name: str, home: Any, attribute: str) -> None:
    assert callable(getattr(home, attribute)), name
    assert attribute in home.__dict__, name


def test_a_part_within_a_part_counts_for_the_inner_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "process_time", lambda: now[0])
    clock = plus_parts.Clock()

    def wait(seconds: float) -> None:
        now[0] += seconds

    inner = clock.around("inner", wait)

    def outer() -> None:
        wait(1.0)
        inner(5.0)
        wait(2.0)
        inner(7.0)

    clock.around("outer", outer)()
    assert clock.seconds == {"inner": 12.0, "outer": 3.0}


@pytest.mark.parametrize(
    ("called", "written"), [(called, written) for called, _, _, written in first_answer.FILES]
)
def test_files_of_first_answers_hold_their_graph(
    write: Write, called: str, written: Callable[[Graph], str]
) -> None:
    kind = {"MovieLens": "bipartite", "Gephi": "directed"}.get(called, "undirected")
    rows = [[0, 5], [1, 5], [2, 6], [3, 6], [4, 5], [4, 6]]
    read = pulink.read(write("file.txt", written(Graph.from_edges(rows, kind=kind))))
    assert (read.n_nodes, read.n_edges, read.kind) == (7, 6, kind)
    assert sorted(read.degrees.tolist()) == [1, 1, 1, 1, 2, 3, 3]


def test_tables_of_docs_are_those_of_the_figures() -> None:
    assert len(json.loads(first_answer.RESULTS.read_text())["rows"]) == 5
    for name, tables in page_tables.TABLES.items():
        page = (page_tables.DOCS / name).read_text()
        assert page_tables.with_tables(page, tables) == page, "python -m benchmarks.page_tables writes them anew"
