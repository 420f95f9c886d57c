"""Node features of a worker's rows as the left factor of the first layer's product."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.group import Group, tree_sum
from pulink.distributed.group.own_rows import OwnRows
from pulink.engine.own_rows.products import (
    add_outer,
    add_sparse_outer,
    multiply_rows,
    multiply_sparse_rows,
)
from pulink.errors import ParameterError
from pulink.nn.inputs import normalise_rows, smallest_entry

F32 = npt.NDArray[np.float32]

SCALINGS = ("auto", "rows", "none")


class OwnFeatures:
    """X in X · W, the rows of one worker. Without features X is the identity: W has a row for each node.

    n_columns  of the whole X
    """

    def __init__(self, rows: OwnRows, scaling: str, group: Group) -> None:
        if scaling not in SCALINGS:
            allowed = ", ".join(SCALINGS)
            raise ParameterError(f"feature_scaling must be one of {allowed} on a cluster, got {scaling!r}")
        matrix = rows.features
        self._bounds = rows.local_bounds
        self._dense: F32 | None = None
        # Starts of rows, columns and values: SciPy would narrow the numbers.
        self._sparse: tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], F32] | None = None
        self.n_columns = rows.shards.n_nodes if matrix is None else int(matrix.shape[1])
        if matrix is None:
            return
        smallest = smallest_entry(matrix) if rows.n_rows else np.inf
        smallest = float(min(one[0] for one in group.gathered(np.array([smallest]))))
        if scaling == "rows" or (scaling == "auto" and smallest >= 0):
            matrix = normalise_rows(matrix, smallest)
        if isinstance(matrix, np.ndarray):
            self._dense = np.ascontiguousarray(matrix, dtype=np.float32)
        else:
            starts, columns = matrix.indptr.astype(np.int64), matrix.indices.astype(np.int32)
            self._sparse = starts, columns, matrix.data.astype(np.float32)

    @property
    def is_identity(self) -> bool:
        return self._dense is None and self._sparse is None

    def project(self, weight: F32) -> F32:
        """X · W in the own rows."""
        out = np.empty((int(self._bounds[-1]), weight.shape[1]), dtype=np.float32)
        if self._sparse is not None:
            multiply_sparse_rows(*self._sparse, weight, out)
        elif self._dense is not None:
            multiply_rows(self._dense, weight, np.ones(len(out), dtype=np.float32), out)
        else:
            return weight
        return out

    def project_back(self, gradient: F32) -> F32:
        """The own shards' branch of Xᵀ · gradient; of the identity the gradient's own rows."""
        if self.is_identity:
            return gradient
        return np.asarray(tree_sum(self._of_shard(gradient, s) for s in range(len(self._bounds) - 1)))

    def _of_shard(self, gradient: F32, shard: int) -> F32:
        first, end = self._bounds[shard], self._bounds[shard + 1]
        out = np.zeros((self.n_columns, gradient.shape[1]), dtype=np.float32)
        if self._sparse is not None:
            starts, columns, values = self._sparse
            add_sparse_outer(starts[first : end + 1], columns, values, gradient[first:end], out)
        elif self._dense is not None:
            whole = np.array([0, end - first])
            add_outer(self._dense[first:end], gradient[first:end], whole, out[None])
        return out
