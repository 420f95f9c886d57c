"""What results depend on besides settings and data."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import version
from pathlib import Path

_PACKAGES = ("pulink", "torch", "numpy", "scipy", "scikit-learn", "numba", "lightgbm", "polars")


def versions() -> dict[str, str]:
    """By package, and Python's own."""
    return {name: version(name) for name in _PACKAGES} | {"python": platform.python_version()}


@cache
def source_digest(parts: tuple[str, ...]) -> str:
    """A digest of pulink's own source files; empty where they are not there, and the version alone has to do.

    Parameters
    ----------
    parts
        Files and folders of the package; all Python files below a folder count.

    Returns
    -------
    64 letters and digits, or none.
    """
    return digest_of_files(Path(__file__).parents[1], parts)


def digest_of_files(root: Path, parts: tuple[str, ...]) -> str:
    """A digest of the names and bytes of these files, and of all Python files below these folders."""
    digest = hashlib.sha256()
    try:
        for part in parts:
            place = root / part
            for path in [place] if place.suffix else sorted(place.rglob("*.py")):
                digest.update(f"{path.relative_to(root).as_posix()}\0".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    except OSError:
        return ""
    return digest.hexdigest()
