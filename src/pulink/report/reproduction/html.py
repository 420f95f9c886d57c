"""A document as one HTML file that needs nothing else: style and pictures are inside, scripts there are none."""

from __future__ import annotations

import base64
from html import escape

from pulink.report.html.style import STYLE
from pulink.report.reproduction.document import (
    Block,
    Box,
    Bullets,
    Document,
    Fold,
    Grid,
    Line,
    Picture,
    Section,
    Text,
)


def to_html(document: Document) -> str:
    title = escape(document.title)
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            f"<title>{title}</title>",
            f"<style>\n{STYLE}</style>",
            "</head>",
            "<body>",
            "<main>",
            f"<h1>{title}</h1>",
            _contents(document),
            *(_section(section) for section in document.sections),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _contents(document: Document) -> str:
    items = (
        f'<li><a href="#{escape(section.anchor)}">{escape(section.title)}</a></li>'
        for section in document.sections
    )
    return '<nav aria-label="Contents">\n<ul>\n' + "\n".join(items) + "\n</ul>\n</nav>"


def _section(section: Section) -> str:
    parts = [f"<h2>{escape(section.title)}</h2>", *(_block(block) for block in section.blocks)]
    return f'<section id="{escape(section.anchor)}">\n' + "\n".join(parts) + "\n</section>"


def _block(block: Block) -> str:
    match block:
        case Text():
            return f"<p>{escape(block.text)}</p>"
        case Bullets():
            items = "\n".join(f"<li>{escape(item)}</li>" for item in block.items)
            return f"<ul>\n{items}\n</ul>" if items else ""
        case Picture():
            return _picture(block)
        case Grid():
            return _grid(block)
        case Fold():
            inner = "\n".join(_block(part) for part in block.blocks)
            return f"<details>\n<summary>{escape(block.title)}</summary>\n{inner}\n</details>"


def _picture(picture: Picture) -> str:
    light, dark = (base64.b64encode(image).decode() for image in (picture.light, picture.dark))
    title, caption = escape(picture.title), escape(picture.caption)
    return (
        "<figure>\n<picture>\n"
        f'<source media="(prefers-color-scheme: dark)" srcset="data:image/png;base64,{dark}">\n'
        f'<img alt="{title}" src="data:image/png;base64,{light}">\n'
        f"</picture>\n<figcaption>{caption}</figcaption>\n</figure>"
    )


def _grid(grid: Grid) -> str:
    """In a box of its own, which scrolls when the window is narrower than the table."""
    caption = escape(grid.caption)
    head = "".join(f'<th scope="col">{_box(box)}</th>' for box in grid.head)
    rows = "\n".join(_row(row, place in grid.faint) for place, row in enumerate(grid.rows))
    return (
        f'<div class="scroll" tabindex="0" role="region" aria-label="{caption}">\n<table>\n'
        f"<caption>{caption}</caption>\n<thead><tr>{head}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table>\n</div>"
    )


def _row(boxes: tuple[Box, ...], faint: bool) -> str:
    first, *others = boxes
    cells = "".join(f"<td>{_box(box)}</td>" for box in others)
    kind = ' class="control"' if faint else ""
    return f'<tr{kind}><th scope="row">{_box(first)}</th>{cells}</tr>'


def _box(lines: Box) -> str:
    return "<br>".join(_line(line) for line in lines)


def _line(line: Line) -> str:
    text = escape(line.text)
    match line.mark:
        case "best":
            return f"<b>{text}</b>"
        case "second":
            return f"<u>{text}</u>"
        case "small" | "outside" | "small outside":
            return f'<span class="{line.mark}">{text}</span>'
    return text
