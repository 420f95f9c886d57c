"""Charts hold the numbers they were given: read back from the picture by its own axes."""

from __future__ import annotations

import math
import re
from collections.abc import Callable

import numpy as np
import pytest

from pulink.calibration.reliability import Reliability
from pulink.report.find.content import Curve, DegreeClass
from pulink.report.html.axes import around
from pulink.report.html.charts import curve_chart, degree_chart, kept_words, reliability_chart
from pulink.report.html.escape import number, per_cent, rounded

Reading = Callable[[float], float]


def axis(svg: str, kind: str) -> Reading:
    """From a place in the picture to the number there, by the first and the last tick."""
    coordinate = r'x="([\d.]+)" y="[\d.]+"' if kind == "tx" else r'x="[\d.]+" y="([\d.]+)"'
    found = re.findall(rf'<text class="{kind}" {coordinate}>(.*?)</text>', svg)
    shift = 0.0 if kind == "tx" else 4.0
    places = [float(place) - shift for place, _ in found]
    values = [float(text.replace(",", "").rstrip("%")) / (100 if text.endswith("%") else 1) for _, text in found]
    slope = (values[-1] - values[0]) / (places[-1] - places[0])
    return lambda place: values[0] + slope * (place - places[0])


def dots(svg: str) -> list[tuple[float, float, float]]:
    return [
        tuple(map(float, own))
        for own in re.findall(r'<circle class="first" cx="([\d.]+)" cy="([\d.]+)" r="([\d.]+)">', svg)
    ]


BINS = Reliability((0.05, 0.35, 0.5, 0.9), (0.04, 0.41, math.nan, 0.86), (1200, 40, 0, 310), 0.02).bins


def test_the_reliability_diagram_shows_its_bins() -> None:
    svg = reliability_chart(BINS)
    x, y = axis(svg, "tx"), axis(svg, "ty")
    read = [(x(cx), y(cy)) for cx, cy, _ in dots(svg)]
    assert read == [pytest.approx(point, abs=0.002) for point in ((0.05, 0.04), (0.35, 0.41), (0.9, 0.86))]
    radii = [r for _, _, r in dots(svg)]
    assert radii[0] > radii[2] > radii[1]
    assert "given 35.0%, links by the hidden edges 41.0%, 40 pairs" in svg
    assert ">links, by the hidden edges<" in svg


def test_small_probabilities_get_a_small_scale() -> None:
    svg = reliability_chart([(0.001, 0.002, 10), (0.03, 0.02, 10)])
    assert [axis(svg, "tx")(cx) for cx, _, _ in dots(svg)] == pytest.approx([0.001, 0.03], abs=1e-4)
    assert ">100%<" not in svg


def test_a_curve_shows_its_points() -> None:
    curve = Curve("AUROC", (1, 2, 3, 4, 5), (0.91, 0.953, 0.949, 0.97, 0.9701))
    svg = curve_chart(curve)
    assert svg is not None
    x, y = axis(svg, "tx"), axis(svg, "ty")
    assert [x(cx) for cx, _, _ in dots(svg)] == pytest.approx(curve.x, abs=0.01)
    assert [y(cy) for _, cy, _ in dots(svg)] == pytest.approx(curve.y, abs=0.0004)
    assert "<title>AUROC by iteration</title>" in svg
    assert svg.count('<path class="first"') == 1


def test_a_curve_marks_what_was_kept_and_not_what_came_last() -> None:
    curve = Curve("AUROC", (0, 1, 2, 3), (0.91, 0.953, 0.949, 0.922), "round", 1)
    svg = curve_chart(curve)
    assert svg is not None
    rings = re.findall(r'<circle class="kept" cx="([\d.]+)" cy="([\d.]+)" r="[\d.]+"><title>(.*?)</title>', svg)
    assert len(rings) == 1
    place, height, note = rings[0]
    assert axis(svg, "tx")(float(place)) == pytest.approx(1, abs=0.01)
    assert axis(svg, "ty")(float(height)) == pytest.approx(0.953, abs=0.0004)
    assert note == "kept: round 1: 0.953"
    assert ">round</text>" in svg
    assert kept_words(curve) == "0.953 in round 1, which was kept"


def test_a_long_curve_still_marks_what_was_kept() -> None:
    epochs = tuple(range(1, 201))
    svg = curve_chart(Curve("AUROC", epochs, tuple(1 / epoch for epoch in epochs), "epoch", 120))
    assert svg is not None
    assert svg.count('class="kept"') == 1
    assert len(dots(svg)) == 2


@pytest.mark.parametrize("kept", [None, 2, 9])
def test_nothing_is_marked_where_the_kept_value_is_not_known(kept: float | None) -> None:
    curve = Curve("K", (1, 2, 3), (10, math.nan, 30), "iteration", kept)
    assert 'class="kept"' not in str(curve_chart(curve))
    assert kept_words(curve) == ""


def test_a_missing_value_interrupts_the_curve() -> None:
    svg = curve_chart(Curve("K", (1, 2, 3, 4, 5), (10, 20, math.nan, 40, 50)))
    assert svg is not None
    assert svg.count('<path class="first"') == 2
    assert len(dots(svg)) == 4
    assert curve_chart(Curve("K", (1, 2), (math.nan, math.inf))) is None
    assert curve_chart(Curve("K", (), ())) is None


def test_a_single_or_constant_value_is_drawn() -> None:
    for xs, ys in (((1,), (0.5,)), ((1, 2), (0.0, 0.0)), ((1, 2), (-3.0, -3.0))):
        svg = curve_chart(Curve("same", xs, ys))
        assert svg is not None
        assert [axis(svg, "ty")(cy) for _, cy, _ in dots(svg)] == pytest.approx(ys, abs=0.01)


def test_bars_are_as_high_as_their_shares() -> None:
    classes = (DegreeClass("1", 6, 1), DegreeClass("2 to 3", 3, 1), DegreeClass("4 to 7", 1, 2))
    svg = degree_chart(classes)
    y = axis(svg, "ty")
    for kind, expected in (("faint", (0.6, 0.3, 0.1)), ("second", (0.25, 0.25, 0.5))):
        tops = [float(top) for top in re.findall(rf'<rect class="{kind}" x="[\d.]+" y="([\d.]+)"', svg)]
        assert [y(top) for top in tops] == pytest.approx(expected, abs=0.005)
    assert "<title>4 to 7: 50.0% of the ends of proposed links</title>" in svg
    assert re.findall(r'class="tx"[^>]*>(.*?)<', svg) == ["1", "2", "4"]


@pytest.mark.parametrize("values", [(0.0, 1.0), (0.913, 0.9702), (-3.0, 12000.0), (1e-9, 3e-9), (5.0, 5.0)])
def test_a_scale_covers_its_values_with_few_round_ticks(values: tuple[float, float]) -> None:
    scale = around(values)
    assert scale.low <= min(values)
    assert scale.high >= max(values)
    assert 2 <= len(scale.ticks) <= 7
    steps = np.diff(scale.ticks)
    assert steps == pytest.approx(np.full(len(steps), steps[0]), rel=1e-6)


def test_numbers_are_written_for_readers() -> None:
    shares = (1.0, 0.99996, 0.987, 0.01, 0.0034, 0.0, 1e-7)
    expected = ["100.0%", "over 99.9%", "98.7%", "1.0%", "0.34%", "0.0%", "under 0.001%"]
    assert [per_cent(share) for share in shares] == expected
    told = [rounded(share) for share in (1.0, 0.99996, 0.987, 0.01, 0.0034, 0.0, 1e-7)]
    assert told == ["100%", "&gt; 99%", "99%", "1%", "0.3%", "0%", "&lt; 0.1%"]
    assert [number(value) for value in (12000.0, 0.25, 3e-7, -2.0, 1234.56)] == [
        "12,000",
        "0.25",
        "3e-07",
        "-2",
        "1,234.6",
    ]
