"""The surroundings of a pair or of a node as SVG, with the lines, names and arrows of the static report.

What is drawn comes as JSON has it: nodes with places, recorded links as pairs of places among the nodes. The ends
that are asked about have the colour of a group, all others are grey.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.report.find.arrows import Point, head_path
from pulink.report.find.labels import place_labels
from pulink.report.html.escape import flat
from pulink.text import counted

F64 = npt.NDArray[np.float64]

_WIDTH, _HEIGHT, _FONT = 720, 480, 15.0
_MARGIN_X, _MARGIN_Y = 60, 30
_HEAD = 11.0
# A drawing may be stretched so much to fill its frame.
_MOST_STRETCHED = 1.4


def neighbourhood_svg(drawing: Mapping[str, Any], title: str, asked: Sequence[tuple[int, int]] = ()) -> str:
    """asked: pairs of places among the nodes that are drawn dashed; title: data, for those who cannot see it."""
    nodes = drawing["nodes"]
    if not nodes:
        return ""
    places, radii = _places(nodes), _radii(nodes)
    directed = bool(drawing.get("directed"))
    edges = [(int(a), int(b)) for a, b in drawing["edges"]]
    return "\n".join(
        [
            f'<svg class="network" viewBox="0 0 {_WIDTH} {_HEIGHT}" role="img" aria-label="{flat(title)}">',
            f'<path class="observed" stroke-width="1.2" d="{_lines(edges, places)}"/>',
            _heads("heads", edges, places, radii) if directed else "",
            '<g class="proposed" stroke-width="2.4" stroke-dasharray="7 5">'
            f'<path d="{_lines(asked, places)}"/></g>',
            f'<g class="proposed">{_heads("head", asked, places, radii)}</g>' if directed else "",
            _dots(nodes, places, radii),
            _names(nodes, places, radii),
            "</svg>",
        ]
    )


def _places(nodes: Sequence[Mapping[str, Any]]) -> F64:
    """Brought into the frame, whatever their units are (n x 2)."""
    given = np.array([(float(node["x"]), float(node["y"])) for node in nodes])
    low, high = given.min(axis=0), given.max(axis=0)
    room = np.array([_WIDTH - 2 * _MARGIN_X, _HEIGHT - 2 * _MARGIN_Y])
    scale = room / np.maximum(high - low, 1e-9)
    scale = np.minimum(scale, _MOST_STRETCHED * scale.min())
    return np.asarray(np.array([_WIDTH, _HEIGHT]) / 2 + (given - (low + high) / 2) * scale)


def _radii(nodes: Sequence[Mapping[str, Any]]) -> F64:
    """Hubs are larger, and ends are never small."""
    degrees = np.array([float(node["degree"]) for node in nodes])
    ends = np.array([bool(node["end"]) for node in nodes])
    radii = 12 * np.maximum(np.cbrt(degrees / max(degrees.max(), 1.0)), 0.35)
    return np.asarray(np.where(ends, np.maximum(radii, 10.0), radii))


def _point(places: F64, node: int) -> Point:
    x, y = places[node].tolist()
    return x, y


def _lines(pairs: Sequence[tuple[int, int]], places: F64) -> str:
    at = [f"{x:.1f} {y:.1f}" for x, y in places.tolist()]
    return "".join(f"M{at[a]}L{at[b]}" for a, b in pairs)


def _heads(kind: str, pairs: Sequence[tuple[int, int]], places: F64, radii: F64) -> str:
    heads = (head_path(_point(places, a), _point(places, b), float(radii[b]), _HEAD) for a, b in pairs)
    return f'<path class="{kind}" d="{"".join(heads)}"/>'


def _dots(nodes: Sequence[Mapping[str, Any]], places: F64, radii: F64) -> str:
    """Ends last, on top of all others."""
    order = sorted(range(len(nodes)), key=lambda k: (bool(nodes[k]["end"]), -float(radii[k]), k))
    dots = (_dot(nodes[k], _point(places, k), float(radii[k])) for k in order)
    return "\n".join(['<g class="nodes">', *dots, "</g>"])


def _dot(node: Mapping[str, Any], place: Point, radius: float) -> str:
    kind = "g1 asked" if node["end"] else "g0"
    words = f"{flat(str(node['name']))}: {counted(int(node['degree']), 'recorded link')}"
    return (
        f'<circle class="{kind}" cx="{place[0]:.1f}" cy="{place[1]:.1f}" r="{radius:.1f}">'
        f"<title>{words}</title></circle>"
    )


def _names(nodes: Sequence[Mapping[str, Any]], places: F64, radii: F64) -> str:
    """Of the ends first, then of hubs, as far as there is room."""
    order = sorted(range(len(nodes)), key=lambda k: (not nodes[k]["end"], -int(nodes[k]["degree"]), k))
    names = tuple(str(node["name"]) for node in nodes)
    labels = place_labels(names, order, places, radii, _FONT, (_WIDTH, _HEIGHT))
    texts = (
        f'<text{" class=bold" if nodes[label.node]["end"] else ""} x="{label.x:.1f}" y="{label.y:.1f}"'
        f' text-anchor="{label.anchor}">{flat(label.text)}</text>'
        for label in labels
    )
    return "\n".join([f'<g class="names" font-size="{_FONT:.0f}" stroke-width="{_FONT / 4:.1f}">', *texts, "</g>"])


def drawn_pairs(drawing: Mapping[str, Any], pairs: Sequence[Mapping[str, Any]]) -> list[tuple[int, int]]:
    """Pairs of which both ends are drawn, as places among the drawn nodes."""
    at = {_key(node): place for place, node in enumerate(drawing["nodes"])}
    ends = ((at.get(_key(pair["source"])), at.get(_key(pair["target"]))) for pair in pairs)
    return [(source, target) for source, target in ends if source is not None and target is not None]


def _key(node: Mapping[str, Any]) -> tuple[str, str]:
    return str(node["name"]), str(node.get("type") or "")


def drawing_figure(drawing: Mapping[str, Any], title: str, asked: Sequence[tuple[int, int]], words: str) -> str:
    """With its caption, which is HTML; empty where nothing can be drawn."""
    svg = neighbourhood_svg(drawing, title, asked)
    return (
        f'<figure class="surroundings"><div class="canvas">{svg}</div><figcaption>{words}</figcaption></figure>'
        if svg
        else ""
    )
