"""Values of a JSON file: one per line, or the elements of one list; each with its place for messages."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pulink.data.formats.limits import JSON_RATIO
from pulink.data.formats.recognise import JSON_LINES, format_of
from pulink.data.formats.sources import label, read_bytes
from pulink.errors import InputError
from pulink.system.memory import require_memory
from pulink.text import counted, listed, reason, shown

_HALF_LETTER = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class JsonValues:
    """Values of a file one after the other; lines are taken apart anew each time, so that few are held at once.

    elements  of a list that was read whole; None: a value per line
    notes     what a reader should be told
    """

    where: str
    data: bytes = b""
    elements: list[Any] | None = None
    notes: tuple[str, ...] = ()

    def __iter__(self) -> Iterator[tuple[int, Any]]:
        """Each value with its line, or its number in the list."""
        if self.elements is not None:
            yield from enumerate(self.elements, 1)
            return
        start, line = 0, 0
        while start < len(self.data):
            end = self.data.find(b"\n", start)
            end = len(self.data) if end < 0 else end
            line += 1
            piece = self.data[start:end]
            start = end + 1
            if piece.strip():
                yield line, _parsed(piece, self.where, line)

    @property
    def place(self) -> str:
        return "line" if self.elements is None else "element"

    def fail(self, number: int, problem: str) -> InputError:
        return InputError(f"{self.where}, {self.place} {number}: {problem}")


def read_json_lines(source: str | Path, encoding: str = "utf-8") -> JsonValues:
    """A JSON value on every line."""
    return JsonValues(label(source), _utf8(source, encoding))


def read_json(source: str | Path, encoding: str = "utf-8") -> JsonValues | dict[str, Any]:
    """The elements of a list, the lines of a file that holds a value on each, or else its one object."""
    where, data = label(source), _utf8(source, encoding)
    if _is_by_lines(data):
        return JsonValues(where, data)
    require_memory(JSON_RATIO * len(data), where, "save it as JSON lines, or as CSV")
    found = _parsed(data, where, 1)
    if isinstance(found, list):
        return JsonValues(where, elements=found)
    if not isinstance(found, dict):
        raise InputError(f"{where}: holds {shown(found)}; a list of objects or of pairs, or a graph, is needed")
    return found


def json_values(source: str | Path, encoding: str = "utf-8") -> JsonValues:
    """The values of a file of rows, by lines or not."""
    if format_of(source) == JSON_LINES:
        return read_json_lines(source, encoding)
    found = read_json(source, encoding)
    return found if isinstance(found, JsonValues) else _listed_in(found, label(source))


def _listed_in(document: dict[str, Any], where: str) -> JsonValues:
    """The one list of objects that an object holds, such as the results of a page of an API."""
    lists = [key for key, value in document.items() if isinstance(value, list) and _all_objects(value)]
    if len(lists) != 1:
        found = f"{counted(len(lists), 'list')} of them" if lists else "none"
        raise InputError(
            f"{where}: a list of objects or of pairs, or an object with nodes and links, is needed; under its "
            f"keys ({listed(document)}) there is {found}"
        )
    return JsonValues(where, elements=document[lists[0]], notes=(f"read from the key {listed(lists)}",))


def _all_objects(value: list[Any]) -> bool:
    return bool(value) and all(isinstance(one, dict) for one in value)


def _is_by_lines(data: bytes) -> bool:
    """Whether the first line is an object by itself and another follows."""
    start = data.lstrip()[:1]
    first, _, rest = data.strip().partition(b"\n")
    if start != b"{" or not rest.strip():
        return False
    try:
        return isinstance(json.loads(first), dict)
    except (ValueError, RecursionError):
        return False


def _utf8(source: str | Path, encoding: str) -> bytes:
    data = read_bytes(source)
    try:
        if encoding.lower() not in ("utf-8", "utf8"):
            return data.decode(encoding).encode()
    except (UnicodeError, LookupError) as error:
        raise InputError(f"{label(source)}: not {shown(encoding)} ({reason(error)})") from error
    return data.removeprefix(b"\xef\xbb\xbf")


def _parsed(piece: bytes, where: str, line: int) -> Any:
    try:
        value = json.loads(piece.decode())
        if _HALF_LETTER.search(piece):
            json.dumps(value, ensure_ascii=False).encode()
    except json.JSONDecodeError as error:
        raise InputError(f"{where}, line {line + error.lineno - 1}: not JSON ({error.msg})") from error
    except UnicodeDecodeError as error:
        bad = line + piece.count(b"\n", 0, error.start)
        raise InputError(
            f"{where}, line {bad}: not UTF-8 (byte 0x{piece[error.start]:02x}); save it as UTF-8 or pass its "
            "encoding, for example latin-1"
        ) from error
    except UnicodeEncodeError as error:
        raise InputError(f"{where}, line {line}: holds half of a letter (a lone surrogate)") from error
    except RecursionError as error:
        raise InputError(f"{where}, line {line}: lists or objects too deep inside one another") from error
    except ValueError as error:
        raise InputError(f"{where}, line {line}: not JSON that can be read ({reason(error)})") from error
    return value
