"""What `pulink find` found, as one page."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from pulink.report.find.content import Estimate, FindPage, Link
from pulink.report.find.links_table import MOST_ROWS, links_section
from pulink.report.find.sections import degree_section, drawing_section, history_section, reliability_section
from pulink.report.html.blocks import bullets, listed, section
from pulink.report.html.escape import per_cent, shown
from pulink.report.html.page import offline_page
from pulink.text import plural


def found_page(found: FindPage) -> str:
    """The page as text, to be written as UTF-8."""
    return offline_page(found.title, _sections(found))


def _sections(found: FindPage) -> Iterable[str]:
    yield _headline(found)
    yield _warnings(found.warnings)
    yield _read(found)
    yield links_section(found)
    yield drawing_section(found.drawing)
    yield reliability_section(found.reliability)
    yield degree_section(found.degrees_before, found.degrees_after)
    yield history_section(found.history)
    yield _again(found)


def _headline(found: FindPage) -> str:
    """The figure to remember, where it comes from, and how far the list can be trusted."""
    parts = ['<section id="headline">']
    if found.estimate is None:
        parts.append(_figure(f"{found.n_found:,}", f"likely missing {plural(found.n_found, 'link')} found"))
    elif found.estimate.hedge:
        parts += [f'<p class="hedge">{shown(found.estimate.hedge)}</p>', *_said(found.estimate.words)]
    else:
        parts += [_figure(f"{round(found.estimate.best):,}", _interval(found.estimate))]
        parts += _said(found.estimate.words)
    if found.links:
        parts.append(f"<p>{_hope(found.links[:MOST_ROWS])}</p>")
    return "\n".join([*parts, *_said(found.method), "</section>"])


def _said(sentence: str) -> list[str]:
    return [f"<p>{shown(sentence)}</p>"] if sentence else []


def _figure(value: str, words: str) -> str:
    return f'<p class="figure"><strong>{value}</strong> {words}.</p>'


def _interval(estimate: Estimate) -> str:
    missing = plural(round(estimate.best), "link is probably missing", "links are probably missing")
    if estimate.low == estimate.high:
        return missing
    low = f"{estimate.low:,.0f}"
    span = f"{low} to {estimate.high:,.0f}" if math.isfinite(estimate.high) else f"{low} or more"
    return f"{missing} (90% interval: {span})"


def _hope(links: Sequence[Link]) -> str:
    right = sum(link.probability for link in links)
    if len(links) == 1:
        return f"The one link listed below is right with a probability of {per_cent(right)}."
    return f"Going by their probabilities, about {right:,.0f} of the {len(links):,} links listed below are right."


def _warnings(warnings: Sequence[str]) -> str:
    if not warnings:
        return ""
    return f'<section id="warnings">\n<h2>Before you trust this</h2>\n{bullets(warnings)}\n</section>'


def _read(found: FindPage) -> str:
    """Counts side by side, and notes, which are long, below them."""
    parts = [listed(found.read)] if found.read else []
    parts += [f'<div class="notes">{bullets(found.notes)}</div>'] if found.notes else []
    return section("read", "What was read", *parts) if parts else ""


def _again(found: FindPage) -> str:
    command = f'<pre><code id="command">{shown(found.command)}</code></pre>'
    parts = [f'<div class="command">{command}<button type="button" id="copy">Copy</button></div>']
    for title, rows in (("Settings", found.settings), ("Versions", found.versions)):
        if rows:
            parts.append(f"<h3>{title}</h3>\n{listed(rows)}")
    return section("again", "Run it again", *parts)
