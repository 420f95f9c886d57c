"""LightGBM's own C interface, as far as growing trees needs it.

Its Python package loads scikit-learn and pandas where they are installed, which takes longer than growing the
trees of a small graph. The trees are the same to the bit.
"""

from __future__ import annotations

import ctypes
import importlib.util
import sys
import weakref
from collections.abc import Callable
from ctypes import byref, c_char_p, c_int, c_int32, c_int64, c_void_p
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

_FLOAT32 = 0
_NAMES = {"win32": "bin/lib_lightgbm.dll", "darwin": "lib/lib_lightgbm.dylib"}

Settings = dict[str, Any]


class Rows:
    """Rows (k x S) divided into bins."""

    def __init__(self, signals: npt.NDArray[np.float32], settings: Settings) -> None:
        signals = np.ascontiguousarray(signals, dtype=np.float32)
        n_rows, n_columns = signals.shape
        self.n_rows, self.handle = n_rows, c_void_p()
        _call("LGBM_DatasetCreateFromMat", signals.ctypes.data_as(c_void_p), c_int(_FLOAT32), c_int32(n_rows),
              c_int32(n_columns), c_int(1), _text(settings), None, byref(self.handle))  # fmt: skip
        weakref.finalize(self, _call, "LGBM_DatasetFree", self.handle)

    def set_labels(self, labels: npt.NDArray[np.float64]) -> None:
        """In [0, 1] (k)."""
        values = np.ascontiguousarray(labels, dtype=np.float32)
        _call("LGBM_DatasetSetField", self.handle, c_char_p(b"label"), values.ctypes.data_as(c_void_p),
              c_int(self.n_rows), c_int(_FLOAT32))  # fmt: skip


def grow(rows: Rows, settings: Settings, n_trees: int, after_tree: Callable[[int], None]) -> str:
    """Trees by the labels of the rows, as LightGBM writes them; `after_tree` gets the number of each."""
    booster, is_over = c_void_p(), c_int(0)
    _call("LGBM_BoosterCreate", rows.handle, _text(settings), byref(booster))
    try:
        for number in range(n_trees):
            _call("LGBM_BoosterUpdateOneIter", booster, byref(is_over))
            after_tree(number)
            if is_over.value:
                break
        return _written(booster)
    finally:
        _call("LGBM_BoosterFree", booster)


def _written(booster: c_void_p) -> str:
    """All trees of a booster as text."""
    size, needed = 1 << 20, c_int64(0)
    while True:
        buffer = ctypes.create_string_buffer(size)
        _call("LGBM_BoosterSaveModelToString", booster, c_int(0), c_int(-1), c_int(0), c_int64(size),
              byref(needed), buffer)  # fmt: skip
        if needed.value <= size:
            return buffer.value.decode("utf-8")
        size = needed.value


def _text(settings: Settings) -> c_char_p:
    def written(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    return c_char_p(" ".join(f"{name}={written(value)}" for name, value in settings.items()).encode())


def _call(name: str, *arguments: Any) -> None:
    library = _library()
    if getattr(library, name)(*arguments):
        raise RuntimeError(f"LightGBM: {library.LGBM_GetLastError().decode('utf-8', 'replace')}")


@cache
def _library() -> ctypes.CDLL:
    found = importlib.util.find_spec("lightgbm")
    if found is None or found.origin is None:
        raise ImportError("lightgbm is not installed")
    library = ctypes.CDLL(str(Path(found.origin).parent / _NAMES.get(sys.platform, "lib/lib_lightgbm.so")))
    library.LGBM_GetLastError.restype = c_char_p
    return library
