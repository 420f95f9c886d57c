"""The page's charts: are the probabilities right, how did learning go, how many links do nodes have.

Each is an SVG picture in the page's colours. Points carry their numbers as notes.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import groupby

import numpy as np
import numpy.typing as npt

from pulink.report.find.content import Curve
from pulink.report.html.axes import Frame, Scale, around, decades, dot, line
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


def degree_chart(before: Sequence[int], after: Sequence[int]) -> str:
    """How many nodes have at least so many links, on log axes: observed links, and with the proposed ones."""
    most = max([*before, *after], default=1)
    across, up = decades(most), decades(len(before))
    frame = Frame(across, up, "links of a node", "nodes with at least so many", width=420, height=320)
    steps = [
        _at_least_path(frame, np.asarray(degrees), kind)
        for degrees, kind in ((before, "first"), (after, "second"))
    ]
    return frame.svg(steps, "Nodes by number of links, before and after")


def _at_least_path(frame: Frame, degrees: npt.NDArray[np.int64], kind: str) -> str:
    """Stairs: from one degree that occurs to the next, the number of nodes with at least the next."""
    values, counts = np.unique(degrees[degrees > 0], return_counts=True)
    if not len(values):
        return ""
    at_least = counts[::-1].cumsum()[::-1]
    path = f"M{frame.at_x(1):.1f} {frame.at_y(int(at_least[0])):.1f}"
    for degree, n in zip(values.tolist(), at_least.tolist(), strict=True):
        path += f"V{frame.at_y(n):.1f}H{frame.at_x(degree):.1f}"
    return f'<path class="{kind}" d="{path}"/>'


def degree_rows(before: Sequence[int], after: Sequence[int]) -> list[tuple[str, int, int]]:
    """Nodes with 0, 1, 2 to 3, 4 to 7, ... links: label, before, after."""
    histograms = [np.bincount([int(degree).bit_length() for degree in degrees]) for degrees in (before, after)]
    n_rows = max(len(counts) for counts in histograms)
    padded = [np.pad(counts, (0, n_rows - len(counts))).tolist() for counts in histograms]
    labels = ["none", "1", *(f"{2**k:,} to {2 ** (k + 1) - 1:,}" for k in range(1, n_rows - 1))]
    return list(zip(labels, *padded, strict=False))
