"""Bytes that a user names: a file, a gzipped file, or standard input."""

from __future__ import annotations

import gzip
import sys
import zlib
from pathlib import Path

from pulink.errors import InputError

STDIN = "-"
_GZIP = b"\x1f\x8b"


def label(source: str | Path) -> str:
    """What to call a source in a message."""
    return "standard input" if str(source) == STDIN else str(source)


def suffix(source: str | Path) -> str:
    """The ending that tells the format: '.csv' of 'a.csv.gz'."""
    path = Path(source)
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def read_bytes(source: str | Path) -> bytes:
    """All bytes, unpacked if they are gzipped."""
    data = sys.stdin.buffer.read() if str(source) == STDIN else _read_file(Path(source))
    if not data.startswith(_GZIP):
        return data
    try:
        return gzip.decompress(data)
    except (OSError, EOFError, zlib.error) as error:
        raise InputError(f"{label(source)}: not a whole gzip file ({error})") from error


def existing_file(source: str | Path) -> Path:
    """The path of a file that is there."""
    path = Path(source)
    try:
        if path.is_dir():
            raise InputError(f"{path}: is a folder; a file is needed")
        if not path.is_file():
            raise InputError(f"{path}: no such file{_namesake(path)}")
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
    return path


def _namesake(path: Path) -> str:
    """A file beside it that differs by its ending only."""
    if not path.parent.is_dir():
        return ""
    beside = sorted(other.name for other in path.parent.iterdir() if other.stem == path.stem)
    return f"; beside it there is {beside[0]}" if beside else ""


def _read_file(path: Path) -> bytes:
    try:
        return existing_file(path).read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read ({error.strerror})") from error
