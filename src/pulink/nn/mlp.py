"""Small networks on rows of numbers: what methods that score pairs directly are made of.

    h_0 = x,   h_l = dropout(relu(norm(h_{l-1} W_l + b_l))) for l < L,   h_L = h_{L-1} W_L + b_L

x and h are k x d. `norm` is batch normalisation or nothing. All randomness comes from keys: the weights from the
seed and the network's name, the dropped units from the key of a step.

    network = PairNetwork([8, 64, 1], seed=0, name="score", normalise=True, dropout=0.5)
    logits = network(rows, key)        # training: batch statistics, units dropped by this key
    logits = network(rows)             # scoring: running statistics, nothing dropped
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor, nn

from pulink.engine.random import random_words, stream_key, uniforms

_MOMENTUM = 0.1
_LANES = 16
_LARGEST_WORD = (1 << 16) - 1


def whole_lanes(width: int) -> int:
    """The next multiple of 16: matrix products of other widths may round a row by its place among the others."""
    return width + -width % _LANES


class Linear(nn.Module):
    """x W + b with Glorot's uniform weights from a stream of its own, and b = 0.

    Where no gradient is wanted, columns of zeros fill the product up, so that a row rounds alike in every place.
    """

    def __init__(self, n_in: int, n_out: int, seed: int, name: str) -> None:
        super().__init__()
        limit = np.sqrt(6.0 / (n_in + n_out))
        draws = (2 * uniforms(stream_key(seed, "glorot", name), n_in * n_out) - 1) * limit
        self.weight = nn.Parameter(torch.from_numpy(draws.astype(np.float32).reshape(n_in, n_out)))
        self.bias = nn.Parameter(torch.zeros(n_out))

    def forward(self, rows: Tensor) -> Tensor:
        n_out = len(self.bias)
        n_added = whole_lanes(n_out) - n_out
        if torch.is_grad_enabled() or not n_added:
            return torch.addmm(self.bias, rows, self.weight)
        bias, weight = (nn.functional.pad(part, (0, n_added)) for part in (self.bias, self.weight))
        return torch.addmm(bias, rows, weight)[:, :n_out]


class BatchNorm(nn.Module):
    """Columns to mean 0 and variance 1: the batch's own in training, a running average's in scoring."""

    mean: Tensor
    variance: Tensor

    def __init__(self, n_columns: int) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(n_columns))
        self.bias = nn.Parameter(torch.zeros(n_columns))
        self.register_buffer("mean", torch.zeros(n_columns))
        self.register_buffer("variance", torch.ones(n_columns))

    def forward(self, rows: Tensor, training: bool) -> Tensor:
        # One row has no variance to divide by.
        by_batch = training and len(rows) > 1
        return nn.functional.batch_norm(
            rows, self.mean, self.variance, self.weight, self.bias, training=by_batch, momentum=_MOMENTUM
        )


class PairNetwork(nn.Module):
    """Linear layers of the given sizes with relu between them; after the last one only with `final_relu`."""

    def __init__(
        self,
        sizes: Sequence[int],
        seed: int,
        name: str,
        *,
        normalise: bool = False,
        dropout: float = 0.0,
        final_relu: bool = False,
    ) -> None:
        super().__init__()
        n_layers = len(sizes) - 1
        self._n_hidden = n_layers if final_relu else n_layers - 1
        self._dropout = dropout
        self.layers = nn.ModuleList([Linear(sizes[k], sizes[k + 1], seed, f"{name} {k}") for k in range(n_layers)])
        norms = [BatchNorm(sizes[k + 1]) for k in range(self._n_hidden)] if normalise else []
        self.norms = nn.ModuleList(norms)

    def forward(self, rows: Tensor, key: np.uint64 | None = None) -> Tensor:
        for k, layer in enumerate(self.layers):
            rows = layer(rows)
            if k < self._n_hidden:
                if self.norms:
                    rows = self.norms[k](rows, key is not None)
                rows = rows.relu()
                if key is not None:
                    rows = dropped(rows, self._dropout, stream_key(int(key), k))
        return rows


def dropped(rows: Tensor, share: float, key: np.uint64) -> Tensor:
    """Rows with about this share of entries set to zero and the others scaled up to the same expectation."""
    if share <= 0:
        return rows
    # Sixteen bits decide on an entry: one word serves four.
    words = random_words(key, (rows.numel() + 3) // 4).view(np.uint16)[: rows.numel()]
    kept = words >= np.uint16(round(share * _LARGEST_WORD))
    return rows * torch.from_numpy(kept.astype(np.float32)).view_as(rows).mul_(1.0 / (1.0 - share))


def to_state(module: nn.Module, prefix: str = "") -> dict[str, npt.NDArray[Any]]:
    """A copy of all parameters and running averages, by name."""
    return {prefix + name: value.detach().cpu().numpy().copy() for name, value in module.state_dict().items()}


def from_state(module: nn.Module, state: Mapping[str, npt.NDArray[Any]], prefix: str = "") -> None:
    """Take back what `to_state` gave; entries of other prefixes are passed over."""
    tensors = {name: torch.from_numpy(np.array(state[prefix + name])) for name in module.state_dict()}
    module.load_state_dict(tensors)
