"""The line before any work: by prices that are made up, and never a minute of work for it."""

from __future__ import annotations

import re

import pytest

import pulink
from pulink.graph.graph import Graph
from pulink.predictor.costs import Cost
from pulink.predictor.predictor import LinkPredictor
from pulink.system import memory
from pulink.workflows.words import expected_cost as room
from pulink.workflows.words.expected_cost import expected_cost
from tests.support.planted import planted_graph

GRAPH = planted_graph(30, 2, 0.3, 0.02, seed=0)


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> object:
    """The line, given the seconds of methods by class; a method without any was never measured."""

    def of(**seconds: float) -> str | None:
        def cost_of(model: LinkPredictor, graph: Graph) -> Cost | None:
            found = seconds.get(type(model).__name__)
            return None if found is None else Cost(500_000_000, found)

        monkeypatch.setattr(room, "cost_of", cost_of)
        monkeypatch.setattr(memory, "peak_bytes", lambda: 100_000_000)
        monkeypatch.setattr(memory, "resident_bytes", lambda: 90_000_000)
        return expected_cost(pulink.PULLPlus(), GRAPH)

    return of


BRIEF = "this will take about 40 s of processor time and 590 MB of memory"
LONG = "this will take about 34 min of processor time and 590 MB of memory"
ALL_LONG = {"PULLPlus": 2_040.0, "L3N": 200.0, "ResourceAllocation": 150.0}


@pytest.mark.parametrize(
    ("seconds", "line"),
    [
        ({"PULLPlus": 40.0, "L3N": 1.0}, BRIEF),
        ({"PULLPlus": 0.2}, "this will take about 1 s of processor time and 590 MB of memory"),
        ({"PULLPlus": 2_040.0, "L3N": 10.0}, f"{LONG}; method l3n answers in about 10 s"),
        (
            {"PULLPlus": 2_040.0, "L3N": 10.0, "ResourceAllocation": 1.0},
            f"{LONG}; method l3n answers in about 10 s",
        ),
        (ALL_LONG, f"{LONG}; method resource-allocation answers in about 2 min"),
        ({"PULLPlus": 2_040.0, "L3N": 1_000.0}, LONG),
        ({"L3N": 10.0}, None),
    ],
)
def test_what_it_takes_and_what_answers_sooner(told: object, seconds: dict[str, float], line: str | None) -> None:
    assert told(**seconds) == line  # type: ignore[operator]


def test_every_method_has_a_line() -> None:
    for entry in pulink.METHODS.values():
        line = expected_cost(entry.make(), GRAPH)
        assert line is not None
        told = r"this will take about \d+ (s|min) of processor time and [\d.]+ [MG]B of memory"
        assert re.match(told, line), entry.name


def test_a_graph_without_edges_is_left_to_fit() -> None:
    assert expected_cost(pulink.L3N(), Graph.from_edges([], 3)) is None
