"""CSV, TSV and kin, every cell as text: with or without header, whatever the separator.

polars does the reading; when it stumbles, a slow second pass finds the line to blame.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pulink.data.sources import label, read_bytes, suffix
from pulink.errors import InputError, ParameterError

SOURCE_NAMES = ("source", "src", "from", "node1", "node_1", "id1", "id_1", "u", "i", "head", "a", "start")
TARGET_NAMES = ("target", "dst", "to", "node2", "node_2", "id2", "id_2", "v", "j", "tail", "b", "end")

_SEPARATORS = (",", "\t", ";", "|", " ")
_COMMENT = re.compile(rb"[#%](?=\s|$)")
_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Table:
    """Cells as text, and enough to name the line of a row: the text and how many lines were skipped."""

    frame: pl.DataFrame
    has_header: bool
    where: str
    separator: str = ","
    text: bytes | None = None
    n_skipped: int = 0

    def fail(self, row: int, problem: str) -> InputError:
        """An error that names the file and the line of a row (the row's number where there are no lines)."""
        if self.text is None:
            return InputError(f"{self.where}, row {row + 1}: {problem}")
        return InputError(f"{self.where}, line {self._line(row + self.has_header)}: {problem}")

    def _line(self, record: int) -> int:
        records = csv.reader(io.StringIO((self.text or b"").decode()), delimiter=self.separator)
        filled = (records.line_num for cells in records if any(cell.strip() for cell in cells))
        return self.n_skipped + next(line for number, line in enumerate(filled) if number == record)


def read_delimited(
    source: str | Path,
    *,
    header: bool | None = None,
    separator: str | None = None,
    encoding: str = "utf-8",
    is_header: object = None,
) -> Table:
    """Read a delimited file. `is_header(first, second)` judges the first two rows where `header` is None."""
    where = label(source)
    data = _decoded(read_bytes(source), encoding, where)
    data, n_comments = _without_comments(data)
    if not data.strip():
        raise InputError(f"{where}: is empty; at least one row is needed")
    chosen = separator or _separator_of(data, suffix(source), where)
    if chosen == " ":
        data = re.sub(rb"[ \t]+", b" ", re.sub(rb"(?m)^[ \t]+|[ \t]+$", b"", data))
    frame = _parse(data, chosen, where, n_comments)
    if header is None:
        header = bool(callable(is_header) and is_header(*_first_rows(frame)))
    if header:
        names = [("" if cell is None else cell).strip() for cell in frame.row(0)]
        frame = frame.slice(1).rename(dict(zip(frame.columns, _unique(names), strict=True)))
    frame = frame.with_columns(pl.all().str.strip_chars())
    return Table(frame, header, where, chosen, data, n_comments)


def _decoded(data: bytes, encoding: str, where: str) -> bytes:
    if encoding.lower().replace("_", "-") in ("utf-8", "utf8"):
        data = data.removeprefix(_BOM)
        if data.startswith((b"\xff\xfe", b"\xfe\xff")):
            raise InputError(f"{where}: is UTF-16; save it as UTF-8, or pass the encoding utf-16")
        return data
    try:
        return data.decode(encoding).encode()
    except LookupError:
        raise ParameterError(f"encoding {encoding!r} is not known to Python") from None
    except UnicodeDecodeError as error:
        raise InputError(f"{where}: is not {encoding} ({error.reason} at byte {error.start})") from error


def _without_comments(data: bytes) -> tuple[bytes, int]:
    """Drop leading lines that start with '# ' or '% '; a name such as '#tag' is not a comment."""
    count = 0
    while _COMMENT.match(data):
        _, _, data = data.partition(b"\n")
        count += 1
    return data, count


def _separator_of(data: bytes, ending: str, where: str) -> str:
    if ending == ".tsv":
        return "\t"
    text = data[:65536].decode(errors="replace")
    lines = text.splitlines()[:50]
    lines = lines[:-1] if len(lines) > 1 and len(data) > 65536 else lines
    lines = [line for line in lines if line.strip()]
    for separator in _SEPARATORS:
        try:
            widths = {len(row) for row in csv.reader(lines, delimiter=separator, skipinitialspace=True)}
        except csv.Error:
            continue
        if min(widths, default=0) >= 2:
            return separator
    for separator in _SEPARATORS:
        if separator in lines[0]:
            return separator
    raise InputError(
        f"{where}, line 1: only one column; two are needed, separated by comma, tab, semicolon, | or space"
    )


def _parse(data: bytes, separator: str, where: str, n_comments: int) -> pl.DataFrame:
    try:
        frame = pl.read_csv(data, has_header=False, separator=separator, infer_schema=False, quote_char='"')
    except (pl.exceptions.PolarsError, pl.exceptions.ComputeError, ValueError) as error:
        raise _blame(data, separator, where, n_comments, str(error)) from error
    empty = pl.all_horizontal(pl.all().is_null())
    blanks = frame.select(empty.sum()).item()
    return frame if not blanks else frame.filter(~empty)


def _blame(data: bytes, separator: str, where: str, n_comments: int, message: str) -> InputError:
    """Find the first line that breaks the rules, slowly."""
    for number, line in enumerate(data.split(b"\n"), n_comments + 1):
        try:
            line.decode()
        except UnicodeDecodeError as error:
            return InputError(
                f"{where}, line {number}: not UTF-8 (byte 0x{line[error.start]:02x}); "
                "save it as UTF-8 or pass its encoding, for example latin-1"
            )
    rows = csv.reader(io.StringIO(data.decode()), delimiter=separator, strict=True)
    width = 0
    try:
        for row in rows:
            width = width or len(row)
            if len(row) > width:
                return InputError(
                    f"{where}, line {n_comments + rows.line_num}: {len(row)} columns where line "
                    f"{n_comments + 1} has {width}; every row needs the same columns"
                )
    except csv.Error as error:
        return InputError(f"{where}, line {n_comments + rows.line_num}: {error}")
    return InputError(f"{where}: cannot be read as a table ({message.splitlines()[0]})")


def _first_rows(frame: pl.DataFrame) -> tuple[list[str], list[str]]:
    rows = [[("" if cell is None else str(cell)).strip() for cell in row] for row in frame.head(2).rows()]
    return rows[0], rows[1] if len(rows) > 1 else []


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


def edge_header(first: list[str], second: list[str]) -> bool:
    """Whether the first row of an edge list names its columns rather than an edge.

    It does if its first two cells are well-known names, or if a number stands below a cell that is none.
    """
    if len(first) < 2:
        return False
    if _known_pair(first):
        return True
    return any(_is_number(b) and not _is_number(a) for a, b in zip(first, second, strict=False))


def node_header(first: list[str], second: list[str]) -> bool:  # noqa: ARG001
    """A node table always has a header: its attributes need names."""
    return True


def _known_pair(cells: list[str]) -> bool:
    lowered = [cell.lower() for cell in cells]
    return any(s in lowered and t in lowered for s, t in zip(SOURCE_NAMES, TARGET_NAMES, strict=True))


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
