"""The figures with the numbers behind them."""

from __future__ import annotations

from collections.abc import Sequence

from pulink.experiments.spec import Experiment
from pulink.report.reproduction import phrases
from pulink.report.reproduction.curves import Curve, Scaling
from pulink.report.reproduction.document import Block, Box, Fold, Grid, Picture, Section, Text, box
from pulink.report.reproduction.figures import DARK, LIGHT, draw_iterations, draw_scaling

_NOTHING = Text("No run of it is finished yet.")


def iterations_section(experiment: Experiment, curves: Sequence[Curve]) -> Section:
    blocks: list[Block] = [_NOTHING]
    if curves:
        drawn = (draw_iterations(curves, palette) for palette in (LIGHT, DARK))
        picture = Picture(f"{experiment.name}.png", experiment.title, phrases.ITERATIONS, *drawn)
        blocks = [picture, _curves_grid(curves), Fold("Every iteration", (_iterations_grid(curves),))]
    return _section(experiment, blocks)


def scaling_section(experiment: Experiment, series: Sequence[Scaling]) -> Section:
    blocks: list[Block] = [_NOTHING]
    if series:
        drawn = (draw_scaling(series, palette) for palette in (LIGHT, DARK))
        picture = Picture(f"{experiment.name}.png", experiment.title, phrases.SCALING, *drawn)
        blocks = [picture, _scaling_grid(series)]
    return _section(experiment, blocks)


def _section(experiment: Experiment, blocks: list[Block]) -> Section:
    settings = "; ".join(
        ", ".join(f"{name} = {value}" for name, value in entry.values.items()) for entry in experiment.overrides
    )
    opening = [Text(f"Settings that differ from the methods' own: {settings}.")] if settings else []
    return Section(experiment.name, phrases.heading(experiment), (*opening, *blocks))


def _curves_grid(curves: Sequence[Curve]) -> Grid:
    head = ("dataset", "method", "seeds", "first", "best", "last", "K reaches the true number at")
    return Grid("Validation AUROC", tuple(map(box, head)), tuple(_curve_row(curve) for curve in curves))


def _curve_row(curve: Curve) -> tuple[Box, ...]:
    first, last = curve.points[0], curve.points[-1]
    best = max(curve.points, key=lambda point: point[1])
    crossing = "never" if curve.crossing is None else f"iteration {curve.crossing:.1f}"
    return (
        box(curve.column),
        box(curve.method),
        box(str(len(curve.by_seed))),
        *(box(f"{phrases.measured(mean, sd)} (iteration {t})") for t, mean, sd in (first, best, last)),
        box(crossing),
    )


def _iterations_grid(curves: Sequence[Curve]) -> Grid:
    length = max(len(curve.points) for curve in curves)
    head = ("dataset", "method", *(str(t) for t in range(1, length + 1)))
    rows = []
    for curve in curves:
        values = [phrases.measured(mean, sd) for _, mean, sd in curve.points]
        rows.append(tuple(map(box, (curve.column, curve.method, *values, *[""] * (length - len(values))))))
    return Grid("Validation AUROC by outer iteration", tuple(map(box, head)), tuple(rows))


def _scaling_grid(series: Sequence[Scaling]) -> Grid:
    shares = sorted({share for scaling in series for share, _, _ in scaling.points})
    head = ("dataset", "runs", *(f"{share:g}" for share in shares), "seconds per 100,000 edges", "R²")
    rows = []
    for scaling in series:
        line = scaling.over_edges
        slope, r2 = ("", "") if line is None else (phrases.seconds(1e5 * line.slope), f"{line.r2:.3f}")
        values = [phrases.seconds(scaling.at(share)) for share in shares]
        rows.append(tuple(map(box, (scaling.column, str(len(scaling.points)), *values, slope, r2))))
    return Grid("Mean processor seconds by share of the edges", tuple(map(box, head)), tuple(rows))
