"""Node features read back from embeddings: how well z_i · v_f tells x_if.

    words, categories    X is mostly zeros, none negative: mean cross-entropy of non-zero cells against zero ones
    numbers              mean of (z_i · v_f − x_if)², columns of X brought to mean 0 and variance 1

z is n x k with a row per node, v is d x k with a row per feature. Cells are drawn afresh in every epoch; n x d
cells are never formed.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
import torch
from torch import Tensor

from pulink.engine.adjacency import Adjacency, contains
from pulink.engine.autograd.pair_loss import LabelledPairs
from pulink.engine.random import random_words, stream_key
from pulink.graph.features import Features
from pulink.nn.backend import Backend, pair_scores

Cells = npt.NDArray[np.int32]

# Above this share of non-zero cells, a zero is a number like others.
_MOSTLY_ZEROS = 0.5


class FeatureCells(Protocol):
    """The features of a graph as something to be told by embeddings."""

    def loss(self, z: Tensor, vectors: Tensor, count: int, key: np.uint64, backend: Backend) -> Tensor:
        """On about `count` cells of each kind drawn with this key."""


def feature_cells(features: Features) -> FeatureCells:
    """Presences where features are mostly absent and never negative, else numbers."""
    matrix = sp.csr_array(features, copy=True)
    matrix.eliminate_zeros()
    mostly_zeros = matrix.nnz <= _MOSTLY_ZEROS * matrix.shape[0] * matrix.shape[1]
    if mostly_zeros and matrix.data.min(initial=0.0) >= 0:
        return Presences(matrix)
    return Numbers(features)


class Presences:
    """Non-zero cells against as many zero ones."""

    def __init__(self, matrix: sp.csr_array) -> None:
        matrix.sort_indices()
        self._shape = matrix.shape
        self._lookup = Adjacency(matrix.indptr, matrix.indices.astype(np.int32))
        self._rows = np.repeat(np.arange(len(matrix.indptr) - 1, dtype=np.int32), np.diff(matrix.indptr))

    def draw(self, count: int, key: np.uint64) -> tuple[Cells, Cells]:
        """Non-zero and zero cells (k x 2): all non-zero ones if they are no more than `count`."""
        present = self._present(count, stream_key(int(key), "present"))
        drawn = _uniform_cells(self._shape, len(present), stream_key(int(key), "absent"))
        return present, drawn[~contains(self._lookup, drawn)]

    def loss(self, z: Tensor, vectors: Tensor, count: int, key: np.uint64, backend: Backend) -> Tensor:
        present, absent = self.draw(count, key)
        cells = np.concatenate([present, absent]) + np.array([0, len(z)], dtype=np.int32)
        targets = np.repeat(np.array([1, 0], dtype=np.float32), (len(present), len(absent)))
        shares = np.full(len(cells), 1 / max(len(cells), 1), dtype=np.float32)
        return backend.pair_loss(torch.cat([z, vectors]), LabelledPairs(cells, targets, shares))

    def _present(self, count: int, key: np.uint64) -> Cells:
        rows, columns = self._rows, self._lookup.indices
        if count < len(rows):
            places = (random_words(key, count) % np.uint64(len(rows))).astype(np.int64)
            rows, columns = rows[places], columns[places]
        return np.stack([rows, columns], axis=1)


class Numbers:
    """Any cells, by squared error."""

    def __init__(self, features: Features) -> None:
        self._features = features
        self._means = np.asarray(features.mean(axis=0, dtype=np.float64)).ravel()
        squares = np.asarray((features * features).mean(axis=0, dtype=np.float64)).ravel()
        variances = squares - self._means**2
        # What rounding leaves of a constant column is not to be blown up.
        self._spread = np.sqrt(np.where(variances > 1e-6 * squares, variances, 1.0))

    def values(self, cells: Cells) -> npt.NDArray[np.float32]:
        """Standardised numbers of cells (k x 2)."""
        rows, columns = cells[:, 0], cells[:, 1]
        numbers: Any = self._features[rows, columns]
        if sp.issparse(numbers):
            numbers = numbers.toarray().ravel()
        return np.asarray((numbers - self._means[columns]) / self._spread[columns], dtype=np.float32)

    def loss(self, z: Tensor, vectors: Tensor, count: int, key: np.uint64, backend: Backend) -> Tensor:
        cells = _uniform_cells(self._features.shape, count, key)
        wanted = torch.from_numpy(self.values(cells)).to(backend.device)
        decoded = pair_scores(torch.cat([z, vectors]), cells + np.array([0, len(z)], dtype=np.int32), backend)
        return ((decoded - wanted) ** 2).mean()


def _uniform_cells(shape: tuple[int, int], count: int, key: np.uint64) -> Cells:
    words = random_words(key, 2 * count).reshape(count, 2) % np.array(shape, dtype=np.uint64)
    return words.astype(np.int32)
