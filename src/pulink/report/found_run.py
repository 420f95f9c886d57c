"""From a finished search to its page: what the model says about its graph and its links, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.graph.graph import Graph
from pulink.models.predictor import LinkPredictor
from pulink.models.prevalence import MissingLinks
from pulink.report.found import Curve, Drawing, Estimate, Found, Link

# Nodes around the drawn links that are shown besides their ends, for each link.
_AROUND = 2

_CURVES = {
    "val_auroc": "AUROC on hidden edges",
    "val_average_precision": "average precision among all unconnected pairs",
    "k": "K, edges of the expected graph",
    "loss_expected": "loss on the expected graph",
    "loss_correction": "correction loss",
}


def found_of(
    model: LinkPredictor,
    links: pl.DataFrame,
    reasons: Sequence[Sequence[str]],
    run: dict[str, Any],
    *,
    title: str,
    command: str,
    ground: str,
) -> Found:
    """links: source, target, probability; reasons: sentences by link; ground: what the estimate rests on."""
    graph = model.graph_
    missing = model.estimate_missing()
    pairs = graph.names.index_of(links["source"].to_list() + links["target"].to_list()).reshape(2, -1).T
    after = graph.degrees + np.bincount(pairs.ravel(), minlength=graph.n_nodes)
    rows = zip(links.select("source", "target", "probability").rows(), reasons, strict=True)
    return Found(
        title=title,
        command=command,
        read=_read(run["graph"]),
        warnings=tuple(run["warnings"]),
        estimate=None if missing is None else _estimate(missing, ground),
        links=tuple(Link(str(s), str(t), p, tuple(why)) for (s, t, p), why in rows),
        searched=run["searched"],
        reliability=model.reliability(),
        history=_history(run["model"].get("history")),
        degrees_before=tuple(graph.degrees.tolist()),
        degrees_after=tuple(after.tolist()),
        drawing=_drawing(graph, pairs, links["probability"].to_numpy()) if len(pairs) else None,
        settings=tuple((name, str(value)) for name, value in run["settings"]["parameters"].items()),
        versions=tuple(run["versions"].items()),
    )


def _read(graph: dict[str, Any]) -> tuple[tuple[str, str], ...]:
    counts = (
        ("nodes", "n_nodes"), ("edges", "n_edges"), ("node features", "n_features"), ("rows read", "n_rows"),
        ("repeated edges dropped", "n_duplicates"), ("edges given in both directions", "n_reversed"),
        ("self-loops dropped", "n_loops"),
    )  # fmt: skip
    return (*((label, f"{graph[name] or 0:,}") for label, name in counts), *(("note", n) for n in graph["notes"]))


def _estimate(missing: MissingLinks, ground: str) -> Estimate:
    return Estimate(missing.low, missing.best, missing.high, ground)


def _history(records: Any) -> tuple[Curve, ...]:
    """PULL and PULL+ keep a record per iteration or round; others a pair of epoch and AUROC."""
    if not records:
        return ()
    if not isinstance(records[0], dict):
        epochs, values = zip(*records, strict=True)
        return (Curve(_CURVES["val_auroc"], tuple(map(float, epochs)), tuple(map(float, values))),)
    places = tuple(float(own.get("iteration", own.get("round", 0))) for own in records)
    return tuple(
        Curve(label, places, tuple(float("nan") if own[name] is None else float(own[name]) for own in records))
        for name, label in _CURVES.items()
        if any(own.get(name) is not None for own in records)
    )


def _drawing(graph: Graph, pairs: npt.NDArray[np.int64], chances: npt.NDArray[np.float64]) -> Drawing:
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
        proposed=tuple((i, j, p) for (i, j), p in zip(place[pairs].tolist(), chances.tolist(), strict=True)),
    )
