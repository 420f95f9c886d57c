"""What hidden edges say of a model whose graph no worker holds: the calibrator, as on one machine.

See `predictor.fitting.calibrated_model`: the best pairs are asked one by one, and a sample stands for all others.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.calibration.pair_sample import SAMPLE, PairSample
from pulink.calibration.reliability import Scored
from pulink.distributed.group.group import Group
from pulink.distributed.group.own_rows import OwnRows
from pulink.engine.random import stream_key
from pulink.nn.sharded.auroc import group_logits
from pulink.predictor.fitting.calibrated_model import n_asked
from pulink.predictor.sharded.best_pairs import BestPairSearch
from pulink.predictor.sharded.hidden_pairs import draw_free

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class AskedPairs:
    """Scores of pairs that stand for all unconnected ones."""

    scores: npt.NDArray[np.float64]
    sample: PairSample

    @property
    def scored(self) -> Scored:
        return self.scores, self.sample.labelled, self.sample.weights


def ask(
    rows: OwnRows, group: Group, z: F32, search: BestPairSearch, hidden: Pairs, n_hidden: int, seed: int
) -> AskedPairs:
    """Among all unconnected pairs of the graph of these rows, looked at as closely as for so many hidden edges."""
    n = rows.shards.n_nodes
    n_free = n * (n - 1) // 2 - rows.n_edges
    listed, _ = search.best(min(n_asked(n_hidden), n_free))
    missed = hidden[~_isin(hidden, listed, n)]
    known = np.concatenate([listed, missed])
    drawn = draw_free(rows, group, min(SAMPLE, n_free), stream_key(seed, "exam"))
    others = drawn[~_isin(drawn, known, n)]
    pairs = np.concatenate([listed, missed, others]).astype(np.int32)
    weight = max(n_free - len(known), 0) / max(len(others), 1)
    weights = np.repeat([1.0, 1.0, weight], [len(listed), len(missed), len(others)])
    sample = PairSample(pairs, weights, _isin(pairs, hidden, n))
    return AskedPairs(group_logits(group, z, pairs), sample)


def _isin(pairs: Pairs, among: Pairs, n_nodes: int) -> npt.NDArray[np.bool_]:
    codes, known = (np.sort(some.astype(np.int64), axis=1) @ np.array([n_nodes, 1]) for some in (pairs, among))
    return np.isin(codes, known)
