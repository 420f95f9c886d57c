"""A fitted predictor and its split -> every measure by name."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.calibration.pair_sample import PairSample
from pulink.calibration.reliability import Reliability
from pulink.engine.random import permutation, stream_key
from pulink.graph.degree_non_edges import degree_non_edges
from pulink.graph.graph import Edges
from pulink.graph.spaces.kinds import BIPARTITE
from pulink.graph.split import Split
from pulink.metrics import Basis, RankedLists
from pulink.predictor.predictor import LinkPredictor

Values = dict[str, float]

# Pairs that are ranked for the lists of single nodes: of so many at most, in parts of so many.
_MOST_RANKED, _RANKED_AT_ONCE = 2_000_000, 200_000


def measures_of(
    model: LinkPredictor, data: Split, found: Edges, seed: int
) -> tuple[Values, dict[str, Any] | None]:
    """All measures that such a graph and split have, and the bins of the calibration error.

    found  the best pairs, best first
    """
    hidden, space = data.hidden_edges, data.train.pair_space
    edges = model.decision_function(data.test_edges)
    alike = model.decision_function(degree_non_edges(data, seed))
    calibration, reliability = _calibration(model, data, found, seed)
    values = {
        **model.score(data),
        **metrics.measured(Basis.DEGREE_PAIRS, edges, alike),
        **metrics.measured(Basis.BEST_PAIRS, found[: len(hidden)], hidden, space),
        **(
            metrics.measured(Basis.LONG_LIST, found, hidden, space)
            if model.cheap_long_search
            else metrics.not_measured(Basis.LONG_LIST)
        ),
        **calibration,
    }
    if data.train.is_directed:
        values |= _of_directions(model, data, edges)
    if data.train.kind == BIPARTITE:
        values |= metrics.measured(Basis.RANKED_SIDE, ranked_side(model, data, seed))
    if data.cut is not None:
        values |= _of_past(model, data, edges)
    return {
        measure.name: values[measure.name] for measure in metrics.MEASURES if measure.name in values
    }, reliability


def _calibration(
    model: LinkPredictor, data: Split, listed: Edges, seed: int
) -> tuple[Values, dict[str, Any] | None]:
    """All hidden edges are the truth. What is not listed is judged by a sample."""
    if model.estimate_missing() is None:
        return metrics.not_measured(Basis.PROBABILITIES), None
    asked = PairSample.of(data.train, listed, data.hidden_edges, seed)
    given = model.predict_proba(asked.pairs), asked.labelled.astype(np.float64), asked.weights
    return metrics.measured(Basis.PROBABILITIES, *given), Reliability.of(*given).to_dict()


def _of_directions(model: LinkPredictor, data: Split, edges: npt.NDArray[np.floating]) -> Values:
    """Test edges whose reverse is no edge of the whole graph, against this reverse."""
    reverses = data.test_edges[:, ::-1]
    whole = np.concatenate([data.train.edges, data.hidden_edges])
    one_way = ~data.train.pair_space.isin(reverses, whole)
    against = model.decision_function(np.ascontiguousarray(reverses[one_way]))
    return metrics.measured(Basis.REVERSES, edges[one_way], against)


def ranked_side(model: LinkPredictor, data: Split, seed: int) -> RankedLists:
    """Of each node of the first side with test edges its candidates: all but edges of training and validation.

    Where these would be too many pairs, of as many nodes as is allowed, drawn by the seed.
    """
    train, space = data.train, data.train.pair_space
    nodes = np.unique(space.ordered(data.test_edges)[:, 0])
    most = max(1, _MOST_RANKED // max(1, int(space.n_pairs_by_node[nodes].max(initial=1))))
    if len(nodes) > most:
        nodes = np.sort(nodes[permutation(stream_key(seed, "ranked nodes"), len(nodes))[:most]])
    n_at_once = max(1, _RANKED_AT_ONCE * most // _MOST_RANKED)
    lists: list[tuple[npt.NDArray[np.floating], npt.NDArray[np.bool_]]] = []
    for start in range(0, len(nodes), n_at_once):
        own = [train.open_pairs(node) for node in nodes[start : start + n_at_once].tolist()]
        pairs = np.concatenate(own)
        group = np.repeat(np.arange(len(own)), [len(part) for part in own])
        asked = ~space.isin(pairs, data.val_edges)
        pairs, group = pairs[asked], group[asked]
        scores, links = model.decision_function(pairs), space.isin(pairs, data.test_edges)
        ends = np.searchsorted(group, np.arange(1, len(own)))
        lists += zip(np.split(scores, ends), np.split(links, ends), strict=True)
    return lists


def _of_past(model: LinkPredictor, data: Split, edges: npt.NDArray[np.floating]) -> Values:
    """Edges and non-edges whose ends both have a past, and the share of test edges that have none."""
    known = data.have_past(data.test_edges)
    others = data.test_non_edges[data.have_past(data.test_non_edges)]
    return {
        **metrics.measured(Basis.KNOWN_ENDS, edges[known], model.decision_function(others)),
        **metrics.measured(Basis.PAST, known),
    }
