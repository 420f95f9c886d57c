"""A scene as SVG: recorded links solid, proposed ones dashed and darker if more likely, nodes coloured by group.

Links with a direction end in heads. Nodes with types have the colours and shapes of types.

It is whole without a script. What the page's script needs to know stands in attributes, as numbers alone: data-n
and data-link are places among the nodes and links of the page, data-edges the recorded links. Of a directed graph,
data-head is the length of heads, and data-from counts the links that begin at each node.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from pulink.report.find.arrows import Point, head_path, line_path
from pulink.report.find.drawing import FONT, HEIGHT, WIDTH, Scene
from pulink.report.html.escape import flat, per_cent
from pulink.text import counted

FAINTEST = 0.4

_MANY = 300
# The length of an arrow's head.
_HEAD, _LEAST_HEAD = 14.0, 6.0
# Half the side of a square that is as large as a circle of radius 1.
_HALF_SIDE = 0.886
_N_SHAPES = 3
_TITLE = "The likeliest missing links and their surroundings"


def network_svg(scene: Scene, all_degrees: tuple[int, ...], all_from: tuple[int, ...] = ()) -> str:
    """all_degrees, all_from: links of every node that the page knows, drawn or not, and those that begin at it."""
    thin = _thinness(scene)
    head = _head_length(thin)
    arrows = (
        f' data-head="{head:.1f}" data-from="{" ".join(map(str, all_from))}"' if scene.kind.is_directed else ""
    )
    parts = [
        f'<svg class="network" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="network-title"'
        f' data-degrees="{" ".join(map(str, all_degrees))}" data-edges="{_edges(scene)}"{arrows}>',
        f'<title id="network-title">{_TITLE}</title>',
        '<g class="stage">',
        *_layers(scene, thin, head),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts)


def plain_svg(scene: Scene) -> str:
    """The same without ids and without anything for a script: many of them stand in one document."""
    thin = _thinness(scene)
    opening = f'<svg class="network" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{_TITLE}" fill="none">'
    return "\n".join([opening, *_layers(scene, thin, _head_length(thin)), "</svg>"])


def _thinness(scene: Scene) -> float:
    return float(min(1.0, (_MANY / (len(scene.proposed) + len(scene.observed))) ** 0.5))


def _head_length(thin: float) -> float:
    return max(_HEAD * thin, _LEAST_HEAD)


def _layers(scene: Scene, thin: float, head: float) -> list[str]:
    """From the back to the front."""
    at = [f"{x:.1f} {y:.1f}" for x, y in scene.places.tolist()]
    return [
        _observed(scene, at, thin),
        *_recorded_heads(scene, head),
        _proposed(scene, at, thin, head),
        _nodes(scene),
        _labels(scene),
    ]


def group_name(scene: Scene, node: int) -> str:
    group = scene.groups[node]
    if scene.type_names:
        return "another type" if group < 0 else scene.type_names[group]
    return "in no large group" if group < 0 else f"group {group + 1}"


def _edges(scene: Scene) -> str:
    """By node its neighbours with higher numbers, or those to which it links: `3:5 8;4:9`."""
    ends = [(scene.nodes[a], scene.nodes[b]) for a, b in scene.known]
    pairs = sorted(ends if scene.kind.is_directed else (tuple(sorted(pair)) for pair in ends))
    return ";".join(
        f"{node}:{' '.join(str(b) for _, b in own)}" for node, own in groupby(pairs, lambda pair: pair[0])
    )


def _observed(scene: Scene, at: list[str], thin: float) -> str:
    path = "".join(f"M{at[a]}L{at[b]}" for a, b in scene.observed)
    return f'<path class="observed" stroke-width="{max(1.1 * thin, 0.5):.2f}" d="{path}"/>'


def _point(scene: Scene, node: int) -> Point:
    x, y = scene.places[node].tolist()
    return x, y


def _recorded_heads(scene: Scene, size: float) -> list[str]:
    if not scene.kind.is_directed or not scene.observed:
        return []
    heads = (head_path(_point(scene, a), _point(scene, b), scene.radii[b], size) for a, b in scene.observed)
    return [f'<path class="heads" d="{"".join(heads)}"/>']


def _proposed(scene: Scene, at: list[str], thin: float, head: float) -> str:
    """The best on top, each with a note."""
    width = max(2.4 * thin, 1.1)
    between = scene.kind.between
    lines = [
        f'<path data-link="{k}" stroke-opacity="{shade:.2f}" d="{_line(scene, at, a, b, bent)}">'
        f"<title>{flat(scene.names[a])}{between}{flat(scene.names[b])}: {per_cent(p)}</title></path>"
        f"{_proposed_head(scene, k, shade, head)}"
        for k, ((a, b, p), bent, shade) in enumerate(zip(scene.proposed, scene.bent, _shades(scene), strict=True))
    ]
    opening = f'<g class="proposed" stroke-width="{width:.2f}" stroke-dasharray="{3 * width:.1f} {2 * width:.1f}">'
    return "\n".join([opening, *reversed(lines), "</g>"])


def _line(scene: Scene, at: list[str], a: int, b: int, bent: bool) -> str:
    return line_path(_point(scene, a), _point(scene, b), bent=True) if bent else f"M{at[a]}L{at[b]}"


def _proposed_head(scene: Scene, place: int, shade: float, size: float) -> str:
    if not scene.kind.is_directed:
        return ""
    a, b, _ = scene.proposed[place]
    path = head_path(_point(scene, a), _point(scene, b), scene.radii[b], size, bent=scene.bent[place])
    return f'<path class="head" data-of="{place}" fill-opacity="{shade:.2f}" d="{path}"/>'


def _shades(scene: Scene) -> list[float]:
    """Opacity by probability, from the unlikeliest to the likeliest link; what prints alike looks alike."""
    alike: dict[str, float] = {}
    probabilities = np.array([alike.setdefault(per_cent(p), p) for _, _, p in scene.proposed])
    spread = np.ptp(probabilities)
    shares = (probabilities - probabilities.min()) / spread if spread else np.ones(len(probabilities))
    return [float(shade) for shade in FAINTEST + (1 - FAINTEST) * shares]


def _nodes(scene: Scene) -> str:
    """Large ones first, so that none hides a smaller one."""
    ends = {node for a, b, _ in scene.proposed for node in (a, b)}
    order = sorted(range(len(scene.names)), key=lambda node: (-scene.radii[node], node))
    dots = (_dot(scene, node, "" if node in ends else " near") for node in order)
    return "\n".join(['<g class="nodes">', *dots, "</g>"])


def _dot(scene: Scene, node: int, near: str) -> str:
    (x, y), r = scene.places[node].tolist(), float(scene.radii[node])
    marks = f'class="g{scene.groups[node] + 1}{near}" data-n="{scene.nodes[node]}"'
    tag, place = shape(scene.groups[node] if scene.type_names else 0, x, y, r)
    # What the title says of a node ends in a type's name, which is anybody's text: the name stands apart.
    name = flat(scene.names[node])
    apart = f"<desc>{name}</desc>" if scene.type_names or scene.kind.is_directed else ""
    title = f"<title>{name}: {_links_of(scene, node)}, {flat(group_name(scene, node))}</title>"
    return f"<{tag} {marks} {place}>{title}{apart}</{tag}>"


def shape(type_number: int, x: float, y: float, r: float) -> tuple[str, str]:
    """The tag and the place of a node's mark: a circle, a square or a diamond, by its type."""
    which = max(type_number, 0) % _N_SHAPES
    if which == 0:
        return "circle", f'cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}"'
    half = _HALF_SIDE * r
    turned = f' transform="rotate(45 {x:.1f} {y:.1f})"' if which == 2 else ""
    place = f'x="{x - half:.2f}" y="{y - half:.2f}" width="{2 * half:.2f}" height="{2 * half:.2f}"'
    return "rect", place + turned


def _links_of(scene: Scene, node: int) -> str:
    if not scene.kind.is_directed:
        return counted(scene.degrees[node], "recorded link")
    n_from = scene.n_from[node]
    return f"{counted(n_from, 'link')} from it, {scene.degrees[node] - n_from:,} to it"


def _labels(scene: Scene) -> str:
    texts = (
        f'<text x="{label.x:.1f}" y="{label.y:.1f}" text-anchor="{label.anchor}">{flat(label.text)}</text>'
        for label in scene.labels
    )
    return "\n".join([f'<g class="names" font-size="{FONT:.0f}" stroke-width="{FONT / 4:.1f}">', *texts, "</g>"])
