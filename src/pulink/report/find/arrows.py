"""Lines with a direction, as SVG paths: each ends in a head, and bends where the reverse is drawn too.

A bent line from a to b is a quadratic curve whose control point lies beside the middle, to the left of who goes
along it; the reverse bends to the other side. A head is a triangle whose tip touches the border of node b. When
nodes change their size, the page's script draws the same: `assets/arrows.js`.
"""

from __future__ import annotations

import math

Point = tuple[float, float]

# Of the distance between the nodes: how far the control point is from the middle.
_BEND = 0.22
# The half width of a head, of its length.
_SLIM = 0.4


def line_path(a: Point, b: Point, *, bent: bool = False) -> str:
    """From a to b."""
    if not bent:
        return f"M{_at(a)}L{_at(b)}"
    return f"M{_at(a)}Q{_at(control_point(a, b))} {_at(b)}"


def head_path(a: Point, b: Point, radius: float, size: float, *, bent: bool = False) -> str:
    """The head of a line from a to b, where b is a node of this radius."""
    begin = control_point(a, b) if bent else a
    dx, dy = b[0] - begin[0], b[1] - begin[1]
    length = math.hypot(dx, dy) or 1.0
    dx, dy = dx / length, dy / length
    tip = b[0] - radius * dx, b[1] - radius * dy
    base = tip[0] - size * dx, tip[1] - size * dy
    side = _SLIM * size
    one, other = (base[0] - side * dy, base[1] + side * dx), (base[0] + side * dy, base[1] - side * dx)
    return f"M{_at(tip)}L{_at(one)}L{_at(other)}Z"


def control_point(a: Point, b: Point) -> Point:
    """Of a bent line."""
    return (
        (a[0] + b[0]) / 2 + _BEND * (b[1] - a[1]),
        (a[1] + b[1]) / 2 - _BEND * (b[0] - a[0]),
    )


def _at(point: Point) -> str:
    return f"{point[0]:.1f} {point[1]:.1f}"
