"""Matrices of numbers that files hold: every part is judged before it is used.

`what` names the file and the matrix in a message: "graph.npz: x".
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.data.formats.limits import check_announced
from pulink.errors import InputError
from pulink.text import reason

_SHOWN = 3


def sparse_rows(
    data: np.ndarray, indices: np.ndarray, indptr: np.ndarray, shape: np.ndarray, what: str
) -> sp.csr_array:
    """A matrix stored row after row (CSR)."""
    size = two_counts(shape, data.size, what)
    parts = (single(data, what), whole(indices, what), row_starts(indptr, len(indices), what))
    try:
        matrix = sp.csr_array(parts, shape=size)
        matrix.check_format(full_check=True)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise InputError(f"{what} is not a sparse matrix ({reason(error)})") from error
    return matrix


def two_counts(shape: np.ndarray, n_stored: int, what: str) -> tuple[int, int]:
    """The numbers of rows and columns, which cost memory even where nothing is stored in them."""
    if shape.shape != (2,) or shape.dtype.kind not in "iu":
        raise InputError(f"{what} has no shape of two whole numbers, got {shape.dtype} of shape {shape.shape}")
    n_rows, n_columns = int(shape[0]), int(shape[1])
    check_announced(n_rows, n_stored, "the number of rows", what)
    check_announced(n_columns, n_stored, "the number of columns", what)
    return n_rows, n_columns


def single(values: np.ndarray, what: str) -> npt.NDArray[np.float32]:
    """Numbers as they are kept, in single precision: 1e300 becomes infinite."""
    if values.dtype.kind not in "fiub":
        raise InputError(f"{what} must hold numbers, got {values.dtype}")
    with np.errstate(all="ignore"):
        return values.astype(np.float32)


def whole(values: np.ndarray, what: str) -> npt.NDArray[np.int64]:
    """Whole numbers; none may be cut off on its way to 64 bits."""
    if values.dtype.kind not in "iu" or (values.size and int(values.max()) > np.iinfo(np.int64).max):
        raise InputError(f"{what} must hold whole numbers below 2^63, got {values.dtype}")
    return values.astype(np.int64)


def row_starts(indptr: np.ndarray, n_stored: int, what: str) -> npt.NDArray[np.int64]:
    """Where rows begin among what is stored; SciPy does not look at them where the last one says 0."""
    starts = whole(indptr, what)
    if starts.ndim != 1 or not len(starts) or (np.diff(starts, prepend=0, append=n_stored) < 0).any():
        raise InputError(f"{what} is not a sparse matrix (indptr must rise from 0 to at most {n_stored:,})")
    return starts


def refuse_not_finite(matrix: npt.NDArray[np.float32] | sp.csr_array, what: str) -> None:
    """InputError if there are NaN or infinite numbers: how many, and where the first are."""
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    bad = ~np.isfinite(values)
    if not bad.any():
        return
    n_nan = int(np.isnan(values).sum())
    n_infinite = int(bad.sum()) - n_nan
    counts = [f"{count:,} {kind}" for count, kind in ((n_nan, "NaN"), (n_infinite, "infinite")) if count]
    rows, columns = np.nonzero(bad) if isinstance(matrix, np.ndarray) else _stored_places(matrix, bad)
    places = ", ".join(f"row {r} column {c}" for r, c in zip(rows[:_SHOWN], columns[:_SHOWN], strict=True))
    raise InputError(
        f"{what} holds {' and '.join(counts)} numbers, the first at {places} (counted from 0); "
        "features must be finite, up to 3e38: fill or remove them first"
    )


def _stored_places(matrix: sp.csr_array, chosen: npt.NDArray[np.bool_]) -> tuple[np.ndarray, np.ndarray]:
    stored = np.flatnonzero(chosen)
    return np.searchsorted(matrix.indptr, stored, side="right") - 1, matrix.indices[stored]
