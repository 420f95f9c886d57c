"""What the figures show: validation AUROC by outer iteration, and seconds by share of the edges."""

from __future__ import annotations

import statistics
from dataclasses import asdict, dataclass
from typing import Any

from pulink.experiments.plan import RunSpec, runs_of
from pulink.experiments.results import Results
from pulink.experiments.spec import Experiment
from pulink.report.reproduction.run_groups import n_seeds
from pulink.report.reproduction.statistics import StraightLine, fit_line, spread


@dataclass(frozen=True)
class Curve:
    """One method on one graph.

    by_seed  seed -> validation AUROC in per cent, iteration by iteration
    k        K of each iteration, the mean over seeds
    n_true   edges of the graph before any was hidden
    """

    method: str
    column: str
    by_seed: dict[int, list[float]]
    k: list[float]
    n_true: int

    @property
    def points(self) -> list[tuple[int, float, float | None]]:
        """(iteration, mean, spread), as far as every seed goes."""
        columns = zip(*self.by_seed.values(), strict=False)
        return [(t, statistics.fmean(values), spread(values)) for t, values in enumerate(columns, start=1)]

    @property
    def crossing(self) -> float | None:
        """The iteration at which K reaches the true number of edges, between two of them in proportion."""
        for t, (low, high) in enumerate(zip(self.k, self.k[1:], strict=False), start=1):
            # K and the hidden edges are rounded down, each on its own: they may miss each other by one.
            if low < self.n_true <= high + 1:
                return min(t + 1.0, t + (self.n_true - low) / (high - low or 1.0))
        return None

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"crossing": self.crossing}


@dataclass(frozen=True)
class Scaling:
    """Seconds of a method over the share of a graph's edges, all seeds together.

    points  (share, edges, seconds), a row for each run
    """

    method: str
    column: str
    points: list[tuple[float, int, float]]

    @property
    def over_shares(self) -> StraightLine | None:
        return fit_line([share for share, _, _ in self.points], [seconds for _, _, seconds in self.points])

    @property
    def over_edges(self) -> StraightLine | None:
        return fit_line([edges for _, edges, _ in self.points], [seconds for _, _, seconds in self.points])

    def at(self, share: float) -> float | None:
        """Mean seconds at a share."""
        found = [seconds for point_share, _, seconds in self.points if point_share == share]
        return statistics.fmean(found) if found else None

    def to_dict(self) -> dict[str, Any]:
        lines = {"over_shares": self.over_shares, "over_edges": self.over_edges}
        return asdict(self) | {name: line and asdict(line) for name, line in lines.items()}


def read_curves(results: Results, experiment: Experiment, seeds: int | None = None) -> list[Curve]:
    """Every method and graph of which a run is finished, graph by graph."""
    curves = []
    for (row, column), runs in _finished(results, experiment, seeds).items():
        journeys = {spec.seed: run["history"] for spec, run in runs if _is_curve(run.get("history"))}
        if not journeys:
            continue
        by_seed = {seed: [100 * step["val_auroc"] for step in steps] for seed, steps in journeys.items()}
        ks = zip(*([step["k"] for step in steps] for steps in journeys.values()), strict=False)
        curves.append(Curve(row, column, by_seed, [statistics.fmean(k) for k in ks], n_edges(runs[0][1])))
    return curves


def _is_curve(history: list[dict[str, Any]] | None) -> bool:
    """Of a run with validation edges."""
    return bool(history) and all(step.get("val_auroc") is not None for step in history or ())


def read_scaling(results: Results, experiment: Experiment, seeds: int | None = None) -> list[Scaling]:
    """Every method and graph of which a run is finished, graph by graph."""
    found = _finished(results, experiment, seeds, "cpu_seconds")
    return [
        Scaling(*place, sorted((spec.edge_share, n_edges(run), float(run["cpu_seconds"])) for spec, run in runs))
        for place, runs in found.items()
    ]


def n_edges(run: dict[str, Any]) -> int:
    """Edges before any was hidden: `k` counts the hidden ones, validation and test."""
    return int(run["n_train_edges"]) + int(run["k"])


def _finished(
    results: Results, experiment: Experiment, seeds: int | None, *needed: str
) -> dict[tuple[str, str], list[tuple[RunSpec, dict[str, Any]]]]:
    found: dict[tuple[str, str], list[tuple[RunSpec, dict[str, Any]]]] = {}
    for seed in range(n_seeds(experiment, seeds)):
        for column, spec in runs_of(experiment, seed):
            run = results.run(spec, "n_train_edges", "k", *needed)
            if run is not None:
                found.setdefault((experiment.row_of(spec.method, spec.variant), column.name), []).append(
                    (spec, run)
                )
    order = {column.name: place for place, column in enumerate(experiment.columns)}
    return dict(sorted(found.items(), key=lambda item: order[item[0][1]]))
