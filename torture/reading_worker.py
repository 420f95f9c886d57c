"""A process that reads what it is told to, one input per line, and reports on each: a crash ends only this one.

{"edges": PATH, "nodes": PATH or null, "settings": {...}}  ->  {"fate": ..., "seconds": ..., "bytes": ...}
"""

from __future__ import annotations

import traceback
import warnings
from typing import Any

import numpy as np

from pulink.data.read import read
from pulink.errors import PulinkError
from pulink.graph.graph import Graph
from torture.asked_process import answer_all

_LONGEST = 1_000


def main() -> None:
    warnings.simplefilter("error")
    answer_all(_read)


def _read(asked: dict[str, Any]) -> tuple[str, str]:
    try:
        graph = read(asked["edges"], asked["nodes"], **asked["settings"])
    except PulinkError as error:
        return _refusal(str(error), asked)
    except BaseException:
        return "violation", traceback.format_exc(limit=-4)
    problem = _unsound(graph)
    return ("violation", problem) if problem else ("read", repr(graph))


def _refusal(message: str, asked: dict[str, Any]) -> tuple[str, str]:
    """One line that names a file that was given, or an encoding that was, and not a long one."""
    if len(message.splitlines()) != 1 or len(message) > _LONGEST:
        return (
            "violation",
            f"a message of {len(message)} characters, {len(message.splitlines())} lines: {message[:300]!r}",
        )
    files = [asked["edges"], *([asked["nodes"]] if asked["nodes"] else [])]
    encoding = asked["settings"].get("encoding")
    named = any(file in message for file in files) or (
        encoding is not None and message.startswith(f"encoding {encoding!r} ")
    )
    return ("refused", message) if named else ("violation", f"a message that names no file: {message[:300]!r}")


def _unsound(graph: Graph) -> str | None:
    notes = str(graph.cleaning)
    if len(notes.splitlines()) > 1 or len(notes) > 5 * _LONGEST:
        return f"notes of {len(notes)} characters: {notes[:300]!r}"
    if graph.n_edges and not 0 <= graph.edges.min() <= graph.edges.max() < graph.n_nodes:
        return "edges outside of the nodes"
    if graph.names.series().n_unique() != graph.n_nodes:
        return "names that are not unique"
    if graph.weights is not None and not (np.isfinite(graph.weights) & (graph.weights > 0)).all():
        return "weights that are not positive"
    values = getattr(graph.features, "data", graph.features)
    if graph.features is not None and not np.isfinite(np.asarray(values)).all():
        return "features that are not finite"
    return None


if __name__ == "__main__":
    main()
