"""Every rival by its name, for each kind of graph. All other names are methods of pulink."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from benchmarks.kinds.als import als, als_with
from benchmarks.kinds.ease import (
    ease_both,
    ease_both_with,
    ease_first,
    ease_first_with,
    ease_second,
    ease_second_with,
)
from benchmarks.kinds.graphs import DIRECTED
from benchmarks.kinds.item_knn import item_knn, item_knn_with
from benchmarks.kinds.oriented import Oriented
from benchmarks.kinds.ours import Ours
from benchmarks.kinds.scorers import Scorer
from benchmarks.kinds.svd import svd, svd_with
from benchmarks.kinds.walks import l3, popularity, reverses, two_steps
from pulink.graph.split import Split

Fit = Callable[[Split], Scorer]
FitAgain = Callable[[Split, dict[str, Any]], Scorer]

RIVALS_DIRECTED: dict[str, Fit] = {
    "degree-product": popularity,
    "reverses": reverses,
    "two-step-walks": two_steps,
    "l3-walks": l3,
    "svd": svd,
}
ORIENTED = {f"oriented-{name}": name for name in ("adamic-adar", "l3n", "pull-plus")}
RIVALS_TWO_SIDED: dict[str, Fit] = {
    "popularity": popularity,
    "l3-walks": l3,
    "svd": svd,
    "item-knn": item_knn,
    "ease-first": ease_first,
    "ease-second": ease_second,
    "ease-both": ease_both,
    "als": als,
}
# Rivals with settings are fitted again with those that were best on validation edges.
AGAIN: dict[str, FitAgain] = {
    "svd": svd_with,
    "item-knn": item_knn_with,
    "ease-first": ease_first_with,
    "ease-second": ease_second_with,
    "ease-both": ease_both_with,
    "als": als_with,
}
FIRST_OF_OURS = "pull-plus"
OURS = (FIRST_OF_OURS, "pull", "l3n")


def rivals(graph: str) -> tuple[str, ...]:
    """The rivals on one of the four graphs."""
    return (*RIVALS_DIRECTED, *ORIENTED) if graph in DIRECTED else (*RIVALS_TWO_SIDED,)


def fitted(name: str, graph: str, split: Split, whole: Split) -> Scorer:
    """A rival, or a method of pulink, that has learned from all edges but the test edges.

    split  by whose validation edges settings are chosen; `whole` the same with these among the training edges
    """
    known = RIVALS_DIRECTED if graph in DIRECTED else RIVALS_TWO_SIDED
    if name in ORIENTED and graph in DIRECTED:
        return Oriented(ORIENTED[name], split, whole)
    if name in AGAIN:
        return AGAIN[name](whole, known[name](split).settings)
    return known[name](whole) if name in known else Ours(name, whole)
