"""Binary cross-entropy of inner products over node pairs: loss and gradient in one pass.

    logit_p = z_i · z_j          for pair p = (i, j)
    loss    = Σ_p w_p [ softplus(logit_p) − y_p · logit_p ]
    ∂loss/∂z_i += w_p (σ(logit_p) − y_p) z_j,   and the same with i and j exchanged

Written by hand because autograd would gather both ends of every pair into two k x d matrices and scatter two
more back; here each row is read once and nothing of size k x d exists.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.compile import elementwise, inlined, kernel
from pulink.engine.non_edges import PairSampler
from pulink.engine.threads import run_shares
from pulink.engine.vector_rows import AHEAD, row_add, row_dot, row_prefetch

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]

_BATCH = 256
# Pairs handled at a time: with labels and weights they stay in the processor's cache.
_SLICE = 1 << 15
_ZERO, _ONE, _TWO = np.float32(0), np.float32(1), np.float32(2)
# exp(-x) = 2^k · e^r: k and r by log2(e) and ln 2 in two parts, e^r by a polynomial (Cephes' coefficients)
_LOG2_E = np.float32(1.4426950408889634)
_LN2_HIGH, _LN2_LOW = np.float32(0.693359375), np.float32(-2.12194440e-4)
_E0, _E1, _E2 = np.float32(1.9875691500e-4), np.float32(1.3981999507e-3), np.float32(8.3334519073e-3)
_E3, _E4, _E5 = np.float32(4.1665795894e-2), np.float32(1.6666665459e-1), np.float32(5.0000001201e-1)
_LARGEST = np.float32(87.0)
# log(1 + t) = 2 artanh(t / (2 + t)), by its series
_L3, _L5, _L7 = np.float32(1 / 3), np.float32(1 / 5), np.float32(1 / 7)
_L9, _L11, _L13 = np.float32(1 / 9), np.float32(1 / 11), np.float32(1 / 13)


@inlined
def exp_of_minus(x: np.float32) -> np.float32:
    """exp(-x) for x >= 0, to float32's precision; a call into the C library would cost as much as the pair."""
    y = -min(x, _LARGEST)
    k = np.floor(y * _LOG2_E + np.float32(0.5))
    r = y - k * _LN2_HIGH - k * _LN2_LOW
    p = ((((_E0 * r + _E1) * r + _E2) * r + _E3) * r + _E4) * r + _E5
    power = np.int32((np.int32(k) + np.int32(127)) << np.int32(23)).view(np.float32)
    return np.float32((p * r * r + r + _ONE) * power)


@inlined
def log_one_plus(t: np.float32) -> np.float32:
    """log(1 + t) for 0 <= t <= 1, to float32's precision."""
    s = t / (_TWO + t)
    q = s * s
    return _TWO * s * (_ONE + q * (_L3 + q * (_L5 + q * (_L7 + q * (_L9 + q * (_L11 + q * _L13))))))


@elementwise
def accumulate_pair_loss(z: F32, pairs: Pairs, targets: F32, weights: F32, gradient: F32) -> float:
    """Add the gradient of the weighted loss to `gradient` (n x d) and return the loss."""
    # In batches: products, then slopes, then rows, so that each loop's steps overlap in the processor.
    slopes = np.empty(_BATCH, dtype=np.float32)
    loss = 0.0
    last = pairs.shape[0] - 1
    for start in range(0, pairs.shape[0], _BATCH):
        size = min(_BATCH, pairs.shape[0] - start)
        for b in range(size):
            ahead = min(start + b + AHEAD, last)
            row_prefetch(z, np.uint32(pairs[ahead, 0]))
            row_prefetch(z, np.uint32(pairs[ahead, 1]))
            slopes[b] = row_dot(z, np.uint32(pairs[start + b, 0]), np.uint32(pairs[start + b, 1]))
        for b in range(size):
            p = start + b
            logit = slopes[b]
            decay = exp_of_minus(abs(logit))
            loss += weights[p] * (max(logit, _ZERO) - targets[p] * logit + log_one_plus(decay))
            upper = _ONE / (_ONE + decay)
            prob = upper if logit >= _ZERO else decay * upper
            slopes[b] = weights[p] * (prob - targets[p])
        for b in range(size):
            ahead = min(start + b + AHEAD, last)
            row_prefetch(gradient, np.uint32(pairs[ahead, 0]))
            row_prefetch(gradient, np.uint32(pairs[ahead, 1]))
            i, j = np.uint32(pairs[start + b, 0]), np.uint32(pairs[start + b, 1])
            row_add(gradient, i, slopes[b], z, j)
            row_add(gradient, j, slopes[b], z, i)
    return loss


@dataclass(frozen=True)
class LabelledPairs:
    """Pairs (k x 2) with labels in [0, 1] and weights (k each)."""

    pairs: Pairs
    targets: F32
    weights: F32

    def __len__(self) -> int:
        return len(self.pairs)

    def slice(self, start: int, end: int) -> tuple[Pairs, F32, F32]:
        return self.pairs[start:end], self.targets[start:end], self.weights[start:end]


@dataclass(frozen=True)
class DrawnNonEdges:
    """`count` non-edges of a stream, labelled 0, of one weight; drawn a slice at a time, never all at once."""

    sampler: PairSampler
    key: np.uint64
    count: int
    weight: float

    def __len__(self) -> int:
        return self.count if self.sampler.n_free > 0 else 0

    def slice(self, start: int, end: int) -> tuple[Pairs, F32, F32]:
        pairs = self.sampler.draw(end - start, self.key, start)
        return pairs, np.zeros(len(pairs), np.float32), np.full(len(pairs), self.weight, np.float32)


PairPart = LabelledPairs | DrawnNonEdges


def loss_and_gradient(z: F32, *parts: PairPart) -> tuple[float, F32]:
    """The weighted cross-entropy of z's (n x d) inner products over all parts, in float32, and its gradient."""
    slices = [(part, s, min(s + _SLICE, len(part))) for part in parts for s in range(0, len(part), _SLICE)]

    def run(share: list[tuple[PairPart, int, int]]) -> tuple[float, F32]:
        # Of PyTorch's memory, which begins at a cache line, so that a row of 16 lies in one.
        gradient = torch.zeros(z.shape).numpy()
        loss = sum(accumulate_pair_loss(z, *part.slice(s, e), gradient) for part, s, e in share)
        return loss, gradient

    shares = run_shares(run, slices)
    for _, gradient in shares[1:]:
        shares[0][1].__iadd__(gradient)
    return float(np.float32(sum(loss for loss, _ in shares))), shares[0][1]


class _PairLoss(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, *parts: PairPart) -> Tensor:
        loss, gradient = loss_and_gradient(np.ascontiguousarray(z.detach().numpy()), *parts)
        ctx.gradient = torch.from_numpy(gradient)
        ctx.n_parts = len(parts)
        return torch.tensor(loss, dtype=z.dtype)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        # The loss is mostly the end of the graph, and a product with 1 would read and write all rows for nothing.
        gradient = ctx.gradient if float(gradients[0]) == 1.0 else gradients[0] * ctx.gradient
        return gradient, *([None] * ctx.n_parts)


def pair_loss(z: Tensor, *parts: PairPart) -> Tensor:
    """Weighted cross-entropy of z's (n x d) inner products over all parts, differentiable in z."""
    loss: Tensor = _PairLoss.apply(z, *parts)  # type: ignore[no-untyped-call]
    return loss


@kernel
def _pair_logits(z: F32, pairs: Pairs, out: npt.NDArray[np.float64]) -> None:
    for p in range(pairs.shape[0]):
        total = 0.0
        for c in range(z.shape[1]):
            total += np.float64(z[pairs[p, 0], c]) * np.float64(z[pairs[p, 1], c])
        out[p] = total


def pair_logits(z: F32, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    """Inner products of pairs (k x 2): symmetric, and the same whatever stands beside a pair."""
    out = np.empty(len(pairs), dtype=np.float64)
    _pair_logits(np.ascontiguousarray(z), np.ascontiguousarray(pairs), out)
    return out
