"""Plain arrays of an .npz file: counted while they are unpacked, held against their headers, never unpickled."""

from __future__ import annotations

import io
import math
import warnings
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

import numpy as np

from pulink.data.formats.limits import ARRAY_RATIO, FREE_ARRAYS, check_unpacked
from pulink.data.formats.sources import existing_file
from pulink.errors import InputError
from pulink.text import listed, reason, shown

_CHUNK = 1 << 20
_PLAIN = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 1
_HEADERS: dict[tuple[int, int], Callable[..., tuple[tuple[int, ...], bool, np.dtype[Any]]]] = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}
_DAMAGE = (zipfile.BadZipFile, zlib.error, OSError, EOFError, ValueError, KeyError, IndexError, OverflowError)


class Arrays:
    """An open .npz file. `names` are its arrays'; none is read before it is asked for."""

    def __init__(self, archive: zipfile.ZipFile, where: str, n_packed: int) -> None:
        self._archive, self._where, self._n_packed = archive, where, n_packed
        self._n_unpacked = 0
        self._members = {info.filename.removesuffix(".npy"): info for info in archive.infolist()}

    @property
    def names(self) -> list[str]:
        return sorted(self._members)

    def refuse_objects(self) -> None:
        """InputError if any array holds Python objects, wanted or not."""
        for name in self.names:
            with self._opened(name) as stream:
                self._header(stream, name)

    def read(self, name: str) -> np.ndarray:
        """One array; InputError if it is not there, holds objects or is not what its header says."""
        if name not in self._members:
            raise InputError(f"{self._where}: has no array {name!r}; it holds {listed(self.names) or 'nothing'}")
        with self._opened(name) as stream:
            shape, by_columns, kind = self._header(stream, name)
            # Python's whole numbers: a shape may announce more than any machine has.
            n_bytes = math.prod(shape) * kind.itemsize
            content = self._content(stream, n_bytes)
        if len(content) != n_bytes or min(shape, default=0) < 0 or not kind.itemsize:
            held = f"more than {n_bytes:,}" if len(content) > n_bytes else f"{len(content):,}"
            raise InputError(
                f"{self._where}: array {name!r} says {kind} of shape {shown(shape)} and holds {held} bytes"
            )
        flat = np.frombuffer(content, dtype=kind) if content else np.empty(0, dtype=kind)
        with _damage_named(self._where):
            return flat.reshape(shape[::-1]).T if by_columns else flat.reshape(shape)

    @contextmanager
    def _opened(self, name: str) -> Iterator[IO[bytes]]:
        info = self._members[name]
        if info.compress_type not in _PLAIN or info.flag_bits & _ENCRYPTED:
            raise InputError(f"{self._where}: array {name!r} is packed in a way that NumPy does not write")
        with _damage_named(self._where), self._archive.open(info) as stream:
            yield stream

    def _header(self, stream: IO[bytes], name: str) -> tuple[tuple[int, ...], bool, np.dtype[Any]]:
        try:
            version = np.lib.format.read_magic(stream)
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = _HEADERS[version](stream)
        except _DAMAGE:
            raise
        except Exception as error:
            # A header is a Python literal: reading one may fail in every way that Python's own parser knows.
            raise InputError(f"{self._where}: array {name!r} has a damaged header ({reason(error)})") from error
        if found[2].hasobject:
            raise InputError(f"{self._where}: cannot be read as .npz arrays (it holds Python objects: {name!r})")
        return found

    def _content(self, stream: IO[bytes], n_bytes: int) -> bytearray:
        """At most one byte more than was announced."""
        content = bytearray()
        while len(content) <= n_bytes and (piece := stream.read(min(_CHUNK, n_bytes + 1 - len(content)))):
            content += piece
            self._n_unpacked += len(piece)
            way_out = "if you trust it, save it with numpy.savez, unpacked"
            check_unpacked(self._n_unpacked, self._n_packed, FREE_ARRAYS, ARRAY_RATIO, self._where, way_out)
        return content


@contextmanager
def opened_arrays(path: str | Path) -> Iterator[Arrays]:
    """The arrays of an .npz file."""
    found = existing_file(path)
    with _damage_named(str(found)), _ShortReads(io.FileIO(found)) as file:
        if not zipfile.is_zipfile(file):
            raise InputError(f"{found}: is not a whole .npz file")
        with zipfile.ZipFile(file) as archive:
            yield Arrays(archive, str(found), found.stat().st_size)


class _ShortReads(io.BufferedReader):
    """A file of which no large part is read at once: a zip directory without end is not taken apart."""

    def read(self, size: int | None = -1, /) -> bytes:
        if size is not None and size > 2 * _CHUNK:
            raise zipfile.BadZipFile(f"a part of {size:,} bytes where {2 * _CHUNK:,} are allowed")
        return super().read(size)


@contextmanager
def _damage_named(where: str) -> Iterator[None]:
    try:
        yield
    except InputError:
        raise
    except (*_DAMAGE, RuntimeError, MemoryError) as error:
        raise InputError(f"{where}: cannot be read as .npz arrays ({reason(error)})") from error
