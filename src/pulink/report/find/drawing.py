"""The surroundings of the best links as SVG: observed links solid, proposed ones dashed and darker if more likely.

Two sets of names are placed: large ones for the whole picture, and more and smaller ones for the enlarged picture,
in which they look as large. The page's script switches between them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from pulink.report.find.content import Drawing
from pulink.report.find.labels import F64, Label, place_labels
from pulink.report.find.layout import layout
from pulink.report.html.escape import flat, per_cent
from pulink.text import counted

WIDTH, HEIGHT = 1120, 780
ENLARGED = 2.5  # as in html/page.css
FAINTEST = 0.4

_MARGIN_X, _MARGIN_Y = 56, 26
_MOST_PROPOSED = 2000
_MOST_OBSERVED = 6000
# So many lines can always be followed.
_FEW = 50
_OBSERVED_PER_END = 4
_FONT = 12.0
_MANY = 300


@dataclass(frozen=True)
class Picture:
    """The SVG, what it shows in words, and whether enlarging it shows more names."""

    svg: str
    words: str
    likeliest: float
    unlikeliest: float
    enlarging_helps: bool


def draw(given: Drawing) -> Picture | None:
    """None if there is no proposed link to draw."""
    if not given.proposed:
        return None
    drawing = _drawable(given)
    ends = np.array([*drawing.observed, *((a, b) for a, b, _ in drawing.proposed)], dtype=np.int64)
    places = layout(len(drawing.names), ends, WIDTH / HEIGHT)
    places = places * (WIDTH - 2 * _MARGIN_X, HEIGHT - 2 * _MARGIN_Y) + (_MARGIN_X, _MARGIN_Y)
    radii = _radii(drawing)
    order = _most_important(drawing, ends)
    large, small = (
        place_labels(drawing.names, order, places, radii, font, (WIDTH, HEIGHT))
        for font in (_FONT, _FONT / ENLARGED)
    )
    probabilities = [p for _, _, p in drawing.proposed]
    return Picture(
        svg=_svg(drawing, places, radii, large, small),
        words=_words(given, drawing, len(large), len(small)),
        likeliest=max(probabilities),
        unlikeliest=min(probabilities),
        enlarging_helps=len(small) > len(large),
    )


def _drawable(given: Drawing) -> Drawing:
    """What can be drawn: the best links, what lies around them, and only nodes that a line reaches."""
    proposed = given.proposed[: _readable(given.proposed)]
    ends = {node for a, b, _ in proposed for node in (a, b)}
    n_observed = min(_MOST_OBSERVED, max(_FEW, _OBSERVED_PER_END * len(ends)))
    near = sorted(given.observed, key=lambda pair: -len(ends.intersection(pair)))[:n_observed]
    nodes = sorted(ends.union(*near) if near else ends)
    place = {node: k for k, node in enumerate(nodes)}
    return Drawing(
        names=tuple(given.names[node] for node in nodes),
        observed=tuple((place[a], place[b]) for a, b in near),
        proposed=tuple((place[a], place[b], p) for a, b, p in proposed),
    )


def _readable(proposed: Sequence[tuple[int, int, float]]) -> int:
    """How many of the best links to draw: no more than they have ends, or nobody could follow a line."""
    ends: set[int] = set()
    n_drawn = 0
    for k, (a, b, _) in enumerate(proposed[:_MOST_PROPOSED], start=1):
        ends |= {a, b}
        if k <= max(_FEW, len(ends)):
            n_drawn = k
    return n_drawn


def _radii(drawing: Drawing) -> F64:
    """Ends of proposed links are larger; all are smaller where there are many."""
    n_nodes = len(drawing.names)
    base = float(np.clip(0.11 * np.sqrt(WIDTH * HEIGHT / n_nodes), 1.4, 5.0))
    radii = np.full(n_nodes, 0.7 * base)
    radii[[node for a, b, _ in drawing.proposed for node in (a, b)]] = base
    return radii


def _most_important(drawing: Drawing, ends: np.ndarray) -> list[int]:
    """Ends of the best links first, then nodes by their number of lines."""
    degrees = np.bincount(ends.ravel(), minlength=len(drawing.names))
    of_links = (node for a, b, _ in drawing.proposed for node in (a, b))
    return list(dict.fromkeys([*of_links, *np.argsort(-degrees, kind="stable").tolist()]))


def _svg(drawing: Drawing, places: F64, radii: F64, large: list[Label], small: list[Label]) -> str:
    thin = min(1.0, (_MANY / (len(drawing.proposed) + len(drawing.observed))) ** 0.5)
    at = [f"{x:.1f} {y:.1f}" for x, y in places.tolist()]
    parts = [
        f'<svg class="network" viewBox="0 0 {WIDTH} {HEIGHT}" role="img">',
        "<title>Drawing of the likeliest missing links and their surroundings</title>",
        _observed(drawing, at, thin),
        _proposed(drawing, at, thin),
        _nodes(drawing, places, radii),
        _labels(large, "names", _FONT),
        _labels(small, "names fine", _FONT / ENLARGED),
        "</svg>",
    ]
    return "\n".join(parts)


def _observed(drawing: Drawing, at: list[str], thin: float) -> str:
    path = "".join(f"M{at[a]}L{at[b]}" for a, b in drawing.observed)
    return f'<path class="observed" stroke-width="{max(1.2 * thin, 0.4):.2f}" d="{path}"/>'


def _proposed(drawing: Drawing, at: list[str], thin: float) -> str:
    """The best on top, each with a note."""
    width = max(2.4 * thin, 0.7)
    lines = (
        f'<path stroke-opacity="{shade:.2f}" d="M{at[a]}L{at[b]}">'
        f"<title>{flat(drawing.names[a])} and {flat(drawing.names[b])}: {per_cent(p)}</title></path>"
        for (a, b, p), shade in reversed(list(zip(drawing.proposed, _shades(drawing), strict=True)))
    )
    opening = f'<g class="proposed" stroke-width="{width:.2f}" stroke-dasharray="{3 * width:.1f} {2 * width:.1f}">'
    return "\n".join([opening, *lines, "</g>"])


def _shades(drawing: Drawing) -> list[float]:
    """Opacity by probability, from the unlikeliest to the likeliest link; what prints alike looks alike."""
    alike: dict[str, float] = {}
    probabilities = np.array([alike.setdefault(per_cent(p), p) for _, _, p in drawing.proposed])
    spread = np.ptp(probabilities)
    shares = (probabilities - probabilities.min()) / spread if spread else np.ones(len(probabilities))
    return [float(shade) for shade in FAINTEST + (1 - FAINTEST) * shares]


def _nodes(drawing: Drawing, places: F64, radii: F64) -> str:
    ends = {node for a, b, _ in drawing.proposed for node in (a, b)}
    dots = (
        f'<circle class="{"end" if node in ends else "near"}" cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}">'
        f"<title>{flat(drawing.names[node])}</title></circle>"
        for node, ((x, y), r) in enumerate(zip(places.tolist(), radii.tolist(), strict=True))
    )
    return "\n".join(dots)


def _labels(labels: Iterable[Label], kind: str, font: float) -> str:
    texts = (
        f'<text x="{label.x:.1f}" y="{label.y:.1f}" text-anchor="{label.anchor}">{flat(label.text)}</text>'
        for label in labels
    )
    return "\n".join([f'<g class="{kind}" font-size="{font:.1f}" stroke-width="{font / 4:.1f}">', *texts, "</g>"])


def _words(given: Drawing, drawing: Drawing, n_large: int, n_small: int) -> str:
    """What is drawn and what is left out."""
    text = f"Drawn: {_of(len(drawing.proposed), len(given.proposed), 'proposed link')}"
    if drawing.observed:
        text += f", with {counted(len(drawing.observed), 'observed link')} around"
    text += f", between {counted(len(drawing.names), 'node')}."
    if len(drawing.observed) < len(given.observed):
        around = "the ends of all proposed links and neighbours that these ends share"
        text += f" Among {around} there are {counted(len(given.observed), 'observed link')}."
    if n_large < len(drawing.names):
        text += f" There is room for {counted(n_large, 'name')}"
        text += f", and for {n_small:,} in the enlarged picture." if n_small > n_large else "."
    return text + " Point at a node or a dashed line to read its names."


def _of(drawn: int, given: int, what: str) -> str:
    return counted(drawn, what) if drawn == given else f"{drawn:,} of {counted(given, what)}"
