"""How well scores tell edges from non-edges, on plain arrays. Ties are counted as they should be: by half.

Written here rather than taken from scikit-learn because validation AUROC is computed in every epoch, and
scikit-learn's checks cost more than the sort; the tests hold the two equal.

`MEASURES` lists what a predictor is judged by. `model.score`, `pulink evaluate` with its JSON, table and page, and
the reproduction read it: a measure that is added there is computed and shown by all of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from pulink.graph.pair_space import PairSpace

Scores = npt.NDArray[np.floating]
Pairs = npt.NDArray[np.integer]
F64 = npt.NDArray[np.float64]
# Of each node the scores of its candidates, and which of them are links; one at least is.
RankedLists = Sequence[tuple[Scores, npt.NDArray[np.bool_]]]

# Probabilities that count where they are compared with what came true, and those that are high.
LEAST, HIGH = 0.05, 0.8
_BINS = 10


def auroc(edges: Scores, non_edges: Scores) -> float:
    """Probability that an edge scores above a non-edge: area under the ROC curve."""
    n_edges, n_non_edges = len(edges), len(non_edges)
    if not n_edges or not n_non_edges:
        return float("nan")
    scores = np.concatenate([edges, non_edges])
    if np.isnan(scores).any():
        return float("nan")
    beaten = np.sort(scores[n_edges:])
    # A tie counts for half: it is counted on one side alone.
    wins = sum(int(np.searchsorted(beaten, scores[:n_edges], side).sum()) for side in ("left", "right")) / 2
    return float(wins / (n_edges * n_non_edges))


def auprc(edges: Scores, non_edges: Scores, weights: Scores | None = None) -> float:
    """Average precision: precision at each edge, averaged over the edges; tied scores enter together.

    A non-edge of weight w counts as w of them.
    """
    if not len(edges):
        return float("nan")
    scores = np.concatenate([edges, non_edges])
    order = np.argsort(-scores, kind="stable")
    ranked = scores[order]
    ends = np.append(np.flatnonzero(np.diff(ranked)), len(ranked) - 1)
    found = np.cumsum(order < len(edges))[ends]
    counts = np.ones(len(ranked)) if weights is None else np.concatenate([np.ones(len(edges)), weights])[order]
    precision = found / np.cumsum(counts)[ends]
    recall = found / len(edges)
    return float(np.sum(np.diff(recall, prepend=0.0) * precision))


def hits_at(k: int, edges: Scores, non_edges: Scores) -> float:
    """Share of edges that score above the k-th best non-edge; NaN where there are fewer than k of those."""
    if not len(edges):
        return float("nan")
    if len(non_edges) < k:
        return float("nan")
    bar = np.partition(non_edges, len(non_edges) - k)[len(non_edges) - k]
    return float(np.mean(edges > bar))


def mean_reciprocal_rank(edges: Scores, non_edges: Scores) -> float:
    """Mean of 1 / rank of each edge among all the non-edges; a tie counts half a place."""
    if not len(edges):
        return float("nan")
    ranked = np.sort(non_edges)
    above = len(ranked) - np.searchsorted(ranked, edges, side="right")
    tied = np.searchsorted(ranked, edges, side="right") - np.searchsorted(ranked, edges, side="left")
    return float(np.mean(1.0 / (1.0 + above + 0.5 * tied)))


def _own_ranks(edges: Scores, non_edges: Scores) -> F64:
    """The rank of each edge among its own non-edges (k x m); a tie counts half a place."""
    above = (non_edges > edges[:, np.newaxis]).sum(axis=1)
    tied = (non_edges == edges[:, np.newaxis]).sum(axis=1)
    return np.asarray(1.0 + above + 0.5 * tied, dtype=np.float64)


def own_mean_reciprocal_rank(edges: Scores, non_edges: Scores) -> float:
    """Mean of 1 / rank of each edge (k) among its own non-edges (k x m)."""
    return float(np.mean(1.0 / _own_ranks(edges, non_edges))) if len(edges) else float("nan")


def own_hits_at(k: int, edges: Scores, non_edges: Scores) -> float:
    """Share of edges whose rank among their own non-edges is k at most."""
    return float(np.mean(_own_ranks(edges, non_edges) <= k)) if len(edges) else float("nan")


def precision_at(found: Pairs, hidden: Pairs, space: PairSpace) -> float:
    """Share of the found pairs (k x 2) that are hidden edges."""
    return float(space.isin(found, hidden).mean()) if len(found) else float("nan")


def list_precision(found: Pairs, hidden: Pairs, space: PairSpace) -> float:
    """Average precision of a list, best pair first: a hidden edge that is not in it counts as never found."""
    if not len(hidden):
        return float("nan")
    places = np.flatnonzero(space.isin(found, hidden)) + 1
    return float(np.sum(np.arange(1, len(places) + 1) / places) / len(hidden))


def order_right(edges: Scores, reverses: Scores) -> float:
    """Share of edges that score above the same pair the other way round (both k); a tie counts half."""
    if not len(edges):
        return float("nan")
    return float(np.mean(edges > reverses) + 0.5 * np.mean(edges == reverses))


def recall_at(k: int, lists: RankedLists) -> float:
    """Share of each node's links that stand among its k best candidates, averaged over nodes."""
    shares = [_gains(k, scores, links).sum() / links.sum() for scores, links in lists]
    return float(np.mean(shares)) if shares else float("nan")


def ndcg_at(k: int, lists: RankedLists) -> float:
    """Normalised discounted cumulative gain: a link at rank r counts 1 / log2(r + 1), and 1 is the best order."""
    discounts = 1 / np.log2(np.arange(2, k + 2))
    shares = [
        (gains := _gains(k, scores, links)) @ discounts[: len(gains)] / discounts[: int(links.sum())].sum()
        for scores, links in lists
    ]
    return float(np.mean(shares)) if shares else float("nan")


def _gains(k: int, scores: Scores, links: npt.NDArray[np.bool_]) -> F64:
    """At each of the first k ranks the share of links among the candidates that are tied for it."""
    order = np.argsort(-scores, kind="stable")
    groups = np.cumsum(np.append(0, np.diff(scores[order]) != 0))[: len(order)]
    share = np.bincount(groups, links[order]) / np.bincount(groups)
    return np.asarray(share[groups[:k]], dtype=np.float64)


def share_without_past(have_past: npt.NDArray[np.bool_]) -> float:
    """Share of edges with an end that has no edge in training."""
    return float(1 - have_past.mean()) if len(have_past) else float("nan")


@dataclass(frozen=True)
class ReliabilityBins:
    """Pairs in bins of about equal numbers, by probability: what was promised, the share of links, how many pairs.

    All of them b long, one value for each bin.
    """

    mean_probability: F64
    share_true: F64
    n_pairs: F64

    @property
    def error(self) -> float:
        """The mean distance of promise and share over all pairs; NaN without any."""
        if not len(self.n_pairs):
            return math.nan
        distances = np.abs(self.mean_probability - self.share_true)
        return float(self.n_pairs @ distances / self.n_pairs.sum())


def reliability_bins(probs: F64, links: F64, weights: F64, least: float = LEAST) -> ReliabilityBins:
    """Of pairs with a probability of `least` or more, in ten bins; empty bins are left out.

    From probabilities, the answers (1 for a link), and how many pairs each of them stands for (each k).
    """
    links = _averaged(probs, links, weights)
    kept = np.flatnonzero(probs >= least)
    order = kept[np.argsort(probs[kept], kind="stable")]
    mass = np.cumsum(weights[order])
    bins = np.minimum(((mass - weights[order] / 2) * _BINS / mass[-1:]).astype(np.int64), _BINS - 1)
    n_pairs = np.bincount(bins, weights[order], minlength=_BINS if len(order) else 0)
    held = np.flatnonzero(n_pairs)
    means, shares = (
        np.bincount(bins, weights[order] * values[order], minlength=len(n_pairs))[held] / n_pairs[held]
        for values in (probs, links)
    )
    return ReliabilityBins(means, shares, np.asarray(n_pairs[held], dtype=np.float64))


def _averaged(probs: F64, links: F64, weights: F64) -> F64:
    """The mean answer of all pairs with the same probability: then it is no matter which fall into which bin."""
    _, groups = np.unique(probs, return_inverse=True)
    return np.asarray(
        (np.bincount(groups, weights * links) / np.bincount(groups, weights).clip(min=1e-300))[groups]
    )


def calibration_error(probs: F64, links: F64, weights: F64, least: float = LEAST) -> float:
    """Mean distance of probabilities of `least` or more from the share of links; NaN if there are none."""
    return reliability_bins(probs, links, weights, least).error


def probability_ratio(probs: F64, links: F64, weights: F64) -> float:
    """The sum of all probabilities, divided by the number of links."""
    return float(weights @ probs) / float(links.sum())


class Basis(Enum):
    """What a measure is computed from; its function takes these in this order."""

    TEST_PAIRS = "scores of the test edges, scores of as many test non-edges"
    DEGREE_PAIRS = "scores of the test edges, scores of non-edges with ends of the same degrees"
    BEST_PAIRS = "the K best of all unconnected pairs, the K hidden edges, the pairs that the graph can have"
    LONG_LIST = "the same with the 8K best, for methods whose search does not become dear with the list's length"
    PROBABILITIES = "probabilities of unconnected pairs, whether each is a hidden edge, how many it stands for"
    REVERSES = "directed graphs: scores of one-way test edges, scores of the same pairs the other way round"
    RANKED_SIDE = (
        "bipartite graphs: of each node of the first side the scores of its candidates, and its test edges"
    )
    KNOWN_ENDS = "splits by time: the scores of test edges and of non-edges whose ends both have a past"
    HARD_PAIRS = "hard non-edges: scores of the test edges, scores of as many hard non-edges for each of them"
    PAST = "splits by time: of each test edge whether both of its ends have a past"


@dataclass(frozen=True)
class Measure:
    """One way in which a predictor is judged.

    name              its key in JSON; results depend on it
    title             the head of its column
    basis, function   what it is computed from, and by what
    larger_is_better  None where it should be neither large nor small, but 1
    in_table          whether the table and the page of `evaluate` have a column for it; JSON always has it
    heading           over tables of the reproduction; the title, if there is none
    note              what a reader of such tables should know
    always            whether every run has it, and not only those of some kind of graph or split, or later ones
    """

    name: str
    title: str
    basis: Basis
    function: Callable[..., float]
    larger_is_better: bool | None = True
    in_table: bool = True
    heading: str = ""
    note: str = ""
    always: bool = True


MEASURES = (
    Measure("auroc", "AUROC", Basis.TEST_PAIRS, auroc),
    Measure("auprc", "AUPRC", Basis.TEST_PAIRS, auprc),
    Measure("hits_at_50", "Hits@50", Basis.TEST_PAIRS, partial(hits_at, 50)),
    Measure("mrr", "MRR", Basis.TEST_PAIRS, mean_reciprocal_rank),
    Measure(
        "precision_at_k",
        "precision@K",
        Basis.BEST_PAIRS,
        precision_at,
        heading="Precision@K among all unconnected pairs",
        note="Precision@K: the share of hidden edges among the K best of all unconnected pairs, with K the number "
        "of hidden edges.",
    ),
    Measure(
        "list_precision",
        "average precision",
        Basis.LONG_LIST,
        list_precision,
        in_table=False,
        heading="average precision of the 8K best of all unconnected pairs",
        note="Average precision is that of the list of the 8K best pairs; a hidden edge beyond it counts as never "
        "found.",
    ),
    Measure(
        "auroc_degree",
        "AUROC, degree",
        Basis.DEGREE_PAIRS,
        auroc,
        heading="AUROC against non-edges of equal degrees",
        note="Against non-edges of equal degrees: their ends are drawn with the degrees of edges' ends, so that "
        "degree alone scores one half.",
    ),
    Measure(
        "auprc_degree",
        "AUPRC, degree",
        Basis.DEGREE_PAIRS,
        auprc,
        in_table=False,
        heading="AUPRC against non-edges of equal degrees",
    ),
    Measure(
        "calibration_error",
        "calibration error",
        Basis.PROBABILITIES,
        calibration_error,
        larger_is_better=False,
    ),
    Measure(
        "calibration_error_high",
        "calibration error, high",
        Basis.PROBABILITIES,
        partial(calibration_error, least=HIGH),
        larger_is_better=False,
        in_table=False,
    ),
    Measure(
        "probability_ratio",
        "probability ratio",
        Basis.PROBABILITIES,
        probability_ratio,
        larger_is_better=None,
        in_table=False,
    ),
    Measure("auroc_reversed", "AUROC, reversed", Basis.REVERSES, auroc, always=False),
    Measure("order_right", "order right", Basis.REVERSES, order_right, always=False),
    Measure("recall_at_20", "Recall@20", Basis.RANKED_SIDE, partial(recall_at, 20), always=False),
    Measure("ndcg_at_20", "NDCG@20", Basis.RANKED_SIDE, partial(ndcg_at, 20), always=False),
    Measure("auroc_past", "AUROC, known ends", Basis.KNOWN_ENDS, auroc, always=False),
    Measure(
        "share_without_past",
        "without a past",
        Basis.PAST,
        share_without_past,
        larger_is_better=None,
        always=False,
    ),
    # Later than the others: runs that were kept before do not have them.
    Measure("hits_at_20", "Hits@20", Basis.TEST_PAIRS, partial(hits_at, 20), in_table=False, always=False),
    Measure("hits_at_100", "Hits@100", Basis.TEST_PAIRS, partial(hits_at, 100), in_table=False, always=False),
    Measure(
        "mrr_hard",
        "MRR, hard",
        Basis.HARD_PAIRS,
        own_mean_reciprocal_rank,
        heading="MRR against hard non-edges",
        note="Each test edge is ranked among hard non-edges of its own ends alone; a tie counts half a place.",
        always=False,
    ),
    Measure(
        "hits_at_10_hard",
        "Hits@10, hard",
        Basis.HARD_PAIRS,
        partial(own_hits_at, 10),
        heading="Hits@10 against hard non-edges",
        always=False,
    ),
)


def measured(basis: Basis, *given: object) -> dict[str, float]:
    """All measures of one kind by name, computed from what such a measure takes."""
    return {entry.name: entry.function(*given) for entry in MEASURES if entry.basis is basis}


def not_measured(basis: Basis) -> dict[str, float]:
    """The same where a method does not have what they are computed from: NaN."""
    return {entry.name: math.nan for entry in MEASURES if entry.basis is basis}


def measure(name: str) -> Measure:
    """The measure with this name; KeyError if there is none."""
    return {entry.name: entry for entry in MEASURES}[name]
