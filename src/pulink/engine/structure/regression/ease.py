"""EASE (Steck 2019), of both sides of a two-sided graph, from one inverse.

    X (a x b)   which of a rows is linked with which of b columns
    P = (XᵀX + λ I)^-1,  M = X P
    by columns   X − M diag(P)^-1          each column regressed on all others
    by rows      X − diag(Q)^-1 M          each row on all others, Q = (X Xᵀ + λ I)^-1 and Q X = X P
    diag(Q)_i    (1 − M_i · X_i) / λ

Where columns are more than rows, the same of Xᵀ.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

F32 = npt.NDArray[np.float32]


def ease(links: sp.csr_array, penalty: float) -> tuple[F32, F32]:
    """Scores by columns and by rows (each a x b, dense)."""
    if links.shape[1] > links.shape[0]:
        by_columns, by_rows = ease(sp.csr_array(links.T), penalty)
        return np.ascontiguousarray(by_rows.T), np.ascontiguousarray(by_columns.T)
    gram = (links.T @ links).toarray().astype(np.float64)
    gram[np.diag_indices_from(gram)] += penalty
    inverse = np.linalg.inv(gram)
    products = links @ inverse
    own = np.asarray(links.multiply(products).sum(axis=1)).ravel()
    of_rows = np.maximum(1.0 - own, 1e-12) / penalty
    dense = links.toarray()
    by_columns = (dense - products / np.diag(inverse)).astype(np.float32)
    return by_columns, (dense - products / of_rows[:, None]).astype(np.float32)
