"""The page's charts: are the probabilities right, how did learning go, which nodes do the proposed links join.

Each is an SVG picture in the page's colours. Points carry their numbers as notes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

from pulink.report.find.content import Curve, DegreeClass
from pulink.report.html.axes import Frame, Scale, around, bar, dot, line
from pulink.report.html.escape import number, per_cent
from pulink.text import counted

_DOTS_SHOWN = 60


def reliability_chart(bins: Sequence[tuple[float, float, int]]) -> str:
    """Given probability against share of links, with the diagonal; large dots stand for many pairs."""
    given, shares, n_pairs = zip(*bins, strict=True)
    scale = _share_scale([*given, *shares])
    frame = Frame(
        scale, scale, "probability that the method gave", "links, by the hidden edges", _tick, _tick, 420, 400
    )
    diagonal = line(frame.points([0, scale.high], [0, scale.high]), "even")
    places = frame.points(given, shares)
    dots = [
        dot(place, "first", 3 + 6 * math.sqrt(n / max(n_pairs)), f"given {_both(p, share)}, {counted(n, 'pair')}")
        for place, (p, share, n) in zip(places, bins, strict=True)
    ]
    return frame.svg(
        [diagonal, line(places, "first thin"), *dots],
        "Probabilities given, and shares of links by the hidden edges",
    )


def _both(p: float, share: float) -> str:
    return f"{per_cent(p)}, links by the hidden edges {per_cent(share)}"


def _share_scale(shares: Sequence[float]) -> Scale:
    """From 0 to 100%, or to less where all shares are small."""
    return around([0.0, max(shares) or 1.0], n_ticks=5)


def _tick(share: float) -> str:
    return f"{100 * share:.6g}%"


def curve_chart(curve: Curve) -> str | None:
    """One measure by iteration, the kept one in a ring; None if it has no value, which interrupts the line."""
    pieces = list(_pieces(curve))
    known = [point for piece in pieces for point in piece]
    if not known:
        return None
    frame = Frame(_whole(x for x, _ in known), around(y for _, y in known), curve.step, curve.name, height=210)
    marks = [line(frame.points(*zip(*piece, strict=True)), "first") for piece in pieces if len(piece) > 1]
    for place, (x, y) in zip(frame.points(*zip(*known, strict=True)), known, strict=True):
        if x == curve.kept:
            marks.append(dot(place, "kept", 7, f"kept: {curve.step} {number(x)}: {number(y)}"))
        if len(known) <= _DOTS_SHOWN or x in (curve.kept, known[-1][0]):
            marks.append(dot(place, "first", 3, f"{curve.step} {number(x)}: {number(y)}"))
    return frame.svg(marks, f"{curve.name} by {curve.step}")


def kept_words(curve: Curve) -> str:
    """Which value is the model's; empty if it has none."""
    for x, y in zip(curve.x, curve.y, strict=True):
        if x == curve.kept and math.isfinite(y):
            return f"{number(y)} in {curve.step} {number(x)}, which was kept"
    return ""


def _pieces(curve: Curve) -> Iterable[list[tuple[float, float]]]:
    """The points between missing values."""
    for known, piece in groupby(zip(curve.x, curve.y, strict=True), lambda point: math.isfinite(sum(point))):
        if known:
            yield list(piece)


def _whole(values: Iterable[float]) -> Scale:
    """A scale of iterations, which begins and ends with the first and the last of them."""
    points = list(values)
    low, high = min(points), max(points)
    if low == high:
        return Scale(low - 1, high + 1, (low,))
    rough = around(points)
    ticks = (tick for tick in rough.ticks if low <= tick <= high and tick == round(tick))
    return Scale(low, high, tuple(dict.fromkeys((low, *ticks))))


def degree_chart(classes: Sequence[DegreeClass]) -> str:
    """By number of recorded links, the share of all nodes and the share of the ends of proposed links, as bars."""
    n_nodes, n_ends = (
        max(sum(counts), 1) for counts in zip(*((c.n_nodes, c.n_ends) for c in classes), strict=True)
    )
    shares = [(c.n_nodes / n_nodes, c.n_ends / n_ends) for c in classes]
    places = Scale(0, len(classes), tuple(k + 0.5 for k in range(len(classes))))
    frame = Frame(
        places, _share_scale([share for both in shares for share in both]),
        "recorded links of a node, at least", "share",
        lambda place: classes[int(place)].label.partition(" to ")[0], _tick, 420, 280,
    )  # fmt: skip
    bars = [
        bar(frame, place + 0.1 + 0.4 * k, 0.4, share, kind, f"{classes[place].label}: {per_cent(share)} of {what}")
        for place, both in enumerate(shares)
        for k, (share, kind, what) in enumerate(
            zip(both, ("faint", "second"), ("all nodes", "the ends of proposed links"), strict=True)
        )
    ]
    return frame.svg(bars, "Nodes by recorded links, and those that the proposed links join")
