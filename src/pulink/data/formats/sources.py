"""Bytes that a user names: a file, a gzipped file, or standard input."""

from __future__ import annotations

import io
import re
import signal
import sys
import zlib
from pathlib import Path
from typing import cast

from pulink.data.formats.limits import FREE_TEXT, STANDARD_INPUT, TEXT_RATIO, check_unpacked
from pulink.errors import InputError
from pulink.system.memory import require_memory
from pulink.text import reason, short_path

STDIN = "-"
GUNZIP = "if you trust it, unpack it first (gunzip)"
_GZIP = b"\x1f\x8b"
# gzip, zlib, zstd: polars unpacks them by itself, without counting.
_PACKED = (_GZIP, b"x\x01", b"x\x5e", b"x\x9c", b"x\xda", b"\x28\xb5\x2f\xfd")
_CHUNK = 1 << 16
# A path has one / where an address has two.
_ADDRESS = re.compile(r"(?i)(https?|ftp|s3|gs):/")
_NOT_PADDING = re.compile(rb"[^\0]")


def label(source: str | Path) -> str:
    """What to call a source in a message."""
    return "standard input" if str(source) == STDIN else short_path(source)


def suffix(source: str | Path) -> str:
    """The ending that tells the format: '.csv' of 'a.csv.gz'."""
    path = Path(source)
    return Path(path.stem).suffix.lower() if path.suffix.lower() == ".gz" else path.suffix.lower()


def read_bytes(source: str | Path) -> bytes:
    """All bytes, unpacked if they are gzipped."""
    return read_counted(source)[0]


def read_counted(source: str | Path) -> tuple[bytes, int | None]:
    """All bytes, and how many they were packed; None if they were not."""
    data = _read_stream() if str(source) == STDIN else _read_file(Path(source))
    return (unpacked(data, label(source)), len(data)) if data.startswith(_GZIP) else (data, None)


def is_packed(data: bytes) -> bool:
    """Whether polars would take bytes for packed ones, and not for text."""
    return data.startswith(_PACKED)


def unpacked(data: bytes, where: str) -> bytes:
    """What gzipped bytes hold, counted while they are unpacked: a bomb is refused long before it went off."""
    packed = memoryview(data)
    content = io.BytesIO()
    place, n_members = 0, 0
    while place < len(packed):
        place = _unpack_member(packed, place, content, where)
        n_members += 1
        if n_members > 1_000 + len(packed) // 1_000:
            raise InputError(f"{where}: not a plain gzip file (more than {n_members - 1:,} parts in one file)")
        padded = _NOT_PADDING.search(packed, place)
        place = len(packed) if padded is None else padded.start()
    if content.getbuffer()[:2] == _GZIP:
        raise InputError(f"{where}: is gzipped twice; unpack it first (gunzip)")
    return content.getvalue()


def existing_file(source: str | Path) -> Path:
    """The path of a file that is there."""
    path, shown = Path(source), short_path(source)
    try:
        if path.is_dir():
            raise InputError(f"{shown}: is a folder; a file is needed")
        if path.exists() and not path.is_file():
            raise InputError(f"{shown}: is no regular file; pass - and send a stream to standard input")
        if _ADDRESS.match(str(source)):
            address = shown.replace(":/", "://", 1) if "://" not in shown else shown
            raise InputError(
                f"{address}: is an address, and a file is needed; download it first, and pass its name"
            )
        if not path.is_file():
            raise InputError(f"{shown}: no such file{_namesake(path)}")
    except OSError as error:
        raise InputError(f"{shown}: cannot be read ({error.strerror})") from error
    return path


def _unpack_member(packed: memoryview, start: int, content: io.BytesIO, where: str) -> int:
    """Write one gzip member to `content`; where the next one begins."""
    unpacker, place = zlib.decompressobj(wbits=31), start
    try:
        while not unpacker.eof:
            left_over = unpacker.unconsumed_tail
            piece = left_over or packed[place : place + _CHUNK]
            place += 0 if left_over else len(piece)
            n_written = content.write(unpacker.decompress(piece, 16 * _CHUNK))
            check_unpacked(content.tell(), place, FREE_TEXT, TEXT_RATIO, where, GUNZIP)
            if not n_written and not len(piece):
                break
    except zlib.error as error:
        raise InputError(f"{where}: not a whole gzip file ({reason(error)})") from error
    if not unpacker.eof:
        raise InputError(f"{where}: not a whole gzip file (it ends too early)")
    return place - len(unpacker.unused_data)


def _namesake(path: Path) -> str:
    """A file beside it that differs by its ending only."""
    if not path.parent.is_dir():
        return ""
    beside = sorted(other.name for other in path.parent.iterdir() if other.stem == path.stem)
    return f"; beside it there is {beside[0]}" if beside else ""


def _read_file(path: Path) -> bytes:
    try:
        found = existing_file(path)
        require_memory(found.stat().st_size, short_path(path), "use a machine with more memory, or fewer rows")
        return found.read_bytes()
    except OSError as error:
        raise InputError(f"{short_path(path)}: cannot be read ({error.strerror})") from error


def _read_stream() -> bytes:
    if sys.stdin is None:
        raise InputError("standard input: is closed; send a stream to it, or pass the name of a file")
    if not hasattr(sys.stdin, "buffer"):
        # A stream of text that a program put in its place.
        return sys.stdin.read().encode()
    content = io.BytesIO()
    # polars has its own handler before Python's, after which a read that waits goes on waiting.
    signal.siginterrupt(signal.SIGINT, True)
    stream = cast(io.BufferedReader, sys.stdin.buffer)
    # One read at a time: a longer one would ask a terminal again after Ctrl-D.
    while piece := stream.read1(16 * _CHUNK):
        content.write(piece)
        if content.tell() > STANDARD_INPUT:
            raise InputError(
                f"standard input: more than {STANDARD_INPUT / 1e6:,.0f} MB; save it as a file and pass its name"
            )
    return content.getvalue()
