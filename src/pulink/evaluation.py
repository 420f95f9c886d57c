"""Predictor x Split -> scores, over methods and seeds."""

from __future__ import annotations

import math
import statistics
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cache
from typing import Any

import numpy as np
import torch

from pulink import metrics
from pulink.calibration.reliability import Reliability
from pulink.errors import InputError, ParameterError, PulinkError
from pulink.graph.graph import Graph
from pulink.graph.split import RANDOM, Split
from pulink.graph.split import split as hide_edges
from pulink.measuring import measures_of
from pulink.methods.baselines.gnn.gcn_ce import equal_budget_control
from pulink.methods.pull.estimator import PULL
from pulink.methods.registry import Method, expand, method
from pulink.persistence.checkpoints import FINISHED, Checkpoint, Checkpoints
from pulink.persistence.checks import counts, finite
from pulink.predictor.fitting.fit_run import ProgressFunction
from pulink.predictor.predictor import LinkPredictor, checkpoints_of
from pulink.system.memory import peak_bytes, reset_peak
from pulink.text import counted


@dataclass(frozen=True)
class Run:
    """One method on one split. Scores are fractions of 1.

    Attributes
    ----------
    method : str
        Its name; gcn-ce@METHOD is the equal-budget control of METHOD.
    seed : int
        Of the split and of the method; by time, of the method alone.
    measures : dict of str to float
        By name, those of `pulink.metrics.MEASURES` that such a graph and split have; each can also be read as an
        attribute, as in `run.auroc`. NaN where a method does not have what a measure is computed from.
    reliability : dict or None
        The bins of `calibration_error`: probabilities, shares of hidden edges, pairs.
    k : int
        Hidden edges.
    searched : str
        In words, which pairs the k best were searched among.
    n_steps : int
        Gradient steps taken.
    seconds, cpu_seconds : float
        Of the fit alone: by the clock, and of the processor over all threads, which is fairer on a busy machine.
    peak_mb : float
        Largest resident memory of the process during fit and scoring.
    """

    method: str
    seed: int
    measures: dict[str, float]
    reliability: dict[str, Any] | None
    k: int
    searched: str
    n_steps: int
    seconds: float
    cpu_seconds: float
    peak_mb: float

    def __getattr__(self, name: str) -> float:
        """A measure by its name."""
        try:
            return float(vars(self)["measures"][name])
        except KeyError:
            raise AttributeError(f"a run has no {name!r}") from None

    def to_dict(self) -> dict[str, Any]:
        """Give the record as JSON holds it.

        Returns
        -------
        dict
            A score that does not exist is None.
        """
        plain = asdict(self)
        beside = {"method": self.method, "seed": self.seed} | plain.pop("measures") | plain
        return {k: None if isinstance(v, float) and math.isnan(v) else v for k, v in beside.items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Run:
        """Take back what `to_dict` gave.

        Parameters
        ----------
        values : dict
            A record; TypeError, ValueError or LookupError if it is anything else.

        Returns
        -------
        Run
        """
        names = [own.name for own in metrics.MEASURES if own.always or own.name in values]
        measures = {name: math.nan if values[name] is None else finite(values[name]) for name in names}
        for name in ("seconds", "cpu_seconds", "peak_mb"):
            finite(values[name])
        counts([values[name] for name in ("seed", "k", "n_steps")], 3)
        if not isinstance(values["method"], str) or not isinstance(values["searched"], str):
            raise TypeError("it does not say what was run")
        if values["reliability"] is not None:
            Reliability.from_dict(values["reliability"]).check()
        return cls(measures=measures, **{k: v for k, v in values.items() if k not in names})


# What every run of an evaluation shares.
_FIXED = {
    "seed": "the seed of a run is that of its split",
    "threads": "all methods take the same number",
    "val_ratio": "the split decides on the share of validation edges",
    "refit": "a split is never trained on once more",
}


@dataclass(frozen=True)
class LeftOut:
    """A method that could not serve the graph.

    Attributes
    ----------
    method : str
        Its name.
    reason : str
        Why not.
    """

    method: str
    reason: str


def evaluate(
    graph: Graph,
    methods: Iterable[str],
    *,
    seeds: int = 1,
    first_seed: int = 0,
    val: float = 0.1,
    test: float = 0.1,
    split: str = RANDOM,
    threads: int | None = None,
    controls: bool = True,
    settings: Mapping[str, Mapping[str, Any]] | None = None,
    progress: Callable[[str, int], ProgressFunction | None] | None = None,
    on_run: Callable[[Run], None] | None = None,
    on_left_out: Callable[[LeftOut], None] | None = None,
    checkpoints: Checkpoints | None = None,
) -> list[Run]:
    """Hide edges, train, and measure how well they are found again; every method on the same splits.

    Models are told which share of the links is missing, unless settings say otherwise, and PULL+ and nnPU learn
    with it: what is measured of probabilities is the curve, not the estimate of that share.

    Parameters
    ----------
    graph : Graph
        The whole graph.
    methods : iterable of str
        Names of methods, and of groups of them: "all", "paper", "heuristics".
    seeds, first_seed : int
        How many splits, and the seed of the first.
    val, test : float
        Which shares of the edges are hidden, to choose a model by and to measure it by.
    split : str
        "random", or "time": the latest new edges are hidden. There is one such split: seeds are those of methods.
    threads : int, optional
        How many threads to use; None: PULINK_THREADS, else half the cores.
    controls : bool
        Whether beside every PULL method runs gcn-ce@METHOD: GCN+CE with as many gradient steps.
    settings : dict of dict, optional
        Parameters by method, where they differ from its defaults.
    progress : function, optional
        Called with (method, seed) before a fit; what it returns is the fit's progress function.
    on_run : function, optional
        Called with every finished run.
    on_left_out : function, optional
        Called with every method that cannot serve the graph; without it, such a method raises.
    checkpoints : Checkpoints, optional
        Where finished runs and the fit under way are kept, to go on with after a stop.

    Returns
    -------
    list of Run
        In the order in which they were made.

    Raises
    ------
    ParameterError
        If a setting is not allowed here.
    InputError
        If no method can serve the graph, or no test edges can be hidden; by time, if edges have no times.

    Examples
    --------
    >>> import networkx, pulink
    >>> graph = pulink.from_networkx(networkx.karate_club_graph())
    >>> runs = pulink.evaluate(graph, ["jaccard", "l3n"], seeds=2)
    >>> [(run.method, run.seed) for run in runs]
    [('jaccard', 0), ('l3n', 0), ('jaccard', 1), ('l3n', 1)]
    """
    if not isinstance(graph, Graph):
        raise ParameterError(f"evaluate takes a Graph (see pulink.from_frame), got {type(graph).__name__}")
    chosen = _serving(graph, expand(methods), threads, settings or {}, on_left_out)
    bench = _Bench(progress, on_run, checkpoints)
    for seed, data in _splits(graph, range(first_seed, first_seed + seeds), val, test, split):
        share = test if data.cut is None else len(data.test_edges) / graph.n_edges
        for entry in list(chosen):
            parameters = {"missing_share": share} | dict((settings or {}).get(entry.name, {}))
            model = entry.make(seed=seed, threads=threads, **parameters)
            try:
                run = bench.perform(entry.name, model, data, seed)
            except PulinkError as error:
                # Training graphs are smaller than the graph that was asked about, and memory may have gone.
                if on_left_out is None:
                    raise
                on_left_out(LeftOut(entry.name, str(error)))
                chosen.remove(entry)
                continue
            if controls and entry.has_control:
                bench.perform(f"gcn-ce@{entry.name}", control_of(model, run.n_steps), data, seed)
    if not bench.runs:
        raise InputError("none of the methods can serve this graph")
    return bench.runs


def _splits(graph: Graph, seeds: range, val: float, test: float, by: str) -> Iterator[tuple[int, Split]]:
    """A split for each seed; by time, one for all of them."""
    data = hide_edges(graph, val, test, seeds.start, by=by)
    if not len(data.test_edges):
        raise InputError(
            f"a test share of {test} of {counted(graph.n_edges, 'edge')} hides none: there is nothing to score"
        )
    for seed in seeds:
        is_this = seed == seeds.start or data.cut is not None
        yield seed, data if is_this else hide_edges(graph, val, test, seed, by=by)


class _Bench:
    """Runs, each made now or kept by a process that was stopped."""

    def __init__(
        self,
        progress: Callable[[str, int], ProgressFunction | None] | None,
        on_run: Callable[[Run], None] | None,
        checkpoints: Checkpoints | None,
    ) -> None:
        self.runs: list[Run] = []
        self._progress, self._on_run, self._checkpoints = progress, on_run, checkpoints

    def perform(self, name: str, model: LinkPredictor, data: Split, seed: int) -> Run:
        checkpoints = checkpoints_of(model, data, self._checkpoints)
        done = checkpoints.resumed(f"{FINISHED}{name}", lambda checkpoint: Run.from_dict(checkpoint.plain["run"]))
        if done is not None and (done.method, done.seed) == (name, seed):
            run = done
        else:
            progress = self._progress and self._progress(name, seed)
            run = run_once(name, model, data, seed, progress, self._checkpoints)
            checkpoints.finish(f"{FINISHED}{name}", Checkpoint({"run": run.to_dict()}))
        self.runs.append(run)
        if self._on_run is not None:
            self._on_run(run)
        return run


def _serving(
    graph: Graph,
    names: list[str],
    threads: int | None,
    settings: Mapping[str, Mapping[str, Any]],
    on_left_out: Callable[[LeftOut], None] | None,
) -> list[Method]:
    """The methods that can serve the graph; settings are judged before the first of them starts."""
    for name in settings:
        if name not in names:
            raise ParameterError(f"settings are given for {name!r}, which is not among the methods to evaluate")
        for parameter in _FIXED.keys() & settings[name].keys():
            raise ParameterError(f"{name}.{parameter} cannot be set here: {_FIXED[parameter]}")
        method(name).check_free(settings[name])
    chosen = []
    for entry in map(method, names):
        model = entry.make(threads=threads, **settings.get(entry.name, {}))
        model.check_settings()
        try:
            model.check_serves(graph)
        except PulinkError as error:
            if on_left_out is None:
                raise
            on_left_out(LeftOut(entry.name, str(error)))
            continue
        chosen.append(entry)
    if not chosen:
        raise InputError("none of the methods can serve this graph")
    return chosen


def control_of(model: LinkPredictor, n_steps: int) -> LinkPredictor:
    """The equal-budget control of a PULL that took so many steps."""
    assert isinstance(model, PULL), type(model).__name__
    return equal_budget_control(n_steps, model.n_epochs, model)


def run_once(
    name: str,
    model: LinkPredictor,
    data: Split,
    seed: int,
    progress: ProgressFunction | None = None,
    checkpoints: Checkpoints | None = None,
) -> Run:
    """Fit on a split and measure."""
    reset_peak()
    seconds, cpu_seconds = timed_fit(model, data, progress, checkpoints)
    hidden = data.hidden_edges
    found, scope = model.best_pairs((8 if model.cheap_long_search else 1) * len(hidden))
    measures, reliability = measures_of(model, data, found, seed)
    return Run(
        method=name,
        seed=seed,
        measures=measures,
        reliability=reliability,
        k=len(hidden),
        searched=str(scope),
        n_steps=model.n_steps_,
        seconds=round(seconds, 3),
        cpu_seconds=round(cpu_seconds, 3),
        peak_mb=round(peak_bytes() / 1e6, 1),
    )


def timed_fit(
    model: LinkPredictor,
    data: Graph | Split,
    progress: ProgressFunction | None = None,
    checkpoints: Checkpoints | None = None,
) -> tuple[float, float]:
    """Fit, and give its seconds by the clock and of the processor; of one that goes on, from its first start."""
    _wake_optimisers()
    before = checkpoints_of(model, data, checkpoints)
    started = time.perf_counter(), time.process_time()
    model.fit(data, progress=progress, checkpoints=checkpoints)
    seconds = before.seconds_before + time.perf_counter() - started[0]
    return seconds, before.cpu_seconds_before + time.process_time() - started[1]


@cache
def _wake_optimisers() -> None:
    """PyTorch loads seconds' worth of modules with its first optimiser, which belong to no method's time."""
    torch.optim.Adam([torch.zeros(1, requires_grad=True)], fused=True).step()


def summarise(runs: list[Run]) -> list[dict[str, Any]]:
    """Mean and sample standard deviation of every measure, per method, in order of first appearance."""
    rows = []
    for method_name in dict.fromkeys(run.method for run in runs):
        method_runs = [run for run in runs if run.method == method_name]
        row: dict[str, Any] = {"method": method_name, "n_seeds": len(method_runs)}
        for name in method_runs[0].measures:
            values = [run.measures[name] for run in method_runs]
            row[f"{name}_mean"] = _finite(float(np.mean(values)))
            row[f"{name}_std"] = _finite(float(np.std(values, ddof=1))) if len(values) > 1 else None
        row["seconds_mean"] = statistics.fmean(run.seconds for run in method_runs)
        row["cpu_seconds_mean"] = statistics.fmean(run.cpu_seconds for run in method_runs)
        row["peak_mb_max"] = max(run.peak_mb for run in method_runs)
        rows.append(row)
    return rows


def _finite(value: float) -> float | None:
    return None if math.isnan(value) else value
