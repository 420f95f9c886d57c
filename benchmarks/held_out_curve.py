"""Is the smooth curve of probabilities likelier than steps, on edges that neither has seen?

A tenth of the edges calibrates, another tenth is held out; the share is told. Both curves are made of the same
scores: `pulink.calibration.rank_curve`, and isotonic regression over blocks of thirty hidden edges. The judge are
the held-out edges among pairs that are still unconnected once the first tenth is shown. Pairs that stand for
many are drawn anew for that: a curve in steps would else know where those stand by which it was made.

    logloss, logloss_steps  mean over held-out edges of −Σ y log p + (1 − y) log(1 − p)
    error, error_steps      calibration error over p of 0.05 or more; ratio: the sum of p over the held-out edges
    distinct                different probabilities among the best 100 pairs, whose scores have `distinct_scores`
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

import pulink
from benchmarks.measure import finish, own_arguments
from pulink.calibration.blocks import BlockCurve
from pulink.calibration.curve import Calibration, Knots
from pulink.calibration.hidden_ranks import HiddenRanks
from pulink.calibration.pair_sample import PairSample
from pulink.calibration.rank_curve import RankCurve
from pulink.calibration.rank_transfer import RankedScores
from pulink.graph.split import Split
from pulink.metrics import calibration_error, probability_ratio
from pulink.predictor.answers import EXACT_NODES
from pulink.predictor.predictor import LinkPredictor

F64 = npt.NDArray[np.float64]

GRAPHS = (
    "usair", "celegans", "ns", "cora", "citeseer", "chameleon", "twitch-ptbr", "lastfm-asia", "router", "sample",
    "pubmed",
)  # fmt: skip
_HIDDEN = 0.1
_LISTED = 1_000_000


def compared(graph: pulink.Graph, seed: int) -> dict[str, Any]:
    data = pulink.split(graph, val=_HIDDEN, test=_HIDDEN, seed=seed)
    model = pulink.PULLPlus(seed=seed, threads=1, missing_share=_HIDDEN).fit(data)
    scores, labelled, weights, _ = _asked(model, data, seed)
    theta = len(data.test_edges) / len(data.val_edges)
    ranks = RankCurve.fit(HiddenRanks.of(scores, labelled, weights), theta)
    knots = Knots.of(RankedScores.of(scores[~labelled], weights[~labelled]), ranks.n_others)
    smooth = Calibration.of(ranks, knots).after_showing()
    steps = BlockCurve.fit(scores, labelled, 1 / (1 + theta), weights)
    new_scores, new_labelled, new_weights, held_out = _asked(model, data, seed + 1)
    left = ~new_labelled
    asked, links, counts = new_scores[left], held_out[left].astype(np.float64), new_weights[left]
    p = smooth.probability(asked)
    p_steps = _shown(steps.probability(asked), steps.label_frequency)
    best = np.argsort(-asked, kind="stable")[:100]
    return {
        "hidden": int(labelled.sum()),
        "logloss": _loss(p, links, counts),
        "logloss_steps": _loss(p_steps, links, counts),
        "error": calibration_error(p, links, counts),
        "error_steps": calibration_error(p_steps, links, counts),
        "ratio": probability_ratio(p, links, counts),
        "distinct": len(np.unique(p[best])),
        "distinct_steps": len(np.unique(p_steps[best])),
        "distinct_scores": len(np.unique(asked[best])),
    }


def _asked(
    model: LinkPredictor, data: Split, seed: int
) -> tuple[F64, npt.NDArray[np.bool_], F64, npt.NDArray[np.bool_]]:
    """Scores of unconnected pairs, which are validation edges, how many they stand for, which are test edges."""
    space, n_free = data.train.pair_space, data.train.n_pairs - data.train.n_edges
    listed, _ = model._best_pairs(min(_LISTED, n_free), EXACT_NODES)
    sample = PairSample.of(data.train, listed, data.hidden_edges, seed)
    is_val, is_test = (space.isin(sample.pairs, edges) for edges in (data.val_edges, data.test_edges))
    return model._scored(sample.pairs), is_val, sample.weights, is_test


def _shown(probabilities: F64, label_frequency: float) -> F64:
    known = label_frequency * probabilities
    return np.asarray((probabilities - known) / (1 - known))


def _loss(p: F64, links: F64, counts: F64) -> float:
    p = np.clip(p, 1e-12, 1 - 1e-12)
    return float(-(counts @ (links * np.log(p) + (1 - links) * np.log1p(-p))) / links.sum())


def main() -> None:
    wanted = own_arguments()
    finish(**compared(pulink.load(str(wanted["dataset"])), int(wanted["seed"])))


if __name__ == "__main__":
    main()
