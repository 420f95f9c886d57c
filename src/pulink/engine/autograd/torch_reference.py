"""The same arithmetic in plain PyTorch operations, for devices that the kernels do not run on."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import binary_cross_entropy_with_logits

from pulink.engine.autograd.pair_loss import PairPart
from pulink.engine.autograd.sparse import SparseOperator


class PlainOperator:
    """A sparse matrix as its entries: gather, scale, add up. Autograd does the rest."""

    def __init__(self, operator: SparseOperator, device: torch.device) -> None:
        matrix = operator.matrix
        counts = matrix.crow_indices().diff().to(torch.int64)
        self._rows = torch.repeat_interleave(torch.arange(len(counts)), counts).to(device)
        self._columns = matrix.col_indices().to(device, torch.int64)
        self._values = matrix.values().to(device)
        self._n_rows = matrix.shape[0]

    def __matmul__(self, dense: Tensor) -> Tensor:
        out = dense.new_zeros((self._n_rows, dense.shape[1]))
        return out.index_add(0, self._rows, self._values[:, None] * dense[self._columns])


def plain_pair_loss(z: Tensor, *parts: PairPart) -> Tensor:
    """What `pair_loss` gives; the pairs are the same, drawn on the CPU."""
    loss = z.new_zeros(())
    for part in parts:
        pairs, targets, weights = (torch.tensor(array, device=z.device) for array in part.slice(0, len(part)))
        logits = (z[pairs[:, 0].long()] * z[pairs[:, 1].long()]).sum(dim=1)
        loss = loss + binary_cross_entropy_with_logits(logits, targets, weights, reduction="sum")
    return loss
