"""Arrays that begin at a cache line: rows of sixteen numbers that are read at random then lie in one line each."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

_LINE = 64


def aligned_zeros(shape: tuple[int, ...], dtype: npt.DTypeLike) -> npt.NDArray[Any]:
    """As `numpy.zeros`.

    >>> from pulink.engine.own_rows.aligned import aligned_zeros
    >>> aligned_zeros((3, 16), "float32").ctypes.data % 64
    0
    """
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    octets = np.zeros(size + _LINE, dtype=np.uint8)
    begin = -octets.ctypes.data % _LINE
    return octets[begin : begin + size].view(dtype).reshape(shape)
