"""`evaluate`: hide edges, train, and see how well they are found again, for several methods."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import Any, Unpack

from pulink.data.read_options import AS_FOUND, ReadKeywords, ReadOptions, with_read_keywords
from pulink.engine.threads import thread_count
from pulink.errors import InputError
from pulink.evaluation import LeftOut, Run, summarise
from pulink.evaluation import evaluate as run_all
from pulink.graph.split import BY_TIME, RANDOM
from pulink.methods.registry import GROUPS, expand
from pulink.persistence.checkpoints import Checkpoints
from pulink.predictor.fitting.fit_run import Progress, ProgressFunction
from pulink.predictor.fitting.progress_bar import ProgressLine
from pulink.system.folder_lock import held, output_folder
from pulink.system.log import timed
from pulink.workflows import evaluation_output
from pulink.workflows.graph_source import GraphSource, open_graph
from pulink.workflows.listener import Listener, Reporter
from pulink.workflows.words import messages


@dataclass(frozen=True)
class Evaluation:
    """How well methods found hidden edges.

    Attributes
    ----------
    source : GraphSource
        The graph, and what it was made of.
    runs : tuple of Run
        Every method on every split.
    left_out : tuple of LeftOut
        Methods that cannot serve the graph, and why.
    settings : mapping
        method -> parameter -> value, where they differed from the method's own.
    val, test : float
        Shares of edges that were hidden for validation, and for testing.
    split : str
        "random", or "time": those that were first seen last.
    """

    source: GraphSource
    runs: tuple[Run, ...]
    left_out: tuple[LeftOut, ...]
    settings: Mapping[str, Mapping[str, Any]]
    val: float
    test: float
    split: str = RANDOM

    @cached_property
    def summary(self) -> list[dict[str, Any]]:
        """Mean and standard deviation of every measure, by method."""
        return summarise(list(self.runs))

    def record(self) -> dict[str, Any]:
        """All of it as plain values, as evaluation.json holds it."""
        return evaluation_output.record(self)

    def save(self, folder: str | Path) -> None:
        """Write evaluation.json and evaluation.html, as `pulink evaluate --out` does."""
        out = output_folder(folder)
        with held(out, evaluation_output.FILES):
            evaluation_output.write(out, self)


@with_read_keywords
def evaluate(
    edges: Any,
    nodes: Any = None,
    methods: Iterable[str] = ("pull-plus", "pull", "gcn-ce"),
    *,
    seeds: int = 1,
    first_seed: int = 0,
    val: float = 0.1,
    test: float = 0.1,
    split: str = RANDOM,
    threads: int | None = None,
    controls: bool = True,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    options: ReadOptions = AS_FOUND,
    checkpoints: Checkpoints | None = None,
    listener: Listener | None = None,
    cluster: str | None = None,
    **given: Unpack[ReadKeywords],
) -> Evaluation:
    """Hide edges, train on the rest, and score how well the hidden ones are found.

    Of a group of methods, one that cannot serve the graph is left out; one that is asked for by its name raises.

    Parameters
    ----------
    edges, nodes : object
        As in `pulink.find`.
    methods : iterable of str
        Names of methods, and of groups of them.
    seeds, first_seed : int
        How many splits and starts, and the first of their seeds.
    val, test : float
        Shares of edges hidden for validation, and for testing.
    split : str
        "random", or "time": the latest new edges are hidden, in one split whatever the number of seeds.
    threads : int, optional
        Threads to use; PULINK_THREADS, else half the cores.
    controls : bool
        Beside every PULL method, GCN+CE with as many gradient steps.
    settings : mapping, optional
        method -> parameter -> value, where they differ from the method's own.
    options : ReadOptions, optional
        How files are read; its fields may also be given one by one, as in `pulink.read`.
    checkpoints : Checkpoints, optional
        Where runs that are done and the fit under way are kept, to go on with after a stop.
    listener : Listener, optional
        Told what `logging` is told (logger "pulink.workflows"), and how far the training is.
    cluster : str, optional
        As in `pulink.find`; PULL+ alone has pieces for it.

    Returns
    -------
    Evaluation
    """
    names = list(dict.fromkeys([methods] if isinstance(methods, str) else methods))
    reporter = Reporter(listener)
    chosen = expand(names)
    with timed("reading"):
        source = open_graph(edges, nodes, options.but(given))
    reporter.was_read(source.label, source.graph)
    reporter.note(messages.repeatable(first_seed, thread_count(threads), seeds))
    left_out: list[LeftOut] = []

    def leave_out(entry: LeftOut) -> None:
        if entry.method in names:
            raise InputError(f"{entry.method}: {entry.reason}")
        left_out.append(entry)
        reporter.note(f"left out {entry.method}: {entry.reason}")

    if split == BY_TIME:
        reporter.note("one split by time, the latest new edges hidden: seeds only change what methods start with")
    with timed("training and scoring"), reporter.helped(cluster, chosen), reporter.bar() as bar:
        runs = run_all(
            source.graph,
            chosen,
            seeds=seeds,
            first_seed=first_seed,
            val=val,
            test=test,
            split=split,
            threads=threads,
            controls=controls,
            settings=settings,
            progress=None if bar is None else partial(_followed, bar),
            on_run=lambda run: reporter.note(messages.finished(run)),
            on_left_out=leave_out if any(name in GROUPS for name in names) else None,
            checkpoints=checkpoints,
        )
    if checkpoints is not None and (others := messages.other_runs(checkpoints)) is not None:
        reporter.note(others)
    return Evaluation(source, tuple(runs), tuple(left_out), settings or {}, val, test, split)


def _followed(bar: ProgressLine, method: str, seed: int) -> ProgressFunction:
    bar.restart()

    def show(progress: Progress) -> None:
        auroc = "" if progress.val_auroc is None else f", AUROC {progress.val_auroc:.4f}"
        iteration = "" if progress.iteration is None else f", iteration {progress.iteration}"
        bar.show(f"{method}, seed {seed}{iteration}{auroc}", progress.done, progress.total)

    return show
