"""Inner products of pairs that any loss may follow: the gradient goes back from the products to the rows.

    logit_p = z_i · z_j          for pair p = (i, j)
    ∂loss/∂z_i += g_p z_j  and  ∂loss/∂z_j += g_p z_i          for g_p = ∂loss/∂logit_p

Cross-entropy has a faster way, `pair_loss`, which needs no second pass over the pairs.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor

from pulink.engine.compile import kernel
from pulink.engine.threads import run_shares
from pulink.engine.vector_rows import AHEAD, row_add, row_dot, row_prefetch

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int32]

_SLICE = 1 << 15


def logits_with_gradient(z: Tensor, pairs: Pairs) -> Tensor:
    """Inner products (k) of rows of z (n x d, on the CPU) over pairs (k x 2), differentiable in z."""
    logits: Tensor = _PairLogits.apply(z, np.ascontiguousarray(pairs))  # type: ignore[no-untyped-call]
    return logits


class _PairLogits(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, z: Tensor, pairs: Pairs) -> Tensor:
        rows = np.ascontiguousarray(z.detach().numpy())
        ctx.rows, ctx.pairs = rows, pairs
        logits = np.empty(len(pairs), dtype=np.float32)

        def run(starts: list[int]) -> None:
            for s in starts:
                _dots(rows, pairs[s : s + _SLICE], logits[s : s + _SLICE])

        run_shares(run, range(0, len(pairs), _SLICE))
        return torch.from_numpy(logits)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        slopes = np.ascontiguousarray(gradients[0].numpy())

        def run(starts: list[int]) -> F32:
            gradient: F32 = np.zeros_like(ctx.rows)
            for s in starts:
                _add_rows(ctx.rows, ctx.pairs[s : s + _SLICE], slopes[s : s + _SLICE], gradient)
            return gradient

        first, *others = run_shares(run, range(0, len(ctx.pairs), _SLICE))
        for other in others:
            first += other
        return torch.from_numpy(first), None


@kernel
def _dots(z: F32, pairs: Pairs, out: F32) -> None:
    last = pairs.shape[0] - 1
    for p in range(pairs.shape[0]):
        ahead = min(p + AHEAD, last)
        row_prefetch(z, np.uint32(pairs[ahead, 0]))
        row_prefetch(z, np.uint32(pairs[ahead, 1]))
        out[p] = row_dot(z, np.uint32(pairs[p, 0]), np.uint32(pairs[p, 1]))


@kernel
def _add_rows(z: F32, pairs: Pairs, slopes: F32, gradient: F32) -> None:
    last = pairs.shape[0] - 1
    for p in range(pairs.shape[0]):
        ahead = min(p + AHEAD, last)
        row_prefetch(gradient, np.uint32(pairs[ahead, 0]))
        row_prefetch(gradient, np.uint32(pairs[ahead, 1]))
        i, j = np.uint32(pairs[p, 0]), np.uint32(pairs[p, 1])
        row_add(gradient, i, slopes[p], z, j)
        row_add(gradient, j, slopes[p], z, i)
