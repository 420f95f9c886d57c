"""What is installed, for a report of a problem: versions and counts, no paths and no names of people."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from pulink.system.versions import versions

# What an extra of pulink brings, by the extra's name.
_EXTRAS = {
    "interop": ("networkx", "pandas", "pyarrow", "igraph"),
    "duckdb": ("duckdb",),
    "explore": ("starlette", "uvicorn"),
    "rivals": ("implicit",),
    "ray": ("ray",),
}
_MORE = ("torch-geometric", "safetensors", "threadpoolctl", "typer", "rich", "matplotlib")


def installation() -> dict[str, Any]:
    """Versions of pulink, Python and libraries, the system, processors and threads.

    Returns
    -------
    dict
        `versions` and `extras` by package, None where a package is not installed; `system`, `machine`,
        `n_processors`, `threads` (None where PULINK_THREADS is not allowed).

    Examples
    --------
    >>> from pulink.workflows.installation import installation
    >>> sorted(installation())
    ['extras', 'machine', 'n_processors', 'system', 'threads', 'versions']
    """
    return {
        "versions": versions() | {name: _version(name) for name in _MORE},
        "extras": {extra: {name: _version(name) for name in names} for extra, names in _EXTRAS.items()},
        "system": f"{platform.system()} {platform.release()}",
        "machine": platform.machine(),
        "n_processors": os.cpu_count(),
        "threads": _threads(),
    }


def installation_rows() -> list[list[str]]:
    """The same as rows of two cells, for people."""
    found = installation()
    rows = [[name, _shown(one)] for name, one in found["versions"].items()]
    for extra, packages in found["extras"].items():
        rows += [[f"{name} (extra {extra})", _shown(one)] for name, one in packages.items()]
    system = [["system", found["system"]], ["machine", found["machine"]]]
    counts = [["processors", str(found["n_processors"])], ["threads", str(found["threads"])]]
    return rows + system + counts


def show_versions() -> None:
    """Print versions of pulink, Python and libraries, and what machine this is, to put into a report of a problem.

    Examples
    --------
    >>> import pulink
    >>> pulink.show_versions()  # doctest: +ELLIPSIS
    pulink ...
    """
    rows = installation_rows()
    width = max(len(name) for name, _ in rows)
    for name, value in rows:
        print(f"{name:<{width}}  {value}")


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _shown(found: str | None) -> str:
    return "not installed" if found is None else found


def _threads() -> int | None:
    from pulink.engine.threads import thread_count
    from pulink.errors import ParameterError

    try:
        return thread_count()
    except ParameterError:
        return None
