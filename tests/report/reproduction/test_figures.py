"""Figures show the data that they were given."""

from __future__ import annotations

import io
from typing import Any
from unittest import mock

import numpy as np
from matplotlib.figure import Figure
from matplotlib.image import imread

from pulink.report.reproduction import figures
from pulink.report.reproduction.curves import Curve, Scaling
from pulink.report.reproduction.figures import DARK, LIGHT, draw_iterations, draw_scaling

KS = [80.0 + 4 * t for t in range(10)]
CURVES = [
    Curve("pull", "pubmed", {0: [90.0 + t for t in range(10)], 1: [91.0 + t for t in range(10)]}, KS, 100),
    Curve("pull-no-lc", "pubmed", {0: [89.0] * 10}, KS, 100),
    Curve("pull", "facebook", {0: [80.0] * 3}, KS[:3], 100),
]
SERIES = [Scaling("pull", "pubmed", [(0.1, 10, 2.0), (0.2, 20, 3.0), (0.3, 30, 4.0)])]


def drawn(draw: Any, data: Any) -> Figure:
    """The figure behind the picture."""
    with mock.patch.object(figures, "_png", lambda figure: figure):
        return draw(data, LIGHT)


def test_a_panel_for_each_graph_with_both_methods_and_the_dashed_line() -> None:
    first, second = drawn(draw_iterations, CURVES).axes
    lines = {line.get_label(): line for line in first.get_lines()}
    assert list(np.asarray(lines["PULL"].get_ydata())) == [90.5 + t for t in range(10)]
    assert list(np.asarray(lines["PULL without $L_C$"].get_ydata())) == [89.0] * 10
    # K is 80 + 4 (t - 1): it reaches 100 at iteration 6.
    assert list(np.asarray(lines["K reaches the true number of edges"].get_xdata())) == [6.0, 6.0]
    assert lines["K reaches the true number of edges"].get_linestyle() == "--"
    assert [axes.get_title(loc="left") for axes in (first, second)] == ["pubmed", "facebook"]
    assert [line.get_label() for line in second.get_lines()] == ["PULL"]


def test_the_band_is_one_standard_deviation() -> None:
    (band,) = drawn(draw_iterations, CURVES).axes[0].collections
    heights = band.get_paths()[0].vertices
    at_first = np.asarray(heights)[np.asarray(heights)[:, 0] == 1.0, 1]
    assert np.isclose(at_first.max(), 90.5 + 0.5**0.5)
    assert np.isclose(at_first.min(), 90.5 - 0.5**0.5)


def test_the_line_through_the_points_and_how_well_it_fits() -> None:
    (axes,) = drawn(draw_scaling, SERIES).axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert np.allclose(np.asarray(lines["linear fit"].get_ydata()), [2.0, 4.0])
    assert axes.get_title(loc="left") == "pubmed, R² = 1.000"


def test_light_and_dark_paper() -> None:
    for palette, low, high in ((LIGHT, 1.0, 1.0), (DARK, 0.0, 0.15)):
        corner = imread(io.BytesIO(draw_scaling(SERIES, palette)))[0, 0, :3]
        assert low <= corner.min() <= corner.max() <= high
