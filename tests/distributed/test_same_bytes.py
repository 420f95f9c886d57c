"""A fit of PULL+ gives the same bytes whoever makes its pieces, and what was made is not made again."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.distributed.executor import using
from pulink.distributed.local_executor import LocalWorkers
from pulink.graph.spaces.kinds import KINDS
from pulink.methods.pull_plus.scoring import scored_graph
from pulink.persistence.checkpoints import Checkpoints
from pulink.predictor.fitting.fit_run import Progress
from tests.support.in_bytes import InBytes
from tests.support.planted import planted_graph
from tests.support.planted_kinds import small_planted

SETTINGS: dict[str, Any] = {
    "n_folds": 4, "max_folds": 3, "n_epochs": 5, "n_trees": 10, "max_rounds": 1, "n_splits": 2, "threads": 1,
}  # fmt: skip


def with_features(graph: pulink.Graph) -> pulink.Graph:
    features = np.random.default_rng(0).random((graph.n_nodes, 6)).astype(np.float32)
    return graph.with_features(features)


GRAPH = with_features(planted_graph(25, 3, 0.5, 0.03, seed=0))


def bytes_of(model: pulink.PULLPlus, folder: Path) -> dict[str, bytes]:
    model.save(folder)
    links = model.missing_links(50).write_csv().encode()
    return {path.name: path.read_bytes() for path in folder.iterdir()} | {"links": links}


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    model = pulink.PULLPlus(**SETTINGS).fit(GRAPH)
    return bytes_of(model, tmp_path_factory.mktemp("alone") / "model")


@pytest.fixture(autouse=True)
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    """All pairs of a small graph are several chunks."""
    monkeypatch.setattr(scored_graph, "CHUNK", 500)


@pytest.mark.parametrize("n_workers", [pytest.param(1, marks=pytest.mark.slow), 2])
def test_local_workers_give_the_same_bytes(n_workers: int, alone: dict[str, bytes], tmp_path: Path) -> None:
    with using(LocalWorkers(n_workers)):
        model = pulink.PULLPlus(**SETTINGS).fit(GRAPH)
        assert bytes_of(model, tmp_path / "model") == alone


def test_a_worker_that_is_killed_in_a_fit_changes_nothing(alone: dict[str, bytes], tmp_path: Path) -> None:
    with using(LocalWorkers(3)) as executor:
        assert isinstance(executor, LocalWorkers)
        first = [worker.pid for worker in executor.workers]

        def kill_one(_: Progress) -> None:
            if [worker.pid for worker in executor.workers] == first:
                os.kill(first[0], signal.SIGKILL)

        model = pulink.PULLPlus(**SETTINGS).fit(GRAPH, progress=kill_one)
        assert bytes_of(model, tmp_path / "model") == alone
        assert [worker.pid for worker in executor.workers] != first


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_graph_goes_through_bytes_unchanged(kind: str, tmp_path: Path) -> None:
    graph = small_planted(kind) if kind != "undirected" else GRAPH.with_weights(np.arange(1.0, GRAPH.n_edges + 1))
    settings = SETTINGS | {"n_splits": 1}
    alone = bytes_of(pulink.PULLPlus(**settings).fit(graph), tmp_path / "alone")
    with using(InBytes()) as executor:
        model = pulink.PULLPlus(**settings).fit(graph)
        assert bytes_of(model, tmp_path / "model") == alone
    assert isinstance(executor, InBytes)
    assert {address.rpartition(":")[2] for address, _ in executor.made} >= {"TRAIN", "FOLD", "VIEW"}


def test_pieces_that_were_made_before_a_stop_are_not_made_again(alone: dict[str, bytes], tmp_path: Path) -> None:
    made: list[tuple[str, str]] = []
    n_stops = 0
    while True:
        checkpoints = Checkpoints(tmp_path / "pieces")
        left = 3

        def stop_soon(progress: Progress, checkpoints: Checkpoints = checkpoints) -> None:
            nonlocal left
            left -= progress.stage != "calibrate"
            if left == 0:
                checkpoints.stop_soon()

        with using(InBytes()) as executor:
            assert isinstance(executor, InBytes)
            model = pulink.PULLPlus(**SETTINGS)
            try:
                model.fit(GRAPH, progress=stop_soon, checkpoints=checkpoints)
            except KeyboardInterrupt:
                n_stops += 1
                assert n_stops < 50
                continue
            finally:
                kept = {path.stem for path in (tmp_path / "pieces").glob("*/*.piece")}
                made += [(address, str(plain)) for address, plain in executor.made]
            assert bytes_of(model, tmp_path / "model") == alone
            break
    assert n_stops >= 2
    assert {"learned-0", "learned-0-gcn", "fold-0", "view-choose", "view-refit", "split-2-fold-1"} <= kept
    again = InBytes()
    with using(again):
        pulink.PULLPlus(**SETTINGS).fit(GRAPH, checkpoints=tmp_path / "pieces")
    assert not [address for address, _ in again.made if address.rpartition(":")[2] in ("TRAIN", "FOLD", "VIEW")]
