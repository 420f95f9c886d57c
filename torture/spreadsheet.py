"""A spreadsheet's way with CSV, at its most eager: LibreOffice with whichever separators are ticked."""

from __future__ import annotations

import re
from itertools import combinations

EVERY = ",;\t|"
CHOICES = tuple("".join(ticked) for count in range(1, 5) for ticked in combinations(EVERY, count))
_UNSEEN = re.compile("^[\\s\\x00-\\x20\\x7f-\\xa0\u200b-\u200f\u2060\ufeff]*")
_NUMBER = re.compile(r"[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?")


def cells(data: bytes, separators: str = EVERY) -> list[str]:
    """All cells of a file: quotes taken off, whether the cell was quoted forgotten."""
    text = data.decode("utf-8-sig")
    found, place = [], 0
    while place < len(text):
        cell, place = (_quoted if text[place] == '"' else _plain)(text, place, separators)
        found.append(cell)
        place += 1
    return found


def formulas(data: bytes, separators: str = EVERY) -> list[str]:
    """The cells that would be computed."""
    return [cell for cell in cells(data, separators) if _is_formula(cell)]


def ever_formulas(data: bytes) -> list[str]:
    """The cells that would be computed with some choice of separators: a German one splits by semicolons alone."""
    return [cell for separators in CHOICES for cell in formulas(data, separators)]


def _is_formula(cell: str) -> bool:
    seen = _UNSEEN.sub("", cell)
    return seen[:1] in set("=+-@\uff1d\uff0b\uff0d\uff20") and not _NUMBER.fullmatch(cell)


def _quoted(text: str, start: int, separators: str) -> tuple[str, int]:
    """The cell that begins with a quotation mark, and where it ends; a doubled mark is one."""
    parts: list[str] = []
    place = start + 1
    while True:
        end = text.find('"', place)
        if end < 0:
            return "".join([*parts, text[place:]]), len(text)
        parts.append(text[place:end])
        if text[end + 1 : end + 2] != '"':
            rest, end = _plain(text, end + 1, separators)
            return "".join([*parts, rest]), end
        parts.append('"')
        place = end + 2


def _plain(text: str, start: int, separators: str) -> tuple[str, int]:
    end = start
    while end < len(text) and text[end] not in separators + "\r\n":
        end += 1
    return text[start:end], end
