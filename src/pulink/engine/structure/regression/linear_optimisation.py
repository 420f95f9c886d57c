"""Linear optimisation (Pech et al. 2019): rows of a symmetric matrix M as sums of its rows, by ridge regression.

    scores = M Z,   Z = argmin |M − M Z|² + λ |Z|²
           = M − λ (M² + λ I)^-1 M

M is the adjacency over the roots of both degrees, D^-1/2 A D^-1/2, and λ the mean of the diagonal of M². Scores
are multiplied by the roots again, so that they are on the scale of A.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.sparse as sp

F32 = npt.NDArray[np.float32]


def linear_optimisation(adjacency: sp.csr_array) -> F32:
    """The scores of all pairs (n x n, dense) of a symmetric adjacency; 0 without edges."""
    degrees = np.asarray(adjacency.sum(axis=1), dtype=np.float64).ravel()
    roots = np.sqrt(np.where(degrees > 0, degrees, 1.0)).astype(np.float32)
    matrix: F32 = adjacency.toarray().astype(np.float32)
    matrix /= roots[:, None]
    matrix /= roots
    if not matrix.any():
        return matrix
    gram = matrix @ matrix
    penalty = np.float32(gram.trace() / len(gram))
    gram[np.diag_indices_from(gram)] += penalty
    solved = scipy.linalg.solve(gram, matrix, assume_a="pos", overwrite_a=True, check_finite=False)
    matrix -= penalty * solved
    matrix *= roots[:, None]
    matrix *= roots
    return matrix
