"""One pair: why it may be a link, its surroundings, and what was answered about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pulink.report.find.content import GraphKind
from pulink.report.html.blocks import bullets, section
from pulink.report.html.escape import flat, named, shown
from pulink.serve.pages.addresses import link, node_link, pair_address, pair_values, query
from pulink.serve.pages.drawing import drawing_figure, drawn_pairs
from pulink.serve.pages.frame import framed, heading
from pulink.serve.pages.links import chance, said

DECISIONS = (("link", "Link"), ("no link", "No link"), ("unsure", "Unsure"), ("taken back", "Take back"))

_KNOWN = {
    "link": "This pair is recorded as a link.",
    "no link": "This pair is known to be no link.",
}


def between(kind: str) -> str:
    """What stands between the names of a pair."""
    return GraphKind(kind).between


def pair_page(run: Mapping[str, Any], pair: Mapping[str, Any]) -> str:
    source, target = pair["source"], pair["target"]
    names = f"{node_link(source)}{between(run['kind'])}{node_link(target)}"
    parts = [
        heading(names, _KNOWN.get(str(pair.get("known")), "")),
        '<div class="pair"><div>',
        _decide(run, pair),
        section("reasons", "Why", _reasons(pair)),
        section("probability", "Probability", _probability(pair)),
        "</div>",
        section("drawing", "Surroundings", pair_drawing(run, pair)),
        "</div>",
        section("history", "What was answered", history_table(pair.get("history") or ())),
    ]
    title = f"{source['name']}{between(run['kind'])}{target['name']}"
    twin = query("/api/pairs", pair_values(source, target))
    return framed(title, run, parts, here="/pair", twin=twin, scripts=("decide.js",))


def _decide(run: Mapping[str, Any], pair: Mapping[str, Any]) -> str:
    if run["read_only"] or pair.get("known") == "link":
        return ""
    return (
        '<section class="decide" aria-labelledby="decide-title"><h2 id="decide-title">Is it a link?</h2>'
        f'{decision_buttons(pair["source"], pair["target"])}<p id="state" role="status"></p>'
        '<p class="small">An answer about a pair that you looked up is kept, and the next fit learns from it. The '
        "estimates rest on drawn pairs alone.</p></section>"
    )


def decision_buttons(source: Mapping[str, Any], target: Mapping[str, Any]) -> str:
    """data-pair holds the two ends in the order name, type, name, type, as a query string does."""
    buttons = "".join(
        f'<button type="button" data-decide="{answer}">{words}</button>' for answer, words in DECISIONS
    )
    address = flat(query("", pair_values(source, target)))
    return f'<div class="decisions js-only" role="group" aria-label="Answer" data-pair="{address}">{buttons}</div>'


def _probability(pair: Mapping[str, Any]) -> str:
    if pair.get("probability") is not None:
        return f'<div class="chance">{chance(pair)}</div>'
    address = query("/pair", {**pair_values(pair["source"], pair["target"]), "reveal": 1})
    return f"<p>Not shown before somebody has answered. {link(address, 'Show it all the same')}</p>"


def _reasons(pair: Mapping[str, Any]) -> str:
    texts = [str(reason["text"] if isinstance(reason, Mapping) else reason) for reason in pair["reasons"]]
    return bullets(texts) if texts else "<p>No particular reason was found.</p>"


def pair_drawing(run: Mapping[str, Any], pair: Mapping[str, Any]) -> str:
    """The two nodes and what lies between them."""
    drawing = pair["drawing"]
    title = f"{pair['source']['name']}{between(run['kind'])}{pair['target']['name']} and their neighbours"
    words = (
        "Solid lines are recorded links, the dashed line is the pair in question. Larger nodes have more links."
    )
    figure = drawing_figure(drawing, title, drawn_pairs(drawing, [pair]), words)
    return figure or "<p>Nothing lies around these nodes.</p>"


def history_table(history: Sequence[Mapping[str, Any]]) -> str:
    """Every answer, the last one below."""
    if not history:
        return "<p>Nobody has answered yet.</p>"
    rows = "".join(
        f"<tr><td>{named(str(row['reviewer']))}</td><td>{said(row['answer'])}</td>"
        f"<td>{_seconds(row.get('seconds'))}</td><td>{shown(str(row.get('note') or ''))}</td></tr>"
        for row in history
    )
    head = "".join(f'<th scope="col">{words}</th>' for words in ("Reviewer", "Answer", "Seconds", "Note"))
    return (
        '<div class="scroll" role="region" aria-label="Answers" tabindex="0"><table class="plain">'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _seconds(seconds: float | None) -> str:
    return "" if seconds is None else f"{seconds:,.1f}"


def pair_link(source: Mapping[str, Any], target: Mapping[str, Any], kind: str) -> str:
    """Both names, which lead to the pair's page."""
    words = f"{named(str(source['name']))}{between(kind)}{named(str(target['name']))}"
    return link(pair_address(source, target), words)
