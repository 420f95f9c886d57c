"""Graph attention network: heads are averaged in every layer (Veličković et al. 2018).

    x^h_i = W^h h_i,   s^h_i = a^h · x^h_i,   t^h_i = b^h · x^h_i
    h'_i  = 1/H Σ_h Σ_j α^h_ij x^h_j + bias,   α^h_ij = softmax over j of leaky(s^h_j + t^h_i), j in N(i) or j = i

with elu between layers. In training a share of every layer's inputs and of the α is dropped. Edge weights are not
used. W (`weights`) is d x HC, a and b (`sources`, `targets`) are H x C, h' is n x C. Scores come from the inputs,
s = h (W a), because x is H times as wide.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.attention import attention, plain_attention
from pulink.engine.random import stream_key
from pulink.nn.encoders import Noise
from pulink.nn.inputs import FeatureInput
from pulink.nn.mlp import Linear, dropped


@dataclass(frozen=True)
class Neighbourhoods:
    """What attention propagates over: every node's neighbours and itself, and the arithmetic to use."""

    adjacency: Adjacency
    plain: bool

    def attend(self, x: Tensor, source: Tensor, target: Tensor, dropout: float, key: np.uint64) -> Tensor:
        function = plain_attention if self.plain else attention
        return function(x, source, target, self.adjacency, dropout, key)


class GAT(nn.Module):
    """`key` says what is dropped in this step; None, as for scoring: nothing."""

    key: np.uint64 | None = None

    def __init__(
        self,
        n_columns: int,
        n_units: int,
        n_layers: int,
        seed: int,
        n_heads: int = 8,
        dropout: float = 0.6,
        input_dropout: float | None = None,
    ) -> None:
        super().__init__()
        self._shape = n_heads, n_units
        self._dropout = dropout
        self._input_dropout = dropout if input_dropout is None else input_dropout
        sizes = [n_columns] + [n_units] * (n_layers - 1)

        def drawn(n_in: int, n_out: int, name: str) -> nn.Parameter:
            return Linear(n_in, n_out, seed, name).weight

        self.weights = nn.ParameterList(
            [drawn(size, n_heads * n_units, f"layer {k}") for k, size in enumerate(sizes)]
        )
        self.sources = nn.ParameterList([drawn(n_heads, n_units, f"source {k}") for k in range(n_layers)])
        self.targets = nn.ParameterList([drawn(n_heads, n_units, f"target {k}") for k in range(n_layers)])
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(n_units)) for _ in range(n_layers)])

    def project(self, features: FeatureInput) -> Tensor:
        if self.key is not None:
            features = features.dropped(self._input_dropout, stream_key(int(self.key), "inputs", 0))
        return features.project(self._with_scores(0))

    def propagate(
        self,
        projected: Tensor,
        adjacency: Neighbourhoods,
        noise: Noise | None,  # noqa: ARG002 (a protocol fixes the signature)
    ) -> tuple[Tensor, Tensor | None]:
        z = self._attend(0, projected, adjacency)
        for k in range(1, len(self.weights)):
            h = nn.functional.elu(z)
            if self.key is not None:
                key = stream_key(int(self.key), "inputs", k)
                h = h * dropped(torch.ones(h.shape), self._input_dropout, key).to(h.device)
            z = self._attend(k, h @ self._with_scores(k), adjacency)
        return z, None

    def _with_scores(self, k: int) -> Tensor:
        """[W, W a, W b] (d x (HC + 2H)): one product with the inputs gives x, s and t."""
        weight = self.weights[k]
        heads = weight.view(len(weight), *self._shape)
        scores = [torch.einsum("dhc,hc->dh", heads, vectors[k]) for vectors in (self.sources, self.targets)]
        return torch.cat([weight, *scores], dim=1)

    def _attend(self, k: int, projected: Tensor, neighbours: Neighbourhoods) -> Tensor:
        n_heads, n_units = self._shape
        x, source, target = torch.split(projected, [n_heads * n_units, n_heads, n_heads], dim=1)
        x = x.reshape(len(x), n_heads, n_units)
        share, key = (0.0, 0) if self.key is None else (self._dropout, int(self.key))
        out: Tensor = neighbours.attend(x, source, target, share, stream_key(key, "attention", k)) + self.biases[k]
        return out
