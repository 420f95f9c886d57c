"""`find` where the edges are a folder of parts and a cluster works: no process ever holds the whole graph."""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulink.distributed.executor import executor_in_use
from pulink.distributed.group.job import Event, Watch, write_job
from pulink.engine.pace import listening
from pulink.errors import InputError, ParameterError
from pulink.persistence.checkpoints import Checkpoint, Checkpoints, FitCheckpoints
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.predictor.fitting.fit_run import REFIT, Progress
from pulink.predictor.fitting.progress_bar import FitLine
from pulink.predictor.fitting.stage_steps import StageSteps
from pulink.predictor.sharded.find_job import CHOOSE, FOUND, GRAPH, FindPlan
from pulink.predictor.sharded.found_files import Found, read_found
from pulink.system.log import timed
from pulink.workflows.finding.output import MODEL
from pulink.workflows.sharded.answers.outline import outline_of
from pulink.workflows.sharded.answers.result import ShardedFindResult
from pulink.workflows.sharded.finding.asked import GroupMethod, asked_of, key_of_parts, refuse_room
from pulink.workflows.sharded.finding.model_folder import write_model
from pulink.workflows.sharded.prepare import prepare
from pulink.workflows.words import messages

if TYPE_CHECKING:
    from pulink.workflows.finding.request import FindRequest
    from pulink.workflows.listener import Reporter

_JOB = "find"


def find_in_parts(
    request: FindRequest, out: Path | None, checkpoints: Checkpoints | None, reporter: Reporter
) -> ShardedFindResult:
    """Prepare, train, search; the model stays in `out`/model."""
    if out is None:
        raise ParameterError(
            "a graph in parts needs a folder for its results, where its model stays: --out DIR (out= in Python)"
        )
    method = asked_of(request)
    if checkpoints is not None:
        return _found(request, method, out, checkpoints.of(key_of_parts(request, method)), reporter)
    with tempfile.TemporaryDirectory(dir=_existing(out), prefix=".pulink-") as folder:
        kept = Checkpoints(folder)
        return _found(request, method, out, kept.of(key_of_parts(request, method)), reporter)


def _existing(out: Path) -> Path:
    """On the disk that the results are for."""
    out.mkdir(parents=True, exist_ok=True)
    return out


def _found(
    request: FindRequest, method: GroupMethod, out: Path, kept: FitCheckpoints, reporter: Reporter
) -> ShardedFindResult:
    job = kept.folder(_JOB)
    assert job is not None
    if kept.seconds_before:
        reporter.note(messages.going_on(kept.seconds_before))
    found = read_found(job / FOUND)
    graph = _prepared(request, job, kept, reporter) if found is None else ShardedGraph.open(job / GRAPH)
    reporter.was_read(str(request.edges), outline_of(graph))
    if not graph.n_edges:
        raise InputError(f"nothing to learn from: {request.edges} has no edges between two different nodes")
    reporter.note(messages.in_parts(graph.n_edges, executor_in_use().n_together))
    if found is None:
        refuse_room(request, method, graph)
        found = _trained(request, method, graph, job, kept, reporter)
    with timed("writing"):
        write_model(out / MODEL, request, method, graph, job / FOUND, found)
    result = ShardedFindResult.of(request, out / MODEL)
    for words in result.headline.before_search:
        reporter.note(words)
    for words in result.headline.of_list:
        reporter.note(words)
    reporter.warn(result.warnings)
    return result


def _prepared(request: FindRequest, job: Path, kept: FitCheckpoints, reporter: Reporter) -> ShardedGraph:
    """The graph folder, made by all workers together."""
    with timed("reading"), reporter.bar() as bar:

        def show(done: int, total: int, *_: object) -> None:
            if bar is not None:
                bar.show("reading parts", done, total)
            # Pieces are kept by themselves: a stop needs nothing but a place to stop at.
            kept.save_if_due("reading", Checkpoint)

        steps = StageSteps(show)
        with listening(steps.hear):
            nodes = None if request.nodes is None else Path(str(request.nodes))
            return prepare(Path(str(request.edges)), nodes, request.reading, job / GRAPH, steps.hear)


def _trained(
    request: FindRequest,
    method: GroupMethod,
    graph: ShardedGraph,
    job: Path,
    kept: FitCheckpoints,
    reporter: Reporter,
) -> Found:
    model, query = request.model(), request.query
    plan = FindPlan(
        settings=method.settings(model, graph),
        val_ratio=model.val_ratio,
        refit=model.refit,
        seed=model.seed,
        missing_share=model.missing_share,
        top=query.top,
        fdr=query.fdr,
        min_probability=query.min_probability,
    )
    write_job(job, method.task, asdict(plan))
    with timed("fitting"), reporter.bar() as bar:
        line = None if bar is None else FitLine(bar, model.choosing)
        executor_in_use().together(job, _Follower(job, kept, line, method.n_epochs(model)).look)
    found = read_found(job / FOUND)
    assert found is not None, "the workers left nothing"
    return found


class _Follower:
    """Shows what the workers tell, and has them keep where they stand before a stop."""

    def __init__(self, job: Path, kept: FitCheckpoints, line: FitLine | None, n_epochs: int) -> None:
        self._watch, self._kept, self._line, self._n_epochs = Watch(job), kept, line, n_epochs
        self._has_asked = False
        self._auroc: float | None = None

    def look(self) -> None:
        if self._kept.is_stopping and not self._has_asked:
            self._has_asked = True
            self._watch.stop()
        for event in self._watch.news():
            if "kept" in event:
                # Raises KeyboardInterrupt where somebody wants to stop.
                self._kept.save("find-together", Checkpoint)
            elif self._line is not None:
                self._show(self._line, event)

    def _show(self, line: FitLine, event: Event) -> None:
        stage = event.get("stage", "")
        if stage not in (CHOOSE, REFIT):
            line(Progress("calibrate", 0, 1, None, None))
            return
        record: dict[str, Any] = event.get("record", event)
        self._auroc = record.get("val_auroc", self._auroc) if stage == CHOOSE else None
        if "epoch" in event:
            line(Progress(stage, event["epoch"], self._n_epochs, event.get("in"), self._auroc))
