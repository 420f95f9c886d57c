"""Node features as the left factor of the first layer's product: sparse, dense, or the identity."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

from pulink.engine.autograd.sparse import SparseOperator
from pulink.errors import UnknownNameError
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.nn.backend import ENGINE, Backend, Operator
from pulink.nn.mlp import dropped

SCALINGS = ("auto", "rows", "standard", "none")


class FeatureInput:
    """X in X · W. Without features X is the identity, which is never built: I · W = W."""

    def __init__(self, matrix: Features | None, n_nodes: int, backend: Backend = ENGINE) -> None:
        self._matrix, self._n_nodes, self._backend = matrix, n_nodes, backend
        self._left: Operator | Tensor | None = None
        if isinstance(matrix, sp.csr_array):
            self._left = backend.operator(SparseOperator.from_scipy(matrix))
        elif matrix is not None:
            self._left = torch.from_numpy(np.array(matrix)).to(backend.device)
        self.n_columns = n_nodes if matrix is None else int(matrix.shape[1])

    @classmethod
    def of(cls, graph: Graph, scaling: str, backend: Backend = ENGINE) -> FeatureInput:
        """The features of a graph, scaled."""
        matrix = None if graph.features is None else scale_features(graph.features, scaling)
        return cls(matrix, graph.n_nodes, backend)

    def project(self, weight: Tensor) -> Tensor:
        """X · W for W with a row per feature (n x d)."""
        return weight if self._left is None else self._left @ weight

    def project_back(self, gradient: Tensor) -> Tensor:
        """The gradient of W (a row per feature) from that of X · W (n x d), where the engine computes both."""
        if isinstance(self._left, SparseOperator):
            return self._left.transposed_times(gradient)
        return self._left.t() @ gradient if isinstance(self._left, Tensor) else gradient

    def dropped(self, share: float, key: np.uint64) -> FeatureInput:
        """X with about this share of its stored entries left out, and the others scaled up to the expectation."""
        matrix = (
            sp.eye_array(self._n_nodes, dtype=np.float32, format="csr") if self._matrix is None else self._matrix
        )
        n_entries = matrix.size if isinstance(matrix, np.ndarray) else matrix.nnz
        factors = dropped(torch.ones(n_entries), share, key).numpy()
        if isinstance(matrix, np.ndarray):
            return FeatureInput(matrix * factors.reshape(matrix.shape), self._n_nodes, self._backend)
        kept = sp.csr_array((matrix.data * factors, matrix.indices, matrix.indptr), shape=matrix.shape)
        return FeatureInput(kept, self._n_nodes, self._backend)


def scale_features(features: Features, scaling: str) -> Features:
    """Bring features to a common scale.

    rows      (X − smallest entry) / max(row sum, 1), as PyG's NormalizeFeatures; the paper's choice
    standard  every column to mean 0 and variance 1 (makes the matrix dense)
    none      as they are
    auto      rows if nothing is negative (words, categories), none otherwise (numbers already standardised)
    """
    return scale_like(features, features, scaling)


def scale_like(features: Features, known: Features, scaling: str) -> Features:
    """Features on the scale that `scale_features` brings the known ones to (same columns)."""
    if scaling not in SCALINGS:
        raise UnknownNameError("feature_scaling", scaling, SCALINGS)
    if scaling == "auto":
        scaling = "rows" if smallest_entry(known) >= 0 else "none"
    if scaling == "none":
        return features
    if scaling == "standard":
        return _standardise(features, known)
    return normalise_rows(features, smallest_entry(known))


def smallest_entry(features: Features) -> float:
    if isinstance(features, np.ndarray):
        return float(features.min()) if features.size else 0.0
    if features.nnz == features.shape[0] * features.shape[1]:
        return float(features.data.min()) if features.nnz else 0.0
    return float(features.data.min(initial=0.0))


def normalise_rows(features: Features, smallest: float) -> Features:
    if isinstance(features, np.ndarray) or smallest != 0.0:
        dense = _dense(features) - np.float32(smallest)
        return np.asarray(dense / np.maximum(dense.sum(axis=1, keepdims=True), 1.0), dtype=np.float32)
    sums = np.maximum(np.asarray(features.sum(axis=1)).ravel(), 1.0)
    data = features.data / np.repeat(sums, np.diff(features.indptr))
    return sp.csr_array((data.astype(np.float32), features.indices, features.indptr), shape=features.shape)


def _standardise(features: Features, known: Features) -> npt.NDArray[np.float32]:
    dense = _dense(known).astype(np.float64)
    means, spread = dense.mean(axis=0), dense.std(axis=0)
    spread[spread == 0] = 1.0
    rows = dense if features is known else _dense(features).astype(np.float64)
    return np.asarray((rows - means) / spread, dtype=np.float32)


def _dense(features: Features) -> npt.NDArray[np.float32]:
    return features if isinstance(features, np.ndarray) else features.toarray()
