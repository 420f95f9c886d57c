"""One run by somebody else's protocol: its split, the fit, and the measures that it has."""

from __future__ import annotations

import math
from typing import Any

from pulink import metrics
from pulink.data.catalog import load, stored_split
from pulink.evaluation import timed_fit
from pulink.experiments.hard_non_edges import hard_non_edges
from pulink.experiments.protocol import STORED, Protocol
from pulink.graph.split import Split, split
from pulink.predictor.predictor import LinkPredictor
from pulink.system.memory import peak_bytes, reset_peak


def data_of(protocol: Protocol, dataset: str, test: float, seed: int) -> Split:
    """The split of a seed, audited."""
    if protocol.split == STORED:
        return stored_split(dataset)
    return split(load(dataset), val=protocol.val, test=test, seed=seed)


def run_by(protocol: Protocol, model: LinkPredictor, data: Split, seed: int) -> dict[str, Any]:
    """Fit and measure; a score that does not exist is None."""
    reset_peak()
    seconds, cpu_seconds = timed_fit(model, data.train if protocol.own_val else data)
    measures = model.score(data)
    if protocol.n_hard:
        hard = hard_non_edges(data, protocol.n_hard, seed)
        edges = model.decision_function(data.test_edges)
        measures |= metrics.measured(metrics.Basis.HARD_PAIRS, edges, hard.scores(model))
    return {
        **{name: None if math.isnan(value) else value for name, value in measures.items()},
        "seed": seed,
        "n_steps": model.n_steps_,
        "n_test_edges": len(data.test_edges),
        "n_test_non_edges": len(data.test_non_edges),
        "seconds": round(seconds, 3),
        "cpu_seconds": round(cpu_seconds, 3),
        "peak_mb": round(peak_bytes() / 1e6, 1),
    }
