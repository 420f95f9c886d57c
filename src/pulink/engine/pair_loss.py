"""Binary cross-entropy of inner products over node pairs: loss and gradient in one pass.

    logit_p = z_i · z_j          for pair p = (i, j)
    loss    = Σ_p w_p [ softplus(logit_p) − y_p · logit_p ]
    ∂loss/∂z_i += w_p (σ(logit_p) − y_p) z_j,   and the same with i and j exchanged

Written by hand because autograd would gather both ends of every pair into two k x d matrices and scatter two
more back; here each row is read once and nothing of size k x d exists.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.compile import kernel

Floats = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]


@kernel
def accumulate_pair_loss(z: Floats, pairs: Pairs, targets: Floats, weights: Floats, gradient: Floats) -> float:
    """Add the gradient of the weighted loss to `gradient` (n x d) and return the loss."""
    loss = 0.0
    width = z.shape[1]
    for p in range(pairs.shape[0]):
        i = pairs[p, 0]
        j = pairs[p, 1]
        logit = np.float32(0.0)
        for c in range(width):
            logit += z[i, c] * z[j, c]
        decay = math.exp(-abs(logit))
        loss += weights[p] * (max(logit, np.float32(0.0)) - targets[p] * logit + math.log1p(decay))
        prob = 1.0 / (1.0 + decay) if logit >= 0 else decay / (1.0 + decay)
        slope = np.float32(weights[p] * (prob - targets[p]))
        for c in range(width):
            gradient[i, c] += slope * z[j, c]
            gradient[j, c] += slope * z[i, c]
    return loss


class _PairLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, pairs: Pairs, targets: Floats, weights: Floats) -> Tensor:
        rows = np.ascontiguousarray(z.detach().numpy())
        gradient = np.zeros_like(rows)
        loss = accumulate_pair_loss(rows, pairs, targets, weights, gradient)
        ctx.gradient = torch.from_numpy(gradient)
        return torch.tensor(loss, dtype=z.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        return gradients[0] * ctx.gradient, None, None, None


def pair_loss(z: Tensor, pairs: Pairs, targets: Floats, weights: Floats) -> Tensor:
    """Weighted cross-entropy of z's (n x d) inner products against targets (k), differentiable in z."""
    loss: Tensor = _PairLoss.apply(z, pairs, targets, weights)  # type: ignore[no-untyped-call]
    return loss


@kernel
def _pair_logits(z: Floats, pairs: Pairs, out: npt.NDArray[np.float64]) -> None:
    for p in range(pairs.shape[0]):
        total = 0.0
        for c in range(z.shape[1]):
            total += np.float64(z[pairs[p, 0], c]) * np.float64(z[pairs[p, 1], c])
        out[p] = total


def pair_logits(z: Floats, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Inner products of pairs (k x 2): symmetric, and the same whatever stands beside a pair."""
    out = np.empty(len(pairs), dtype=np.float64)
    _pair_logits(np.ascontiguousarray(z), np.ascontiguousarray(pairs), out)
    return out
