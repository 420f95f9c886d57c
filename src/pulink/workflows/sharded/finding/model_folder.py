"""What workers found -> a model folder, whole or not at all."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.calibration.calibrator import Calibrator
from pulink.calibration.rank_transfer import told_apart
from pulink.persistence.manifest import stranger
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.persistence.sharded_model import (
    GRAPH,
    LINK_COLUMNS,
    LINKS_IN_A_FILE,
    ModelSummary,
    attribute_counts,
    seal_model,
    write_attribute_counts,
    write_calibration,
    write_encoder,
    write_links,
)
from pulink.persistence.sharded_writing import Files
from pulink.predictor.fitting.structure_view import without_nan
from pulink.predictor.link_lists import log_odds, ranks
from pulink.predictor.sharded.found_files import Found
from pulink.predictor.sharded.group_embedding import GROUP
from pulink.system.files import staged_folder
from pulink.workflows.sharded.finding.asked import GroupMethod, model_of

if TYPE_CHECKING:
    from pulink.workflows.finding.request import FindRequest

F64 = npt.NDArray[np.float64]

_ROWS = 1 << 20


def write_model(
    target: Path, request: FindRequest, method: GroupMethod, graph: ShardedGraph, place: Path, found: Found
) -> None:
    """place: where the workers left their files, which stay there."""
    model = model_of(request)
    with staged_folder(target, stranger=stranger) as staged:
        (staged / GRAPH).mkdir()
        for name in (*graph.summary.files, "graph.json"):
            _linked(graph.folder / name, staged / GRAPH / name)
        files: Files = dict(found.files)
        for name in files:
            _linked(place / name, staged / name)
        if found.encoder:
            files |= write_encoder(staged, found.encoder)
        numbers, curves = (None, {}) if found.calibrator is None else found.calibrator.stored()
        if found.calibrator is not None:
            files |= write_calibration(staged, curves)
        if (counts := _attribute_counts(graph)) is not None:
            files |= write_attribute_counts(staged, counts)
        links = _listed(graph, found, request.query.fdr, request.query.top, request.query.min_probability)
        for k, start in enumerate(range(0, max(links.height, 1), LINKS_IN_A_FILE)):
            files |= write_links(staged, k, links.slice(start, LINKS_IN_A_FILE))
        learned = dict(found.plain["chosen"]) | {"engine": GROUP}
        if (refit := found.plain["refit"]) is not None:
            learned["n_steps"] += refit["n_steps"]
        if "n_iter" in learned:
            learned["refit_history"] = [] if refit is None else refit["history"]
        summary = ModelSummary(
            kind=method.kind.__name__,
            params=model.get_params(),
            learned=learned,
            calibration=numbers,
            embedding_ranges=found.ranges,
            n_units=model.n_units,
            searched=found.plain["searched"],
            n_links=links.height,
        )
        seal_model(staged, files, summary)


def _linked(source: Path, target: Path) -> None:
    """The same file under another name; a copy where a disk knows no such thing."""
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)


def _attribute_counts(graph: ShardedGraph) -> npt.NDArray[np.int64] | None:
    """How many nodes have each column, where all columns are 0 or 1."""
    if not graph.n_features:
        return None
    total = np.zeros(graph.n_features, dtype=np.int64)
    for first in range(0, graph.n_nodes, _ROWS):
        rows = graph.features(first, min(first + _ROWS, graph.n_nodes))
        assert rows is not None
        if (counts := attribute_counts(rows)) is None:
            return None
        total += counts
    return total


def _listed(graph: ShardedGraph, found: Found, fdr: float | None, top: int | None, least: float) -> pl.DataFrame:
    """The list as `predictor.link_lists.frame` makes it, with node numbers."""
    pairs, scores = found.pairs, without_nan(found.scores, "training")
    calibrator = found.calibrator
    if fdr is not None and calibrator is not None:
        n_kept = min(calibrator.fdr_curve.longest(fdr), len(scores) if top is None else top)
        pairs, scores = pairs[:n_kept], scores[:n_kept]
    scores = told_apart(scores)
    probability, low, high = _calibrated(calibrator, scores)
    columns: dict[str, Any] = {
        "rank": ranks(scores, np.zeros(len(scores))),
        "first": pairs[:, 0],
        "second": pairs[:, 1],
        "source": pl.Series(graph.names(pairs[:, 0]), dtype=pl.String),
        "target": pl.Series(graph.names(pairs[:, 1]), dtype=pl.String),
        "probability": probability,
        "score": log_odds(probability),
        "probability_low": low,
        "probability_high": high,
    }
    return pl.DataFrame(columns, schema=LINK_COLUMNS).filter(pl.col("probability") >= least)


def _calibrated(calibrator: Calibrator | None, scores: F64) -> tuple[F64, F64 | None, F64 | None]:
    if calibrator is None:
        from scipy.special import expit

        return np.asarray(expit(scores)), None, None
    low, high = calibrator.interval(scores)
    return calibrator.curve.probability(scores), low, high
