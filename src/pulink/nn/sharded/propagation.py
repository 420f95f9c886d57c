"""S = D^-1/2 (A + I) D^-1/2 of a graph whose rows several workers hold.

    S x = s ∘ ((A + I) (s ∘ x)),   s_i = 1 / sqrt(1 + Σ_j A_ij)

A is the observed graph, or that and the pairs that were added. A worker computes its own rows. What hubs get over
added pairs is summed by shards, see `engine.own_rows.pair_terms`.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from pulink.distributed.group.group import Group, tree_sum
from pulink.distributed.group.own_rows import OwnRows
from pulink.engine.own_rows.products import add_hub_rows, add_to_hubs, propagate_rows, row_sums
from pulink.nn.sharded.added_pairs import AddedPairs

F32 = npt.NDArray[np.float32]

_LEAST_WEIGHT = np.float32(1e-30)


class Propagation:
    """The product of S with a matrix, for one worker's rows.

    scale  s of the own rows
    """

    def __init__(self, rows: OwnRows, group: Group, added: AddedPairs, mean_weight: float = 1.0) -> None:
        self._rows, self._group, self._added = rows, group, added
        self._bounds = rows.local_bounds
        self._weights = np.empty(0, dtype=np.float32) if rows.weights is None else rows.weights
        # On a weighted graph a certain pair weighs as much as the average observed edge.
        unit = np.float32(mean_weight)
        self._added_weights = np.maximum(added.probs * added.counts * unit, _LEAST_WEIGHT).astype(np.float32)
        nodes = added.hubs.nodes.astype(np.int64)
        self._own_hubs = np.flatnonzero((nodes >= rows.first) & (nodes < rows.first + rows.n_rows))
        self._hub_rows = nodes[self._own_hubs] - rows.first
        self.scale = (1.0 / np.sqrt(1.0 + self._degrees())).astype(np.float32)

    def _degrees(self) -> npt.NDArray[np.float64]:
        indptr = self._rows.indptr
        degrees = np.diff(indptr).astype(np.float64)
        if self._rows.weights is not None:
            row_sums(indptr, self._weights, degrees)
        ones = np.ones((self._rows.n_rows, 1), dtype=np.float32)
        of_rows = np.zeros_like(ones)
        if len(self._added.hubs.nodes):
            units = np.ones((len(self._added.hubs.nodes), 1), dtype=np.float32)
            add_hub_rows(*self._entries(), ones[:, 0], units, of_rows)
            self._add_at_hubs(ones, np.ones(len(ones), dtype=np.float32), of_rows)
        return degrees + of_rows[:, 0]

    def _entries(self) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32], F32]:
        return self._added.hubs.indptr, self._added.hubs.added, self._added_weights

    def times(self, scaled: F32, bias: F32) -> F32:
        """S x + bias in the own rows, of s ∘ x in all rows."""
        rows = self._rows
        out = np.empty((rows.n_rows, scaled.shape[1]), dtype=np.float32)
        propagate_rows(rows.indptr, rows.indices, self._weights, self.scale, scaled, rows.first, bias, out)
        if len(self._added.hubs.nodes):
            add_hub_rows(*self._entries(), self.scale, scaled[self._added.hubs.nodes], out)
            self._add_at_hubs(scaled[rows.first : rows.first + rows.n_rows], self.scale, out)
        return out

    def _add_at_hubs(self, own: F32, scale: F32, out: F32) -> None:
        sums = np.zeros((len(self._bounds) - 1, len(self._added.hubs.nodes), own.shape[1]), dtype=np.float32)
        add_to_hubs(*self._entries(), own, self._bounds, sums)
        total = self._group.summed(tree_sum(sums))
        out[self._hub_rows] += scale[self._hub_rows, None] * total[self._own_hubs]
