"""PNG figures: small panels, one per graph, in colours that colour-blind readers can tell apart."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from pulink.report.reproduction.curves import Curve, Scaling

_DPI = 160
_PANEL = (3.3, 2.7)
_MOST_COLUMNS = 3


@dataclass(frozen=True)
class Palette:
    """Colours of a light or a dark window; blue and orange as Okabe and Ito chose them."""

    paper: str
    ink: str
    faint: str
    first: str
    second: str


LIGHT = Palette(paper="#ffffff", ink="#1d1d1f", faint="#8a8a8f", first="#0072b2", second="#d55e00")
DARK = Palette(paper="#17191c", ink="#e6e6e6", faint="#8f959c", first="#56b4e9", second="#e69f00")

_LABELS = {"pull": "PULL", "pull-no-lc": "PULL without $L_C$"}


def draw_iterations(curves: Sequence[Curve], palette: Palette) -> bytes:
    """Mean validation AUROC over outer iterations with its spread; dashed where K reaches the true edges."""
    columns = list(dict.fromkeys(curve.column for curve in curves))
    figure, panels = _panels(len(columns), palette)
    styles = _styles([curve.method for curve in curves], palette)
    for axes, column in zip(panels, columns, strict=True):
        column_curves = [curve for curve in curves if curve.column == column]
        for curve in column_curves:
            _draw_curve(axes, curve, *styles[curve.method])
        _mark_crossing(axes, column_curves, palette)
        axes.set_title(column, loc="left", fontsize=10, color=palette.ink)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))
    _legend(figure, panels, palette)
    figure.supxlabel("outer iteration", fontsize=9, color=palette.ink)
    figure.supylabel("validation AUROC, per cent", fontsize=9, color=palette.ink)
    return _png(figure)


def _styles(methods: Sequence[str], palette: Palette) -> dict[str, tuple[str, str]]:
    """A colour and a marker for each method, so that neither is needed to read the other."""
    kinds = [(palette.first, "o"), (palette.second, "s"), (palette.faint, "^")]
    return {name: kinds[min(k, len(kinds) - 1)] for k, name in enumerate(dict.fromkeys(methods))}


def _draw_curve(axes: Axes, curve: Curve, colour: str, marker: str) -> None:
    iterations = [t for t, _, _ in curve.points]
    means = [mean for _, mean, _ in curve.points]
    label = _LABELS.get(curve.method, curve.method)
    axes.plot(iterations, means, color=colour, marker=marker, markersize=3.5, linewidth=1.5, label=label)
    if len(curve.by_seed) > 1:
        low = [mean - (sd or 0.0) for _, mean, sd in curve.points]
        high = [mean + (sd or 0.0) for _, mean, sd in curve.points]
        axes.fill_between(iterations, low, high, color=colour, alpha=0.18, linewidth=0)


def _mark_crossing(axes: Axes, curves: Sequence[Curve], palette: Palette) -> None:
    found = [place for curve in curves if (place := curve.crossing) is not None]
    if found:
        label = "K reaches the true number of edges"
        axes.axvline(found[0], color=palette.faint, linestyle=(0, (4, 3)), linewidth=1.2, label=label, zorder=0)


def draw_scaling(series: Sequence[Scaling], palette: Palette) -> bytes:
    """Seconds of every run over the share of edges, with the straight line through them."""
    figure, panels = _panels(len(series), palette)
    for axes, scaling in zip(panels, series, strict=True):
        shares = [share for share, _, _ in scaling.points]
        seconds = [value for _, _, value in scaling.points]
        axes.plot(shares, seconds, "o", color=palette.first, markersize=4, alpha=0.75, label="one run")
        title = scaling.column
        line = scaling.over_shares
        if line is not None:
            ends = [min(shares), max(shares)]
            axes.plot(ends, [line.at(x) for x in ends], color=palette.second, linewidth=1.5, label="linear fit")
            title += f", R² = {line.r2:.3f}"
        axes.set_title(title, loc="left", fontsize=10, color=palette.ink)
        axes.set_xlim(0, 1)
        axes.set_ylim(0, 1.08 * max(seconds))
    _legend(figure, panels, palette)
    figure.supxlabel("share of the graph's edges", fontsize=9, color=palette.ink)
    figure.supylabel("processor seconds", fontsize=9, color=palette.ink)
    return _png(figure)


def _panels(n: int, palette: Palette) -> tuple[Figure, list[Axes]]:
    """A figure with n panels in rows as even as they can be."""
    n_rows = math.ceil(n / _MOST_COLUMNS)
    n_columns = math.ceil(n / n_rows)
    size = (_PANEL[0] * max(n_columns, 1.6), _PANEL[1] * n_rows + 0.6)
    figure = Figure(figsize=size, layout="constrained", facecolor=palette.paper)
    FigureCanvasAgg(figure)
    panels = [figure.add_subplot(n_rows, n_columns, k + 1) for k in range(n)]
    for axes in panels:
        axes.set_facecolor(palette.paper)
        axes.spines[["top", "right"]].set_visible(False)
        axes.spines[["left", "bottom"]].set_color(palette.faint)
        axes.tick_params(colors=palette.ink, labelsize=8, length=3)
        axes.yaxis.set_major_locator(MaxNLocator(nbins=5))
        axes.grid(axis="y", color=palette.faint, alpha=0.25, linewidth=0.6)
    return figure, panels


def _legend(figure: Figure, panels: Sequence[Axes], palette: Palette) -> None:
    """One for all panels: every label once."""
    found: dict[str, Artist] = {}
    for axes in panels:
        for handle, label in zip(*axes.get_legend_handles_labels(), strict=True):
            found.setdefault(label, handle)
    legend = figure.legend(
        list(found.values()), list(found), loc="outside upper left", ncols=3, frameon=False, fontsize=9
    )
    for text in legend.get_texts():
        text.set_color(palette.ink)


def _png(figure: Figure) -> bytes:
    buffer = io.BytesIO()
    # Without the library's version, equal pictures are equal files.
    figure.savefig(buffer, format="png", dpi=_DPI, facecolor=figure.get_facecolor(), metadata={"Software": None})
    return buffer.getvalue()
