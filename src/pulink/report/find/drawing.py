"""The surroundings of the best links: which nodes and lines, where, how large, of which group."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pulink.report.find.content import UNDIRECTED, Drawing, GraphKind
from pulink.report.find.groups import groups_of
from pulink.report.find.labels import F64, Label, place_labels
from pulink.report.find.layout import layout
from pulink.text import counted

WIDTH, HEIGHT = 1000, 800
FONT = 17.0
COLOURED = 6

_MARGIN_X, _MARGIN_Y = 50, 26
_MOST_PROPOSED = 2000
_MOST_OBSERVED = 6000
# Recorded links among drawn nodes that the page knows of, drawn or not.
_MOST_KNOWN = 40_000
# So many lines can always be followed.
_FEW = 50
_PROPOSED_PER_END = 2
_OBSERVED_PER_END = 4
_SMALLEST_GROUP = 3


@dataclass(frozen=True)
class Group:
    """Nodes that are linked among themselves: how many, and the one with the most links."""

    n_nodes: int
    around: str


@dataclass(frozen=True)
class Scene:
    """What is drawn. Nodes have places in `nodes`, and by it in the `Drawing` that was given.

    nodes     places in the names of the given drawing
    places    (n, 2)
    groups    by node its place in `named_groups`, which are the largest; where nodes have types, in `type_names`;
              -1 for all others
    observed, proposed  places in `nodes`
    known     all recorded links among the nodes, whether drawn or not
    kind, n_from, type_names  as in `Drawing`; n_from by node of the scene
    bent      by proposed link, whether it would lie on the line of its reverse
    """

    names: tuple[str, ...]
    nodes: tuple[int, ...]
    degrees: tuple[int, ...]
    places: F64
    radii: F64
    groups: tuple[int, ...]
    named_groups: tuple[Group, ...]
    observed: tuple[tuple[int, int], ...]
    proposed: tuple[tuple[int, int, float], ...]
    known: tuple[tuple[int, int], ...]
    labels: tuple[Label, ...]
    words: str
    kind: GraphKind = UNDIRECTED
    n_from: tuple[int, ...] = ()
    type_names: tuple[str, ...] = ()
    bent: tuple[bool, ...] = ()


def scene_of(given: Drawing) -> Scene | None:
    """None if there is no proposed link to draw."""
    if not given.proposed:
        return None
    proposed, observed = _drawn_lines(given)
    nodes = sorted({node for pair in (*observed, *((a, b) for a, b, _ in proposed)) for node in pair})
    place = {node: k for k, node in enumerate(nodes)}
    names = tuple(given.names[node] for node in nodes)
    degrees = tuple(given.degrees[node] for node in nodes)
    lines = tuple((place[a], place[b], p) for a, b, p in proposed)
    solid = tuple((place[a], place[b]) for a, b in observed)
    among = tuple((place[a], place[b]) for a, b in given.observed if a in place and b in place)
    ends = np.array([*solid, *((a, b) for a, b, _ in lines)], dtype=np.int64)
    places = layout(len(nodes), ends, WIDTH / HEIGHT)
    places = places * (WIDTH - 2 * _MARGIN_X, HEIGHT - 2 * _MARGIN_Y) + (_MARGIN_X, _MARGIN_Y)
    radii = _radii(degrees)
    types = tuple(_coloured(given.types[node]) for node in nodes) if given.types else ()
    groups, named = (types, ()) if types else _groups(names, degrees, among)
    order = dict.fromkeys([*(n for a, b, _ in lines for n in (a, b)), *np.argsort(-np.array(degrees)).tolist()])
    labels = tuple(place_labels(names, order, places, radii, FONT, (WIDTH, HEIGHT)))
    return Scene(
        names, tuple(nodes), degrees, places, radii, groups, named, solid, lines,
        among if len(among) <= _MOST_KNOWN else solid, labels, _words(given, lines, solid, len(nodes)),
        given.kind, tuple(given.n_from[node] for node in nodes) if given.n_from else (), given.type_names,
        _bent(given.kind, lines, solid),
    )  # fmt: skip


def _coloured(type_number: int) -> int:
    return type_number if type_number < COLOURED else -1


def _bent(
    kind: GraphKind, lines: Sequence[tuple[int, int, float]], solid: Sequence[tuple[int, int]]
) -> tuple[bool, ...]:
    drawn = {*solid, *((a, b) for a, b, _ in lines)}
    return tuple(kind.is_directed and (b, a) in drawn for a, b, _ in lines)


def _drawn_lines(given: Drawing) -> tuple[Sequence[tuple[int, int, float]], Sequence[tuple[int, int]]]:
    """The best links, and recorded ones around: those with both ends among the ends of the best come first."""
    proposed = given.proposed[: _readable(given.proposed)]
    ends = {node for a, b, _ in proposed for node in (a, b)}
    n_observed = min(_MOST_OBSERVED, max(_FEW, _OBSERVED_PER_END * len(ends)))
    return proposed, sorted(given.observed, key=lambda pair: -len(ends.intersection(pair)))[:n_observed]


def _readable(proposed: Sequence[tuple[int, int, float]]) -> int:
    """How many of the best links to draw: no more than two for each end, or nobody could follow a line."""
    ends: set[int] = set()
    n_drawn = 0
    for k, (a, b, _) in enumerate(proposed[:_MOST_PROPOSED], start=1):
        ends |= {a, b}
        if k <= max(_FEW, _PROPOSED_PER_END * len(ends)):
            n_drawn = k
    return n_drawn


def _radii(degrees: Sequence[int]) -> F64:
    """Hubs are larger, and all are smaller where there are many nodes; the cube root keeps others in sight."""
    largest = float(np.clip(0.3 * np.sqrt(WIDTH * HEIGHT / len(degrees)), 6.5, 17))
    shares = np.cbrt(np.array(degrees) / max(*degrees, 1))
    return np.asarray(largest * np.maximum(shares, 0.3))


def _groups(
    names: Sequence[str], degrees: Sequence[int], among: Sequence[tuple[int, int]]
) -> tuple[tuple[int, ...], tuple[Group, ...]]:
    """By recorded links: what is proposed shall not decide what belongs together."""
    labels = groups_of(len(names), np.array(among, dtype=np.int64).reshape(-1, 2))
    named = []
    for group in range(COLOURED):
        members = np.flatnonzero(labels == group).tolist()
        if len(members) < _SMALLEST_GROUP:
            break
        named.append(Group(len(members), names[max(members, key=lambda node: (degrees[node], -node))]))
    return tuple(label if label < len(named) else -1 for label in labels.tolist()), tuple(named)


def _words(given: Drawing, proposed: Sequence[object], observed: Sequence[object], n_nodes: int) -> str:
    """What is drawn and what is left out."""
    text = f"Drawn: {_of(len(proposed), len(given.proposed), 'proposed link')}"
    if observed:
        text += f" and {_of(len(observed), len(given.observed), 'recorded link')} around"
    return f"{text}, between {counted(n_nodes, 'node')}."


def _of(drawn: int, given: int, what: str) -> str:
    return counted(drawn, what) if drawn == given else f"{drawn:,} of {counted(given, what)}"
