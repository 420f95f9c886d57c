"""From a finished search to its page: what the model says about its graph and its links, as plain data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.explanation.node_names import shares_name, type_of
from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.predictor.link_lists import link_nodes
from pulink.predictor.predictor import LinkPredictor
from pulink.report.find.content import Curve, DegreeClass, Drawing, FindPage, GraphKind, Link, PageText

# Doublings of degrees that there are at most.
_MOST_CLASSES = 64

# Nodes around the drawn links that are shown besides their ends, for each link.
AROUND = 2

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
    """links: the columns of every list of links; reasons: sentences by link, the main one first; n_found: how many
    links there are in all."""
    graph = model.graph_
    pairs = link_nodes(graph, links)
    return FindPage(
        title=words.title,
        command=words.command,
        answer=words.answer,
        facts=words.facts,
        asked=words.asked,
        read=(*_kind_read(graph), *_read(run["graph"], directed=graph.is_directed)),
        notes=tuple(run["graph"]["notes"]),
        warnings=tuple(run["warnings"]),
        links=_links(links, reasons, _types(graph, pairs)),
        n_found=n_found,
        searched=run["searched"],
        reliability=model.reliability(),
        history=_history(run["model"]),
        degree_classes=_classes(graph.degrees, pairs) if len(pairs) else (),
        drawing=drawing_of(graph, pairs, links["probability"].to_numpy()) if len(pairs) else None,
        settings=_settings(run["settings"]),
        versions=tuple(run["versions"].items()),
        kind=GraphKind(graph.kind, graph.ends),
    )


def _types(graph: Graph, pairs: npt.NDArray[np.int64]) -> list[tuple[str, str] | None]:
    """The types of both ends of every link, if a name among them is not that of one node, or columns mix types."""
    space = graph.pair_space
    if not isinstance(space, TypedPairs) or not len(pairs):
        return [None] * len(pairs)
    mixed = len(space.between) > 1
    if not mixed and not any(shares_name(graph, node) for node in np.unique(pairs).tolist()):
        return [None] * len(pairs)
    return [(type_of(graph, i), type_of(graph, j)) for i, j in pairs.tolist()]


def _links(
    links: pl.DataFrame, reasons: Sequence[Sequence[str]], types: Sequence[tuple[str, str] | None]
) -> tuple[Link, ...]:
    """A list by node counts its ranks from 1 for each: on the page the scores rank them."""
    ranks = links["rank"]
    if not ranks.is_sorted():
        ranks = links["score"].rank("min", descending=True).cast(pl.Int64)
    others = links.select("source", "target", "probability", "score", "probability_low", "probability_high").rows()
    return tuple(
        Link(rank, str(source), str(target), probability, score, low, high, tuple(why), of_ends)
        for rank, (source, target, probability, score, low, high), why, of_ends in zip(
            ranks.to_list(), others, reasons, types, strict=True
        )
    )


def _classes(degrees: npt.NDArray[np.integer], pairs: npt.NDArray[np.int64]) -> tuple[DegreeClass, ...]:
    return degree_classes(nodes_by_degree(degrees), nodes_by_degree(degrees[pairs.ravel()]))


def nodes_by_degree(degrees: npt.NDArray[np.integer]) -> npt.NDArray[np.int64]:
    """How many nodes have 0, 1, 2 to 3, 4 to 7, ... recorded links."""
    return np.bincount(np.ceil(np.log2(degrees + 1.0)).astype(np.int64), minlength=_MOST_CLASSES)


def degree_classes(n_nodes: npt.NDArray[np.int64], n_ends: npt.NDArray[np.int64]) -> tuple[DegreeClass, ...]:
    """What `nodes_by_degree` says of all nodes and of the ends of links, each end as often as it is one."""
    n_classes = int(np.flatnonzero(n_nodes)[-1]) + 1
    labels = ["none", "1", *(f"{2**k:,} to {2 ** (k + 1) - 1:,}" for k in range(1, n_classes - 1))]
    return tuple(
        DegreeClass(label, nodes, ends)
        for label, nodes, ends in zip(labels[:n_classes], n_nodes.tolist(), n_ends.tolist(), strict=False)
        if nodes or label != "none"
    )


def _kind_read(graph: Graph) -> tuple[tuple[str, str], ...]:
    """What kind of graph was read; nothing of an undirected one."""
    space = graph.pair_space
    if graph.is_directed:
        n_both = int(graph.has_edges(graph.edges[:, ::-1]).sum())
        return (
            ("kind of graph", f"directed, from {graph.ends[0]} to {graph.ends[1]}"),
            ("edges whose reverse is there too", f"{n_both:,}"),
        )
    if not isinstance(space, TypedPairs):
        return ()
    sizes = np.bincount(space.types, minlength=len(space.type_names)).tolist()
    nodes = tuple((f"nodes of type {name}", f"{n:,}") for name, n in zip(space.type_names, sizes, strict=True))
    asked = ", ".join(f"{space.type_names[a]} \u2013 {space.type_names[b]}" for a, b in space.between)
    known = () if space.context is None else (("edges of other types, known", f"{len(space.context):,}"),)
    return (("kind of graph", graph.kind), ("links asked about", asked), *nodes, *known)


def _read(graph: dict[str, Any], *, directed: bool = False) -> tuple[tuple[str, str], ...]:
    """Counts; of a directed graph an edge and its reverse are two."""
    counts = (
        ("nodes", "n_nodes"), ("edges", "n_edges"), ("node features", "n_features"), ("rows read", "n_rows"),
        ("repeated edges dropped", "n_duplicates"), ("edges given in both directions", "n_reversed"),
        ("self-loops dropped", "n_loops"),
    )  # fmt: skip
    told = (own for own in counts if not directed or own[1] != "n_reversed")
    return tuple((label, f"{graph[name] or 0:,}") for label, name in told)


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


def drawing_of(graph: Graph, pairs: npt.NDArray[np.int64], probabilities: npt.NDArray[np.float64]) -> Drawing:
    """The ends of the links, the neighbours that most of them share, and all edges among these."""
    ends = np.unique(pairs)
    touched = np.zeros(graph.n_nodes)
    for node in ends.tolist():
        touched[graph.neighbours(node)] += 1
    touched[ends] = 0
    order = np.argsort(-touched, kind="stable")[: AROUND * len(pairs)]
    shown = np.union1d(ends, order[touched[order] > 1])
    place = np.full(graph.n_nodes, -1)
    place[shown] = np.arange(len(shown))
    among = place[_recorded(graph)]
    space = graph.pair_space
    types: dict[str, Any] = {}
    if isinstance(space, TypedPairs):
        types = {"types": tuple(space.types[shown].tolist()), "type_names": space.type_names}
    return Drawing(
        names=tuple(graph.names.take(shown).cast(pl.String).to_list()),
        degrees=tuple(graph.degrees[shown].tolist()),
        observed=tuple((i, j) for i, j in among[(among >= 0).all(axis=1)].tolist()),
        proposed=tuple((i, j, p) for (i, j), p in zip(place[pairs].tolist(), probabilities.tolist(), strict=True)),
        kind=GraphKind(graph.kind, graph.ends),
        n_from=tuple(np.diff(graph.adjacency.indptr)[shown].tolist()) if graph.is_directed else (),
        **types,
    )


def _recorded(graph: Graph) -> npt.NDArray[np.int32]:
    """All edges, those of types that are not asked about among them."""
    space = graph.pair_space
    context = space.context if isinstance(space, TypedPairs) else None
    return graph.edges if context is None else np.concatenate([graph.edges, context])
