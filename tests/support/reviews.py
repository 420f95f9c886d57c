"""Results of find that can be reviewed at once, and reviewers who know the truth."""

from __future__ import annotations

import shutil
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

import pulink
from pulink.calibration.fdr import FdrCurve
from pulink.calibration.review.design import ReviewDesign
from tests.support.planted import planted_graph


@cache
def _results() -> Path:
    folder = Path(mkdtemp(prefix="pulink-review-"))
    pulink.find(planted_graph(30, 2, 0.3, 0.02, seed=0), method="l3n", top=20).save(folder / "out")
    return folder / "out"


def results(folder: Path) -> Path:
    """What find wrote of two planted communities of 30 nodes, in a folder of its own."""
    target = folder / "out"
    shutil.copytree(_results(), target)
    return target


def small_design(sizes: list[int], hidden: list[float], tail: float = 0.0, seed: int = 0) -> ReviewDesign:
    """Strata of these sizes with so many hidden edges, evenly within each; 10 times as many others below."""
    ends, counts = np.cumsum(sizes), np.cumsum(hidden)
    others, found = ends.astype(np.float64), counts.astype(np.float64)
    if tail:
        others, found = np.append(others, 10.0 * ends[-1]), np.append(found, counts[-1] + tail)
    curve = FdrCurve(others, found, 0.5)
    n_known = int(10 * found[-1])
    return ReviewDesign(ends, np.asarray(hidden, np.float64), tail, curve, n_known, 3.0 * found[-1], seed)
