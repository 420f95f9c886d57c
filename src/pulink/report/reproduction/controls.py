"""Does PULL beat GCN+CE with the same number of steps? One answer per PULL method, graph and missing ratio."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from pulink.report.reproduction.statistics import SIGNIFICANT, Comparison
from pulink.report.reproduction.tables import Score, Table, is_control

# What the paper reports: the question is asked of these, not of every measure of a table.
MEASURES = ("auroc", "auprc")

YES, NO = "yes", "no, the control is better"
EQUAL, FEW, WAITING = "no difference shown", "too few seeds to say", "not yet run"
ANSWERS = (YES, NO, EQUAL, FEW, WAITING)


@dataclass(frozen=True)
class Answer:
    """A PULL method and its control on the same splits."""

    method: str
    column: str
    dataset: str
    missing_ratio: float
    measure: str
    pull: Score
    control: Score
    n_steps: float | None

    @property
    def comparison(self) -> Comparison | None:
        return self.control.against

    @property
    def words(self) -> str:
        """The answer as far as the seeds go."""
        found = self.comparison
        if found is None:
            return WAITING
        if found.p is None:
            return FEW
        if found.p >= SIGNIFICANT:
            return EQUAL
        return YES if found.lead > 0 else NO

    def to_dict(self) -> dict[str, Any]:
        return asdict(self) | {"answer": self.words}


def answers(tables: Iterable[Table]) -> list[Answer]:
    """Every question once: tables share runs, and the one with the most seeds answers."""
    best: dict[tuple[str, str, str, float, str], Answer] = {}
    for table in tables:
        for answer in _answers(table):
            key = (answer.method, answer.column, answer.dataset, answer.missing_ratio, answer.measure)
            if key not in best or _n_pairs(answer) > _n_pairs(best[key]):
                best[key] = answer
    return sorted(best.values(), key=lambda answer: (MEASURES.index(answer.measure), answer.missing_ratio))


def _answers(table: Table) -> list[Answer]:
    experiment = table.experiment
    return [
        Answer(
            method=row.partition("@")[2],
            column=column.name,
            dataset=column.dataset,
            missing_ratio=experiment.missing_ratio,
            measure=measure,
            pull=table.scores[measure][row.partition("@")[2], column.name],
            control=table.scores[measure][row, column.name],
            n_steps=table.cells[row, column.name].cost("n_steps"),
        )
        for measure in MEASURES
        if measure in experiment.measures
        for row in experiment.rows
        if is_control(row)
        for column in experiment.columns
        if column.run and not column.cost_only
    ]


def _n_pairs(answer: Answer) -> int:
    return answer.comparison.n_pairs if answer.comparison else 0
