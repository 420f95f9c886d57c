"""What `pulink find` found, as one page: the answer, then the list beside its drawing, then what it rests on."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pulink.report.find.content import FindPage
from pulink.report.find.links_table import links_section
from pulink.report.find.sections import degree_section, drawing_section, history_section, reliability_section
from pulink.report.html.blocks import bullets, listed, section
from pulink.report.html.escape import shown
from pulink.report.html.page import Assets, offline_page

# In the order in which the browser reads them.
_ASSETS = (
    "answer.css", "list.css", "drawing.css",
    "names.js", "list.js", "view.js", "labels.js", "arrows.js", "network.js", "node.js", "download.js", "start.js",
)  # fmt: skip


def found_page(found: FindPage) -> str:
    """The page as text, to be written as UTF-8."""
    return offline_page(found.title, _sections(found), Assets.packaged("pulink.report.find", *_ASSETS))


def _sections(found: FindPage) -> Iterable[str]:
    yield _headline(found)
    yield _warnings(found.warnings)
    yield _work(links_section(found), drawing_section(found.drawing))
    yield reliability_section(found.reliability)
    yield degree_section(found.degree_classes)
    yield _read(found)
    yield history_section(found.history)
    yield _again(found)


def _headline(found: FindPage) -> str:
    """The answer, and what it rests on."""
    facts = [shown(fact) for fact in found.facts if fact]
    parts = ['<section id="headline">', f'<p class="answer">{shown(found.answer)}</p>']
    if facts:
        parts.append(f'<p class="facts">{" ".join(facts)}</p>')
    return "\n".join([*parts, "</section>"])


def _warnings(warnings: Sequence[str]) -> str:
    if not warnings:
        return ""
    return f'<section id="warnings">\n<h2>Before you trust this</h2>\n{bullets(warnings)}\n</section>'


def _work(links: str, drawing: str) -> str:
    """The list and the drawing side by side."""
    return "\n".join(['<div class="work">', links, drawing, "</div>"]) if drawing else links


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
