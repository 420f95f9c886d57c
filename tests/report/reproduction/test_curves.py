"""What the figures show, from made-up journeys."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from pulink.report.reproduction.curves import Curve, read_curves, read_scaling
from tests.support.made_up_runs import Store, experiment


def journey(values: list[float], ks: list[int]) -> dict[str, Any]:
    steps = [
        {"iteration": t, "val_auroc": v / 100, "k": k} for t, (v, k) in enumerate(zip(values, ks, strict=True))
    ]
    return {"run": {"history": steps, "n_train_edges": 80, "k": 20}}


def test_means_over_seeds_go_as_far_as_every_seed(tmp_path: Path) -> None:
    own = experiment(kind="iterations", methods=["pull"], controls=False, expected={})
    store = Store(tmp_path, own)
    store.write("pull", "sample", 0, journey([90.0, 92.0, 94.0], [80, 84, 88]))
    store.write("pull", "sample", 1, journey([92.0, 92.0], [80, 84]))
    (curve,) = read_curves(store.results, own)
    assert [(t, pytest.approx(mean), pytest.approx(sd)) for t, mean, sd in curve.points] == [
        (1, 91.0, 2**0.5),
        (2, 92.0, 0.0),
    ]
    assert curve.n_true == 100


@pytest.mark.parametrize(
    ("ks", "expected"),
    [
        ([80.0, 90.0, 100.0, 110.0], 3.0),
        ([80.0, 96.0, 112.0], 2.25),
        # Rounded down: one short of the true number.
        ([80.0, 90.0, 99.0, 109.0], 3.0),
        ([80.0, 85.0], None),
    ],
)
def test_where_k_reaches_the_true_number(ks: list[float], expected: float | None) -> None:
    assert Curve("pull", "sample", {0: [90.0] * len(ks)}, ks, n_true=100).crossing == expected


def test_seconds_over_shares(tmp_path: Path) -> None:
    shares = [0.1, 0.2, 0.5]
    own = experiment(kind="scaling", methods=["pull"], controls=False, expected={}, edge_shares=shares)
    store = Store(tmp_path, own)
    for share in shares:
        for seed in (0, 1):
            run = {"cpu_seconds": 1 + 100 * share + seed, "n_train_edges": int(800 * share), "k": int(200 * share)}
            store.write("pull", "sample", seed, {"run": run}, share)
    (found,) = read_scaling(store.results, own)
    line = found.over_shares
    assert line is not None
    assert (line.slope, line.intercept) == (pytest.approx(100.0), pytest.approx(1.5))
    assert found.at(0.2) == pytest.approx(21.5)
    assert found.at(0.9) is None
    assert {edges for _, edges, _ in found.points} == {100, 200, 500}
    edges = found.over_edges
    assert edges is not None
    assert edges.slope == pytest.approx(0.1)
    assert edges.r2 == pytest.approx(line.r2)
