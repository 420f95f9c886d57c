"""What results depend on besides settings and data."""

from __future__ import annotations

import platform
from importlib.metadata import version

_PACKAGES = ("pulink", "torch", "numpy", "scipy", "scikit-learn", "numba", "lightgbm", "polars")


def versions() -> dict[str, str]:
    """By package, and Python's own."""
    return {name: version(name) for name in _PACKAGES} | {"python": platform.python_version()}
