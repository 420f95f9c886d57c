"""A document as Markdown that GitHub shows: tables with lines in cells, folds, pictures beside the file."""

from __future__ import annotations

import re

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

_SPECIAL = re.compile(r"([\\`*_\[\]|#~$])")


def to_markdown(document: Document) -> str:
    """The whole text; pictures are named as files beside it."""
    parts = [f"# {_escaped(document.title)}", *(_section(section) for section in document.sections)]
    return "\n\n".join(parts) + "\n"


def _section(section: Section) -> str:
    parts = [f'<a id="{section.anchor}"></a>', f"## {_escaped(section.title)}"]
    return "\n\n".join(parts + [text for block in section.blocks if (text := _block(block))])


def _block(block: Block) -> str:
    match block:
        case Text():
            return _escaped(block.text)
        case Bullets():
            return "\n".join(f"- {_escaped(item)}" for item in block.items)
        case Picture():
            return f"![{_escaped(block.title)}]({block.name})\n\n{_escaped(block.caption)}"
        case Grid():
            return _grid(block)
        case Fold():
            inner = "\n\n".join(_block(part) for part in block.blocks)
            return f"<details><summary>{_escaped(block.title)}</summary>\n\n{inner}\n\n</details>"


def _grid(grid: Grid) -> str:
    head = _row(grid.head)
    rule = "|" + "|".join([" --- ", *[" ---: "] * (len(grid.head) - 1)]) + "|"
    return "\n".join([f"**{_escaped(grid.caption)}**", "", head, rule, *(_row(row) for row in grid.rows)])


def _row(boxes: tuple[Box, ...]) -> str:
    return "| " + " | ".join("<br>".join(_line(line) for line in box) for box in boxes) + " |"


def _line(line: Line) -> str:
    text = _escaped(line.text)
    match line.mark:
        case "best":
            return f"**{text}**"
        case "second":
            return f"<u>{text}</u>"
        case "small" | "small outside":
            return f"<sub>{text}</sub>"
    return text


def _escaped(text: str) -> str:
    """Plain text stays plain: no markup, no tags, no end of a table's cell or line."""
    plain = " ".join(text.split()).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SPECIAL.sub(r"\\\1", plain)
