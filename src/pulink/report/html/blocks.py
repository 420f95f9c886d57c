"""Pieces of HTML that more than one section of the page is made of. Arguments are HTML unless they are data."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pulink.report.html.escape import shown


def section(anchor: str, title: str, *parts: str) -> str:
    return "\n".join([f'<section id="{anchor}">', f"<h2>{title}</h2>", *parts, "</section>"])


def beside(figure: str, *words: str) -> str:
    """A figure with words at its side, or below it where the window is narrow."""
    return "\n".join(['<div class="beside">', f"<figure>{figure}</figure>", "<div>", *words, "</div>", "</div>"])


def listed(rows: Sequence[tuple[str, str]]) -> str:
    """Labels and values, both data."""
    items = "\n".join(f"<div><dt>{shown(label)}</dt><dd>{shown(value)}</dd></div>" for label, value in rows)
    return f'<dl class="pairs">\n{items}\n</dl>'


def bullets(items: Iterable[str]) -> str:
    """Sentences, which are data."""
    return "<ul>" + "".join(f"<li>{shown(item)}</li>" for item in items) + "</ul>"


def keys(*entries: str) -> str:
    """What the lines of a picture mean."""
    return f'<div class="keys">{"".join(entries)}</div>'


def key(kind: str, words: str, opacity: float = 1.0) -> str:
    path = f'<path class="{kind}" stroke-opacity="{opacity}" stroke-width="2" d="M0 6H32"/>'
    return f'<span class="key"><svg viewBox="0 0 32 12" aria-hidden="true">{path}</svg>{words}</span>'


def numbers(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """The numbers of a chart as a table, folded away."""
    top = "".join(f'<th scope="col">{heading}</th>' for heading in head)
    body = "\n".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    table = f'<table class="numbers">\n<thead><tr>{top}</tr></thead>\n<tbody>\n{body}\n</tbody>\n</table>'
    return f'<details>\n<summary>The numbers</summary>\n<div class="scroll">{table}</div>\n</details>'
