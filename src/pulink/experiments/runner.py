"""Working through runs, each in a process of its own; stops and goes on at will.

A run is finished when its file is there. A failed run is a result too: it is recorded and not tried again, unless
asked for.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import IO, Any

from pulink.distributed.executor import Executor, Pending
from pulink.experiments.cluster_run import WORKER, begin_run, record
from pulink.experiments.plan import RunSpec
from pulink.experiments.results import Results

_POLL_SECONDS = 0.2
_ASKED_TO_STOP = (signal.SIGTERM, signal.SIGINT)


@dataclass
class State:
    """How far the work is."""

    n_planned: int
    n_done: int = 0
    n_failed: int = 0
    running: list[RunSpec] = field(default_factory=list)
    seconds_left: float | None = None


@dataclass
class _Child:
    """A run under way in a process of this machine."""

    spec: RunSpec
    process: subprocess.Popen[str]
    out: IO[str]
    said: IO[str]
    started: float

    def has_ended(self) -> bool:
        return self.process.poll() is not None

    def result(self) -> dict[str, Any] | None:
        """Its record; None if it was asked to stop, as all are when a machine is shut down."""
        if -self.process.returncode in _ASKED_TO_STOP:
            self.end()
            return None
        out, said = (_content(file) for file in (self.out, self.said))
        return record(self.spec.to_dict(), self.process.returncode, out, said)

    def end(self) -> None:
        self.process.kill()
        self.process.wait()
        self.out.close()
        self.said.close()


@dataclass
class _Piece:
    """A run under way on a node of a cluster."""

    spec: RunSpec
    pending: Pending
    started: float

    def has_ended(self) -> bool:
        return self.pending.done()

    def result(self) -> dict[str, Any]:
        """Its record; ClusterError if the cluster is lost."""
        return self.pending.result().plain

    def end(self) -> None:
        self.pending.cancel()


class Runner:
    """Works through a plan with `jobs` processes of `threads` threads each, or on the nodes of a cluster.

    cluster  makes the runs, as many at once as it has room for; None: processes of this machine do
    note     told what whoever waits for the cluster should know
    """

    def __init__(
        self,
        results: Results,
        *,
        jobs: int = 1,
        threads: int = 1,
        budget_seconds: float | None = None,
        retry: bool = False,
        cluster: Executor | None = None,
        note: Callable[[str], object] = lambda _: None,
        on_finished: Callable[[RunSpec, dict[str, Any], State], None] | None = None,
        on_tick: Callable[[State], None] | None = None,
    ) -> None:
        self._results = results
        self._jobs, self._threads = jobs, threads
        self._budget = budget_seconds
        self._retry = retry
        self._cluster, self._note = cluster, note
        self._on_finished, self._on_tick = on_finished, on_tick

    def work(self, plan: Iterable[RunSpec]) -> State:
        """Make every run that is not finished, until all are or the budget is spent."""
        plan = list(plan)
        waiting = self.due(plan)
        self._costs = _Costs(self._results, plan)
        state = State(len(plan), n_done=len(plan) - len(waiting))
        children: list[_Child | _Piece] = []
        begun = time.monotonic()
        try:
            while waiting or children:
                in_budget = self._budget is None or time.monotonic() - begun < self._budget
                jobs = self._n_at_once()
                while in_budget and len(children) < jobs and (spec := self._next(waiting, state)) is not None:
                    waiting.remove(spec)
                    children.append(self._start(spec))
                    state.running = [child.spec for child in children]
                if not children:
                    break
                time.sleep(_POLL_SECONDS)
                if self._cluster is not None:
                    self._cluster.look_around(self._note)
                children = self._collect(children, state)
                state.running = [child.spec for child in children]
                state.seconds_left = self._costs.left([*waiting, *state.running], jobs)
                if self._on_tick is not None:
                    self._on_tick(state)
        finally:
            for child in children:
                child.end()
        return state

    def due(self, plan: Iterable[RunSpec]) -> list[RunSpec]:
        """The runs that are not finished."""
        return [spec for spec in plan if self._is_due(spec)]

    def _n_at_once(self) -> int:
        """One at least, which a cluster without room waits with."""
        return self._jobs if self._cluster is None else max(1, self._cluster.n_at_once(self._threads))

    def _is_due(self, spec: RunSpec) -> bool:
        record = self._results.read(spec)
        return record is None or (self._retry and "failed" in record)

    def _next(self, waiting: list[RunSpec], state: State) -> RunSpec | None:
        """The first run that can start: a control needs the steps of the run that it controls."""
        ahead = {spec.path for spec in (*waiting, *state.running)}
        for spec in list(waiting):
            base = spec.controls
            if base is None:
                return spec
            record = None if base.path in ahead else self._results.read(base)
            if record is None:
                continue
            if "run" in record:
                return spec
            waiting.remove(spec)
            self._keep(spec, {"spec": spec.to_dict(), "failed": "the run that it controls failed"}, state)
        return None

    def _start(self, spec: RunSpec) -> _Child | _Piece:
        base = spec.controls
        n_steps = None if base is None else self._results.figure(base, "n_steps")
        task = {
            "spec": spec.to_dict(),
            "n_steps": n_steps,
            "threads": self._threads,
            "runner": os.getpid(),
        }
        if self._cluster is not None:
            return _Piece(spec, begin_run(self._cluster, task), time.monotonic())
        # Files, not pipes: nobody reads while a run is busy, and a full pipe would stop it for good.
        out, said = _scratch_file(), _scratch_file()
        process = subprocess.Popen(  # noqa: S603
            # Files of the working folder are no modules: json.py there would run instead of Python's.
            [sys.executable, "-P", "-m", WORKER],
            stdin=subprocess.PIPE,
            stdout=out,
            stderr=said,
            text=True,
        )
        assert process.stdin is not None
        # One that ended at once is judged by its status.
        with contextlib.suppress(BrokenPipeError), process.stdin:
            process.stdin.write(json.dumps(task))
        return _Child(spec, process, out, said, time.monotonic())

    def _collect(self, children: list[_Child | _Piece], state: State) -> list[_Child | _Piece]:
        """Keep the results of those that ended; return those that go on.

        One that was asked to stop did not fail: it is due the next time.
        """
        going = []
        for child in children:
            if not child.has_ended():
                going.append(child)
            elif (made := child.result()) is not None:
                self._costs.learn(child.spec, time.monotonic() - child.started)
                self._keep(child.spec, made, state)
        return going

    def _keep(self, spec: RunSpec, record: dict[str, Any], state: State) -> None:
        self._results.write(spec, record)
        state.n_done += 1
        state.n_failed += "failed" in record
        if self._on_finished is not None:
            self._on_finished(spec, record, state)


def _scratch_file() -> IO[str]:
    return tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")


def _content(file: IO[str]) -> str:
    with file:
        file.seek(0)
        return file.read().strip()


class _Costs:
    """What a run takes, guessed from finished runs of the same kind, else from all of its method or dataset."""

    def __init__(self, results: Results, plan: list[RunSpec]) -> None:
        self._seen: dict[tuple[str, str], list[float]] = {}
        for spec in plan:
            seconds = results.figure(spec, "seconds")
            if seconds is not None:
                self.learn(spec, seconds)

    def learn(self, spec: RunSpec, seconds: float) -> None:
        for key in ((spec.dataset, spec.method), (spec.dataset, ""), ("", "")):
            self._seen.setdefault(key, []).append(seconds)

    def left(self, specs: list[RunSpec], jobs: int) -> float | None:
        if ("", "") not in self._seen:
            return None
        return sum(self._guess(spec) for spec in specs) / max(1, min(jobs, len(specs)))

    def _guess(self, spec: RunSpec) -> float:
        for key in ((spec.dataset, spec.method), (spec.dataset, ""), ("", "")):
            if key in self._seen:
                return sum(self._seen[key]) / len(self._seen[key])
        return 0.0
