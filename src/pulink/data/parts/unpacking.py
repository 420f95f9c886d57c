"""Gzipped parts, unpacked piece by piece: nobody can begin to read in the middle of one."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

from pulink.data.formats.limits import FREE_TEXT, TEXT_RATIO, check_unpacked
from pulink.data.formats.sources import GUNZIP, label
from pulink.errors import InputError
from pulink.system.files import atomic_writer
from pulink.text import reason

_PIECE = 1 << 20


def unpack(path: Path, target: Path) -> None:
    """Write what a part holds to a file, whole or not at all."""
    with atomic_writer(target) as file:
        for piece in _pieces(path):
            file.write(piece)


def unpacked_head(path: Path, n_bytes: int) -> bytes:
    """The first bytes of what a part holds."""
    data = bytearray()
    for piece in _pieces(path):
        data += piece
        if len(data) >= n_bytes:
            break
    return bytes(data[:n_bytes])


def _pieces(path: Path) -> Iterator[bytes]:
    where, n_packed, n_unpacked = label(path), 0, 0
    unpacker = zlib.decompressobj(wbits=31)
    is_begun = False
    with path.open("rb") as file:
        while packed := file.read(_PIECE):
            n_packed += len(packed)
            while packed:
                if unpacker.eof:
                    # Files may hold several, one behind the other, with zeros behind the last.
                    packed = packed.lstrip(b"\0")
                    unpacker, is_begun = zlib.decompressobj(wbits=31), False
                    continue
                is_begun = True
                try:
                    piece = unpacker.decompress(packed, _PIECE)
                except zlib.error as error:
                    raise InputError(f"{where}: not a whole gzip file ({reason(error)})") from error
                n_unpacked += len(piece)
                check_unpacked(n_unpacked, n_packed, FREE_TEXT, TEXT_RATIO, where, GUNZIP)
                yield piece
                packed = unpacker.unused_data if unpacker.eof else unpacker.unconsumed_tail
    if is_begun and not unpacker.eof:
        raise InputError(f"{where}: not a whole gzip file (it ends too early)")
