"""Prices: arithmetic by hand, which row counts, every method priced; slowly, against what find takes."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import pulink
from pulink.data.generated import power_law_graph
from pulink.errors import TooLargeError
from pulink.graph.graph import Graph
from pulink.methods.heuristics.row_search import RowHeuristic
from pulink.methods.heuristics.shared_neighbours import SharedNeighbours
from pulink.methods.registry import METHODS
from pulink.predictor import costs
from pulink.predictor.costs import Cost, Prices, cost_of, encoder_sizes, plain_sizes, prices_of
from pulink.predictor.predictor import LinkPredictor
from pulink.system import memory
from tests.support.command import COMMAND
from tests.support.planted import planted_graph

# 0 - 1 - 2 - 3
PATH = Graph.from_edges([[0, 1], [1, 2], [2, 3]], 4)
PLANTED = planted_graph(15, 3, 0.4, 0.05, seed=0)


def test_a_cost_by_hand() -> None:
    prices = Prices("Any", {}, {"one": 100.0, "edges": 2.5}, {"one": 1.0, "absent": 9.0}, {"edges": 0.5})
    # 100 + 2.5 · 10 bytes; 1 + 4 steps of 0.5 · 10 seconds
    assert prices.cost({"one": 1.0, "edges": 10.0, "steps": 4.0}) == Cost(125, 21.0)
    assert prices.cost({"one": 1.0, "edges": 10.0}) == Cost(125, 1.0)


def test_the_sizes_of_a_path_by_hand() -> None:
    # Degrees 1, 2, 2, 1: 1 + 4 + 4 + 1 wedges; from each of 4 nodes over 3 edges both ways.
    assert plain_sizes(PATH) == {
        "one": 1.0,
        "edges": 3.0,
        "vectors": 4.0,
        "messages": 3.0,
        "entries": 0.0,
        "cells": 16.0,
        "wedges": 10.0,
        "walks": 24.0,
    }


def test_the_sizes_of_an_encoder_by_hand() -> None:
    # Without features each node has weights of its own.
    assert encoder_sizes(PATH, 16, 2) == {"vectors": 128.0, "messages": 96.0, "weights": 64.0, "products": 0.0}
    dense = PATH.with_features(np.ones((4, 5), dtype=np.float32))
    assert encoder_sizes(dense, 16, 2) == {"vectors": 128.0, "messages": 96.0, "weights": 80.0, "products": 320.0}
    sparse = PATH.with_features(sp.csr_array(np.eye(4, 5, dtype=np.float32)))
    assert encoder_sizes(sparse, 16, 2)["products"] == 64.0
    assert plain_sizes(dense)["entries"] == 20.0
    assert plain_sizes(sparse)["entries"] == 4.0


@pytest.mark.parametrize(
    ("model", "n_steps"),
    [
        (pulink.GCNCE(), 2 * 600),
        (pulink.GCNCE(refit=False), 600),
        (pulink.GCNCE(stop=False), 2 * 2000),
        (pulink.GCNCE(max_epochs=30), 2 * 30),
        (pulink.GCNCE(check_every=2), 2 * 700),
        (pulink.BaggingPU(max_epochs=10, n_members=2), 2 * 2 * 10),
        (pulink.PULL(), 2 * 6 * 200),
        (pulink.PULL(patience=2, n_epochs=10), 2 * 8 * 10),
        (pulink.PULL(stop=False, refit=False, n_epochs=10), 100),
        (pulink.PULL(max_iterations=2), 2 * 2 * 200),
        # Three edges are three batches.
        (pulink.NCN(max_epochs=10), 2 * 3 * 10),
        (pulink.CommonNeighbours(), None),
    ],
)
def test_the_steps_that_are_expected(model: pulink.PULL, n_steps: int | None) -> None:
    assert model.sizes(PATH).get("steps") == n_steps


def test_width_follows_the_settings() -> None:
    assert pulink.GCNCE(n_units=8, n_layers=3).sizes(PATH)["vectors"] == 4 * 8 * 3
    assert pulink.GATCE(n_units=8, n_heads=3, n_layers=1).sizes(PATH)["vectors"] == 4 * 8 * 3
    assert pulink.NESS(n_units=8, n_parts=2, n_layers=1).sizes(PATH)["vectors"] == 4 * 8 * 2
    assert pulink.BaggingPU(n_units=8, n_members=5, n_layers=1).sizes(PATH)["vectors"] == 4 * 8 * 5


def test_lists_are_as_long_as_those_that_calibrate() -> None:
    # Eight times the hidden edges, but no more than there are unconnected pairs.
    assert pulink.GCNCE(val_ratio=0.1).sizes(PATH)["listed"] == pytest.approx(2.4)
    assert pulink.GCNCE(val_ratio=0.9).sizes(PATH)["listed"] == 3
    assert pulink.NCN(val_ratio=0.5).sizes(PATH)["listed"] == 1.5


def test_pairs_that_are_searched() -> None:
    assert pulink.NCN().sizes(PATH)["searched"] == 3
    assert pulink.NCN().sizes(PATH)["walks"] == 0
    large = power_law_graph(20_000, 5_000)
    sizes = pulink.NCN().sizes(large)
    assert sizes["searched"] == pytest.approx(2 * 5 * 0.1 * large.n_edges)
    assert sizes["walks"] == 2 * large.n_nodes * large.n_edges


@dataclass(kw_only=True, eq=False, repr=False)
class OwnGCN(pulink.GCNCE):
    """A user's own."""


def test_the_row_with_most_fitting_settings_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    rows = tuple(
        Prices("PULL", settings, {"one": price}, {}, {})
        for settings, price in (
            ({}, 1.0),
            ({"encoder": "vgae"}, 2.0),
            ({"encoder": "vgae", "correction": False}, 3.0),
            ({"encoder": "vgae", "correction": False, "nothing": 1}, 4.0),
        )
    )
    monkeypatch.setattr(costs, "_measured", lambda: rows)
    models = (pulink.PULL(), pulink.PULL(encoder="vgae"), pulink.PULL(encoder="vgae", correction=False))
    assert [cost_of(model, PATH) for model in models] == [Cost(1, 0.0), Cost(2, 0.0), Cost(3, 0.0)]
    assert cost_of(pulink.GCNCE(), PATH) is None


def test_a_class_of_ones_own_costs_what_it_extends() -> None:
    assert prices_of(OwnGCN()) == prices_of(pulink.GCNCE()) is not None


@pytest.mark.parametrize("family", [SharedNeighbours, RowHeuristic])
def test_a_heuristic_that_nobody_measured_costs_what_its_family_does(family: type[LinkPredictor]) -> None:
    rows = {own.kind: own for own in costs._measured()}
    kinds = [entry.predictor.__name__ for entry in METHODS.values() if issubclass(entry.predictor, family)]
    members = [rows[kind] for kind in kinds if kind in rows]
    assert len(members) >= 4
    assert rows[family.__name__].bytes["listed"] == max(own.bytes["listed"] for own in members)
    graph = power_law_graph(10_000, 1_000)
    found = rows[family.__name__].cost(plain_sizes(graph) | {"listed": 100.0})
    assert found.n_bytes >= max(own.cost(plain_sizes(graph) | {"listed": 100.0}).n_bytes for own in members)


def test_what_nobody_measured_is_not_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(costs, "_measured", tuple)
    monkeypatch.setattr(memory, "available_bytes", lambda: 1)
    pulink.CommonNeighbours().check_serves(PATH)


@pytest.mark.parametrize("name", METHODS)
def test_every_method_has_prices(name: str) -> None:
    entry = METHODS[name]
    prices = prices_of(entry.make())
    assert prices is not None, (
        f"predictor/costs.json has no prices for {name}: measure them with `python -m benchmarks memory "
        f"--methods={name}`, or extend a class that has some"
    )
    # A heuristic may take the prices of its family.
    kinds = [own.__name__ for own in entry.predictor.__mro__] if entry.family == "heuristic" else []
    assert prices.kind in {entry.predictor.__name__, *kinds}
    assert dict(prices.settings) == entry.settings
    every = [*prices.bytes.values(), *prices.seconds.values(), *prices.step_seconds.values()]
    assert min(every) > 0
    known = set(entry.make().sizes(PLANTED))
    assert {*prices.bytes, *prices.seconds, *prices.step_seconds} <= known
    small, large = (
        cost_of(entry.make(n_splits=1), power_law_graph(10 * n_nodes, n_nodes, n_features=3))
        for n_nodes in (1_000, 10_000)
    )
    assert small is not None
    assert large is not None
    assert large.n_bytes > small.n_bytes
    assert large.seconds > small.seconds


@pytest.mark.parametrize("name", METHODS)
def test_every_method_refuses_what_does_not_fit(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_bytes", lambda: 10**6)
    with pytest.raises(TooLargeError, match=r"needs about [\d.]+ GB, 0\.0 GB are free: .+; pulink estimate tells"):
        METHODS[name].make().check_serves(PLANTED)


MEASURED = [
    ("common-neighbours", 2_000, 30_000, {}),
    ("l3n", 3_000, 20_000, {}),
    ("gcn-ce", 30_000, 150_000, {"max_epochs": 2, "min_epochs": 1}),
    ("gat-ce", 20_000, 60_000, {"max_epochs": 2, "min_epochs": 1}),
    ("pull", 50_000, 100_000, {"n_epochs": 2}),
    ("ncn", 4_000, 30_000, {"max_epochs": 2, "min_epochs": 1}),
    ("pull-plus", 1_000, 10_000, {"n_epochs": 5, "n_trees": 20}),
]

# A process inherits the peak of the one that starts it, so a small one stands between; it prints kilobytes.
STARTER = """
import os, sys
words = sys.argv[1:]
quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
_, status, used = os.wait4(os.posix_spawn(words[0], words, os.environ, file_actions=quiet), 0)
assert status == 0
print(used.ru_maxrss)
"""


@pytest.mark.slow
@pytest.mark.parametrize(("method", "n_nodes", "n_edges", "settings"), MEASURED)
def test_find_takes_about_what_is_estimated(
    method: str, n_nodes: int, n_edges: int, settings: dict[str, int], tmp_path: Path
) -> None:
    path = tmp_path / "edges.csv"
    pl.DataFrame(power_law_graph(n_edges, n_nodes, seed=1).edges, schema=["source", "target"]).write_csv(path)
    given = [word for name, value in settings.items() for word in ("--set", f"{method}.{name}={value}")]
    told = subprocess.check_output([COMMAND, "estimate", path, "--method", method, *given, "--json", "--quiet"])
    estimated = json.loads(told)["methods"][0]["memory_bytes"]
    find = [COMMAND, "find", str(path), "--method", method, *given, "--quiet"]
    used = subprocess.check_output([sys.executable, "-S", "-c", STARTER, *find], text=True)
    assert 0.7 < estimated / (1024 * int(used)) < 1.3
