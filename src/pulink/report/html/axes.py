"""Scales, ticks and the frame of a chart, as SVG.

A value v on a scale from low to high lies at the share (v − low) / (high − low) of its axis.
Colours come from the page's style, by class.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pulink.report.html.escape import flat, number

_RIGHT, _TOP, _BOTTOM = 20, 30, 42
_LETTER = 7.2


@dataclass(frozen=True)
class Scale:
    """From low to high, with ticks between."""

    low: float
    high: float
    ticks: tuple[float, ...]

    def share(self, value: float) -> float:
        return (value - self.low) / (self.high - self.low)


def around(values: Iterable[float], n_ticks: int = 4) -> Scale:
    """A linear scale that begins and ends with a round number."""
    points = list(values)
    low, high = min(points), max(points)
    if low == high:
        low, high = low - (abs(low) / 10 or 1.0), high + (abs(high) / 10 or 1.0)
    step = _round_step((high - low) / n_ticks)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    ticks = tuple(float(f"{k * step:.12g}") for k in range(first, last + 1))
    return Scale(ticks[0], ticks[-1], ticks)


def _round_step(least: float) -> float:
    power = 10.0 ** math.floor(math.log10(least))
    return next(k * power for k in (1, 2, 2.5, 5, 10) if k * power >= least * (1 - 1e-9))


@dataclass(frozen=True)
class Frame:
    """The box in which a chart is drawn; `x_words` and `y_words` say what its axes are."""

    x: Scale
    y: Scale
    x_words: str
    y_words: str
    x_text: Callable[[float], str] = number
    y_text: Callable[[float], str] = number
    width: int = 360
    height: int = 250

    @property
    def left(self) -> float:
        return 12 + _LETTER * max(len(self.y_text(tick)) for tick in self.y.ticks)

    def at_x(self, value: float) -> float:
        return self.left + self.x.share(value) * (self.width - _RIGHT - self.left)

    def at_y(self, value: float) -> float:
        return self.height - _BOTTOM - self.y.share(value) * (self.height - _BOTTOM - _TOP)

    def points(self, xs: Sequence[float], ys: Sequence[float]) -> list[tuple[float, float]]:
        return [(self.at_x(x), self.at_y(y)) for x, y in zip(xs, ys, strict=True)]

    def svg(self, marks: Iterable[str], title: str) -> str:
        """The whole chart; the title is for those who cannot see it."""
        parts = [*self._horizontal(), *self._vertical(), *marks]
        return (
            f'<svg class="chart" viewBox="0 0 {self.width} {self.height}" role="img">'
            f"<title>{flat(title)}</title>\n" + "\n".join(parts) + "\n</svg>"
        )

    def _horizontal(self) -> Iterable[str]:
        base = self.height - _BOTTOM
        for tick in self._roomy_ticks():
            x = self.at_x(tick)
            yield f'<path class="tick" d="M{x:.1f} {base}v4"/>'
            yield f'<text class="tx" x="{x:.1f}" y="{base + 17}">{self.x_text(tick)}</text>'
        middle = (self.left + self.width - _RIGHT) / 2
        yield f'<text class="words" x="{middle:.1f}" y="{self.height - 6}">{flat(self.x_words)}</text>'

    def _roomy_ticks(self) -> Iterable[float]:
        """Those whose numbers do not touch the number before."""
        end = -math.inf
        for tick in self.x.ticks:
            half = _LETTER * len(self.x_text(tick)) / 2
            if self.at_x(tick) - half > end:
                end = self.at_x(tick) + half + 4
                yield tick

    def _vertical(self) -> Iterable[str]:
        for tick in self.y.ticks:
            y = self.at_y(tick)
            kind = "axis" if tick == self.y.low else "grid"
            yield f'<path class="{kind}" d="M{self.left:.1f} {y:.1f}H{self.width - _RIGHT}"/>'
            yield f'<text class="ty" x="{self.left - 6:.1f}" y="{y + 4:.1f}">{self.y_text(tick)}</text>'
        yield f'<text class="above" x="2" y="14">{flat(self.y_words)}</text>'


def line(points: Sequence[tuple[float, float]], kind: str) -> str:
    """Straight lines through the points."""
    path = "L".join(f"{x:.1f} {y:.1f}" for x, y in points)
    return f'<path class="{kind}" d="M{path}"/>'


def dot(point: tuple[float, float], kind: str, radius: float, title: str) -> str:
    """A point with a note that appears under the pointer."""
    x, y = point
    return (
        f'<circle class="{kind}" cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}"><title>{flat(title)}</title></circle>'
    )


def bar(frame: Frame, left: float, width: float, height: float, kind: str, title: str) -> str:
    """A bar from the axis up, with a note; left, width and height in the units of the axes."""
    x, y = frame.at_x(left), frame.at_y(height)
    size = f'width="{frame.at_x(left + width) - x:.1f}" height="{frame.at_y(frame.y.low) - y:.1f}"'
    return f'<rect class="{kind}" x="{x:.1f}" y="{y:.1f}" {size}><title>{flat(title)}</title></rect>'
