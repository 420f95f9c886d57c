"""Which formats there are, and which one a file's ending asks for."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from pulink.errors import ParameterError, UnknownNameError
from pulink.text import short_path

TABLE_FORMATS = ("csv", "tsv", "json", "jsonl")
LINK_FORMATS = (*TABLE_FORMATS, "parquet", "graphml")

_PACKED = ".gz"
_BINARY = {"parquet"}


def is_binary(name: str) -> bool:
    """Whether a terminal cannot show it."""
    return name in _BINARY


def is_packed(file: Path) -> bool:
    """Whether its name asks for gzip."""
    return file.suffix.lower() == _PACKED


def looks_like_a_file(path: Path) -> bool:
    """Whether its ending is that of a format.

    >>> from pathlib import Path
    >>> from pulink.workflows.formats.choice import looks_like_a_file
    >>> looks_like_a_file(Path("links.csv.gz")), looks_like_a_file(Path("results-1.2"))
    (True, False)
    """
    return _by_ending(path) in LINK_FORMATS


def refuse_name_of_a_file(folder: str | Path) -> None:
    """Refuse to make a folder whose name looks like a file's, unless it ends with a slash."""
    path = Path(folder)
    if looks_like_a_file(path) and not str(folder).endswith("/") and not path.is_dir():
        name = short_path(folder)
        raise ParameterError(
            f"{name} looks like a file: write({name!r}) writes one file, save('{name}/') a folder of that name"
        )


def format_of(file: Path, asked: str | None = None, allowed: Collection[str] = LINK_FORMATS) -> str:
    """The format to write a file in: the one that is asked for, else the one of its ending.

    >>> from pathlib import Path
    >>> from pulink.workflows.formats.choice import format_of
    >>> format_of(Path("links.csv.gz")), format_of(Path("links.txt"), "tsv")
    ('csv', 'tsv')
    """
    name = _by_ending(file) if asked is None else checked(asked, allowed)
    if name not in LINK_FORMATS:
        endings = ", ".join(f".{one}" for one in allowed)
        raise ParameterError(
            f"{short_path(file)}: its ending names no format; use {endings}, or name a format (--format, format=)"
        )
    checked(name, allowed)
    if is_packed(file) and is_binary(name):
        raise ParameterError(f"{short_path(file)}: {name} is packed already; leave out {_PACKED}")
    return name


def checked(name: str, allowed: Collection[str]) -> str:
    """The name of a format, if there is one of that name here."""
    if name in LINK_FORMATS and name not in allowed:
        raise ParameterError(f"{name} is for lists of links; here there are {', '.join(allowed)}")
    if name not in allowed:
        raise UnknownNameError("format", name, allowed)
    return name


def _by_ending(file: Path) -> str:
    name = Path(file.stem) if is_packed(file) else file
    return name.suffix.lower().removeprefix(".")
