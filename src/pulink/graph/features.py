"""Node features as a matrix: copied, read-only, and refused where products of them would overflow."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.errors import InputError
from pulink.text import counted, one_line

Features: TypeAlias = sp.csr_array | npt.NDArray[np.float32]

_LARGEST_FEATURE = 1e18


def feature_matrix(features: Any, n_nodes: int) -> Features | None:
    """A row per node (n x d), sparse or dense as it came; None stays None."""
    if features is None:
        return None
    matrix: Features
    # Copied, because what is frozen here would be frozen for its owner too.
    if sp.issparse(features):
        _refuse_complex(features.dtype)
        with np.errstate(over="ignore"):
            matrix = sp.csr_array(features, dtype=np.float32, copy=True)
        matrix.sum_duplicates()
    else:
        matrix = _dense_matrix(features)
    if matrix.shape[0] != n_nodes:
        raise InputError(
            f"features have {counted(matrix.shape[0], 'row')}, the graph has {counted(n_nodes, 'node')}"
        )
    _refuse_unusable(matrix)
    parts = [matrix] if isinstance(matrix, np.ndarray) else [matrix.data, matrix.indices, matrix.indptr]
    for part in parts:
        part.flags.writeable = False
    return matrix


def _dense_matrix(features: object) -> npt.NDArray[np.float32]:
    try:
        array = np.asarray(features)
        _refuse_complex(array.dtype)
        # What is too large for single precision becomes infinite, and is refused as such.
        with np.errstate(over="ignore"):
            matrix = np.array(array, dtype=np.float32, order="C")
    except InputError:
        raise
    except (TypeError, ValueError) as error:
        raise InputError(f"features must be a matrix of numbers, a row per node: {one_line(error)}") from error
    if matrix.ndim != 2:
        raise InputError(f"features must be a matrix with a row per node, got shape {matrix.shape}")
    return matrix


def _refuse_complex(dtype: np.dtype[Any]) -> None:
    if dtype.kind == "c":
        raise InputError("features must be real numbers, got complex ones: hand over two columns for each")


def _refuse_unusable(matrix: Features) -> None:
    """Numbers beyond 1e18 would overflow in the first product of two."""
    values = matrix if isinstance(matrix, np.ndarray) else matrix.data
    # NaN is neither: comparisons with it are false. Of matrices that are fine no copy is made.
    if not values.size or (values.min() >= -_LARGEST_FEATURE and values.max() <= _LARGEST_FEATURE):
        return
    for bad, what, advice in (
        (~np.isfinite(values), "NaN or infinite numbers", "fill or remove them first"),
        (np.abs(values) > _LARGEST_FEATURE, f"numbers beyond ±{_LARGEST_FEATURE:g}", "rescale them first"),
    ):
        if bad.any():
            row, column = _first_place(matrix, bad)
            raise InputError(
                f"features hold {what}: {int(bad.sum()):,}, the first in row {row}, column {column}, "
                f"counted from 0; {advice}"
            )


def _first_place(matrix: Features, bad: npt.NDArray[np.bool_]) -> tuple[int, int]:
    place = int(np.flatnonzero(bad)[0])
    if isinstance(matrix, np.ndarray):
        return divmod(place, int(matrix.shape[1]))
    return int(np.searchsorted(matrix.indptr, place, side="right")) - 1, int(matrix.indices[place])
