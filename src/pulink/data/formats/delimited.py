"""CSV, TSV and kin, every cell as text: with or without header, whatever the separator.

polars does the reading; where it stumbles, Python's slower reader goes over the lines, and if one is to blame
it is named.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import polars as pl

from pulink.data.formats.csv_records import COMMENT, Lines, Text, numbered, parse_slowly, refuse_long_cell
from pulink.data.formats.limits import check_columns, slow_text, too_many_cells
from pulink.data.formats.sources import is_packed, label, read_counted, suffix
from pulink.data.formats.spreadsheet_guard import true_names
from pulink.data.read_options import AS_FOUND, ReadOptions
from pulink.data.whole_numbers import two_whole_columns
from pulink.errors import InputError, ParameterError
from pulink.graph.tables.table import Table
from pulink.system.memory import require_memory
from pulink.text import reason

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
    b"\xff\xfe\0\0": "UTF-32",
    b"\0\0\xfe\xff": "UTF-32",
    b"\xff\xfe": "UTF-16",
    b"\xfe\xff": "UTF-16",
}


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
    header = options.header
    given = _given_separator(options.separator)
    content, n_packed = read_counted(source)
    data, n_skipped = _without_preamble(_text(content, options.encoding, where), where)
    del content
    chosen = given or _separator(data, suffix(source), n_columns, f"{where}, line {n_skipped + 1}")
    whole = _whole_numbers(data, chosen, header, is_header)
    if whole is not None:
        frame, named = whole
        return Table(frame, where, named, lambda row: n_skipped + named + row + 1)
    data = _single_spaces(data) if chosen == " " else data
    text = Text(data, chosen, where, n_skipped, None if n_packed is None else slow_text(n_packed))
    if text.head is not None and (first_rows := _table(text.head, header, is_header)) is not None:
        check(first_rows)
    table = _table(text, header, is_header)
    if table is None:
        raise InputError(f"{where}: is empty; at least one row is needed")
    return table


def _table(text: Text, header: bool | None, is_header: Callable[[pl.DataFrame], bool]) -> Table | None:
    """What a text holds; None if that is nothing."""
    frame = _tidy(_parse(text))
    if not frame.height:
        return None
    longest = frame.select(pl.max_horizontal(pl.all().str.len_chars().max().fill_null(0))).item()
    if longest > csv.field_size_limit():
        raise refuse_long_cell(text)
    if header is None:
        header = is_header(frame)
    if header:
        names = _unique([cell or "" for cell in frame.row(0)])
        frame = frame.slice(1).rename(dict(zip(frame.columns, names, strict=True)))
    lines = Lines(text, header)
    return Table(frame, text.where, header, lines, restore_names=true_names, decimal_comma=text.separator == ";")


def _given_separator(separator: str | None) -> str | None:
    """One character; a tab may be written out, because a shell does not take it."""
    if isinstance(separator, str) and separator.lower() in _TABS:
        return "\t"
    one = isinstance(separator, str) and len(separator.encode()) == 1 and separator not in '\r\n"\0'
    if separator is not None and not one:
        raise ParameterError(
            f"separator must be one character (ASCII, no quote, no line end) or 'tab', got {separator!r}"
        )
    return separator


def _without_preamble(data: bytes, where: str) -> tuple[bytes, int]:
    """The text from its first line that is neither blank nor a comment, and how many lines stand before it."""
    first = _FIRST_LINE.search(data)
    if first is None:
        raise InputError(f"{where}: is empty; at least one row is needed")
    return data[first.start() :], data.count(b"\n", 0, first.start())


def _whole_numbers(
    data: bytes, separator: str, header: bool | None, is_header: Callable[[pl.DataFrame], bool]
) -> tuple[pl.DataFrame, bool] | None:
    """The fast way, for two columns of plain whole numbers under at most one header line."""
    end = data.find(b"\n") if b"\n" in data else len(data)
    first = data[: min(end, _JUDGED + 1)]
    if len(first) > _JUDGED or first.count(separator.encode()) != 1 or b'"' in first:
        return None
    cells = [cell.strip() for cell in first.decode(errors="replace").split(separator)]
    second = data[end + 1 : end + 1 + _JUDGED].partition(b"\n")[0]
    below = [cell.strip() for cell in second.decode(errors="replace").split(separator)]
    if header is None and len(below) == 2:
        header = is_header(pl.DataFrame([cells, below], schema=numbered(2), orient="row"))
    frame = two_whole_columns(data[end + 1 :] if header else data, separator)
    if frame is None:
        return None
    names = _unique(cells) if header else frame.columns
    return frame.rename(dict(zip(frame.columns, names, strict=True))), bool(header)


def _text(data: bytes, encoding: str, where: str) -> bytes:
    """UTF-8 without a byte-order mark, every line ended by a line feed."""
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        while data.startswith(_BOM):
            data = data.removeprefix(_BOM)
        if name := next((name for mark, name in _BOMS.items() if data.startswith(mark)), None):
            raise InputError(f"{where}: is {name}; save it as UTF-8, or pass the encoding {name.lower()}")
    else:
        data = _decoded(data, encoding, where)
    _refuse_zero_bytes(data, where)
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _refuse_zero_bytes(data: bytes, where: str) -> None:
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


def _separator(data: bytes, ending: str, n_columns: int, place: str) -> str:
    """The one that gives all of the first lines the same number of columns, else the likeliest."""
    if ending == ".tsv":
        return "\t"
    lines = data.lstrip(b" ")[:_JUDGED].decode(errors="replace").split("\n")
    if len(data) > _JUDGED:
        lines = lines[:-1] or lines
    lines = [line.strip(" ") for line in lines[:50] if line.strip() and not re.match(COMMENT, line.strip())]
    widths = {s: _widths(lines, s) for s in _SEPARATORS}
    even = [s for s in _SEPARATORS if len(set(widths[s])) == 1 and widths[s][0] > 1]
    enough = [s for s in _SEPARATORS if min(widths[s]) > 1]
    started = [s for s in _SEPARATORS if widths[s][0] > 1]
    if likely := even or enough or started:
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


def _single_spaces(data: bytes) -> bytes:
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
    plain = _quotes_at_cells(dense, separator.encode()) if even and not is_packed(data) else None
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


def _quotes_at_cells(data: bytes, separator: bytes) -> bytes | None:
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


def _tidy(frame: pl.DataFrame) -> pl.DataFrame:
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


def _unique(names: list[str]) -> list[str]:
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
