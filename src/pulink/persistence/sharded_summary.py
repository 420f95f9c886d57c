"""graph.json of a graph folder: what the graph is, and which files hold it."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from pulink.errors import InputError
from pulink.graph.edge_rows import Cleaning
from pulink.persistence.array_file import Written
from pulink.persistence.sharded_names import CALLED, COUNTED
from pulink.system.files import read_regular
from pulink.text import reason

GRAPH_FILE = "graph.json"
FORMAT = 1

_MOST_NODES = 2**31 - 1
_MOST_RANGES = 100_000
_MOST_EDGES = 2**48
# Three lines for each of the most ranges.
_LONGEST = 60_000_000


@dataclass(frozen=True)
class Summary:
    """What graph.json says.

    ranges         first node of every range, and the number of nodes
    mean_weight    None where edges have no weights
    feature_names  None where nodes have no features
    ends           what the two columns of edges are called
    called         by what nodes are called: see `sharded_names`
    files          size and SHA-256 by name
    """

    ranges: tuple[int, ...]
    n_edges: int
    mean_weight: float | None
    feature_names: tuple[str, ...] | None
    ends: tuple[str, str]
    called: str
    cleaning: Cleaning
    files: dict[str, Written]

    def to_json(self) -> str:
        """Stable text."""
        names = self.feature_names
        told = {
            "format": FORMAT,
            "n_nodes": self.ranges[-1],
            "n_edges": self.n_edges,
            "ranges": [*self.ranges],
            "weighted": self.mean_weight is not None,
            "mean_weight": self.mean_weight,
            "features": None if names is None else {"n_columns": len(names), "names": [*names]},
            "ends": [*self.ends],
            "names": self.called,
            "cleaning": {
                "n_rows": self.cleaning.n_rows,
                "n_duplicates": self.cleaning.n_duplicates,
                "n_reversed": self.cleaning.n_reversed,
                "n_loops": self.cleaning.n_loops,
                "notes": [*self.cleaning.notes],
            },
            "files": {name: {"bytes": one.n_bytes, "sha256": one.sha256} for name, one in self.files.items()},
        }
        return json.dumps(told, indent=1, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"


def file_of(kind: str, k: int) -> str:
    """What the file of range k is called; kind: rows, names or features."""
    return f"{kind}-{k:05d}.safetensors"


def files_of(summary_ranges: int, called: str, *, with_features: bool) -> list[str]:
    """All files of a folder with so many ranges but graph.json."""
    kinds = ["rows"] + (["names"] if called != COUNTED else []) + (["features"] if with_features else [])
    return [file_of(kind, k) for kind in kinds for k in range(summary_ranges)]


def read_summary(folder: Path) -> Summary:
    """InputError says in one line why there is none that can be used."""
    try:
        content = read_regular(folder / GRAPH_FILE, _LONGEST)
    except OSError as error:
        raise InputError(f"{folder}: is no graph folder ({GRAPH_FILE}: {error.strerror})") from error
    try:
        told = json.loads(content)
        _require(told["format"] == FORMAT, f"its format is {told['format']!r}, and this pulink reads {FORMAT}")
        return _summary(told)
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError) as error:
        raise InputError(f"{folder}: {GRAPH_FILE} is damaged ({reason(error)})") from error


def _summary(told: dict[str, Any]) -> Summary:
    ranges = tuple(_count(node, _MOST_NODES) for node in told["ranges"])
    _require(2 <= len(ranges) <= _MOST_RANGES + 1 and ranges[0] == 0, "its ranges are none")
    _require(all(a <= b for a, b in pairwise(ranges)), "its ranges are not in order")
    _require(told["n_nodes"] == ranges[-1], "its ranges end elsewhere than its nodes")
    mean = told["mean_weight"]
    _require(told["weighted"] is (mean is not None), "its mean weight is none")
    if mean is not None:
        _require(type(mean) is float and math.isfinite(mean) and mean > 0, "its mean weight is none")
    names = _feature_names(told["features"])
    called = told["names"]
    _require(called in CALLED, "its names are of no known sort")
    first, second = (_text(end) for end in told["ends"])
    files = {
        name: Written(_count(one["bytes"], 2**62), _text(one["sha256"])) for name, one in told["files"].items()
    }
    wanted = files_of(len(ranges) - 1, called, with_features=names is not None)
    _require(sorted(files) == sorted(wanted), "its files are not those of its ranges")
    return Summary(
        ranges=ranges,
        n_edges=_count(told["n_edges"], _MOST_EDGES),
        mean_weight=mean,
        feature_names=names,
        ends=(first, second),
        called=called,
        cleaning=_cleaning(told["cleaning"]),
        files=files,
    )


def _cleaning(told: dict[str, Any]) -> Cleaning:
    n_rows, n_duplicates, n_reversed, n_loops = (
        _count(told[name], _MOST_EDGES) for name in ("n_rows", "n_duplicates", "n_reversed", "n_loops")
    )
    return Cleaning(n_rows, n_duplicates, n_reversed, n_loops, tuple(_text(note) for note in told["notes"]))


def _feature_names(told: Any) -> tuple[str, ...] | None:
    if told is None:
        return None
    names = tuple(_text(name) for name in told["names"])
    _require(told["n_columns"] == len(names) > 0, "its features have other columns than names")
    return names


def _count(value: Any, most: int) -> int:
    _require(type(value) is int and 0 <= value <= most, "a count is none")
    return int(value)


def _text(value: Any) -> str:
    _require(isinstance(value, str), "a text is none")
    return str(value)


def _require(fits: bool, problem: str) -> None:
    if not fits:
        raise ValueError(problem)
