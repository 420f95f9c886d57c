"""AUROC of hidden edges against non-edges, of which every worker scores a part."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink import metrics
from pulink.distributed.group.group import Group
from pulink.engine.autograd.pair_loss import pair_logits

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]


def group_auroc(group: Group, z: F32, edges: Pairs, non_edges: Pairs) -> float:
    """z: the embeddings of all nodes."""
    return metrics.auroc(group_logits(group, z, edges), group_logits(group, z, non_edges))


def group_logits(group: Group, z: F32, pairs: Pairs) -> npt.NDArray[np.float64]:
    """The logits of all pairs, in every worker."""
    first, end = (len(pairs) * (group.rank + k) // group.size for k in (0, 1))
    return np.concatenate(group.collected(pair_logits(z, pairs[first:end])))
