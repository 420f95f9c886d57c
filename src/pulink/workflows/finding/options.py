"""The options of `pulink find` that ask for what was asked: `--config run.json` reads them back."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pulink.engine.threads import thread_count
from pulink.methods.effort import EFFORT
from pulink.predictor.parameters import plain_value
from pulink.text import file_name

if TYPE_CHECKING:
    from pulink.workflows.finding.request import FindRequest

_KINDS = ("directed", "undirected", "bipartite")


def find_options(request: FindRequest, *, raw_names: bool = False) -> dict[str, Any]:
    """Every option with its value, defaults included; null where it is not given, or was no file but an object.

    Files are named as they were given; the number of threads is the one that was used: results depend on it.
    """
    settings = {name: plain_value(value) for name, value in request.settings.items()}
    missing_share, effort = settings.pop("missing_share", None), settings.pop(EFFORT, None)
    reading = asdict(request.reading)
    columns, kind = reading.pop("kinds"), reading.pop("kind")
    return {
        "edges": _file(request.edges),
        "nodes": _file(request.nodes),
        **asdict(request.query),
        "method": request.method,
        "effort": effort,
        "missing_share": missing_share,
        "known_absent": _file(request.known_absent),
        "reviews": _file(request.reviews),
        "set": {request.method: settings} if settings else {},
        "seed": request.seed,
        "threads": thread_count(request.threads),
        **reading,
        "column": columns or {},
        **{name: kind == name for name in _KINDS},
        "raw_names": raw_names,
    }


def _file(value: Any) -> str | None:
    return file_name(value) if isinstance(value, str | Path) else None


def written(name: str, value: Any) -> str:
    """A value as Python takes it; what has no short form goes by its name."""
    if isinstance(value, str | Path):
        return repr(str(value))
    plain = value is None or isinstance(value, bool | int | float | dict) or name == "between"
    return repr(value) if plain else name
