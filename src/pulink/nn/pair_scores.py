"""Inner products of pairs with gradients, on any device."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.autograd.pair_dot import logits_with_gradient
from pulink.nn.backend import Backend


def pair_scores(z: Tensor, pairs: npt.NDArray[np.int32], backend: Backend) -> Tensor:
    """z_i · z_j (k) for pairs (k x 2), differentiable in z (n x d)."""
    if not backend.plain:
        return logits_with_gradient(z, pairs)
    ends = torch.tensor(pairs, dtype=torch.int64, device=z.device)
    return (z[ends[:, 0]] * z[ends[:, 1]]).sum(dim=1)
