"""What `pulink evaluate` measured, as one page: the scores, and whether probabilities are right."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from pulink.calibration.reliability import Reliability
from pulink.evaluation import Run
from pulink.report.html.blocks import beside, numbers, section
from pulink.report.html.charts import reliability_chart
from pulink.report.html.escape import per_cent, shown
from pulink.report.html.page import offline_page

_WORDS = (
    "<p>Every dot stands for pairs that were given about the same probability, at least 5%; its height is the "
    "share of them that were hidden edges; dots of all seeds are shown. On the dashed line both agree; below it "
    "the probabilities are too large. Every method was given the share of the edges that was hidden for the "
    "test.</p>"
)


def evaluation_page(
    title: str, caption: str, head: Sequence[str], rows: Sequence[Sequence[str]], runs: Iterable[Run]
) -> str:
    """caption, head, rows: the table of scores as text; runs: all of them."""
    by_method: dict[str, list[Mapping[str, Any]]] = {}
    for run in runs:
        by_method.setdefault(run.method, []).extend([run.reliability] if run.reliability else [])
    pictures = (_reliability(method, records) for method, records in by_method.items())
    return offline_page(title, [_scores(caption, head, rows), *pictures])


def _scores(caption: str, head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    top = "".join(f'<th scope="col">{shown(cell)}</th>' for cell in head)
    body = "\n".join("<tr>" + "".join(f"<td>{shown(cell)}</td>" for cell in row) + "</tr>" for row in rows)
    table = f'<table class="numbers">\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'
    parts = f"<p>{shown(caption)}.</p>", f'<div class="scroll">{table}</div>'
    return section("scores", "How well hidden edges were found", *parts)


def _reliability(method: str, records: Sequence[Mapping[str, Any]]) -> str:
    """The bins of all seeds in one picture; nothing where no pair was given a probability of 5%."""
    bins = sorted(group for record in records for group in Reliability.from_dict(dict(record)).bins)
    if not bins:
        return ""
    head = "Probability given", "Hidden edges", "Pairs"
    rows = [(per_cent(p), per_cent(share), f"{n:,}") for p, share, n in bins]
    return section(
        f"reliability-{method.replace('@', '-')}",
        f"Can the probabilities of {shown(method)} be trusted?",
        beside(reliability_chart(bins), _WORDS, numbers(head, rows)),
    )
