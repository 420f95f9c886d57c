"""A scene as SVG: recorded links solid, proposed ones dashed and darker if more likely, nodes coloured by group.

It is whole without a script. What the page's script needs to know stands in attributes, as numbers alone: data-n
and data-link are places among the nodes and links of the page, data-edges the recorded links.
"""

from __future__ import annotations

from itertools import groupby

import numpy as np

from pulink.report.find.drawing import FONT, HEIGHT, WIDTH, Scene
from pulink.report.html.escape import flat, per_cent
from pulink.text import counted

FAINTEST = 0.4

_MANY = 300


def network_svg(scene: Scene, all_degrees: tuple[int, ...]) -> str:
    """all_degrees: of every node that the page knows, drawn or not."""
    thin = min(1.0, (_MANY / (len(scene.proposed) + len(scene.observed))) ** 0.5)
    at = [f"{x:.1f} {y:.1f}" for x, y in scene.places.tolist()]
    parts = [
        f'<svg class="network" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-labelledby="network-title"'
        f' data-degrees="{" ".join(map(str, all_degrees))}" data-edges="{_edges(scene)}">',
        '<title id="network-title">The likeliest missing links and their surroundings</title>',
        '<g class="stage">',
        _observed(scene, at, thin),
        _proposed(scene, at, thin),
        _nodes(scene),
        _labels(scene),
        "</g>",
        "</svg>",
    ]
    return "\n".join(parts)


def group_name(scene: Scene, node: int) -> str:
    group = scene.groups[node]
    return "in no large group" if group < 0 else f"group {group + 1}"


def _edges(scene: Scene) -> str:
    """By node its neighbours with higher numbers: `3:5 8;4:9`."""
    pairs = sorted(tuple(sorted((scene.nodes[a], scene.nodes[b]))) for a, b in scene.known)
    return ";".join(
        f"{node}:{' '.join(str(b) for _, b in own)}" for node, own in groupby(pairs, lambda pair: pair[0])
    )


def _observed(scene: Scene, at: list[str], thin: float) -> str:
    path = "".join(f"M{at[a]}L{at[b]}" for a, b in scene.observed)
    return f'<path class="observed" stroke-width="{max(1.1 * thin, 0.5):.2f}" d="{path}"/>'


def _proposed(scene: Scene, at: list[str], thin: float) -> str:
    """The best on top, each with a note."""
    width = max(2.4 * thin, 1.1)
    lines = [
        f'<path data-link="{k}" stroke-opacity="{shade:.2f}" d="M{at[a]}L{at[b]}">'
        f"<title>{flat(scene.names[a])} and {flat(scene.names[b])}: {per_cent(p)}</title></path>"
        for k, ((a, b, p), shade) in enumerate(zip(scene.proposed, _shades(scene), strict=True))
    ]
    opening = f'<g class="proposed" stroke-width="{width:.2f}" stroke-dasharray="{3 * width:.1f} {2 * width:.1f}">'
    return "\n".join([opening, *reversed(lines), "</g>"])


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
    dots = (
        f'<circle class="g{scene.groups[node] + 1}{"" if node in ends else " near"}" data-n="{scene.nodes[node]}"'
        f' cx="{scene.places[node, 0]:.1f}" cy="{scene.places[node, 1]:.1f}" r="{scene.radii[node]:.1f}">'
        f"<title>{flat(scene.names[node])}: {counted(scene.degrees[node], 'recorded link')},"
        f" {group_name(scene, node)}</title></circle>"
        for node in order
    )
    return "\n".join(['<g class="nodes">', *dots, "</g>"])


def _labels(scene: Scene) -> str:
    texts = (
        f'<text x="{label.x:.1f}" y="{label.y:.1f}" text-anchor="{label.anchor}">{flat(label.text)}</text>'
        for label in scene.labels
    )
    return "\n".join([f'<g class="names" font-size="{FONT:.0f}" stroke-width="{FONT / 4:.1f}">', *texts, "</g>"])
