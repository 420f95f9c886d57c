"""Arrays of any size in one safetensors file, written piece by piece and read by parts.

The format is safetensors' own. Its library hands over whole arrays; where one does not fit into memory, parts are
read here. What a header says is checked against the file before anything is read.
"""

from __future__ import annotations

import hashlib
import json
import mmap
import os
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.errors import InputError
from pulink.system.files import atomic_writer, opened_regular
from pulink.text import reason, short_path

Array = npt.NDArray[Any]

_TYPES: dict[str, type[np.generic]] = {
    "I64": np.int64, "F64": np.float64, "I32": np.int32, "U32": np.uint32, "F32": np.float32, "U8": np.uint8,
}  # fmt: skip
_CODES = {np.dtype(kind): code for code, kind in _TYPES.items()}
# A few arrays are described there, in a line each.
_LONGEST_HEADER = 65_536
_PIECE = 1 << 24


class Written(NamedTuple):
    """What was written: how many bytes, and their SHA-256."""

    n_bytes: int
    sha256: str


def write_arrays(path: Path, arrays: Mapping[str, Array]) -> Written:
    """Replace a file with these arrays, or leave it as it was; nothing is copied as a whole."""
    # The widest first: so each begins where its type may begin.
    ordered = sorted(arrays.items(), key=lambda item: (-item[1].itemsize, item[0]))
    contiguous = [(name, np.ascontiguousarray(array)) for name, array in ordered]
    digest, n_bytes = hashlib.sha256(), 0
    with atomic_writer(path) as file:
        for piece in (
            _header(contiguous),
            *(_bytes_of(array) for _, array in contiguous),
        ):
            for start in range(0, len(piece), _PIECE):
                part = piece[start : start + _PIECE]
                n_bytes += file.write(part)
                digest.update(part)
    return Written(n_bytes, digest.hexdigest())


def _bytes_of(array: Array) -> memoryview:
    """Of a contiguous array, in place."""
    return array.reshape(-1).view(np.uint8).data


def _header(arrays: list[tuple[str, Array]]) -> memoryview:
    told: dict[str, Any] = {}
    place = 0
    for name, array in arrays:
        offsets = [place, place + array.nbytes]
        told[name] = {"dtype": _CODES[array.dtype], "shape": list(array.shape), "data_offsets": offsets}
        place += array.nbytes
    text = json.dumps(told, separators=(",", ":")).encode()
    text += b" " * (-len(text) % 8)
    return memoryview(len(text).to_bytes(8, "little") + text)


@dataclass(frozen=True)
class _Place:
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    offset: int


def _has_shape(found: tuple[int, ...], wanted: tuple[int, ...]) -> bool:
    return len(found) == len(wanted) and all(size < 0 or n == size for n, size in zip(found, wanted, strict=True))


class ArrayFile:
    """Arrays of a file, by name. InputError if the file is none, or not whole.

    n_bytes  of the file
    close    lets go of it; arrays that are mapped stay as long as they are used
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with opened_regular(path) as file:
                self._number = os.dup(file.fileno())
        except OSError as error:
            raise InputError(f"{short_path(path)}: cannot be read ({error.strerror})") from error
        self.close = weakref.finalize(self, os.close, self._number)
        self.n_bytes = os.fstat(self._number).st_size
        try:
            self._places = self._read_header()
        except (ValueError, TypeError, LookupError, RecursionError, AttributeError) as error:
            self.close()
            raise InputError(f"{short_path(path)}: is damaged ({reason(error)})") from error
        self._map: mmap.mmap | None = None

    def _read_header(self) -> dict[str, _Place]:
        size = int.from_bytes(os.pread(self._number, 8, 0), "little")
        if not 2 <= size <= min(_LONGEST_HEADER, self.n_bytes - 8):
            raise ValueError("its header is not whole")
        told = json.loads(os.pread(self._number, size, 8))
        places: dict[str, _Place] = {}
        end = 0
        for name, one in told.items():
            dtype, shape = np.dtype(_TYPES[one["dtype"]]), tuple(one["shape"])
            first, last = one["data_offsets"]
            if not all(type(n) is int and 0 <= n <= self.n_bytes for n in (*shape, first, last)):
                raise ValueError("its header holds wrong sizes")
            n_cells = 1
            for n in shape:
                n_cells *= n
            if first != end or last - first != n_cells * dtype.itemsize or (8 + size + first) % dtype.itemsize:
                raise ValueError("its header does not fit together")
            places[name] = _Place(dtype, shape, 8 + size + first)
            end = last
        if 8 + size + end != self.n_bytes:
            raise ValueError("it is longer or shorter than its header says")
        return places

    def __contains__(self, name: str) -> bool:
        return name in self._places

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def require(self, wanted: Mapping[str, tuple[type[np.generic], tuple[int, ...]]]) -> None:
        """InputError unless exactly these arrays are there; a negative size may be any."""
        fits = self._places.keys() == wanted.keys() and all(
            place.dtype == np.dtype(wanted[name][0]) and _has_shape(place.shape, wanted[name][1])
            for name, place in self._places.items()
        )
        if not fits:
            raise InputError(f"{short_path(self.path)}: is damaged (it holds other arrays than it should)")

    def names(self) -> list[str]:
        """Of all arrays."""
        return list(self._places)

    def shape(self, name: str) -> tuple[int, ...]:
        """Of an array."""
        return self._places[name].shape

    def read(self, name: str, first: int = 0, end: int | None = None) -> Array:
        """Rows of an array, copied to memory; no others are read."""
        place = self._places[name]
        end = place.shape[0] if end is None else end
        out = np.empty((end - first, *place.shape[1:]), dtype=place.dtype)
        self.read_into(out, name, first)
        return out

    def read_into(self, out: Array, name: str, first: int = 0) -> None:
        """As many rows of an array as `out` has, which is contiguous."""
        place = self._places[name]
        assert out.dtype == place.dtype and out.shape[1:] == place.shape[1:]
        assert 0 <= first <= first + len(out) <= place.shape[0]
        row = place.dtype.itemsize * int(np.prod(place.shape[1:], dtype=np.int64))
        view = _bytes_of(out)
        offset, done = place.offset + first * row, 0
        while done < len(view):
            got = os.preadv(self._number, [view[done : done + _PIECE]], offset + done)
            if not got:
                raise InputError(f"{short_path(self.path)}: became shorter while it was read")
            done += got

    def mapped(self, name: str) -> Array:
        """An array that lies in the file: what is looked at is read."""
        place = self._places[name]
        n_cells = int(np.prod(place.shape, dtype=np.int64))
        if not n_cells:
            return np.empty(place.shape, dtype=place.dtype)
        if self._map is None:
            self._map = mmap.mmap(self._number, 0, access=mmap.ACCESS_READ)
        flat = np.frombuffer(self._map, dtype=place.dtype, count=n_cells, offset=place.offset)
        return flat.reshape(place.shape)

    def sha256(self) -> str:
        """Of the whole file."""
        digest, place = hashlib.sha256(), 0
        while piece := os.pread(self._number, _PIECE, place):
            digest.update(piece)
            place += len(piece)
        return digest.hexdigest()
