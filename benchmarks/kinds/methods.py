"""Every rival by its name, for each kind of graph. All other names are methods of pulink."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from benchmarks.kinds.als import als
from benchmarks.kinds.ease import ease_both, ease_first, ease_second
from benchmarks.kinds.graphs import DIRECTED
from benchmarks.kinds.item_knn import item_knn
from benchmarks.kinds.oriented import Oriented
from benchmarks.kinds.ours import Ours
from benchmarks.kinds.scorers import Scorer
from benchmarks.kinds.svd import svd
from benchmarks.kinds.walks import l3, popularity, reverses, two_steps
from pulink.graph.split import Split

Fit = Callable[[Split], Scorer]

RIVALS_DIRECTED: dict[str, Fit] = {
    "degree-product": popularity,
    "reverses": reverses,
    "two-step-walks": two_steps,
    "l3-walks": l3,
    "svd": svd,
    "oriented-adamic-adar": partial(Oriented, "adamic-adar"),
    "oriented-l3n": partial(Oriented, "l3n"),
    "oriented-pull-plus": partial(Oriented, "pull-plus"),
}
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
FIRST_OF_OURS = "pull-plus"
OURS = (FIRST_OF_OURS, "pull", "l3n")


def rivals(graph: str) -> dict[str, Fit]:
    """The rivals on one of the four graphs."""
    return RIVALS_DIRECTED if graph in DIRECTED else RIVALS_TWO_SIDED


def fitted(name: str, graph: str, split: Split) -> Scorer:
    """A rival, or a method of pulink, after its fit."""
    known = rivals(graph)
    return known[name](split) if name in known else Ours(name, split)
