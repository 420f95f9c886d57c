"""Results become reproduction.md, reproduction.html, reproduction.json and a PNG for each figure."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pulink.experiments.results import Results
from pulink.experiments.spec import Experiment
from pulink.report.reproduction.controls import answers, control_section
from pulink.report.reproduction.curves import read_curves, read_scaling
from pulink.report.reproduction.document import Document, Section
from pulink.report.reproduction.figure_section import iterations_section, scaling_section
from pulink.report.reproduction.html import to_html
from pulink.report.reproduction.markdown import to_markdown
from pulink.report.reproduction.overview import overview_section, progress, reading_section, software_section
from pulink.report.reproduction.table_section import table_section
from pulink.report.reproduction.tables import Table, make_table
from pulink.system.files import write_atomically

NAME = "reproduction"
TITLE = "PULL (AAAI'25): the paper's experiments, made again"


def write_report(
    results: Results, experiments: Iterable[Experiment], folder: Path, *, seeds: int | None = None
) -> list[Path]:
    """Write what is finished of the experiments; files that have nothing to do with it stay as they are.

    seeds  how many to look at, where runs were made with another number than an experiment's own

    Returns the files written. The same results give the same bytes.
    """
    document, data = make_report(results, experiments, seeds)
    content: dict[str, str | bytes] = {picture.name: picture.light for picture in document.pictures}
    content[f"{NAME}.md"] = to_markdown(document)
    content[f"{NAME}.html"] = to_html(document)
    content[f"{NAME}.json"] = json.dumps(data, indent=1, allow_nan=False) + "\n"
    for name, text in content.items():
        write_atomically(folder / name, text)
    return [folder / name for name in content]


def make_report(
    results: Results, experiments: Iterable[Experiment], seeds: int | None = None
) -> tuple[Document, dict[str, Any]]:
    """The document, and the numbers in it for JSON."""
    chosen = list(experiments)
    sections: list[Section] = []
    data: dict[str, Any] = {}
    tables: list[Table] = []
    for experiment in chosen:
        section, numbers = _section(results, experiment, seeds, tables)
        sections.append(section)
        data[experiment.name] = numbers
    found = answers(tables)
    data["same_steps"] = [answer.to_dict() for answer in found]
    opening = [
        overview_section([progress(results, experiment, seeds) for experiment in chosen], tables),
        *([control_section(found)] if found else []),
        reading_section(),
    ]
    closing = software_section(results, chosen, seeds)
    return Document(TITLE, (*opening, *sections, closing)), data


def _section(
    results: Results, experiment: Experiment, seeds: int | None, tables: list[Table]
) -> tuple[Section, Any]:
    if experiment.kind == "iterations":
        curves = read_curves(results, experiment, seeds)
        return iterations_section(experiment, curves), [curve.to_dict() for curve in curves]
    if experiment.kind == "scaling":
        series = read_scaling(results, experiment, seeds)
        return scaling_section(experiment, series), [scaling.to_dict() for scaling in series]
    table = make_table(results, experiment, seeds)
    tables.append(table)
    return table_section(table), table.to_dict()
