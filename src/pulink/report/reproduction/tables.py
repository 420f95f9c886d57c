"""A table of an experiment: our numbers beside the paper's, ranked as the paper ranks, tested pair by pair."""

from __future__ import annotations

import statistics
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from typing import Any

from pulink import metrics
from pulink.experiments.results import Results
from pulink.experiments.spec import Experiment
from pulink.report.reproduction.run_groups import Cell, n_seeds, read_cells
from pulink.report.reproduction.statistics import Comparison, compare, holm, is_inside, spread

Place = tuple[str, str]


@dataclass(frozen=True)
class Score:
    """One measure of one cell, in per cent.

    values      by seed
    paper       mean and standard deviation in the paper
    difference  our mean minus the paper's
    inside      whether that is within two standard deviations; see `is_inside`
    rank        "best", "second" or "" within its group of the column
    against     the method that this row is tested against, minus this row; None for that method itself
    """

    values: dict[int, float]
    mean: float | None
    sd: float | None
    paper: tuple[float, float] | None
    difference: float | None
    inside: bool | None
    rank: str = ""
    against: Comparison | None = None

    @property
    def n(self) -> int:
        return len(self.values)


@dataclass(frozen=True)
class Table:
    """An experiment of kind "table" with what is finished of it.

    cells   (row, column) -> runs; only of columns that are run
    scores  measure -> (row, column) -> score; also of columns that are not run, for the paper's numbers
    """

    experiment: Experiment
    n_planned: int
    cells: dict[Place, Cell]
    scores: dict[str, dict[Place, Score]]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "experiment": self.experiment.name,
            "source": self.experiment.source,
            "title": self.experiment.title,
            "missing_ratio": self.experiment.missing_ratio,
            "seeds_planned": self.n_planned,
            "protocol": None if self.experiment.protocol is None else self.experiment.protocol.to_dict(),
            "published": [asdict(entry) for entry in self.experiment.published],
            "columns": [asdict(column) for column in self.experiment.columns],
            "rows": [
                self._row(row, column.name) for column in self.experiment.columns for row in self.experiment.rows
            ],
        }

    def _row(self, row: str, column: str) -> dict[str, Any]:
        cell = self.cells.get((row, column), Cell(row, column, 0))
        return {
            "method": row,
            "column": column,
            "tested_against": reference(self.experiment, row),
            "failed": cell.failed,
            "cpu_seconds": cell.cost("cpu_seconds"),
            "peak_mb": cell.cost("peak_mb"),
            "n_steps": cell.cost("n_steps"),
            "measures": {
                measure: asdict(by_place[row, column]) | {"n": by_place[row, column].n}
                for measure, by_place in self.scores.items()
            },
        }


def make_table(results: Results, experiment: Experiment, seeds: int | None = None) -> Table:
    """Gather, rank and test what is finished."""
    planned = n_seeds(experiment, seeds)
    cells = read_cells(results, experiment, planned)
    scores = {measure: _scores(experiment, cells, measure) for measure in experiment.measures}
    return Table(experiment, planned, cells, scores)


def is_control(row: str) -> bool:
    return "@" in row


def reference(experiment: Experiment, row: str) -> str | None:
    """The method that a row is compared with: its own for a control, X+pull for X, else the experiment's lead.

    None for that method itself, and where an experiment has none.
    """
    methods = experiment.methods
    if is_control(row):
        return row.partition("@")[2]
    if row.endswith("+pull") and row.removesuffix("+pull") in methods:
        return None
    found = f"{row}+pull" if f"{row}+pull" in methods else experiment.lead
    return found if found in methods and found != row else None


def groups(experiment: Experiment) -> list[list[str]]:
    """Rows that are ranked with each other: a PULL method and all that are compared with it."""
    found: dict[str, list[str]] = {}
    for row in experiment.methods:
        found.setdefault(reference(experiment, row) or row, []).append(row)
    return list(found.values())


def _scores(experiment: Experiment, cells: dict[Place, Cell], measure: str) -> dict[Place, Score]:
    scores = {}
    for column in experiment.columns:
        column_scores = {row: _score(experiment, cells, (row, column.name), measure) for row in experiment.rows}
        for group in groups(experiment):
            column_scores |= _ranked(
                {row: column_scores[row] for row in group}, metrics.measure(measure).larger_is_better
            )
        column_scores |= dict(_tested(experiment, column_scores))
        scores.update({(row, column.name): score for row, score in column_scores.items()})
    return scores


def _score(experiment: Experiment, cells: dict[Place, Cell], place: Place, measure: str) -> Score:
    values = cells[place].values.get(measure, {}) if place in cells else {}
    row, column = place
    paper = experiment.expected.get(row, {}).get(column, {}).get(measure)
    if not values:
        return Score({}, None, None, paper, None, None)
    mean, sd = statistics.fmean(values.values()), spread(list(values.values()))
    if paper is None:
        return Score(values, mean, sd, None, None, None)
    return Score(values, mean, sd, paper, mean - paper[0], is_inside(mean - paper[0], sd, paper[1]))


def _ranked(scores: dict[str, Score], larger_is_better: bool | None) -> dict[str, Score]:
    """Best and second by the means as they are printed; of two methods only the better one is marked."""
    printed = {row: round(score.mean, 2) for row, score in scores.items() if score.mean is not None}
    if len(printed) < 2 or larger_is_better is None:
        return scores
    order = sorted(set(printed.values()), reverse=larger_is_better)
    words = {order[0]: "best"}
    if len(scores) > 2 and len(order) > 1:
        words[order[1]] = "second"
    return {
        row: replace(score, rank=words.get(printed[row], "") if row in printed else "")
        for row, score in scores.items()
    }


def _tested(experiment: Experiment, scores: dict[str, Score]) -> Iterator[tuple[str, Score]]:
    """Every row against its own lead; rivals of one method are a family, a control stands alone."""
    found: dict[str, Comparison] = {}
    families: dict[str, list[str]] = {}
    for row, score in scores.items():
        base = reference(experiment, row)
        comparison = None if base is None else compare(scores[base].values, score.values, experiment.test)
        if base is None or comparison is None:
            continue
        found[row] = comparison
        if comparison.p is not None:
            families.setdefault(row if is_control(row) else base, []).append(row)
    for rows in families.values():
        corrected = holm([p for row in rows if (p := found[row].p) is not None])
        for row, p in zip(rows, corrected, strict=True):
            found[row] = replace(found[row], p_holm=p)
    for row, comparison in found.items():
        yield row, replace(scores[row], against=comparison)
