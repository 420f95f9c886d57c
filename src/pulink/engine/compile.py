"""How kernels are compiled: once, cached on disk, and without holding the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

_RELAXED = {"reassoc", "contract", "nsz", "arcp"}

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """Compile a small loop. Sums may be reordered for speed, the same way in every run."""
    return cast(Kernel, numba.njit(cache=True, nogil=True, fastmath=_RELAXED)(function))


def inlined(function: Kernel) -> Kernel:
    """Compile a few lines that other kernels call."""
    return cast(Kernel, numba.njit(cache=True, nogil=True, inline="always")(function))
