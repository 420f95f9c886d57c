"""CSV, TSV and kin, every cell as text: with or without header, whatever the separator.

polars does the reading; where it stumbles, Python's slower reader goes over the lines, and if one is to blame
it is named.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import polars as pl

from pulink.data.formats.comments import commented_names, stated_kind
from pulink.data.formats.csv_records import COMMENT, Lines, Text, numbered, parse_slowly, refuse_long_cell
from pulink.data.formats.foreign_text import refuse_foreign_text
from pulink.data.formats.limits import check_columns, slow_text, too_many_cells
from pulink.data.formats.networkx_lines import is_networkx_text, networkx_table
from pulink.data.formats.sif import sif_table
from pulink.data.formats.sources import is_packed, label, read_counted, suffix
from pulink.data.formats.spreadsheet_guard import true_names
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.data.whole_numbers import two_whole_columns
from pulink.errors import InputError, ParameterError
from pulink.graph.tables.headers import header_cells, header_note
from pulink.graph.tables.table import Table
from pulink.system.memory import require_memory
from pulink.text import reason, shown

# Most telling first: names hold spaces and commas more often than tabs.
_SEPARATORS = ("\t", ";", "|", ",", " ")
# How people write a tab where they cannot type one.
_TABS = ("tab", "\\t")
_FIRST_LINE = re.compile(rb"(?m)^[ \t]*(?:[^#% \t\n]|[#%]+[^#% \t\n])")
_QUOTE_AFTER_SPACE = re.compile(rb'[,;|\t] +"')
_BLANK_LINES = re.compile(rb'("[^"]*")|\n\n+')
_JUDGED = 65_536
_BYTES_PER_CELL = 40
_BOM = b"\xef\xbb\xbf"
_BOMS = {
    b"\xff\xfe\0\0": "utf-32",
    b"\0\0\xfe\xff": "utf-32",
    b"\xff\xfe": "utf-16",
    b"\xfe\xff": "utf-16",
}
# Excel's first line, and what MovieLens writes between columns.
_SEPARATOR_LINE = re.compile(rb"\s*\"?sep=([,;|\t ])\"?[ \t]*\n", re.IGNORECASE)
_DOUBLE_COLON, _UNIT = "::", b"\x1f"


def read_delimited(
    source: str | Path,
    options: ReadOptions = AS_FOUND,
    *,
    is_header: Callable[[pl.DataFrame], bool] = lambda _: False,
    n_columns: int = 2,
    check: Callable[[Table], object] = lambda _: None,
) -> Table:
    """Read a delimited file of at least `n_columns`. `is_header` judges the rows where no header is asked for.

    check  raises for rows that cannot be used; the first rows of a large file are shown to it before all are read
    """
    where = label(source)
    content, n_packed = read_counted(source)
    data = _text(content, options.encoding, where)
    del content
    first = _FIRST_LINE.search(data)
    refuse_foreign_text(data, first.start() if first else 0, suffix(source), where)
    if suffix(source) == ".sif":
        return sif_table(data, where)
    named, data = named_separator(data)
    given = given_separator(options.separator) or named
    data, preamble = without_preamble(data, where)
    n_skipped = preamble.count(b"\n") + (named is not None)
    if given is None and not options.header and n_columns > 1 and is_networkx_text(data):
        return networkx_table(data, where, n_skipped)
    chosen = given or likely_separator(data, suffix(source), n_columns, f"{where}, line {n_skipped + 1}")
    if chosen == _DOUBLE_COLON:
        data = data.replace(_DOUBLE_COLON.encode(), _UNIT)
        chosen = _UNIT.decode()
    judged = Judged(options, is_header, preamble)
    whole = _whole_numbers(data, chosen, judged)
    if whole is not None:
        frame, has_header = whole
        lines = partial(_line_after, n_skipped + has_header + 1)
        return judged.told(Table(frame, where, has_header, lines))
    data = single_spaces(data) if chosen == " " else data
    data = with_corner(data, chosen, options.header)
    text = Text(data, chosen, where, n_skipped, None if n_packed is None else slow_text(n_packed))
    if text.head is not None and (first_rows := table_of(text.head, judged)) is not None:
        check(first_rows)
    table = table_of(text, judged)
    if table is None:
        raise InputError(f"{where}: is empty; at least one row is needed")
    return table


@dataclass(frozen=True)
class Judged:
    """Whether a first row names the columns, and what comments before it tell."""

    options: ReadOptions
    is_header: Callable[[pl.DataFrame], bool]
    preamble: bytes

    def header(self, frame: pl.DataFrame) -> bool:
        """As it is asked for; by a column that is asked for and stands there; else by its looks."""
        if self.options.header is not None:
            return self.options.header
        return self._proven(header_cells(frame.row(0))) or self.is_header(frame)

    def note(self, frame: pl.DataFrame) -> tuple[str, ...]:
        """What to tell of a first row that was taken for names."""
        if self.options.header is not None or self._proven(header_cells(frame.row(0))):
            return ()
        return header_note(frame)

    def told(self, table: Table) -> Table:
        """A table with what comments say of it: the names of its columns, its kind."""
        kind = stated_kind(self.preamble)
        names = None if table.has_header else commented_names(self.preamble, table.frame.width, self._proven)
        if names is None:
            return replace(table, stated_kind=kind)
        frame = table.frame.rename(dict(zip(table.frame.columns, unique_names(names), strict=True)))
        return replace(table, frame=frame, has_header=True, stated_kind=kind)

    def _proven(self, cells: list[str]) -> bool:
        asked = (self.options.source, self.options.target, self.options.weight, self.options.time)
        small = [cell.lower() for cell in cells]
        return any(name.lower() in small or name.lower().lstrip("#") == small[0] for name in asked if name)


def _line_after(first: int, row: int) -> int:
    return first + row


def table_of(text: Text, judged: Judged) -> Table | None:
    """What a text holds; None if that is nothing."""
    frame = tidy(_parse(text))
    if not frame.height:
        return None
    longest = frame.select(pl.max_horizontal(pl.all().str.len_chars().max().fill_null(0))).item()
    if longest > csv.field_size_limit():
        raise refuse_long_cell(text)
    header = judged.header(frame)
    notes: tuple[str, ...] = ()
    if header:
        notes = judged.note(frame)
        names = unique_names(header_cells(frame.row(0)))
        frame = frame.slice(1).rename(dict(zip(frame.columns, names, strict=True)))
    lines = Lines(text, header)
    semicolons = text.separator == ";"
    return judged.told(
        Table(frame, text.where, header, lines, restore_names=true_names, decimal_comma=semicolons, notes=notes)
    )


def named_separator(data: bytes) -> tuple[str | None, bytes]:
    """The separator that a first line such as sep=; names, and the text without that line."""
    named = _SEPARATOR_LINE.match(data)
    return (None, data) if named is None else (named[1].decode(), data[named.end() :])


def with_corner(data: bytes, separator: str, header: bool | None) -> bytes:
    """With one more cell before the first line where all others have a cell that counts them, as R writes rows."""
    lines = data[:_JUDGED].decode(errors="replace").split("\n")[:20]
    rows = [row for line in lines if (row := line.strip()) and not re.match(COMMENT, row)]
    widths = _widths(rows, separator)
    if header is False or len(widths) < 2 or widths[0] < 2 or set(widths[1:-1] or widths[1:]) != {widths[0] + 1}:
        return data
    counted = [row.split(separator)[0].strip('"') for row in rows[1:3]]
    return f'""{separator}'.encode() + data if counted == ["1", "2"][: len(counted)] else data


def given_separator(separator: str | None) -> str | None:
    """One character; a tab may be written out, because a shell does not take it."""
    if isinstance(separator, str) and separator.lower() in _TABS:
        return "\t"
    if separator == _DOUBLE_COLON:
        return separator
    one = isinstance(separator, str) and len(separator.encode()) == 1 and separator not in '\r\n"\0'
    if separator is not None and not one:
        raise ParameterError(
            f"separator must be one character (ASCII, no quote, no line end), 'tab' or '::', got {separator!r}"
        )
    return separator


def without_preamble(data: bytes, where: str) -> tuple[bytes, bytes]:
    """The text from its first line that is neither blank nor a comment, and what stands before it."""
    first = _FIRST_LINE.search(data)
    if first is None:
        raise InputError(f"{where}: is empty; at least one row is needed")
    return data[first.start() :], data[: first.start()]


def _whole_numbers(data: bytes, separator: str, judged: Judged) -> tuple[pl.DataFrame, bool] | None:
    """The fast way, for two columns of plain whole numbers under at most one header line."""
    end = data.find(b"\n") if b"\n" in data else len(data)
    first = data[: min(end, _JUDGED + 1)]
    if len(first) > _JUDGED or first.count(separator.encode()) != 1 or b'"' in first:
        return None
    cells = [cell.strip() for cell in first.decode(errors="replace").split(separator)]
    second = data[end + 1 : end + 1 + _JUDGED].partition(b"\n")[0]
    below = [cell.strip() for cell in second.decode(errors="replace").split(separator)]
    header = judged.options.header
    if header is None and len(below) == 2:
        header = judged.header(pl.DataFrame([cells, below], schema=numbered(2), orient="row"))
    frame = two_whole_columns(data[end + 1 :] if header else data, separator)
    if frame is None:
        return None
    names = unique_names(header_cells(cells)) if header else frame.columns
    return frame.rename(dict(zip(frame.columns, names, strict=True))), bool(header)


def _text(data: bytes, encoding: str, where: str) -> bytes:
    """UTF-8 without a byte-order mark, every line ended by a line feed."""
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        while data.startswith(_BOM):
            data = data.removeprefix(_BOM)
        if name := next((name for mark, name in _BOMS.items() if data.startswith(mark)), None):
            data = _decoded(data, name, where)
    else:
        data = _decoded(data, encoding, where)
    refuse_zero_bytes(data, where)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def refuse_zero_bytes(data: bytes, where: str) -> None:
    place = data.find(b"\0")
    if place < 0:
        return
    every_other = data.count(b"\0", 0, _JUDGED) > min(len(data), _JUDGED) // 3
    hint = "is it UTF-16? pass the encoding utf-16-le or utf-16-be" if every_other else "a text file is needed"
    line = data.count(b"\n", 0, place) + 1
    raise InputError(f"{where}: is not text (it holds a zero byte, the first in line {line}); {hint}")


def _decoded(data: bytes, encoding: str, where: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except LookupError:
        raise ParameterError(f"encoding {encoding!r} is not known to Python") from None
    except UnicodeError as error:
        raise InputError(f"{where}: is not {encoding} ({reason(error)})") from error
    except ValueError as error:
        raise ParameterError(f"encoding {encoding!r} cannot be used ({reason(error)})") from error


def likely_separator(data: bytes, ending: str, n_columns: int, place: str) -> str:
    """The one that gives all of the first lines the same number of columns, else the likeliest."""
    if ending == ".tsv" and (n_columns < 2 or b"\t" in data[:_JUDGED]):
        return "\t"
    lines = data.lstrip(b" ")[:_JUDGED].decode(errors="replace").split("\n")
    if len(data) > _JUDGED:
        lines = lines[:-1] or lines
    lines = [line.strip(" ") for line in lines[:50] if line.strip() and not re.match(COMMENT, line.strip())]
    # Blanks and tabs may take turns.
    spaced = [line.replace("\t", " ") for line in lines]
    widths = {s: _widths(spaced if s == " " else lines, s) for s in _SEPARATORS}
    even = [s for s in _SEPARATORS if len(set(widths[s])) == 1 and widths[s][0] > 1]
    enough = [s for s in _SEPARATORS if min(widths[s]) > 1]
    started = [s for s in _SEPARATORS if widths[s][0] > 1]
    if not even and len({line.count(_DOUBLE_COLON) for line in lines}) == 1 and _DOUBLE_COLON in lines[0]:
        return _DOUBLE_COLON
    if likely := even or enough or started:
        if ending == ".tsv":
            raise InputError(
                f"{place}: holds no tab, and tabs separate the columns of .tsv files; type --separator "
                f"{shown(likely[0])} (separator={shown(likely[0])}) if that is what separates them"
            )
        return likely[0]
    if n_columns > 1:
        raise InputError(
            f"{place}: only one column; two are needed, separated by comma, tab, semicolon, | or space"
        )
    return ","


def _widths(lines: list[str], separator: str) -> list[int]:
    try:
        if widths := [len(row) for row in csv.reader(lines, delimiter=separator, skipinitialspace=True)]:
            return widths
    except csv.Error:
        pass
    return [0]


def single_spaces(data: bytes) -> bytes:
    """Runs of blanks between cells become one, those inside quotes stay."""
    pieces = data.split(b'"')
    pieces[::2] = map(_single_space, pieces[::2])
    return b'"'.join(pieces).replace(b"\n ", b"\n").replace(b" \n", b"\n").strip(b" ")


def _single_space(data: bytes) -> bytes:
    single = data.replace(b"\t", b" ")
    while b"  " in single:
        single = single.replace(b"  ", b" ")
    return single


def _parse(text: Text) -> pl.DataFrame:
    data, separator = text.data, text.separator
    n_lines, n_separators = data.count(b"\n") + 1, data.count(separator.encode())
    width = data.count(separator.encode(), 0, data.find(b"\n") if n_lines > 1 else len(data)) + 1
    check_columns(width, f"{text.where}, line {text.n_skipped + 1}")
    # Blank lines and short rows cost polars as much as full ones.
    dense, even = data, not too_many_cells(n_lines * width, n_separators)
    if not even:
        dense = _BLANK_LINES.sub(lambda found: found[1] or b"\n", data)
        even = not too_many_cells(dense.count(b"\n") * width, n_separators)
    plain = quotes_at_cells(dense, separator.encode()) if even and not is_packed(data) else None
    if plain is not None:
        n_bytes = _BYTES_PER_CELL * n_lines * width
        require_memory(n_bytes, f"{text.where}: a table of {n_lines:,} lines", "use a machine with more memory")
        try:
            frame = pl.read_csv(plain, has_header=False, separator=separator, infer_schema=False, quote_char='"')
            return frame.rename(dict(zip(frame.columns, numbered(frame.width), strict=True)))
        except (pl.exceptions.PolarsError, pl.exceptions.PanicException, ValueError):
            pass
    del dense, plain
    return parse_slowly(text)


def quotes_at_cells(data: bytes, separator: bytes) -> bytes | None:
    """Without blanks before quoted cells; None if there are some, and marks too that open or close no cell."""
    if not _QUOTE_AFTER_SPACE.search(data):
        return data
    # Every other piece is outside of quotation marks; an empty one between two others is a doubled mark.
    pieces = data.split(b'"')
    last = len(pieces) - 1
    for place in range(0, len(pieces), 2):
        piece = pieces[place]
        if place and piece and piece[:1] not in (separator, b"\n"):
            return None
        if place < last and piece:
            pieces[place] = piece = piece.rstrip(b" ")
            if piece and piece[-1:] not in (separator, b"\n"):
                return None
    return None if last % 2 else b'"'.join(pieces)


def tidy(frame: pl.DataFrame) -> pl.DataFrame:
    """Cells without blanks around them, null where empty; no empty rows, no comments."""
    # Column by column, and only where there is something to do: a copy of all cells takes more than the file.
    untidy = frame.select(pl.all().str.contains(r"^\s|\s$|^$").any()).row(0)
    for place, name in enumerate(frame.columns):
        if untidy[place]:
            tidied = frame.select(pl.col(name).str.strip_chars().replace("", None)).to_series()
            frame.replace_column(place, tidied)
    empty = pl.all_horizontal(pl.all().is_null())
    comment = pl.first().str.contains(COMMENT).fill_null(False)
    dropped = frame.select(empty | comment).to_series()
    return frame.filter(~dropped) if dropped.any() else frame


def unique_names(names: list[str]) -> list[str]:
    """Names for columns: a name that is taken gets a number."""
    taken = set(names)
    used: Counter[str] = Counter()
    result = []
    for number, name in enumerate(names, 1):
        candidate = name or f"column_{number}"
        used[candidate] += 1
        while used[candidate] > 1 and (numbered := f"{candidate}_{used[candidate]}") in taken:
            used[candidate] += 1
        result.append(candidate if used[candidate] == 1 else numbered)
        taken.add(result[-1])
    return result
