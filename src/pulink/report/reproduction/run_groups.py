"""Runs of one method on one dataset, gathered over seeds. Scores are in per cent from here on."""

from __future__ import annotations

import statistics
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from pulink.experiments.plan import RunSpec, runs_of
from pulink.experiments.results import Results
from pulink.experiments.spec import Experiment


@dataclass(frozen=True)
class Cell:
    """What is finished of one row and column.

    values    measure -> seed -> per cent
    costs     "cpu_seconds", "peak_mb", "n_steps" -> seed -> value
    failed    seed -> reason
    searched  in words, which pairs the best K were searched among
    """

    row: str
    column: str
    n_planned: int
    values: dict[str, dict[int, float]] = field(default_factory=dict)
    costs: dict[str, dict[int, float]] = field(default_factory=dict)
    failed: dict[int, str] = field(default_factory=dict)
    searched: tuple[str, ...] = ()

    @property
    def n_done(self) -> int:
        return len(self.costs.get("cpu_seconds", {}))

    def cost(self, name: str) -> float | None:
        """Mean seconds and steps; of memory the largest, for that is what must fit."""
        found = self.costs.get(name)
        if not found:
            return None
        return max(found.values()) if name == "peak_mb" else statistics.fmean(found.values())


_COSTS = ("cpu_seconds", "peak_mb", "n_steps")


def read_cells(results: Results, experiment: Experiment, seeds: int) -> dict[tuple[str, str], Cell]:
    """Every cell of a table by (row, column); columns that are not run have none."""
    specs: dict[tuple[str, str], list[RunSpec]] = {}
    for seed in range(seeds):
        for column, spec in runs_of(experiment, seed):
            specs.setdefault((experiment.row_of(spec.method, spec.variant), column.name), []).append(spec)
    measured = {c.name: () if c.cost_only else experiment.measures for c in experiment.columns}
    return {place: _cell(*place, results, found, measured[place[1]]) for place, found in specs.items()}


def _cell(row: str, column: str, results: Results, specs: list[RunSpec], measures: Iterable[str]) -> Cell:
    records = {spec.seed: results.read(spec) for spec in specs}
    runs = {seed: record["run"] for seed, record in records.items() if record and "run" in record}
    failed = {seed: str(record["failed"]) for seed, record in records.items() if record and "failed" in record}
    values = {measure: {seed: 100 * value for seed, value in _column(runs, measure)} for measure in measures}
    costs = {name: dict(_column(runs, name)) for name in _COSTS}
    searched = tuple(sorted({run["searched"] for run in runs.values() if "searched" in run}))
    return Cell(row, column, len(specs), values, costs, failed, searched)


def _column(runs: dict[int, dict[str, Any]], name: str) -> list[tuple[int, float]]:
    """By seed, without the runs that have no such figure."""
    return [(seed, float(run[name])) for seed, run in runs.items() if run.get(name) is not None]


def n_seeds(experiment: Experiment, seeds: int | None) -> int:
    return experiment.seeds if seeds is None else seeds
