"""GraphSAGE with the mean of the neighbours, without normalising (Hamilton et al. 2017).

    h'_i = mean over j in N(i) of h_j · W_l + b + h_i · W_r,   relu between layers

An isolated node's mean is 0. Edge weights are not used. W_l and W_r stand side by side (`weights`, d x 2u): one
product serves both; the mean is taken of its left half, M (X W_l) = (M X) W_l with M = D⁻¹A.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn

from pulink.engine.adjacency import Adjacency
from pulink.engine.autograd.sparse import SparseOperator
from pulink.nn.backend import Operator
from pulink.nn.encoders import Noise
from pulink.nn.inputs import FeatureInput
from pulink.nn.mlp import Linear


def mean_operator(adjacency: Adjacency) -> SparseOperator:
    """M = D⁻¹A with all edges equal (n x n)."""
    degrees = np.diff(adjacency.indptr)
    values = np.repeat(1.0 / np.maximum(degrees, 1), degrees).astype(np.float32)
    shape = adjacency.n_nodes, adjacency.n_nodes
    return SparseOperator.from_scipy(sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=shape))


class SAGE(nn.Module):
    def __init__(self, n_columns: int, n_units: int, n_layers: int, seed: int) -> None:
        super().__init__()
        sizes = [n_columns] + [n_units] * n_layers

        def both(k: int) -> nn.Parameter:
            parts = (Linear(sizes[k], n_units, seed, f"{name} {k}").weight for name in ("neighbours", "self"))
            return nn.Parameter(torch.cat(tuple(parts), dim=1).detach())

        self.weights = nn.ParameterList([both(k) for k in range(n_layers)])
        self.biases = nn.ParameterList([nn.Parameter(torch.zeros(n_units)) for _ in range(n_layers)])

    def project(self, features: FeatureInput) -> Tensor:
        return features.project(self.weights[0])

    def propagate(
        self,
        projected: Tensor,
        adjacency: Operator,
        noise: Noise | None,  # noqa: ARG002 (a protocol fixes the signature)
    ) -> tuple[Tensor, Tensor | None]:
        z = _layer(projected, adjacency, self.biases[0])
        for weight, bias in zip(self.weights[1:], self.biases[1:], strict=True):
            z = _layer(z.relu() @ weight, adjacency, bias)
        return z, None


def _layer(projected: Tensor, mean: Operator, bias: Tensor) -> Tensor:
    neighbours, nodes = projected.chunk(2, dim=1)
    return mean @ neighbours.contiguous() + nodes + bias
