"""How far the work is, how to read the rest, and which software made the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pulink.experiments.plan import plan
from pulink.experiments.results import Results
from pulink.experiments.spec import Experiment
from pulink.report.reproduction import phrases
from pulink.report.reproduction.document import Bullets, Grid, Section, Text, box
from pulink.report.reproduction.tables import Table


@dataclass(frozen=True)
class Progress:
    """Runs of one experiment."""

    experiment: Experiment
    n_planned: int
    n_done: int
    n_failed: int


def progress(results: Results, experiment: Experiment, seeds: int | None) -> Progress:
    records = [results.read(spec) for spec in plan([experiment], seeds=seeds)]
    n_done = sum(record is not None and "run" in record for record in records)
    return Progress(
        experiment, len(records), n_done, sum(record is not None and "failed" in record for record in records)
    )


def overview_section(states: Sequence[Progress], tables: Sequence[Table]) -> Section:
    by_name = {table.experiment.name: table for table in tables}
    head = ("experiment", "in the paper", "runs finished", "failed", "scores inside", "scores outside")
    rows = []
    for state in states:
        name = state.experiment.name
        inside, outside = n_inside(by_name[name]) if name in by_name else (0, 0)
        judged = (str(inside), str(outside)) if inside + outside else ("", "")
        done = f"{state.n_done} of {state.n_planned}"
        rows.append(tuple(map(box, (name, state.experiment.source, done, str(state.n_failed), *judged))))
    return Section(
        "overview",
        "How far the work is, and how near to the paper",
        (
            Text(phrases.OVERVIEW),
            Grid("Experiments", tuple(map(box, head)), tuple(rows)),
        ),
    )


def n_inside(table: Table) -> tuple[int, int]:
    """Scores inside and outside of two standard deviations."""
    judged = [score.inside for by_place in table.scores.values() for score in by_place.values()]
    return judged.count(True), judged.count(False)


def reading_section() -> Section:
    return Section("how-to-read", "How to read the tables", (Bullets(phrases.HOW_TO_READ),))


def software_section(results: Results, chosen: Sequence[Experiment], seeds: int | None) -> Section:
    """Versions and threads as the runs recorded them."""
    seen: dict[str, dict[str, None]] = {}
    for spec in plan(chosen, seeds=seeds):
        record: dict[str, Any] = results.read(spec) or {}
        for name, value in record.get("versions", {}).items():
            seen.setdefault(name, {})[str(value)] = None
        if "threads" in record:
            seen.setdefault("threads per run", {})[str(record["threads"])] = None
    items = tuple(f"{name}: {', '.join(sorted(values))}" for name, values in sorted(seen.items()))
    return Section("software", "Software", (Bullets(items or ("No run is finished yet.",)),))
