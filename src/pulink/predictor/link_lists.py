"""Lists of links: the best of all pairs, the longest that can be trusted, the best of each node."""

from __future__ import annotations

import contextlib
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.calibration.calibrator import Calibrator
from pulink.calibration.missing_links import MissingLinks
from pulink.calibration.rank_transfer import told_apart
from pulink.calibration.review.review import Review
from pulink.calibration.review.reviewed import reviewed
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.pair_space import PairSpace
from pulink.graph.pairs import resolve_pairs
from pulink.graph.spaces.kinds import UNDIRECTED
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.graph.tables.frames import PANDAS, PYARROW, WHOLE_TYPES
from pulink.predictor.search_scope import BestOfEachNode

if TYPE_CHECKING:
    from pulink.predictor.answers import FittedModel

Pairs = npt.NDArray[np.int64]
Scores = npt.NDArray[np.float64]

# Of every list of links; at the end the two ends are called as those of the graph are.
COLUMNS = ("rank", "source", "target", "probability", "score", "probability_low", "probability_high")

ENDS = ("source", "target")

# A list without a length holds so many links.
_USUAL = 100
# A list that can be trusted is looked for among so many times the links that may be missing.
_TIMES, _LEAST, _MOST = 2, 1_000, 1_000_000
# The best pairs of each node are looked for among so many times those that are asked for.
_EACH_TIMES = 4
# Nodes that have too few of them are asked about one by one, up to so many pairs.
_MOST_ASKED = 5_000_000


def ordered(space: PairSpace, pairs: npt.NDArray[np.integer], scores: Scores) -> tuple[Pairs, Scores]:
    """Best first, pairs ordered as in their space, so that each looks the same wherever it was found.

    Searches rank in single precision; a list is in the order of the numbers that it shows.
    """
    order = np.lexsort((space.codes(pairs), -told_apart(scores)))
    return space.ordered(pairs[order]).astype(np.int64), scores[order]


def frame(
    model: FittedModel, pairs: Pairs, scores: Scores, least: float, *, by_node: bool = False
) -> pl.DataFrame:
    """The columns of `COLUMNS`, of pairs that are at least so likely, best first.

    The column `score` is the log-odds of the probability: it tells apart what is nearly 0 or nearly 1. Pairs to
    which the method gives equal scores have the same rank.

    by_node  pairs come node by node, each node first, best first: ranks count from 1 for each
    """
    names, scores = model.graph_.names, told_apart(scores)
    low, high = model._interval(scores)
    probability = model._calibrated(scores)
    found = {
        "rank": ranks(scores, pairs[:, 0] if by_node else np.zeros(len(scores))),
        "source": names.take(pairs[:, 0]),
        "target": names.take(pairs[:, 1]),
        "probability": probability,
        "score": log_odds(probability),
        "probability_low": pl.Series(low if low is not None else [None] * len(scores), dtype=pl.Float64),
        "probability_high": pl.Series(high if high is not None else [None] * len(scores), dtype=pl.Float64),
    }
    return pl.DataFrame(found).filter(pl.col("probability") >= least)


def ranks(scores: Scores, lists: npt.NDArray[np.number]) -> npt.NDArray[np.int64]:
    """1 for the best of each list, and for others how many of their list are better, and one."""
    places = np.arange(len(scores))
    begins = np.diff(lists, prepend=-1) != 0
    falls = begins | (np.diff(scores, prepend=np.inf) != 0)
    first, same = (np.maximum.accumulate(np.where(mask, places, 0)) for mask in (begins, falls))
    return np.asarray(same - first + 1)


def log_odds(probabilities: Scores) -> Scores:
    """Of probabilities, also of nearly 0 and nearly 1."""
    certain = np.clip(probabilities, 1e-300, 1 - 1e-16)
    return np.asarray(np.log(certain) - np.log1p(-certain))


def check_least(probability: float) -> None:
    """Refuse what is no probability."""
    if not 0 <= probability <= 1:
        raise ParameterError(f"min_probability must lie in [0, 1], got {probability!r}")


def length_of(model: FittedModel, top: int | None, fdr: float | None) -> int:
    """How many of the best pairs to look at for a list."""
    if fdr is None:
        return _USUAL if top is None else top
    if not 0 < fdr < 1:
        raise ParameterError(f"fdr must lie in (0, 1), got {fdr!r}")
    return listed_length(top, fdr, model.estimate_missing())


def listed_length(top: int | None, fdr: float | None, missing: MissingLinks | None) -> int:
    """The same, where so many links are missing; None: nobody knows."""
    if fdr is None:
        return _USUAL if top is None else top
    if missing is None:
        raise InputError("fdr needs hidden edges as a test, and there are too few edges to hide some")
    return max(top or 0, min(max(math.ceil(_TIMES * missing.high / (1 - fdr)), _LEAST), _MOST))


def best_of_each(model: FittedModel, count: int) -> tuple[Pairs, Scores, BestOfEachNode]:
    """The `count` best pairs of each node, the node first, and which pairs were searched.

    Of a directed graph these are the links from it; where nodes have types, nodes that never come first have none.
    """
    found, scope = _searched_for_each(model, count)
    space = model.graph_.pair_space
    pairs, scores = ordered(space, found, model._scored(found))
    ends, places = pairs.T.reshape(-1), np.tile(np.arange(len(pairs)), 2)
    may_begin = space.starting_at(pairs[places], ends)[:, 0] == ends
    ends, places = ends[may_begin], places[may_begin]
    order = np.lexsort((places, ends))
    ends, places = ends[order], places[order]
    kept = np.arange(len(ends)) - np.searchsorted(ends, ends) < count
    ends, places = ends[kept], places[kept]
    rows: Pairs = space.starting_at(pairs[places], ends).astype(np.int64)
    n_short = int((np.bincount(ends, minlength=space.n_nodes)[_beginning(space)] < count).sum())
    return rows, scores[places], replace(scope, n_short=n_short)


def by_answers(model: FittedModel, calibrator: Calibrator | None, review: Review) -> Calibrator:
    """What hidden edges and answers about the best pairs say together."""
    if calibrator is None:
        raise InputError("a review needs hidden edges beside it, and there are too few edges to hide some")
    scores = review.scores
    if scores is None:
        found, _ = model.best_pairs(review.design.zone)
        _, scores = ordered(model.graph_.pair_space, found, model._scored(found))
    return reviewed(calibrator, review, scores)


def _beginning(space: PairSpace) -> npt.NDArray[np.bool_]:
    """Which nodes may come first in a pair (n)."""
    if not isinstance(space, TypedPairs):
        return np.ones(space.n_nodes, dtype=np.bool_)
    return np.isin(space.types, [first for first, _ in space.between])


def _searched_for_each(model: FittedModel, count: int) -> tuple[Pairs, BestOfEachNode]:
    graph = model.graph_
    n_free = graph.n_pairs - graph.n_edges
    wanted = min(n_free, _EACH_TIMES * count * graph.n_nodes, _MOST)
    found, scope = model.best_pairs(wanted)
    if wanted == n_free:
        return found.astype(np.int64), BestOfEachNode(count, scope)
    space = graph.pair_space
    begun = found.ravel() if space.kind == UNDIRECTED else space.ordered(found)[:, 0]
    n_found = np.bincount(begun, minlength=graph.n_nodes)
    few = np.flatnonzero((n_found < count) & (n_found < space.n_pairs_by_node - graph.degrees) & _beginning(space))
    if not len(few) or len(few) * graph.n_nodes > _MOST_ASKED:
        return found.astype(np.int64), BestOfEachNode(count, scope, len(found))
    more = [graph.open_pairs(node) for node in few.tolist()]
    every = space.unique(np.concatenate([found, *more]))
    return every.astype(np.int64), BestOfEachNode(count, scope, len(found), n_asked=len(few))


def named_ends(found: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """A list whose two ends are called as those of the graph are: citing and cited, not source and target."""
    return found if graph.ends == ENDS else found.rename(dict(zip(ENDS, graph.ends, strict=True)))


def plain_ends(found: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """The same list with its ends called source and target, and nodes called by texts, as inside."""
    plain = found if graph.ends == ENDS else found.rename(dict(zip(graph.ends, ENDS, strict=True)))
    return plain.with_columns(pl.col(*ENDS).cast(pl.String))


def link_nodes(graph: Graph, found: pl.DataFrame) -> Pairs:
    """The nodes of each link (k x 2) of a list with the columns source and target."""
    first, second = found["source"].to_list(), found["target"].to_list()
    if isinstance(graph.pair_space, TypedPairs):
        return resolve_pairs(graph, list(zip(first, second, strict=True)))
    return graph.names.index_of(first + second).reshape(2, -1).T


def as_came(found: pl.DataFrame, graph: Graph) -> Any:
    """A list in the kind of frame that the edges came in, its ends called as theirs, whole numbers as numbers."""
    found = named_ends(_with_numbers(found, graph), graph)
    if graph.frames == PANDAS:
        import pandas as pd

        columns = {
            name: pd.Series(own.to_list(), dtype=str(own.dtype).lower() if own.dtype.is_integer() else None)
            for name, own in zip(found.columns, found.get_columns(), strict=True)
        }
        return pd.DataFrame(columns)
    if graph.frames == PYARROW:
        # Another library may have handed over its columns where there is no pyarrow.
        with contextlib.suppress(ImportError):
            return found.to_arrow(compat_level=pl.CompatLevel.oldest())
    return found


def _with_numbers(found: pl.DataFrame, graph: Graph) -> pl.DataFrame:
    """The ends as the whole numbers that they came as; those of new nodes that are called otherwise stay texts."""
    for name, kind in zip(ENDS, graph.id_types or (None, None), strict=True):
        if kind is not None:
            numbers = found[name].cast(WHOLE_TYPES[kind], strict=False)
            found = found if numbers.null_count() else found.with_columns(numbers)
    return found
