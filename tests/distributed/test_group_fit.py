"""PULL and GCN+CE trained by a group: the same bytes for any number of workers, and what one process learns."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import pulink
from pulink.distributed.executor import Executor, using
from pulink.distributed.group.job import EVENTS
from pulink.distributed.local_executor import LocalWorkers
from pulink.errors import ClusterError, InputError
from pulink.persistence.checkpoints import Checkpoints
from pulink.predictor.by_embedding import EmbeddingPredictor
from pulink.predictor.fitting.fit_run import Progress
from tests.support.planted import planted_graph

SETTINGS: dict[str, dict[str, Any]] = {
    "PULL": {"n_epochs": 8, "max_iterations": 3, "stop": False, "n_hubs": 20, "growth": 0.3},
    "GCNCE": {"max_epochs": 12, "min_epochs": 4, "check_every": 3},
}


def with_features(graph: pulink.Graph) -> pulink.Graph:
    features = np.random.default_rng(0).random((graph.n_nodes, 6)).astype(np.float32)
    return graph.with_features(features)


PLAIN = planted_graph(25, 3, 0.5, 0.03, seed=0)
WEIGHTED = PLAIN.with_weights(1 + np.random.default_rng(1).random(PLAIN.n_edges))
GRAPHS = {"plain": PLAIN, "features": with_features(PLAIN), "weighted": with_features(WEIGHTED)}


def predictor(name: str, **more: Any) -> Any:
    return getattr(pulink, name)(threads=1, n_splits=1, **(SETTINGS[name] | more))


def bytes_of(model: EmbeddingPredictor, folder: Path) -> dict[str, bytes]:
    model.save(folder)
    links = model.missing_links(50).write_csv().encode()
    return {path.name: path.read_bytes() for path in folder.iterdir()} | {"links": links}


class Executors(dict[int, LocalWorkers]):
    """By the number of workers, begun when they are first asked for."""

    def __missing__(self, n: int) -> LocalWorkers:
        self[n] = LocalWorkers(n)
        return self[n]


@pytest.fixture(scope="module")
def executors() -> Iterator[Executors]:
    """Processes of several groups, which serve all fits of this file."""
    several = Executors()
    yield several
    for executor in several.values():
        executor.close()


class Lent:
    """An executor that is in use for a while and not closed afterwards."""

    def __init__(self, executor: Executor) -> None:
        self._executor = executor

    def __enter__(self) -> Executor:
        self._close, self._executor.close = self._executor.close, lambda: None  # type: ignore[method-assign]
        self._using = using(self._executor)
        return self._using.__enter__()

    def __exit__(self, *error: object) -> None:
        self._using.__exit__(*error)  # type: ignore[arg-type]
        self._executor.close = self._close  # type: ignore[method-assign]


def cases() -> list[Any]:
    """Both methods, each on one graph by at most two workers; all others take long."""
    short = {("PULL", "features"), ("GCNCE", "plain")}
    both = itertools.product(SETTINGS, GRAPHS)
    longer = [pytest.param(*one, (1, 2, 4), marks=pytest.mark.slow) for one in both]
    return [*longer, *((*one, (1, 2)) for one in sorted(short))]


@pytest.mark.parametrize(("method", "kind", "sizes"), cases())
def test_any_number_of_workers_gives_the_same_bytes_and_what_one_process_learns(
    method: str, kind: str, sizes: tuple[int, ...], executors: dict[int, LocalWorkers], tmp_path: Path
) -> None:
    graph = GRAPHS[kind]
    alone = predictor(method).fit(graph)
    found = {}
    for n in sizes:
        with Lent(executors[n]):
            model = predictor(method).fit(graph)
        found[n] = bytes_of(model, tmp_path / str(n))
        assert np.abs(model.embeddings_ - alone.embeddings_).max() < 1e-5 * model.n_steps_
        assert model.n_steps_ == alone.n_steps_
    assert all(found[n] == found[1] for n in sizes)
    ranked = alone.missing_links(50)["score"].to_numpy(), model.missing_links(50)["score"].to_numpy()
    np.testing.assert_allclose(*ranked, atol=1e-5 * model.n_steps_)


def test_the_pairs_that_enter_and_the_losses_are_those_of_one_process(executors: dict[int, LocalWorkers]) -> None:
    graph = GRAPHS["features"]
    settings = {"n_epochs": 1, "max_iterations": 4}
    alone = predictor("PULL", **settings).fit(graph)
    with Lent(executors[2]):
        model = predictor("PULL", **settings).fit(graph)
    for mine, theirs in zip(model.history_, alone.history_, strict=True):
        assert mine.k == theirs.k
        assert mine.loss_expected == pytest.approx(theirs.loss_expected, abs=1e-6)
        assert mine.val_auroc == pytest.approx(theirs.val_auroc, abs=1e-3)
        assert {tuple(pair) for pair in mine.entered.tolist()} == {tuple(pair) for pair in theirs.entered.tolist()}
    expected = model.expected_graph_.edges, alone.expected_graph_.edges
    np.testing.assert_array_equal(*expected)


def test_callbacks_and_progress_hear_of_every_epoch_once(executors: dict[int, LocalWorkers]) -> None:
    heard: list[tuple[str, int]] = []
    steps: list[Progress] = []

    class Listener:
        def on_epoch(self, event: Any) -> None:
            heard.append((event.stage, event.number))

        def on_iteration(self, event: Any) -> None:
            heard.append((f"{event.stage} iteration {event.number}", round(event.values["k"])))

    with Lent(executors[2]):
        model = predictor("PULL").fit(PLAIN, progress=steps.append, callbacks=[Listener()])
    epochs = [number for stage, number in heard if stage == "choose"]
    assert epochs == list(range(1, 3 * 8 + 1))
    assert [k for stage, k in heard if stage.startswith("choose iteration")] == [r.k for r in model.history_]
    told = [(p.stage, p.done) for p in steps if p.stage == "choose"]
    assert told == [("choose", epoch) for epoch in epochs]


@pytest.mark.parametrize("method", ["GCNCE", pytest.param("PULL", marks=pytest.mark.slow)])
def test_a_worker_that_is_killed_changes_nothing(method: str, tmp_path: Path) -> None:
    alone = predictor(method).fit(PLAIN)
    with using(LocalWorkers(2)) as executor:
        assert isinstance(executor, LocalWorkers)
        undisturbed = bytes_of(predictor(method).fit(PLAIN), tmp_path / "undisturbed")
        first = [worker.pid for worker in executor.workers]
        # Twice: three losses with nothing kept in between would end the run.
        kills = [(2, 0), (9, 1)]

        def kill_one(progress: Progress) -> None:
            if kills and progress.stage == "choose" and progress.done >= kills[0][0]:
                os.kill(executor.workers[kills.pop(0)[1]].pid, signal.SIGKILL)

        model = predictor(method).fit(PLAIN, progress=kill_one)
        assert not kills
        assert bytes_of(model, tmp_path / "model") == undisturbed
        assert not set(first) & {worker.pid for worker in executor.workers}
    assert model.n_steps_ == alone.n_steps_


@pytest.mark.slow
def test_a_group_that_loses_workers_again_and_again_ends_in_one_line() -> None:
    with using(LocalWorkers(2)) as executor:
        assert isinstance(executor, LocalWorkers)
        seen: set[int] = set()

        def kill_new_ones(progress: Progress) -> None:
            for worker in executor.workers:
                if worker.pid not in seen:
                    seen.add(worker.pid)
                    os.kill(worker.pid, signal.SIGKILL)

        with pytest.raises(ClusterError, match="3 groups of workers were lost") as caught:
            predictor("GCNCE", max_epochs=400, min_epochs=400).fit(PLAIN, progress=kill_new_ones)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    "stops",
    [((9, 2),), pytest.param(((5, 2), (9, 4), (16, 1), (20, 2)), marks=pytest.mark.slow)],
    ids=["once", "four times"],
)
def test_a_run_that_was_stopped_goes_on_with_another_number_of_workers(
    stops: tuple[tuple[int, int], ...], executors: dict[int, LocalWorkers], tmp_path: Path
) -> None:
    with Lent(executors[1]):
        undisturbed = bytes_of(predictor("PULL").fit(PLAIN), tmp_path / "undisturbed")
    for stop_at, n_workers in stops:
        checkpoints = Checkpoints(tmp_path / "pieces")
        done: list[int] = []

        def stop_soon(progress: Progress, checkpoints: Checkpoints = checkpoints, at: int = stop_at) -> None:
            done.append(progress.done)  # noqa: B023
            if progress.done >= at:
                checkpoints.stop_soon()

        with Lent(executors[n_workers]), pytest.raises(KeyboardInterrupt):
            predictor("PULL").fit(PLAIN, progress=stop_soon, checkpoints=checkpoints)
        assert checkpoints.holds_something
        # Every run goes on where the one before stopped.
        assert (stop_at, n_workers) == stops[0] or done[0] > 1
    with Lent(executors[1 if len(stops) == 1 else 2]):
        model = predictor("PULL").fit(PLAIN, checkpoints=tmp_path / "pieces")
    assert bytes_of(model, tmp_path / "model") == undisturbed


def test_a_fit_that_diverges_says_so_and_not_that_a_worker_was_lost(executors: dict[int, LocalWorkers]) -> None:
    with Lent(executors[2]), pytest.raises(InputError, match="training diverged"):
        predictor("GCNCE", learning_rate=1e30).fit(PLAIN)


@pytest.mark.parametrize(
    "settings",
    [{"encoder": "vgae"}, {"candidates": "all"}, {"selection": "sample"}, {"feature_scaling": "standard"}],
)
def test_settings_that_no_group_serves_are_trained_by_one_process(
    settings: dict[str, Any], executors: dict[int, LocalWorkers]
) -> None:
    graph = GRAPHS["features"]
    alone = predictor("PULL", **settings).fit(graph)
    with Lent(executors[2]):
        model = predictor("PULL", **settings)
        assert model.alone_because(graph) is not None
        np.testing.assert_array_equal(model.fit(graph).embeddings_, alone.embeddings_)


@pytest.mark.slow
def test_a_damaged_checkpoint_of_a_group_is_made_again(executors: dict[int, LocalWorkers], tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path / "pieces")

    def stop_soon(progress: Progress) -> None:
        if progress.done >= 12:
            checkpoints.stop_soon()

    with Lent(executors[2]), pytest.raises(KeyboardInterrupt):
        predictor("PULL").fit(PLAIN, progress=stop_soon, checkpoints=checkpoints)
    pieces = list((tmp_path / "pieces").glob("*/together-choose/standing-*.piece"))
    assert len(pieces) == 2
    pieces[1].write_bytes(pieces[1].read_bytes()[:-7])
    with Lent(executors[2]):
        model = predictor("PULL").fit(PLAIN, checkpoints=tmp_path / "pieces")
        again = predictor("PULL").fit(PLAIN)
    np.testing.assert_array_equal(model.embeddings_, again.embeddings_)


@pytest.mark.slow
def test_torchrun_does_the_same_job(executors: dict[int, LocalWorkers], tmp_path: Path) -> None:
    from pulink.distributed.group.checkpoints import read_pieces
    from pulink.distributed.group.job import write_job
    from pulink.methods.pull.sharded.fit import settings_of
    from pulink.methods.pull.sharded.training import TRAIN
    from pulink.predictor.fitting.fit_run import Validation
    from pulink.predictor.sharded import group_fit

    split = pulink.split(PLAIN, test=0.0)
    validation = Validation(split.val_edges, split.val_non_edges)
    found = []
    for n in (1, 2):
        folder = tmp_path / str(n)
        folder.mkdir()
        (folder / group_fit.DATA).write_bytes(group_fit.packed_data(split.train, validation).to_bytes())
        write_job(folder, TRAIN, settings_of(predictor("PULL"), split.train, None).to_plain())
        started = time.monotonic()
        subprocess.run(
            [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(n),
             "-m", "pulink.distributed.group.rank", str(folder)],
            check=True, capture_output=True, timeout=300,
        )  # fmt: skip
        assert time.monotonic() > started
        assert (folder / EVENTS).exists()
        found.append(read_pieces(folder, "done", group_fit.all_rows(split.train)))
    assert found[0] is not None
    assert found[1] is not None
    for name, array in found[0].arrays.items():
        np.testing.assert_array_equal(array, found[1].arrays[name])
