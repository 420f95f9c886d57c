"""What a report is made of, before it is Markdown or HTML. All text is plain: whoever renders it escapes it."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Line:
    """A line of a cell; `mark` is "", "best", "second", "small", "outside" or "small outside"."""

    text: str
    mark: str = ""


Box = tuple[Line, ...]


@dataclass(frozen=True)
class Grid:
    """A table: the first column names its rows, `faint` rows are set apart from the others."""

    caption: str
    head: tuple[Box, ...]
    rows: tuple[tuple[Box, ...], ...]
    faint: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Text:
    """A paragraph."""

    text: str


@dataclass(frozen=True)
class Bullets:
    items: tuple[str, ...]


@dataclass(frozen=True)
class Picture:
    """A figure: a PNG file of that name, and the same for dark windows."""

    name: str
    title: str
    caption: str
    light: bytes
    dark: bytes


@dataclass(frozen=True)
class Fold:
    """Blocks behind a title that a reader opens."""

    title: str
    blocks: tuple[Block, ...]


Block = Grid | Text | Bullets | Picture | Fold


@dataclass(frozen=True)
class Section:
    anchor: str
    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True)
class Document:
    title: str
    sections: tuple[Section, ...] = field(default_factory=tuple)

    @property
    def pictures(self) -> list[Picture]:
        return [block for section in self.sections for block in section.blocks if isinstance(block, Picture)]


def box(text: str, mark: str = "") -> Box:
    return (Line(text, mark),)
