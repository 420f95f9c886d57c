"""Lines as networkx.write_edgelist writes them: `a b {'weight': 7}`, a dictionary of Python behind two ends."""

from __future__ import annotations

import re

import polars as pl

from pulink.data.formats.csv_records import COMMENT
from pulink.data.formats.limits import check_columns, too_many_cells
from pulink.errors import InputError
from pulink.graph.tables.table import Table
from pulink.text import counted

_TRIED, _READ = 50, 65_536
_ENDS = ("source", "target")
_LINE = re.compile(r"\s*(\S+)[ \t]+(\S+)[ \t]+(\{.*\})\s*")
# Text without escapes; a list, a tuple or an object with none inside; or whatever has no sign of them.
_TEXT = r"'[^'\\]*'|\"[^\"\\]*\""
_LISTS = r"\[[^\[\]{}()]*\]|\([^\[\]{}()]*\)|\{[^\[\]{}()]*\}"
_ITEM = re.compile(
    rf"\s*(?P<key>{_TEXT})\s*:\s*((?P<value>{_TEXT}|[^\s'\",:{{}}\[\]()]+)|{_LISTS})\s*(?P<end>,|$)"
)


def is_networkx_text(data: bytes) -> bool:
    """Whether the first lines are all of this form.

    >>> from pulink.data.formats.networkx_lines import is_networkx_text
    >>> is_networkx_text(b"1 2 {'weight': 7, 'x': 2}"), is_networkx_text(b"1 2 7")
    (True, False)
    """
    if b"{" not in data[:_READ]:
        return False
    lines = data[:_READ].decode(errors="replace").split("\n")
    lines = lines[:-1] if len(data) > _READ else lines
    rows = [line for line in lines if line.strip() and not re.match(COMMENT, line.strip())][:_TRIED]
    return bool(rows) and all(_LINE.fullmatch(row) for row in rows)


def networkx_table(data: bytes, where: str, n_skipped: int) -> Table:
    """A row per line: the two ends, and a column for each attribute of edges that is a text or a number."""
    try:
        lines = data.decode().split("\n")
    except UnicodeDecodeError as error:
        place = n_skipped + 1 + data.count(b"\n", 0, error.start)
        raise InputError(f"{where}, line {place}: not UTF-8; save it as UTF-8 or pass its encoding") from error
    ends: list[tuple[str, str]] = []
    attributes: list[dict[str, str]] = []
    places: list[int] = []
    n_strange = 0
    for number, line in enumerate(lines, n_skipped + 1):
        if not line.strip() or re.match(COMMENT, line.strip()):
            continue
        found = _LINE.fullmatch(line)
        if found is None:
            raise InputError(
                f"{where}, line {number}: others hold two nodes and {{...}}, as networkx.write_edgelist writes "
                "them, and this one does not; in Python, pulink.from_networkx takes the graph itself"
            )
        ends.append((found[1], found[2]))
        values = _values(found[3])
        n_strange += values is None
        attributes.append(values or {})
        places.append(number)
    names = list(dict.fromkeys(name for values in attributes for name in values if name not in _ENDS))
    check_columns(2 + len(names), where)
    if too_many_cells(len(ends) * len(names), sum(map(len, attributes))):
        raise InputError(f"{where}: {len(names):,} attributes of which nearly all are missing; leave them out")
    columns = dict(zip(_ENDS, zip(*ends, strict=True), strict=True)) | {
        name: tuple(values.get(name) for values in attributes) for name in names
    }
    note = f"attributes of {counted(n_strange, 'edge')} could not be read, and were left out"
    frame = pl.DataFrame(columns, schema=dict.fromkeys(columns, pl.String))
    return Table(frame, where, line_of=places.__getitem__, notes=(note,) if n_strange else ())


def _values(text: str) -> dict[str, str] | None:
    """What a dictionary holds, as text, without lists and the like; None where it is not clear."""
    inner, place = text[1:-1].strip(), 0
    values: dict[str, str] = {}
    while place < len(inner):
        item = _ITEM.match(inner, place)
        if item is None:
            return None
        value = item["value"]
        if value is not None:
            values[item["key"][1:-1]] = value[1:-1] if value[0] in "'\"" else value
        place = item.end()
    return values
