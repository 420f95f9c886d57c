"""What `evaluate` leaves behind: the table of scores, the record, the page."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulink.text import counted
from pulink.workflows.formats.documents import document

if TYPE_CHECKING:
    from pulink.workflows.evaluate import Evaluation

# The split of which nothing need be said; `pulink.graph.split` has it too, and takes a while to load.
_RANDOM = "random"
FILES = _RECORD, _PAGE = "evaluation.json", "evaluation.html"


def record(result: Evaluation) -> dict[str, Any]:
    """All of it as plain values."""
    fields = {
        "edges": result.source.edges,
        **({} if result.split == _RANDOM else {"split": result.split}),
        "val_ratio": result.val,
        "test_ratio": result.test,
        "settings": {name: dict(values) for name, values in result.settings.items()},
        "left_out": [asdict(entry) for entry in result.left_out],
        "runs": [run.to_dict() for run in result.runs],
        "summary": result.summary,
    }
    return document(fields)


def table(result: Evaluation) -> tuple[str, list[str], list[list[str]]]:
    """Title, columns, rows."""
    from pulink import metrics

    had = result.runs[0].measures
    shown = [measure for measure in metrics.MEASURES if measure.in_table and measure.name in had]
    columns = ["method", *(measure.title for measure in shown), "seconds", "processor s", "peak MB"]
    rows = []
    for row in result.summary:
        cells = [str(row["method"])]
        for measure in shown:
            mean, spread = row[f"{measure.name}_mean"], row[f"{measure.name}_std"]
            cells.append("-" if mean is None else f"{mean:.4f}" + ("" if spread is None else f" ± {spread:.4f}"))
        times = f"{row['seconds_mean']:.1f}", f"{row['cpu_seconds_mean']:.1f}"
        rows.append([*cells, *times, f"{row['peak_mb_max']:.0f}"])
    n_seeds, k = result.summary[0]["n_seeds"], result.runs[0].k
    title = f"Mean ± standard deviation over {counted(n_seeds, 'seed')}; K = {counted(k, 'hidden edge')}"
    return title if result.split == _RANDOM else f"{title}, the latest", columns, rows


def write(out: Path, result: Evaluation) -> None:
    """Both files are whole or as they were."""
    from pulink.persistence.model_folder import to_json
    from pulink.report.evaluation import evaluation_page
    from pulink.system.files import write_atomically

    page = evaluation_page(f"Methods on {result.source.edges}", *table(result), result.runs)
    write_atomically(out / _RECORD, to_json(record(result)))
    write_atomically(out / _PAGE, page)
