"""Walks of many steps between all pairs of a small graph.

M = D^-1/2 A D^-1/2,   M^k for k = 2 to 7        entry (i, j): walks of k steps from i to j, each over the degrees
                                                  on its way, and over the roots of those of its ends
return of a node       the diagonal of M^k: the probability that a walk of k steps is back
"""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

F32 = npt.NDArray[np.float32]
Pairs = npt.NDArray[np.int64]

STEPS = (2, 3, 4, 5, 6, 7)
# Beyond this share of entries that are not 0, a product with the dense matrix is faster than with the sparse one.
_DENSE = 0.05


class DenseWalks:
    """Of one graph, once for all pairs, from its normalised adjacency."""

    def __init__(self, normalised: sp.csr_array) -> None:
        self._matrix = normalised

    @cached_property
    def _powers(self) -> list[F32]:
        n = self._matrix.shape[0]
        dense = self._matrix.toarray().astype(np.float32)
        step = dense if self._matrix.nnz > _DENSE * n * n else self._matrix.astype(np.float32)
        found, power = [], dense
        for _ in STEPS:
            power = np.asarray(step @ power)
            found.append(power)
        return found

    def between(self, pairs: Pairs, number: int) -> F32:
        """Walks of `STEPS[number]` steps between the ends (k)."""
        return self._powers[number][pairs[:, 0], pairs[:, 1]]

    def returns(self, pairs: Pairs, number: int) -> F32:
        """Of both ends, the lower first (k x 2)."""
        first, second = np.diagonal(self._powers[number])[pairs].T
        return np.stack([np.minimum(first, second), np.maximum(first, second)], axis=1)
