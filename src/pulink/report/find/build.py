"""From a finished search to its page: what the model says about its graph and its links, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.calibration.missing_links import MissingLinks
from pulink.graph.graph import Graph
from pulink.predictor.predictor import LinkPredictor
from pulink.report.find.content import Curve, Drawing, Estimate, FindPage, Link, PageText

# Nodes around the drawn links that are shown besides their ends, for each link.
_AROUND = 2

_CURVES = {
    "val_auroc": "AUROC on hidden edges",
    "val_average_precision": "average precision among all unconnected pairs",
    "k": "K, edges of the expected graph",
    "loss_expected": "loss on the expected graph",
    "loss_correction": "correction loss",
}

# What a record counts, and where the model says which one it kept.
_KEPT = {"iteration": "n_iter", "round": "n_rounds", "epoch": "n_epochs"}


def found_of(
    model: LinkPredictor,
    links: pl.DataFrame,
    reasons: Sequence[Sequence[str]],
    run: dict[str, Any],
    words: PageText,
    n_found: int,
) -> FindPage:
    """links: source, target, probability; reasons: sentences by link; n_found: how many links there are in all."""
    graph = model.graph_
    missing = model.estimate_missing()
    pairs = graph.names.index_of(links["source"].to_list() + links["target"].to_list()).reshape(2, -1).T
    after = graph.degrees + np.bincount(pairs.ravel(), minlength=graph.n_nodes)
    rows = zip(links.select("source", "target", "probability").rows(), reasons, strict=True)
    return FindPage(
        title=words.title,
        command=words.command,
        method=words.method,
        read=_read(run["graph"]),
        notes=tuple(run["graph"]["notes"]),
        warnings=tuple(run["warnings"]),
        estimate=None if missing is None else _estimate(missing, words),
        asked=words.asked,
        links=tuple(Link(str(s), str(t), p, tuple(why)) for (s, t, p), why in rows),
        n_found=n_found,
        searched=run["searched"],
        reliability=model.reliability(),
        history=_history(run["model"]),
        degrees_before=tuple(graph.degrees.tolist()),
        degrees_after=tuple(after.tolist()),
        drawing=_drawing(graph, pairs, links["probability"].to_numpy()) if len(pairs) else None,
        settings=_settings(run["settings"]),
        versions=tuple(run["versions"].items()),
    )


def _read(graph: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    counts = (
        ("nodes", "n_nodes"), ("edges", "n_edges"), ("node features", "n_features"), ("rows read", "n_rows"),
        ("repeated edges dropped", "n_duplicates"), ("edges given in both directions", "n_reversed"),
        ("self-loops dropped", "n_loops"),
    )  # fmt: skip
    return tuple((label, f"{graph[name] or 0:,}") for label, name in counts)


def _estimate(missing: MissingLinks, words: PageText) -> Estimate:
    return Estimate(missing.low, missing.best, missing.high, words.ground, words.hedge)


def _settings(asked: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    return (
        ("method", str(asked["method"])),
        *((name, str(value)) for name, value in asked["parameters"].items()),
    )


def _history(learned: dict[str, Any]) -> tuple[Curve, ...]:
    """PULL and PULL+ keep a record per iteration or round; others a pair of epoch and AUROC."""
    records = [
        entry if isinstance(entry, dict) else dict(zip(("epoch", "val_auroc"), entry, strict=True))
        for entry in learned.get("history") or ()
    ]
    if not records:
        return ()
    step = next(key for key in _KEPT if key in records[0])
    places = tuple(float(record[step]) for record in records)
    kept = learned.get(_KEPT[step])
    return tuple(
        Curve(label, places, _values(records, name), step, None if kept is None else float(kept))
        for name, label in _CURVES.items()
        if any(record.get(name) is not None for record in records)
    )


def _values(records: Sequence[dict[str, Any]], name: str) -> tuple[float, ...]:
    return tuple(float("nan") if record[name] is None else float(record[name]) for record in records)


def _drawing(graph: Graph, pairs: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float64]) -> Drawing:
    """The ends of the links, the neighbours that most of them share, and all edges among these."""
    ends = np.unique(pairs)
    touched = np.zeros(graph.n_nodes)
    for node in ends.tolist():
        touched[graph.adjacency.indices[graph.adjacency.indptr[node] : graph.adjacency.indptr[node + 1]]] += 1
    touched[ends] = 0
    order = np.argsort(-touched, kind="stable")[: _AROUND * len(pairs)]
    shown = np.union1d(ends, order[touched[order] > 1])
    place = np.full(graph.n_nodes, -1)
    place[shown] = np.arange(len(shown))
    among = place[graph.edges]
    return Drawing(
        names=tuple(graph.names.take(shown).cast(pl.String).to_list()),
        observed=tuple((i, j) for i, j in among[(among >= 0).all(axis=1)].tolist()),
        proposed=tuple((i, j, p) for (i, j), p in zip(place[pairs].tolist(), probabilities.tolist(), strict=True)),
    )
