"""All of a find in a group: the same files for any number of workers, and what one machine answers."""

from __future__ import annotations

import os
import signal
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.distributed.group.job import GroupTask, Watch, write_job
from pulink.distributed.local_executor import LocalWorkers
from pulink.methods.baselines.gnn import sharded_epochs
from pulink.methods.pull.sharded import fit, training
from pulink.predictor.sharded.find_job import FOUND, GRAPH, FindPlan
from pulink.predictor.sharded.found_files import Found, read_found
from tests.support.graph_folders import graph_folder
from tests.support.planted import planted_graph

SETTINGS: dict[str, Any] = {"n_epochs": 10, "max_iterations": 3, "n_hubs": 20, "growth": 0.3}
PLAIN = planted_graph(25, 3, 0.5, 0.03, seed=0)
FEATURES = np.random.default_rng(0).random((PLAIN.n_nodes, 6)).astype(np.float32)


def prepared(
    folder: Path, task: GroupTask, settings: dict[str, Any], features: np.ndarray | None = FEATURES, **plan: Any
) -> Path:
    graph = PLAIN if features is None else PLAIN.with_features(features)
    graph_folder(graph, folder / GRAPH, [0, 31, 50, graph.n_nodes])
    usual = {"val_ratio": 0.1, "refit": True, "seed": 0, "missing_share": None, "top": 30, "fdr": None}
    write_job(folder, task, asdict(FindPlan(settings=settings, min_probability=0.0, **(usual | plan))))
    return folder


def pull_settings(**more: Any) -> dict[str, Any]:
    return fit.settings_of(pulink.PULL(**(SETTINGS | more)), PLAIN, None).to_plain()


def content(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in (folder / FOUND).iterdir()}


def done(executor: LocalWorkers, folder: Path) -> Found:
    executor.together(folder, lambda: None)
    found = read_found(folder / FOUND)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def executors() -> Any:
    both = {n: LocalWorkers(n) for n in (1, 2)}
    yield both
    for executor in both.values():
        executor.close()


@pytest.mark.parametrize("method", ["pull", pytest.param("gcn-ce", marks=pytest.mark.slow)])
def test_any_number_of_workers_writes_the_same_files(
    method: str, executors: dict[int, LocalWorkers], tmp_path: Path
) -> None:
    model = pulink.GCNCE(max_epochs=20, min_epochs=10, check_every=2)
    task, settings = (
        (training.FIND, pull_settings())
        if method == "pull"
        else (sharded_epochs.FIND, sharded_epochs.settings_of(model))
    )
    folders = {n: prepared(tmp_path / str(n), task, settings) for n in executors}
    found = {n: done(executor, folders[n]) for n, executor in executors.items()}
    assert content(folders[1]) == content(folders[2])
    assert len(found[1].pairs) == 30
    assert not PLAIN.has_edges(found[1].pairs).any()
    assert set(content(folders[1])) == {"found.piece", "embeddings-00000.safetensors"}


def test_the_planted_links_are_found_and_counted(executors: dict[int, LocalWorkers], tmp_path: Path) -> None:
    settings = pull_settings(n_epochs=60)
    found = done(executors[2], prepared(tmp_path / "job", training.FIND, settings, features=None))
    assert found.calibrator is not None
    assert found.calibrator.found is not None
    assert found.calibrator.found.auroc > 0.7
    assert found.calibrator.missing.low <= found.calibrator.missing.best <= found.calibrator.missing.high
    # Nodes of one community have numbers that stand together: 25 each.
    assert (found.pairs[:, 0] // 25 == found.pairs[:, 1] // 25).mean() > 0.9
    assert (np.diff(found.scores) <= 0).all()
    assert found.plain["searched"] == "all unconnected pairs, exactly"


@pytest.mark.slow
def test_a_group_that_loses_workers_writes_the_same_files(
    executors: dict[int, LocalWorkers], tmp_path: Path
) -> None:
    undisturbed = prepared(tmp_path / "undisturbed", training.FIND, pull_settings())
    done(executors[1], undisturbed)
    folder = prepared(tmp_path / "job", training.FIND, pull_settings())
    watch, stages = Watch(folder), ["choose", "refit"]

    def kill_in_every_stage() -> None:
        for event in watch.news():
            if stages and event.get("stage") == stages[0] and event.get("epoch", 0) >= 5:
                stages.pop(0)
                os.kill(executors[2].workers[0].pid, signal.SIGKILL)

    executors[2].together(folder, kill_in_every_stage)
    assert not stages
    assert content(folder) == content(undisturbed)


def test_without_hidden_edges_there_is_no_calibration(executors: dict[int, LocalWorkers], tmp_path: Path) -> None:
    found = done(executors[1], prepared(tmp_path / "job", training.FIND, pull_settings(), val_ratio=0.0))
    assert found.calibrator is None
    assert len(found.pairs) == 30


@pytest.mark.slow
def test_a_list_by_fdr_is_as_long_as_missing_links_may_be(
    executors: dict[int, LocalWorkers], tmp_path: Path
) -> None:
    found = done(executors[1], prepared(tmp_path / "job", training.FIND, pull_settings(), top=None, fdr=0.5))
    assert len(found.pairs) > 100
