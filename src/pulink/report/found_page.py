"""What `pulink find` found, as one HTML file that needs nothing else and obeys nobody.

Only the one style and the one script whose hashes stand in the page's policy take effect; neither is made from
data. Equal data gives equal bytes.
"""

from __future__ import annotations

import base64
import hashlib
import math
from collections.abc import Iterable, Sequence
from importlib.resources import files

from pulink.report.found import Estimate, Found, Link
from pulink.report.found_blocks import bullets, listed, section
from pulink.report.found_evidence import degree_section, drawing_section, history_section, reliability_section
from pulink.report.found_links import MOST_ROWS, links_section
from pulink.report.found_text import flat, per_cent, shown
from pulink.report.style import STYLE


def found_page(found: Found) -> str:
    """The page as text, to be written as UTF-8."""
    style, script = STYLE + _own("found.css"), _own("found.js")
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy(style, script)}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{flat(found.title)}</title>",
            f"<style>{style}</style>",
            f"<script>{script}</script>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{shown(found.title)}</h1>",
            *(own for own in _sections(found) if own),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def policy(style: str, *scripts: str) -> str:
    """Nothing is loaded, sent or run but this style and these scripts."""
    own = " ".join(_digest(script) for script in scripts)
    return f"default-src 'none'; style-src {_digest(style)}; script-src {own}; base-uri 'none'; form-action 'none'"


def _digest(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _own(name: str) -> str:
    return files("pulink.report").joinpath(name).read_text(encoding="utf-8")


def _sections(found: Found) -> Iterable[str]:
    yield _headline(found)
    yield _warnings(found.warnings)
    yield section("read", "What was read", listed(found.read)) if found.read else ""
    yield links_section(found)
    yield drawing_section(found.drawing)
    yield reliability_section(found.reliability)
    yield degree_section(found.degrees_before, found.degrees_after)
    yield history_section(found.history)
    yield _again(found)


def _headline(found: Found) -> str:
    """The figure to remember, where it comes from, and how far the list can be trusted."""
    parts = ['<section id="headline">']
    if found.estimate is None:
        parts.append(_figure(f"{len(found.links):,}", f"likely missing {_links(len(found.links))} found"))
    else:
        parts += [_figure(f"{round(found.estimate.best):,}", _interval(found.estimate))]
        parts += [f"<p>{shown(found.estimate.words)}</p>"] if found.estimate.words else []
    if found.links:
        parts.append(f"<p>{_hope(found.links[:MOST_ROWS])}</p>")
    return "\n".join([*parts, "</section>"])


def _figure(value: str, words: str) -> str:
    return f'<p class="figure"><strong>{value}</strong> {words}.</p>'


def _interval(own: Estimate) -> str:
    low = f"{math.floor(own.low):,}"
    span = f"between {low} and {math.ceil(own.high):,}" if math.isfinite(own.high) else f"{low} or more"
    verb = "is" if round(own.best) == 1 else "are"
    return f"{_links(round(own.best))} {verb} probably missing; with 90% certainty it is {span}"


def _links(n: int) -> str:
    return "link" if n == 1 else "links"


def _hope(links: Sequence[Link]) -> str:
    right = sum(link.probability for link in links)
    if len(links) == 1:
        return f"The one link listed below is right with a probability of {per_cent(right)}."
    return f"Going by their probabilities, about {right:,.0f} of the {len(links):,} links listed below are right."


def _warnings(warnings: Sequence[str]) -> str:
    if not warnings:
        return ""
    return f'<section id="warnings">\n<h2>Before you trust this</h2>\n{bullets(warnings)}\n</section>'


def _again(found: Found) -> str:
    command = f'<pre><code id="command">{shown(found.command)}</code></pre>'
    parts = [f'<div class="command">{command}<button type="button" id="copy">Copy</button></div>']
    for title, rows in (("Settings", found.settings), ("Versions", found.versions)):
        if rows:
            parts.append(f"<h3>{title}</h3>\n{listed(rows)}")
    return section("again", "Run it again", *parts)
