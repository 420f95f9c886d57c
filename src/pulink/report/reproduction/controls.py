"""Does PULL beat GCN+CE with the same number of steps? One answer per PULL method, graph and missing ratio; and
the section that tells them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import compress
from typing import Any

from pulink.report.reproduction import phrases
from pulink.report.reproduction.document import Block, Box, Fold, Grid, Section, Text, box
from pulink.report.reproduction.statistics import SIGNIFICANT, Comparison
from pulink.report.reproduction.table_section import lead
from pulink.report.reproduction.tables import Score, Table, is_control

# The measures that the paper reports: the question is asked of these, not of every measure of a table.
ASKED_OF = ("auroc", "auprc")

YES, NO = "yes", "no, the control is better"
EQUAL, FEW, WAITING = "no difference shown", "too few seeds to say", "not yet run"
ANSWERS = (YES, NO, EQUAL, FEW, WAITING)

_HEAD = ("dataset", "missing", "method", "steps", "PULL", "control", "PULL's lead", "p", "does PULL beat it?")


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
    return sorted(best.values(), key=lambda answer: (ASKED_OF.index(answer.measure), answer.missing_ratio))


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
        for measure in ASKED_OF
        if measure in experiment.measures
        for row in experiment.rows
        if is_control(row)
        for column in experiment.columns
        if column.run and not column.cost_only
    ]


def _n_pairs(answer: Answer) -> int:
    return answer.comparison.n_pairs if answer.comparison else 0


def control_section(answers: list[Answer]) -> Section:
    """The answer first, then PULL itself, then what is finished of its variants behind a fold."""
    blocks: list[Block] = [Text(phrases.CONTROLS)]
    for measure in ASKED_OF:
        found = [answer for answer in answers if answer.measure == measure and answer.method == "pull"]
        if found:
            blocks += [
                Text(_sentence(measure, found)),
                _grid(phrases.measure_heading(measure), found, of_one_method=True),
            ]
    for measure in ASKED_OF:
        others = [answer for answer in answers if answer.measure == measure and answer.method != "pull"]
        finished = [answer for answer in others if answer.comparison is not None]
        if finished:
            name = f"Variants of PULL, {phrases.measure_heading(measure)}"
            title = f"{name}: {len(finished)} of {len(others)} have a finished pair"
            blocks.append(Fold(title, (_grid(name, finished),)))
    return Section("same-steps", "Does PULL beat GCN+CE with the same number of steps?", tuple(blocks))


def _sentence(measure: str, answers: list[Answer]) -> str:
    words = Counter(answer.words for answer in answers)
    counted = "; ".join(f"{word}: {words[word]}" for word in ANSWERS if word in words)
    return f"{phrases.measure_heading(measure)}, graphs and missing ratios by answer: {counted}."


def _grid(caption: str, answers: list[Answer], of_one_method: bool = False) -> Grid:
    kept = [name != "method" or not of_one_method for name in _HEAD]
    head = tuple(box(name) for name in compress(_HEAD, kept))
    return Grid(caption, head, tuple(tuple(compress(_row(answer), kept)) for answer in answers))


def _row(answer: Answer) -> tuple[Box, ...]:
    found = answer.comparison
    return (
        box(answer.column if answer.dataset == answer.column else f"{answer.column}: {answer.dataset}"),
        box(f"{answer.missing_ratio:g}"),
        box(answer.method),
        box(phrases.whole(answer.n_steps)),
        box(phrases.measured(answer.pull.mean, answer.pull.sd)),
        box(phrases.measured(answer.control.mean, answer.control.sd)),
        box(lead(found) or phrases.NONE),
        box(phrases.probability(found.p if found else None)),
        box(answer.words),
    )
