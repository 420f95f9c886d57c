"""CSV, TSV and kin, every cell as text: with or without header, whatever the separator.

polars does the reading; where it stumbles, Python's slower reader goes over the lines, and if one is to blame
it is named.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import polars as pl

from pulink.data.sources import label, read_bytes, suffix
from pulink.data.table import Table
from pulink.data.whole_numbers import two_whole_columns
from pulink.errors import InputError, ParameterError

# Most telling first: names hold spaces and commas more often than tabs.
_SEPARATORS = ("\t", ";", "|", ",", " ")
# '# text' and '% text' are comments; '#tag' is a name.
_COMMENT = r"^[#%]+(\s|$)"
_PREAMBLE = re.compile(rb"(?:[ \t]*(?:[#%]+(?:[ \t][^\n]*)?)?(?:\n|\Z))*")
_QUOTE_AFTER_SPACE = re.compile(rb'[,;|\t] +"')
_JUDGED = 65_536
_BOM = b"\xef\xbb\xbf"


def read_delimited(
    source: str | Path,
    *,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    is_header: Callable[[pl.DataFrame], bool] = lambda _: False,
    n_columns: int = 2,
) -> Table:
    """Read a delimited file of at least `n_columns`. `is_header` judges the rows where `header` is None."""
    where = label(source)
    if separator is not None and len(separator.encode()) != 1:
        raise ParameterError(f"separator must be one character, got {separator!r}")
    data = _text(read_bytes(source), encoding, where)
    start = _PREAMBLE.match(data)
    n_skipped = 0 if start is None else start[0].count(b"\n")
    data = data if start is None else data[start.end() :]
    if not data:
        raise InputError(f"{where}: is empty; at least one row is needed")
    chosen = separator or _separator(data, suffix(source), n_columns, f"{where}, line {n_skipped + 1}")
    whole = _whole_numbers(data, chosen, header, is_header)
    if whole is not None:
        frame, named = whole
        return Table(frame, where, named, lambda row: n_skipped + named + row + 1)
    data = _single_spaces(data) if chosen == " " else data
    frame = _tidy(_parse(data, chosen, where, n_skipped))
    if not frame.height:
        raise InputError(f"{where}: is empty; at least one row is needed")
    if header is None:
        header = is_header(frame)
    if header:
        names = _unique([cell or "" for cell in frame.row(0)])
        frame = frame.slice(1).rename(dict(zip(frame.columns, names, strict=True)))
    lines = partial(_line_of, data, chosen, where, n_skipped, header)
    return Table(frame, where, header, lines, decimal_comma=chosen == ";")


def _whole_numbers(
    data: bytes, separator: str, header: bool | None, is_header: Callable[[pl.DataFrame], bool]
) -> tuple[pl.DataFrame, bool] | None:
    """The fast way, for two columns of plain whole numbers under at most one header line."""
    first, _, rest = data.partition(b"\n")
    cells = [cell.strip() for cell in first.decode(errors="replace").split(separator)]
    if len(cells) != 2 or '"' in first.decode(errors="replace"):
        return None
    below = [cell.strip() for cell in rest[:_JUDGED].partition(b"\n")[0].decode(errors="replace").split(separator)]
    if header is None and len(below) == 2:
        header = is_header(pl.DataFrame([cells, below], schema=_numbered(2), orient="row"))
    frame = two_whole_columns(rest if header else data, separator)
    if frame is None:
        return None
    names = _unique(cells) if header else frame.columns
    return frame.rename(dict(zip(frame.columns, names, strict=True))), bool(header)


def _text(data: bytes, encoding: str, where: str) -> bytes:
    """UTF-8 without a byte-order mark, every line ended by a line feed."""
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        data = data.removeprefix(_BOM)
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"{where}: is UTF-16; save it as UTF-8, or pass the encoding utf-16")
    else:
        data = _decoded(data, encoding, where)
    if b"\0" in data:
        raise InputError(f"{where}: is not text (it holds a zero byte); a delimited text file is needed")
    return data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")


def _decoded(data: bytes, encoding: str, where: str) -> bytes:
    try:
        return data.decode(encoding).encode()
    except LookupError:
        raise ParameterError(f"encoding {encoding!r} is not known to Python") from None
    except UnicodeError as error:
        raise InputError(f"{where}: is not {encoding} ({error})") from error


def _separator(data: bytes, ending: str, n_columns: int, place: str) -> str:
    """The one that gives all of the first lines the same number of columns, else the likeliest."""
    if ending == ".tsv":
        return "\t"
    lines = data[:_JUDGED].decode(errors="replace").split("\n")
    if len(data) > _JUDGED:
        lines = lines[:-1] or lines
    lines = [line.strip(" ") for line in lines[:50] if line.strip() and not re.match(_COMMENT, line.strip())]
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
        return [len(row) for row in csv.reader(lines, delimiter=separator, skipinitialspace=True)]
    except csv.Error:
        return [0]


def _single_spaces(data: bytes) -> bytes:
    """Runs of blanks between cells become one, those inside quotes stay."""
    trimmed = re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", data)
    if b'"' not in data:
        return re.sub(rb"[ \t]+", b" ", trimmed)
    return re.sub(rb'("[^"]*")|[ \t]+', lambda found: found[1] or b" ", trimmed)


def _parse(data: bytes, separator: str, where: str, n_skipped: int) -> pl.DataFrame:
    if not _QUOTE_AFTER_SPACE.search(data):
        try:
            frame = pl.read_csv(data, has_header=False, separator=separator, infer_schema=False, quote_char='"')
            return frame.rename(dict(zip(frame.columns, _numbered(frame.width), strict=True)))
        except (pl.exceptions.PolarsError, ValueError):
            pass
    return _parse_slowly(data, separator, where, n_skipped)


def _parse_slowly(data: bytes, separator: str, where: str, n_skipped: int) -> pl.DataFrame:
    rows: list[list[str | None]] = []
    for line, cells in _records(_utf8(data, where, n_skipped), separator, where, n_skipped):
        if rows and len(cells) > len(rows[0]):
            raise InputError(
                f"{where}, line {line}: {len(cells)} columns where line {n_skipped + 1} has {len(rows[0])}; "
                "every row needs the same columns"
            )
        rows.append([*cells, *[None] * (len(rows[0]) - len(cells) if rows else 0)])
    return pl.DataFrame(rows, schema=dict.fromkeys(_numbered(len(rows[0])), pl.String), orient="row")


def _utf8(data: bytes, where: str, n_skipped: int) -> str:
    try:
        return data.decode()
    except UnicodeDecodeError as error:
        line = n_skipped + 1 + data.count(b"\n", 0, error.start)
        raise InputError(
            f"{where}, line {line}: not UTF-8 (byte 0x{data[error.start]:02x}); "
            "save it as UTF-8 or pass its encoding, for example latin-1"
        ) from error


def _records(text: str, separator: str, where: str, n_skipped: int) -> Iterator[tuple[int, list[str]]]:
    """Each record with the line that it starts in; blank lines and comments are left out."""
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True, strict=True)
    line = n_skipped + 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells) and not re.match(_COMMENT, cells[0].strip()):
                yield line, cells
            line = n_skipped + reader.line_num + 1
    except csv.Error as error:
        reason = "a quotation mark is never closed" if "end of data" in str(error) else str(error)
        raise InputError(f"{where}, line {line}: {reason}") from error


def _line_of(data: bytes, separator: str, where: str, n_skipped: int, header: bool, row: int) -> int:
    records = _records(data.decode(), separator, where, n_skipped)
    return next(line for number, (line, _) in enumerate(records, -int(header)) if number == row)


def _tidy(frame: pl.DataFrame) -> pl.DataFrame:
    """Cells without blanks around them, null where empty; no empty rows, no comments."""
    frame = frame.with_columns(pl.all().str.strip_chars().replace("", None))
    empty = pl.all_horizontal(pl.all().is_null())
    comment = pl.first().str.contains(_COMMENT).fill_null(False)
    return frame.filter(~(empty | comment))


def _numbered(width: int) -> list[str]:
    return [f"column_{number}" for number in range(1, width + 1)]


def _unique(names: list[str]) -> list[str]:
    seen: set[str] = set()
    result = []
    for number, name in enumerate(names, 1):
        candidate = name or f"column_{number}"
        while candidate in seen:
            candidate += "_"
        seen.add(candidate)
        result.append(candidate)
    return result
