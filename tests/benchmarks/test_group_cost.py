"""The cost model of groups: what it counts happens, its fit finds prices, its figures are those of docs."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from benchmarks.group.cost_changes import changes
from benchmarks.group.cost_model import Network, Places, Prices, clock_parts, fit, outer_iteration, priced
from benchmarks.group.cost_runs import Run, fitted_runs
from benchmarks.group.cost_terms import Work, epoch_amounts, epoch_bytes, exchange_bytes, select_amounts
from benchmarks.group.cost_told import concluded
from benchmarks.page_tables import DOCS, RESULTS

import pulink
from pulink.distributed.group.checkpoints import GroupCheckpoints
from pulink.distributed.group.group import Group, RowBuffers
from pulink.distributed.group.job import Teller
from pulink.distributed.group.own_rows import own_rows
from pulink.distributed.group.shards import Shards
from pulink.methods.pull.sharded.fit import settings_of
from pulink.methods.pull.sharded.loop import ShardedLoop
from tests.support.planted import planted_graph

GRAPH = planted_graph(40, 4, 0.3, 0.02, seed=0)
MEASURED: dict[str, Any] = json.loads((RESULTS / "group-cost.json").read_text())
WORK = Work(n_nodes=1_000, n_edges=10_000, n_features=0, n_workers=4, n_per_machine=2)
NETWORK, PLACES = Network(1e9, 1e-4, 2e9), Places(0.05, 1e6, 13.0, 1e9)


def test_rows_are_exchanged_as_often_as_is_counted(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    exchanged = []
    publish = RowBuffers.publish
    monkeypatch.setattr(RowBuffers, "publish", lambda self: (exchanged.append(1), publish(self))[1])
    model, epochs = pulink.PULL(max_iterations=2, n_epochs=3, stop=False), 3
    group, shards = Group(), Shards.of_degrees(GRAPH.degrees)
    rows = own_rows(GRAPH, shards, range(256))
    nothing = GroupCheckpoints(None, group, rows)
    ShardedLoop(rows, group, settings_of(model, GRAPH, None), None, nothing, Teller(tmp_path, group)).run()
    # Besides epochs: two embeddings of all nodes after each iteration, and what the E-step scores by.
    embedded = 2 * (model.n_layers + 1)
    wanted = [epochs * WORK.n_publishes(t) + embedded for t in (1, 2)]
    assert len(exchanged) == sum(wanted) + 1


def test_bytes_of_an_exchange_by_hand() -> None:
    # Two machines, each sends the rows of 500 nodes of 64 bytes to the other one; two workers share that.
    assert exchange_bytes(WORK) == 500 * 64
    assert epoch_bytes(WORK, 1) > 5 * 500 * 64 / 2
    alone = Work(1_000, 10_000, 0, 1, 1)
    assert exchange_bytes(alone) == epoch_bytes(alone, 1) == epoch_bytes(alone, 2) == 0


def test_bytes_are_those_that_were_measured() -> None:
    for row in MEASURED["rows"]:
        n_here = row["n_workers"] if row["shares_memory"] else 1
        work = Work(row["n_nodes"], row["n_edges"], row["n_features"], row["n_workers"], n_here)
        for t in (1, 2):
            least = 0.02 if row["n_workers"] > n_here else 0.25
            assert epoch_bytes(work, t) == pytest.approx(row[f"epoch_{t}_sent"], rel=least), row


def test_the_fit_finds_prices_that_made_the_seconds() -> None:
    epoch = dict.fromkeys(epoch_amounts(WORK, 1), 0.0) | {"counters": 4e-9, "entries": 3e-10, "epoch": 1e-3}
    select = dict.fromkeys(select_amounts(WORK), 0.0) | {"counted cells": 5e-9, "selection": 1e-2}
    rows = []
    for run in fitted_runs():
        n_here = run.n_workers if run.shares_memory else 1
        work = Work(2 * run.n_edges // run.mean_degree, run.n_edges, run.n_features, run.n_workers, n_here)
        slower = 1.3 if run.n_workers > 1 else 1.0
        told = {f"epoch_{t}_processor": slower * priced(epoch_amounts(work, t), epoch) for t in (1, 2)}
        told["e_step_processor"] = slower * priced(select_amounts(work), select)
        rows.append(asdict(run) | told | {"n_nodes": work.n_nodes})
    found = fit(rows)
    assert found.crowded == pytest.approx(1.3)
    assert found.epoch == pytest.approx(epoch, rel=1e-3, abs=1e-12)
    assert found.select == pytest.approx(select, rel=1e-3, abs=1e-12)


def test_more_of_anything_never_takes_less() -> None:
    prices = Prices(**MEASURED["prices"])

    def seconds(**changed: Any) -> float:
        work = Work(**({**asdict(WORK), "n_nodes": 10**7, "n_edges": 10**8} | changed))
        return outer_iteration(work, prices, NETWORK, PLACES)["seconds"]

    usual = seconds()
    assert seconds(n_edges=2 * 10**8) > usual
    assert seconds(n_nodes=2 * 10**7) > usual
    assert seconds(n_units=32) > usual
    assert seconds(n_features=128) != usual


def test_changes_of_the_code_only_bring_something() -> None:
    work = Work(10**8, 10**9, 128, 64, 8)
    parts = clock_parts(work, 2, Prices(**MEASURED["prices"]), NETWORK, PLACES)
    told = [one["seconds"] for one in changes(work, parts, 1.25e10)]
    assert told[0] == pytest.approx(sum(parts.values()))
    assert told == sorted(told, reverse=True)


def test_what_is_stored_follows_from_what_was_measured() -> None:
    found = concluded(MEASURED["rows"], MEASURED["networks"], MEASURED["peaks"])
    assert found["spread"] == pytest.approx(MEASURED["spread"])
    assert found["prices"]["epoch"] == pytest.approx(MEASURED["prices"]["epoch"], rel=1e-3, abs=1e-15)
    for now, stored in zip(found["told"], MEASURED["told"], strict=True):
        assert now["outer_iteration"] == pytest.approx(stored["outer_iteration"], rel=1e-3)


def test_runs_that_were_held_back_are_told_within_thirty_percent() -> None:
    assert len(MEASURED["held_back"]) >= 1
    for row in MEASURED["held_back"]:
        assert row["asked"] == 10**7
        for t in (1, 2):
            assert 0.7 < row[f"epoch_{t}_processor_told"] / row[f"epoch_{t}_processor"] < 1.3, row


def test_estimates_of_memory_are_within_thirty_percent() -> None:
    for row in MEASURED["peaks"]:
        assert 0.7 < row["estimate_mb"] / max(row["peak_mb"]) < 1.3, row


def test_the_page_says_what_gloo_sends() -> None:
    speed = MEASURED["networks"][0]["publish_1048576"]["bytes_per_second"]
    assert f"over loopback, {speed / 1e9:.1f} GB/s" in (DOCS / "distributed.md").read_text()


def test_held_back_runs_were_not_fitted() -> None:
    fitted = [Run(row["asked"], *(row[n] for n in ("mean_degree", "n_features", "n_workers", "shares_memory")))
              for row in MEASURED["rows"] if not row["held_back"]]  # fmt: skip
    assert set(fitted) <= set(fitted_runs())
    assert max(run.n_edges for run in fitted) < 10**7
