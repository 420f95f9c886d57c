"""How kernels are compiled: once, cached on disk, and without holding the interpreter lock."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Kernel = TypeVar("Kernel", bound=Callable[..., object])


def kernel(function: Kernel) -> Kernel:
    """Compile a small loop. The order of floating-point operations stays as written."""
    return cast(Kernel, numba.njit(cache=True, nogil=True)(function))


def inlined(function: Kernel) -> Kernel:
    """Compile a few lines that other kernels call."""
    return cast(Kernel, numba.njit(cache=True, nogil=True, inline="always")(function))
