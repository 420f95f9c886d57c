"""Directed, bipartite and typed graphs that nobody has in mind."""

from __future__ import annotations

import numpy as np

import pulink
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, TYPED

_BETWEEN = [("a", "b"), ("c", "c")]


def _ways(pairs: object, n_nodes: int | None = None) -> pulink.Graph:
    return pulink.Graph.from_edges(pairs, n_nodes, kind=DIRECTED)  # type: ignore[arg-type]


def _sides(pairs: object, n_first: int, n_second: int) -> pulink.Graph:
    types = ["user"] * n_first + ["item"] * n_second
    return pulink.Graph.from_edges(  # type: ignore[arg-type]
        np.asarray(pairs, np.int64).reshape(-1, 2),
        len(types),
        kind=BIPARTITE,
        node_types=types,
        between=[("user", "item")],
    )


def _types(pairs: object, types: str, between: list[tuple[str, str]]) -> pulink.Graph:
    return pulink.Graph.from_edges(pairs, len(types), kind=TYPED, node_types=[*types], between=between)  # type: ignore[arg-type]


_EVERY_WAY = [[i, j] for i in range(6) for j in range(6) if i != j]
_EVERY_CROSS = [[i, j] for i in range(4) for j in range(4, 9)]

# Nothing to learn from: refused by every method.
BARREN = {
    "directed without links": _ways([], 9),
    "directed loops only": _ways([[k, k] for k in range(6)]),
    "sides without links": _sides([], 3, 4),
    "one user without items": _sides([], 1, 4),
    "types with other links only": _types([[0, 2], [1, 2], [0, 1]], "aac", [("a", "c"), ("c", "c")]).keep_edges(
        np.zeros(2, dtype=np.bool_)
    ),
}
# No non-edge is left to hide one against.
FULL = {"every way": _ways(_EVERY_WAY), "every cross": _sides(_EVERY_CROSS, 4, 5)}
# Served, but for methods that say that these are too small.
SMALL = {
    "one way": _ways([[1, 0]]),
    "both ways": _ways([[0, 1], [1, 0]]),
    "both ways and nodes without": _ways([[0, 1], [1, 0]], 5),
    "a path": _ways([[2, 1], [1, 0]]),
    "one user, one item more": _sides([[0, 1]], 1, 2),
    "one link of two types": _types([[0, 2], [0, 1]], "aabc", [("a", "b")]),
}
# Served by every method that serves the kind.
SERVED = {
    "all but one way": _ways(_EVERY_WAY[1:]),
    "a cycle": _ways([[k, (k + 1) % 12] for k in range(12)]),
    "all from one": _ways([[0, k] for k in range(1, 13)]),
    "all to one": _ways([[k, 0] for k in range(1, 13)]),
    "all both ways": _ways([[i, j] for k in range(8) for i, j in ((k, k + 1), (k + 1, k))], 10),
    "two parts": _ways([[p + i, p + j] for p in (0, 6) for i in range(6) for j in range(i)], 12),
    "all but one cross": _sides(_EVERY_CROSS[1:], 4, 5),
    "one user": _sides([[0, k] for k in range(1, 12)], 1, 14),
    "one item": _sides([[k, 14] for k in range(12)], 14, 1),
    "pairs apart": _sides([[k, 12 + k] for k in range(12)], 12, 12),
    "a type of its own": _types([[i, j] for i in range(6) for j in range(i + 1, 6)][2:], "ccccccab", _BETWEEN),
    "a type with no link": _types([[i, j] for i in range(4) for j in range(4, 8)][1:], "aaaabbbbccc", _BETWEEN),
    "links beside the question": _types(
        [*[[i, j] for i in range(4) for j in range(4, 8)][1:], [0, 8], [4, 8], [0, 1], [4, 5]],
        "aaaabbbbd",
        [("a", "b")],
    ),
}
ODD = BARREN | FULL | SMALL | SERVED
