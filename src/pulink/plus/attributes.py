"""What node features say about a pair.

Sparse features are words: a row is weighed by how rare its words are, and two rows share words. Dense features are
numbers: columns are brought to mean 0 and variance 1, and nothing is shared. With x_i a row of length 1, y_i the
leading components of the rows, brought to length 1 too, x̄_i the mean of x over the neighbours of i, and ȳ_i that
of y, again brought to length 1:

    x_i·x_j, x_i·x_j of rows as they came, words shared, x̄_i·x_j and x_i·x̄_j (smaller, larger),
    y_i·y_j, ȳ_i·ȳ_j, ȳ_i·y_j and y_i·ȳ_j (smaller, larger)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.leading_components import leading_components
from pulink.engine.random import stream_key
from pulink.engine.row_dots import Matrix, row_dots, unit_rows
from pulink.graph.graph import Features

NAMES = (
    "features",
    "features_plain",
    "features_shared",
    "features_around_low",
    "features_around_high",
    "components",
    "components_around",
    "components_across_low",
    "components_across_high",
)

_N_COMPONENTS = 64
_ROUNDING = 1e-6
_PARTS = ("data", "indices", "indptr")

Floats = npt.NDArray[np.float32]
State = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Attributes:
    """The features of a graph's nodes, prepared once for all graphs on the same nodes.

    rows        weighed, of length 1; `plain` as they came, of length 1; `shared` their words, None if dense
    components  the leading components of `rows`, of length 1 (n x 64)
    """

    rows: Matrix
    plain: Matrix
    shared: Matrix | None
    components: Floats

    @classmethod
    def of(cls, features: Features, seed: int) -> Attributes:
        rows = unit_rows(_weighed(features))
        components = leading_components(rows, _N_COMPONENTS, stream_key(seed, "feature components"))
        shared = None if isinstance(features, np.ndarray) else _present(features)
        plain = unit_rows(features if isinstance(features, np.ndarray) else _sorted(features))
        return cls(rows, plain, shared, unit_rows(np.ascontiguousarray(components, dtype=np.float32)))

    def around(self, steps: sp.csr_array) -> Surroundings:
        """With the means over neighbours that `steps` (n x n, rows sum to 1) takes."""
        means = steps @ self.rows
        rows = np.asarray(means, dtype=np.float32) if isinstance(means, np.ndarray) else _sorted(means)
        components = np.ascontiguousarray(steps @ self.components, dtype=np.float32)
        return Surroundings(self, rows, unit_rows(components))

    def state(self) -> State:
        """All arrays by name."""
        found: State = {"components": self.components}
        for name in ("rows", "plain", "shared"):
            matrix = getattr(self, name)
            if isinstance(matrix, np.ndarray):
                found[name] = matrix
            elif matrix is not None:
                found |= {f"{name}.{part}": getattr(matrix, part) for part in _PARTS}
                found[f"{name}.shape"] = np.array(matrix.shape)
        return found

    @classmethod
    def from_state(cls, state: State, n_nodes: int) -> Attributes:
        """What `state` gave; ValueError or KeyError if that is no features of so many nodes."""
        rows, plain, shared = (_matrix(state, name) for name in ("rows", "plain", "shared"))
        if rows is None or plain is None:
            raise ValueError("its features are not whole")
        found = cls(rows, plain, shared, state["components"])
        for own in (rows, plain, shared, found.components):
            if own is not None and (own.ndim != 2 or own.shape[0] != n_nodes):
                raise ValueError("its features do not fit its graph")
        return found


class Surroundings:
    """Features, and those of the neighbours on one graph."""

    def __init__(self, own: Attributes, rows: Matrix, components: Matrix) -> None:
        self._own, self._rows, self._components = own, rows, components

    def pair_signals(self, pairs: npt.NDArray[np.int64]) -> Floats:
        """The nine signals of each pair (k x 9)."""
        own, back = self._own, np.ascontiguousarray(pairs[:, ::-1])
        shared = (
            np.zeros(len(pairs), np.float32) if own.shared is None else row_dots(own.shared, own.shared, pairs)
        )
        near = row_dots(self._rows, own.rows, pairs), row_dots(self._rows, own.rows, back)
        across = (
            row_dots(self._components, own.components, pairs),
            row_dots(self._components, own.components, back),
        )
        return np.stack(
            [
                row_dots(own.rows, own.rows, pairs),
                row_dots(own.plain, own.plain, pairs),
                shared,
                np.minimum(*near),
                np.maximum(*near),
                row_dots(own.components, own.components, pairs),
                row_dots(self._components, self._components, pairs),
                np.minimum(*across),
                np.maximum(*across),
            ],
            axis=1,
        )


def _matrix(state: State, name: str) -> Matrix | None:
    if f"{name}.data" not in state:
        return state.get(name)
    parts = tuple(state[f"{name}.{part}"] for part in _PARTS)
    found = sp.csr_array(parts, shape=tuple(state[f"{name}.shape"].tolist()))
    found.check_format(full_check=True)
    return found


def _weighed(features: Features) -> Matrix:
    if isinstance(features, np.ndarray):
        means, spreads = features.mean(axis=0, dtype=np.float64), features.std(axis=0, dtype=np.float64)
        # Rounding alone spreads the copies of one number.
        varies = spreads > _ROUNDING * np.abs(means)
        return np.asarray(np.where(varies, features - means, 0) / np.where(varies, spreads, 1), dtype=np.float32)
    present = _present(features)
    counts = np.bincount(present.indices, minlength=features.shape[1])
    rarity = np.log(1.0 + features.shape[0] / np.maximum(counts, 1))
    present.data = rarity[present.indices].astype(np.float32)
    return present


def _present(features: sp.csr_array) -> sp.csr_array:
    found = sp.csr_array((features != 0).astype(np.float32))
    return _sorted(found)


def _sorted(matrix: sp.csr_array) -> sp.csr_array:
    matrix = sp.csr_array(matrix, dtype=np.float32)
    matrix.sort_indices()
    return matrix
