"""What the answers tell so far, as a panel; `static/estimate.js` brings it up to date after each answer.

Both write the same words into the same elements: data-tells names what an element tells.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulink.calibration.missing_links import about_count
from pulink.report.html.blocks import bullets
from pulink.report.html.escape import shown

_ENOUGH = "Enough: more answers would tell little more."


def estimate_panel(estimate: Mapping[str, Any], *, live: bool = False) -> str:
    """live: whether a screen reader says what changes."""
    missing = estimate["missing"]
    status = ' role="status" aria-live="polite"' if live else ""
    rows = "".join(
        f'<div><dt>{words}</dt><dd data-tells="{what}-{level}">{estimate[what][level]:,}</dd></div>'
        for what, level, words in (
            ("certified", "0.1", "Certified, at most 10% false"),
            ("certified", "0.2", "Certified, at most 20% false"),
        )
    )
    return "\n".join(
        [
            '<section class="estimate" id="estimate" aria-labelledby="estimate-title">',
            '<h2 id="estimate-title">Links that are missing</h2>',
            f"<div{status}>",
            f'<p class="number" data-tells="best">about {about_count(missing["best"])}</p>',
            f'<p class="interval" data-tells="interval">{_interval(missing, estimate["width"])}</p>',
            f'<p class="enough" data-tells="enough"{"" if estimate["enough"] else " hidden"}>{_ENOUGH}</p>',
            "</div>",
            _spans(estimate),
            f'<dl class="pairs">{rows}</dl>',
            f'<p class="small" data-tells="counts">{_counts(estimate)}</p>',
            f'<div data-tells="warnings">{_warnings(estimate) if live else ""}</div>',
            "</section>",
        ]
    )


def _interval(missing: Mapping[str, Any], width: float) -> str:
    ends = f"{about_count(missing['low'])} to {about_count(missing['high'])}"
    return f"90% interval: {ends}" + (f" (±{100 * width:.0f}%)" if width <= 1 else "")


def _counts(estimate: Mapping[str, Any]) -> str:
    links, others, unsure = (f"{estimate[name]:,}" for name in ("n_links", "n_no_links", "n_unsure"))
    return f"Answers that count: {links} link, {others} no link, {unsure} unsure"


def _warnings(estimate: Mapping[str, Any]) -> str:
    said = [str(sentence) for sentence in estimate.get("warnings", ())]
    return bullets(said) if said else ""


def _spans(estimate: Mapping[str, Any]) -> str:
    """The interval by the graph alone and now, on one scale, which the script keeps."""
    rows = _bars(estimate)
    most = max(1.0, *(own["high"] for own, *_ in rows))
    y_end = rows[-1][1] + 8
    bars = "".join(
        f'<text x="0" y="{y - 9}">{words}</text><path class="{kind}" data-y="{y}" d="{_span(own, most, y)}"/>'
        f'<path class="{kind} best" d="{_mark(own, most, y)}"/>'
        for own, y, kind, words in rows
    )
    return f'<svg class="spans" viewBox="0 0 300 {y_end}" aria-hidden="true" data-most="{most!r}">{bars}</svg>'


def _bars(estimate: Mapping[str, Any]) -> list[tuple[Mapping[str, Any], int, str, str]]:
    """Intervals with their heights, classes and words; without hidden edges there is none before."""
    before = estimate.get("before")
    first = [(before, 22, "before", "by the graph alone")] if before else []
    return [*first, (estimate["missing"], 22 + 34 * len(first), "now", "now")]


def _span(numbers: Mapping[str, Any], most: float, y: int) -> str:
    return f"M{300 * numbers['low'] / most:.1f} {y}H{300 * numbers['high'] / most:.1f}"


def _mark(numbers: Mapping[str, Any], most: float, y: int) -> str:
    return f"M{300 * numbers['best'] / most:.1f} {y - 4}V{y + 4}"


def sentences(estimate: Mapping[str, Any]) -> str:
    """What the answers tell, in words."""
    return "".join(f"<p>{shown(str(sentence))}</p>" for sentence in estimate.get("sentences", ()))
