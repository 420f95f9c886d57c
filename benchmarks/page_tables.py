"""Tables of PULL+ in docs, from what was measured: `python -m benchmarks.page_tables` writes them."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from benchmarks import first_answer
from benchmarks.group import told_tables
from benchmarks.measure import ROOT
from benchmarks.result_tables import (
    PAPER,
    UNTOUCHED,
    before_and_now,
    beside_others,
    by_effort,
    by_parts,
    by_record,
    by_source,
)
from pulink.system.files import write_atomically

DOCS = ROOT / "docs"
RESULTS = ROOT / "benchmarks" / "results"

NAMES = {"sample": "sample", "chameleon": "Chameleon", "pubmed": "PubMed", "facebook": "Facebook"}


def by_part(result: dict[str, Any]) -> str:
    """Processor seconds of PULL+ by part, a column for each dataset."""
    rows = result["rows"]
    parts = list(dict.fromkeys(part for row in rows for part in row["parts"] if part != "all else"))
    lines = _head(["", *(NAMES[row["dataset"]] for row in rows)])
    for part in [*parts, "all else"]:
        lines.append(_line(part, (f"{row['parts'].get(part, 0.0):.1f}" for row in rows)))
    lines.append(_line("**all**", (f"**{row['total']:.1f}**" for row in rows)))
    lines.append(_line("times PULL", (f"{row['times_pull']:.1f}" for row in rows)))
    lines.append(_line("peak memory", (_megabytes(row) for row in rows)))
    return "\n".join(lines) + "\n"


def by_edges(result: dict[str, Any]) -> str:
    """PULL+ on generated graphs, a column for each, and the exponents of what grows."""
    rows, exponents = result["rows"], result["exponents"]

    def raised(name: str) -> str:
        return f"{exponents[name]:.2f}" if name in exponents else ""

    lines = _head(["edges, nodes", *(f"{row['asked']:,}, {row['n_nodes']:,}" for row in rows), "exponent"])
    for part in rows[0]["parts"]:
        lines.append(_line(part, (*(f"{row['parts'][part]:.1f}" for row in rows), raised(part))))
    totals = (*(f"**{row['total']:,.0f}**" for row in rows), raised("total"))
    lines.append(_line("**all, processor seconds**", totals))
    lines.append(_line("by the clock", (*(f"{row['wall']:,.0f}" for row in rows), "")))
    lines.append(_line("peak memory", (*map(_megabytes, rows), raised("peak_mb"))))
    for name, key in (("AUROC", "auroc"), ("AUPRC", "auprc")):
        lines.append(_line(name, (*(f"{100 * row[key]:.2f}" for row in rows), "")))
    for name, key in (("precision@K", "precision"), ("average precision of the K best", "average_precision")):
        lines.append(_line(name, (*(f"{row[key]:.4f}" for row in rows), "")))
    recall = (*(f"{row['recall']['all']:.2f}" for row in rows), "")
    return "\n".join([*lines, _line("hidden edges among candidates", recall)]) + "\n"


def against(result: dict[str, Any]) -> str:
    """The whole command before and now."""
    lines = _head(["processor seconds of `pulink find`", f"at {result['revision'][:7]}", "now", "times"])
    for row in result["rows"]:
        before, now = (f"{row[side]['processor_seconds']:.1f}" for side in ("earlier", "now"))
        lines.append(_line(NAMES[row["dataset"]], (before, now, f"{row['times']:.2f}")))
    return "\n".join(lines) + "\n"


def _measured(file: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((RESULTS / file).read_text())
    return found


# By page, what writes the table at each of its marks.
TABLES: dict[str, dict[str, Callable[[], str]]] = {
    "performance.md": {
        "first answer": lambda: first_answer.table(_measured("first-answer.json")),
        "PULL+ by part": lambda: by_part(_measured("plus.json")),
        "PULL+ against an earlier revision": lambda: against(_measured("plus-against.json")),
        "PULL+ by edges": lambda: by_edges(_measured("plus-growth.json")),
    },
    "distributed.md": {
        "cost of held-back runs": lambda: told_tables.by_run(_measured("group-cost.json")),
        "memory of workers": lambda: told_tables.by_memory(_measured("group-cost.json")),
        "cost of changes": lambda: told_tables.by_change(_measured("group-cost.json")),
        "cost of larger graphs": lambda: told_tables.by_size(_measured("group-cost.json")),
    },
    "pull-plus.md": {
        "candidates": by_source,
        "efforts": by_effort,
        "parts": by_parts,
        "before and now": lambda: before_and_now(_measured("plus-earlier.json")),
        "records": by_record,
        "graphs of the paper": lambda: beside_others(PAPER),
        "graphs that nobody tuned on": lambda: beside_others(UNTOUCHED, first_split=True),
    },
}


def with_tables(page: str, tables: dict[str, Callable[[], str]]) -> str:
    """The page with every table anew."""
    for mark, table in tables.items():
        begin, end = f"<!-- {mark} -->\n", f"<!-- end of {mark} -->\n"
        before, found, rest = page.partition(begin)
        assert found, mark
        assert end in rest, mark
        page = f"{before}{begin}{table()}{end}{rest.partition(end)[2]}"
    return page


def main() -> None:
    for name, tables in TABLES.items():
        page = DOCS / name
        write_atomically(page, with_tables(page.read_text(), tables))


def _head(cells: list[str]) -> list[str]:
    return ["| " + " | ".join(cells) + " |", "|" + "---|" * len(cells)]


def _line(name: str, cells: Any) -> str:
    return f"| {name} | " + " | ".join(cells) + " |"


def _megabytes(row: dict[str, Any]) -> str:
    return f"{row['peak_mb']:,.0f} MB"


if __name__ == "__main__":
    main()
