"""How far down the list one may go: choose the false share, see the list's length and bounds, take it away."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import Any

from pulink.report.html.axes import Frame, Scale, around, dot, line
from pulink.report.html.blocks import beside, key, keys, numbers, section
from pulink.report.html.escape import number, per_cent, rounded
from pulink.serve.pages.addresses import query
from pulink.serve.pages.frame import framed, heading, warnings
from pulink.text import counted

LEAST, MOST = 0.01, 0.5
_MOST_POINTS = 120
_MOST_ROWS = 20


def certificate_page(run: Mapping[str, Any], found: Mapping[str, Any]) -> str:
    level = float(found["level"])
    parts = [
        heading("Certificate", "How long a list may be so that no more than a chosen share of it is false."),
        _chooser(level),
        f'<div id="result">{_result(found, level)}</div>',
    ]
    twin = query("/api/certificate", {"level": f"{level:g}"})
    return framed("Certificate", run, parts, here="/certificate", twin=twin, scripts=("certificate.js",))


def _chooser(level: float) -> str:
    """A slider and a number that are one value; without a script there are the usual shares."""
    bounds = f'min="{100 * LEAST:g}" max="{100 * MOST:g}" value="{100 * level:.6g}"'
    return (
        '<form class="chooser js-only">'
        '<label for="percent">False share, at most</label>'
        f'<input type="range" id="slider" step="1" {bounds} aria-label="False share, at most, in per cent">'
        f'<span class="unit"><input type="number" id="percent" step="any" {bounds}>%</span>'
        '<span id="state" role="status"></span></form>'
        '<p class="shares">Usual shares: <a href="/certificate?level=0.05">5%</a> '
        '<a href="/certificate?level=0.1">10%</a> <a href="/certificate?level=0.2">20%</a></p>'
    )


def _result(found: Mapping[str, Any], level: float) -> str:
    if found.get("refused"):
        return warnings([str(found["refused"])]) + _pictures(found, level)
    certified, expected = found["certified"], found["expected"]
    cards = [
        '<div class="cards">',
        _card(
            "Certified list", certified,
            f"Nine times in ten, no more than {100 * level:g}% of it is false.", "certified",
        ),
        _card("Expected list", expected, f"On average, no more than {100 * level:g}% of it is false.", "expected"),
        "</div>",
    ]  # fmt: skip
    return "\n".join([*cards, _download(certified, level), _pictures(found, level)])


def _card(title: str, own: Mapping[str, Any], words: str, kind: str) -> str:
    length = int(own["length"])
    bounds = ""
    if length:
        low, mean, high = (rounded(float(own[name])) for name in ("low", "mean", "high"))
        bounds = f"<p>Links in it: about {mean} (80% interval: {low} to {high}).</p>"
    return (
        f'<section class="card" id="{kind}"><h2>{title}</h2><p class="number">{counted(length, "pair")}</p>'
        f"<p>{words}</p>{bounds}</section>"
    )


def _download(certified: Mapping[str, Any], level: float) -> str:
    if not certified["length"]:
        return "<p>No list is certain enough at this share. More answers, or a larger share, bring one.</p>"
    address = query("/api/export/certified.csv", {"level": f"{level:g}"})
    return (
        f'<p><a class="action" id="download" href="{escape(address)}" download>Download the certified list</a></p>'
    )


def _pictures(found: Mapping[str, Any], level: float) -> str:
    curve = list(found.get("curve") or ())
    if len(curve) < 2:
        return ""
    drawn = _thinned(curve, _MOST_POINTS)
    legend = keys(
        key("first", "on average"), key("second", "with 90% confidence, at least"), key("even", "what was chosen")
    )
    table = numbers(
        ("Pairs", "Links, at least (90% confidence)", "Links, on average", "Links, at most (90% confidence)"),
        [
            (f"{point['length']:,}", *(per_cent(float(point[name])) for name in ("certain", "expected", "most")))
            for point in _thinned(curve, _MOST_ROWS)
        ],
    )
    words = (
        "<p>The share of links among the first pairs of the list. The certified list ends where the lower line "
    )
    words += "last lies above the dashed one.</p>"
    return section("curve", "Every length", beside(legend + _chart(drawn, found, level), words, table))


def _thinned(curve: Sequence[Mapping[str, Any]], most: int) -> list[Mapping[str, Any]]:
    """So many points, the first and the last among them."""
    if len(curve) <= most:
        return list(curve)
    return [curve[round(k * (len(curve) - 1) / (most - 1))] for k in range(most)]


def _chart(curve: Sequence[Mapping[str, Any]], found: Mapping[str, Any], level: float) -> str:
    lengths = [float(point["length"]) for point in curve]
    shares = Scale(0.0, 1.0, (0.0, 0.25, 0.5, 0.75, 1.0))
    scale = around([0.0, max(lengths)])
    frame = Frame(scale, shares, "pairs in the list", "share of links", number, _tick, 420, 300)
    lines = [
        line(frame.points(lengths, [min(max(float(point[name]), 0.0), 1.0) for point in curve]), kind)
        for name, kind in (("most", "first thin"), ("expected", "first"), ("certain", "second"))
    ]
    wanted = line(frame.points([scale.low, scale.high], [1 - level, 1 - level]), "even")
    length = float(found["certified"]["length"]) if not found.get("refused") else 0.0
    end = [(frame.at_x(length), frame.at_y(1 - level))] if length else []
    marks = [dot(point, "kept", 6, f"certified: {counted(int(length), 'pair')}") for point in end]
    return frame.svg([*lines, wanted, *marks], "Share of links by the length of the list")


def _tick(share: float) -> str:
    return f"{100 * share:.0f}%"
