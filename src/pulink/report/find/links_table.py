"""The links as a table, each with its main reason; the other reasons unfold below it.

It is whole without a script. The page's script adds searching, sorting and choosing; what it needs to know stands
in the rows: exact numbers as values, and data-ends, the places of the two nodes in the drawing's data.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from pulink.report.find.content import UNDIRECTED, FindPage, GraphKind, Link
from pulink.report.html.blocks import bullets
from pulink.report.html.escape import named, number, rounded, shown

MOST_ROWS = 2000

# Below this, a column of probabilities would say the same in every row: next to nothing.
_LEAST_TOLD = 0.01

# What the script asks a table about.
_CLASSES = {"directed": " directed", "bipartite": " of-types", "typed": " of-types"}

_HEAD = """\
<thead><tr>
<th scope="col" class="rank" data-sort="rank" aria-sort="ascending">Rank</th>
<th scope="col" class="end" data-sort="source">{source}</th>
<th scope="col" class="end" data-sort="target">{target}</th>
{probability}<th scope="col" class="score" data-sort="score" data-first="descending">Score</th>
<th scope="col" class="why">Main reason</th>
</tr></thead>"""

_PROBABILITY = """\
<th scope="col" class="chance" data-sort="probability" data-first="descending">Probability
<span class="small">90% interval</span></th>
"""

_SEARCH = """\
<label>Name <input type="search" id="search" autocomplete="off" spellcheck="false"></label>
"""

_LEAST = """\
<label>Probability at least <span class="unit"><input type="number" id="least" min="0" max="100" step="any"
 inputmode="decimal" placeholder="0">%</span></label>
"""

_DOWNLOADS = """\
<p class="downloads js-only">Download what is listed: <button type="button" data-download="csv">CSV</button>
<button type="button" data-download="json">JSON</button>
<button type="button" data-download="graphml">GraphML</button></p>"""


def links_section(found: FindPage) -> str:
    """The heading, the words and the table."""
    links = found.links[:MOST_ROWS]
    parts = ['<section id="links" aria-label="Proposed links">', f'<p class="asked">{_words(found, links)}</p>']
    if links:
        parts += [_tools(told(links)), _table(found, links), _DOWNLOADS]
    return "\n".join([*parts, "</section>"])


def told(links: Sequence[Link]) -> bool:
    """Whether there is a probability worth a column."""
    return max((link.probability for link in links), default=0.0) >= _LEAST_TOLD


def _words(found: FindPage, links: Sequence[Link]) -> str:
    text = f"{shown(found.asked)} Searched: {shown(found.searched)}."
    if len(links) < found.n_found:
        text += f" Here are the first {len(links):,} of {found.n_found:,}; all are in missing_links.csv."
    return text


def _tools(by_probability: bool) -> str:
    return (
        f'<form class="tools" id="tools">\n{_SEARCH}{_LEAST if by_probability else ""}'
        '<button type="reset">Clear</button>\n'
        f'<output id="count" for="search{" least" if by_probability else ""}" role="status"></output>\n</form>'
    )


def _table(found: FindPage, links: Sequence[Link]) -> str:
    by_probability = told(links)
    n_alike = Counter(link.rank for link in links)
    ends = [(a, b) for a, b, _ in found.drawing.proposed] if found.drawing else []
    rows = "\n".join(
        _row(link, n_alike[link.rank] > 1, by_probability, ends[k] if k < len(ends) else None)
        for k, link in enumerate(links)
    )
    source, target = _end_names(found.kind)
    head = _HEAD.format(source=source, target=target, probability=_PROBABILITY if by_probability else "")
    classes = f"{'' if by_probability else ' by-score'}{_CLASSES.get(found.kind.name, '')}"
    return "\n".join(
        [
            '<div class="scroll list" role="region" aria-label="Proposed links" tabindex="0">',
            f'<table class="links{classes}">\n{head}\n{rows}\n</table>',
            '<p class="more"><button type="button" id="more" hidden></button></p>',
            "</div>",
        ]
    )


def _end_names(kind: GraphKind) -> tuple[str, str]:
    """As the input's columns are called."""
    if kind.ends == UNDIRECTED.ends:
        return "Source", "Target"
    return named(kind.ends[0]), named(kind.ends[1])


def _end(name: str, kind: str | None) -> str:
    """A name, with its type where the name does not tell the node."""
    of_type = "" if kind is None else f' <span class="type">{named(kind)}</span>'
    return f'<td class="end">{named(name)}{of_type}</td>'


def _row(link: Link, tied: bool, by_probability: bool, ends: tuple[int, int] | None) -> str:
    types = link.types or (None, None)
    places = "" if ends is None else f' data-ends="{ends[0]} {ends[1]}"'
    chance = f'<td class="chance">{probability_words(link)}{probability_bar(link)}</td>' if by_probability else ""
    more = "" if by_probability else f'<p class="chance">Probability: {probability_words(link)}</p>'
    return (
        f"<tbody{places}><tr>"
        f'<td class="rank"><data value="{link.rank}">{link.rank:,}{"=" if tied else ""}</data></td>'
        f"{_end(link.source, types[0])}{_end(link.target, types[1])}{chance}"
        f'<td class="score"><data value="{float(link.score)!r}">{number(link.score)}</data></td>'
        f'<td class="why">{_reasons(link.reasons, more)}</td></tr></tbody>'
    )


def probability_words(link: Link) -> str:
    """Rounded, with its interval; the exact numbers are for sorting and for downloads."""
    exact = f'value="{float(link.probability)!r}"'
    if link.low is None or link.high is None:
        return f"<data {exact}>{rounded(link.probability)}</data>"
    ends = f'data-low="{float(link.low)!r}" data-high="{float(link.high)!r}"'
    span = f'<span class="span">({_interval(link.low, link.high)})</span>'
    return f"<data {exact} {ends}>{rounded(link.probability)}</data> {span}"


def _interval(low: float, high: float) -> str:
    begin, end = rounded(low), rounded(high)
    if begin == end:
        return begin
    whole = begin[:-1].isdigit() and end[:-1].isdigit()
    return f"{begin[:-1]}\u2013{end}" if whole else f"{begin} to {end}"


def probability_bar(link: Link) -> str:
    """The interval as a band, the probability as a mark on it."""
    band = ""
    if link.low is not None and link.high is not None:
        band = f'<path class="band" d="M{100 * link.low:.0f} 3H{100 * link.high:.0f}"/>'
    return (
        '<svg class="bar" aria-hidden="true" viewBox="0 0 100 6" preserveAspectRatio="none">'
        f'{band}<path class="mark" d="M{100 * link.probability:.0f} 0V6"/></svg>'
    )


def _reasons(reasons: Sequence[str], more: str) -> str:
    """The main one in sight; `more` is HTML that unfolds with the others."""
    main = f'<span class="main">{shown(reasons[0])}</span>' if reasons else '<span class="none">none</span>'
    others = bullets(reasons[1:]) if len(reasons) > 1 else ""
    if not others and not more:
        return main
    label = f"{len(reasons) - 1} more" if others else "details"
    summary = f'<summary>{main} <span class="small">{label}</span></summary>'
    return f"<details>{summary}{others}{more}</details>"
