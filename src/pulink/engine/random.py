"""Counter-based random numbers: the k-th number of a stream is a function of (key, k) and of nothing else.

A key is derived from a seed and a path, such as (seed, "non-edges", iteration, epoch). No state is kept, so a
run can be resumed at any epoch, and the same seed gives the same numbers on every machine and NumPy version.
The mixing function is SplitMix64 (Steele, Lea and Flood 2014). NumPy's own generators are not used because
their derived distributions may change between versions.
"""

from __future__ import annotations

import hashlib

import numpy as np
import numpy.typing as npt

from pulink.engine.compile import inlined

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
_MIX_2 = np.uint64(0x94D049BB133111EB)
_SHIFT_30, _SHIFT_27, _SHIFT_31 = np.uint64(30), np.uint64(27), np.uint64(31)


@inlined
def mix64(x: np.uint64) -> np.uint64:
    """SplitMix64's finaliser, for use in kernels."""
    x = (x ^ (x >> _SHIFT_30)) * _MIX_1
    x = (x ^ (x >> _SHIFT_27)) * _MIX_2
    return x ^ (x >> _SHIFT_31)


def stream_key(seed: int, *path: int | str) -> np.uint64:
    """The 64-bit key of a stream; every part of the path matters, and so does its type."""
    text = "/".join(f"{type(part).__name__}:{part}" for part in (int(seed), *path))
    return np.uint64(int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little"))


def random_words(key: np.uint64, count: int, start: int = 0) -> npt.NDArray[np.uint64]:
    """`count` words of the stream, from its `start`-th on."""
    counter = np.arange(start, start + count, dtype=np.uint64)
    with np.errstate(over="ignore"):
        x = key + counter * GOLDEN
        x = (x ^ (x >> _SHIFT_30)) * _MIX_1
        x = (x ^ (x >> _SHIFT_27)) * _MIX_2
    return x ^ (x >> _SHIFT_31)


def uniforms(key: np.uint64, count: int, start: int = 0) -> npt.NDArray[np.float64]:
    """Numbers in [0, 1) with 53 random bits each."""
    return (random_words(key, count, start) >> np.uint64(11)).astype(np.float64) * 2.0**-53


def normals(key: np.uint64, count: int) -> npt.NDArray[np.float64]:
    """Standard normal numbers, by Box and Muller's transform."""
    half = (count + 1) // 2
    u = uniforms(key, 2 * half)
    radius = np.sqrt(-2.0 * np.log1p(-u[:half]))
    angle = 2.0 * np.pi * u[half:]
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count]


def permutation(key: np.uint64, count: int) -> npt.NDArray[np.int64]:
    """A random order of 0 .. count-1."""
    return np.argsort(random_words(key, count), kind="stable")
