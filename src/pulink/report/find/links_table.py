"""The links as a table: one <tbody> for each, so that a link and its reasons stay together when rows move.

It is whole without a script, with all reasons in sight. The page's script adds searching and sorting and folds the
reasons; what it needs to know stands in the rows.
"""

from __future__ import annotations

from collections.abc import Sequence

from pulink.report.find.content import FindPage, Link
from pulink.report.html.blocks import bullets
from pulink.report.html.escape import named, per_cent, shown
from pulink.text import counted

MOST_ROWS = 2000

_HEAD = """\
<thead><tr>
<th scope="col" data-sort="number" aria-sort="ascending">Rank</th>
<th scope="col" data-sort="text">Source</th>
<th scope="col" data-sort="text">Target</th>
<th scope="col" data-sort="number" data-first="descending">Probability</th>
<th scope="col" data-sort="number" data-first="descending">Reasons</th>
</tr></thead>"""

_TOOLS = """\
<form class="tools" id="tools">
<label>Search names <input type="search" id="search" autocomplete="off" spellcheck="false"></label>
<label>Probability at least <span class="unit"><input type="number" id="least" min="0" max="100" step="any"
 inputmode="decimal" placeholder="0">%</span></label>
<button type="reset">Clear</button>
<output id="count" for="search least" role="status"></output>
</form>"""


def links_section(found: FindPage) -> str:
    """The heading, the words and the table."""
    links = found.links[:MOST_ROWS]
    parts = ['<section id="links">', "<h2>Proposed links</h2>", f"<p>{_words(found, links)}</p>"]
    if links:
        rows = "\n".join(_rows(rank, link) for rank, link in enumerate(links, start=1))
        parts += [
            _TOOLS,
            '<div class="scroll" tabindex="0" role="region" aria-label="Proposed links">',
            f'<table class="links">\n{_HEAD}\n{rows}\n</table>',
            "</div>",
            '<p class="more"><button type="button" id="more" hidden></button></p>',
        ]
    return "\n".join([*parts, "</section>"])


def _words(found: FindPage, links: Sequence[Link]) -> str:
    text = f"{shown(found.asked)} Searched: {shown(found.searched)}."
    if len(links) < found.n_found:
        text += f" Here are the first {len(links):,} of {found.n_found:,}; all are in missing_links.csv."
    return text


def _rows(rank: int, link: Link) -> str:
    reasons = f"why{rank}"
    cells = (
        f"<td>{rank}</td><td>{named(link.source)}</td><td>{named(link.target)}</td>"
        f"<td>{_probability(link.probability)}</td><td>{_button(len(link.reasons), reasons)}</td>"
    )
    why = ""
    if link.reasons:
        why = f'<tr class="why" id="{reasons}"><td colspan="5">{bullets(link.reasons)}</td></tr>'
    return f"<tbody><tr>{cells}</tr>{why}</tbody>"


def _probability(p: float) -> str:
    """In per cent and as a bar; the exact number is for sorting."""
    return (
        f'<data value="{float(p)!r}">{per_cent(p)}</data>'
        '<svg class="bar" aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">'
        f'<path d="M0 2H{100 * p:.1f}"/></svg>'
    )


def _button(n_reasons: int, reasons: str) -> str:
    if not n_reasons:
        return '<data value="0">none</data>'
    return (
        f'<data value="{n_reasons}"></data><button type="button" aria-expanded="false" aria-controls="{reasons}">'
        f"{counted(n_reasons, 'reason')}</button>"
    )
