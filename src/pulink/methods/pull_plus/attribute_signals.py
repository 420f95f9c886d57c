"""What node features say about a pair.

Sparse features are words: a row is weighed by how rare its words are, and two rows share words. Dense features are
numbers: columns are brought to mean 0 and variance 1, and nothing is shared. With x_i a row of length 1, y_i the
leading components of the rows, brought to length 1 too, x̄_i the mean of x over the neighbours of i, and ȳ_i that
of y, again brought to length 1, there are for a pair (i, j):

    x_i·x_j, x_i·x_j of rows as they came, words shared, x̄_i·x_j and x_i·x̄_j,
    y_i·y_j, ȳ_i·ȳ_j, ȳ_i·y_j and y_i·ȳ_j
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.random import stream_key
from pulink.engine.row_dots import Matrix, row_dots, unit_rows
from pulink.engine.structure.leading_components import leading_components
from pulink.graph.features import Features

_N_COMPONENTS = 64
# Those that a network of pairs reads of a graph of so many nodes; where nodes are so many that they would fill the
# memory, fewer.
_N_LEADING, _MANY_NODES, _MOST_LEADING = 128, 10_000, 1 << 25
_ROUNDING = 1e-6
_PARTS = ("data", "indices", "indptr")

F32 = npt.NDArray[np.float32]
F64 = npt.NDArray[np.float64]
Pairs = npt.NDArray[np.int64]
State = dict[str, npt.NDArray[Any]]


@dataclass(frozen=True)
class Weighing:
    """How columns are weighed.

    means  of numbers (d); None for words
    sizes  the spreads of numbers, 0 where they do not vary; how rare words are (d)
    """

    means: F64 | None
    sizes: F64

    @classmethod
    def of(cls, features: Features) -> Weighing:
        if isinstance(features, np.ndarray):
            means, spreads = features.mean(axis=0, dtype=np.float64), features.std(axis=0, dtype=np.float64)
            # Rounding alone spreads the copies of one number.
            return cls(means, np.where(spreads > _ROUNDING * np.abs(means), spreads, 0.0))
        counts = np.bincount(_present(features).indices, minlength=features.shape[1])
        return cls(None, np.log(1.0 + features.shape[0] / np.maximum(counts, 1)))

    def __call__(self, features: Features) -> Matrix:
        if isinstance(features, np.ndarray):
            assert self.means is not None
            varies = self.sizes > 0
            scaled = np.where(varies, features - self.means, 0) / np.where(varies, self.sizes, 1)
            return np.asarray(scaled, dtype=np.float32)
        present = _present(features)
        present.data = self.sizes[present.indices].astype(np.float32)
        return present


@dataclass(frozen=True)
class Attributes:
    """The features of a graph's nodes, prepared once for all graphs on the same nodes.

    rows        weighed, of length 1; `plain` as they came, of length 1; `shared` their words, None if dense
    components  the leading components of `rows`, of length 1 (n x 64)
    leading     more of them, as long as they are (n x c); None in models that were made before there were any
    weighing, directions
                what makes rows and components (directions are d x c, or d x 64), of new nodes too
    """

    rows: Matrix
    plain: Matrix
    shared: Matrix | None
    components: F32
    weighing: Weighing
    directions: F32
    leading: F32 | None = None

    @classmethod
    def of(cls, features: Features, seed: int) -> Attributes:
        weighing = Weighing.of(features)
        rows, plain, shared = _prepared(features, weighing)
        leading = leading_components(rows, n_leading(rows.shape[0]), stream_key(seed, "feature components"))
        squares = (leading**2).sum(axis=0)
        directions = np.asarray(rows.T @ leading) / np.where(squares > 0, squares, 1.0)
        return cls(
            rows,
            plain,
            shared,
            _unit_components(leading),
            weighing,
            np.ascontiguousarray(directions, dtype=np.float32),
            np.ascontiguousarray(leading, dtype=np.float32),
        )

    @property
    def feeds_network(self) -> bool:
        """Whether there is anything for a network of pairs to read."""
        return self.leading is not None and bool(self.leading.any())

    def with_nodes(self, features: Features) -> Attributes:
        """With the features of more nodes (k x d) below; a row of zeros is like none other."""
        rows, plain, shared = _prepared(features, self.weighing)
        if isinstance(rows, np.ndarray):
            rows = np.where(np.any(features, axis=1)[:, None], rows, np.float32(0))
        leading = np.ascontiguousarray(rows @ self.directions, dtype=np.float32)
        return replace(
            self,
            rows=_below(self.rows, rows),
            plain=_below(self.plain, plain),
            shared=None if shared is None else _below(self.shared, shared),
            components=_dense_below(self.components, _unit_components(leading)),
            leading=None if self.leading is None else _dense_below(self.leading, leading),
        )

    def around(self, steps: sp.csr_array) -> Surroundings:
        """With the means over neighbours that `steps` (n x n, rows sum to 1) takes."""
        means = steps @ self.rows
        rows = np.asarray(means, dtype=np.float32) if isinstance(means, np.ndarray) else _sorted(means)
        components = np.ascontiguousarray(steps @ self.components, dtype=np.float32)
        return Surroundings(self, rows, unit_rows(components))

    def state(self) -> State:
        """All arrays by name."""
        found: State = {"components": self.components, "directions": self.directions, "sizes": self.weighing.sizes}
        if self.leading is not None:
            found["leading"] = self.leading
        if self.weighing.means is not None:
            found["means"] = self.weighing.means
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
        weighing = Weighing(state["means"] if isinstance(rows, np.ndarray) else None, state["sizes"])
        found = cls(rows, plain, shared, state["components"], weighing, state["directions"], state.get("leading"))
        for matrix in (rows, plain, shared, found.components, found.leading):
            if matrix is not None and (matrix.ndim != 2 or matrix.shape[0] != n_nodes):
                raise ValueError("its features do not fit its graph")
        found._check_columns()
        return found

    def _check_columns(self) -> None:
        n_columns = self.rows.shape[1]
        n_components = (self.components if self.leading is None else self.leading).shape[1]
        by_column = [self.weighing.sizes] + ([] if self.weighing.means is None else [self.weighing.means])
        whole = all(row.shape == (n_columns,) for row in by_column)
        if not whole or self.directions.shape != (n_columns, n_components):
            raise ValueError("its features are not whole")


def n_leading(n_rows: int) -> int:
    """Leading components that are kept of so many nodes, at most."""
    count = min(_N_LEADING, _MOST_LEADING // n_rows) if n_rows > _MANY_NODES else _N_COMPONENTS
    return max(count, _N_COMPONENTS)


class Surroundings:
    """Features, and those of the neighbours on one graph: products of both ends of each pair (k)."""

    def __init__(self, attributes: Attributes, rows: Matrix, components: Matrix) -> None:
        self._attributes, self._rows, self._components = attributes, rows, components

    def features(self, pairs: Pairs) -> F32:
        """x_i·x_j."""
        return row_dots(self._attributes.rows, self._attributes.rows, pairs)

    def features_plain(self, pairs: Pairs) -> F32:
        """x_i·x_j of rows as they came."""
        return row_dots(self._attributes.plain, self._attributes.plain, pairs)

    def words_shared(self, pairs: Pairs) -> F32:
        """How many words both have; 0 of numbers."""
        shared = self._attributes.shared
        return np.zeros(len(pairs), np.float32) if shared is None else row_dots(shared, shared, pairs)

    def features_across(self, pairs: Pairs) -> tuple[F32, F32]:
        """x̄_i·x_j and x_i·x̄_j."""
        return _both_ways(self._rows, self._attributes.rows, pairs)

    def components(self, pairs: Pairs) -> F32:
        """y_i·y_j."""
        return row_dots(self._attributes.components, self._attributes.components, pairs)

    def components_around(self, pairs: Pairs) -> F32:
        """ȳ_i·ȳ_j."""
        return row_dots(self._components, self._components, pairs)

    def components_across(self, pairs: Pairs) -> tuple[F32, F32]:
        """ȳ_i·y_j and y_i·ȳ_j."""
        return _both_ways(self._components, self._attributes.components, pairs)


def _both_ways(means: Matrix, rows: Matrix, pairs: Pairs) -> tuple[F32, F32]:
    return row_dots(means, rows, pairs), row_dots(means, rows, np.ascontiguousarray(pairs[:, ::-1]))


def _matrix(state: State, name: str) -> Matrix | None:
    if f"{name}.data" not in state:
        return state.get(name)
    parts = tuple(state[f"{name}.{part}"] for part in _PARTS)
    found = sp.csr_array(parts, shape=tuple(state[f"{name}.shape"].tolist()))
    found.check_format(full_check=True)
    return found


def _prepared(features: Features, weighing: Weighing) -> tuple[Matrix, Matrix, Matrix | None]:
    """Rows weighed, rows as they came, and their words."""
    rows = unit_rows(weighing(features))
    if isinstance(features, np.ndarray):
        return rows, unit_rows(features), None
    return rows, unit_rows(_sorted(features)), _present(features)


def _unit_components(leading: npt.NDArray[np.floating[Any]]) -> F32:
    """The first of the leading components, rows of length 1."""
    return unit_rows(np.ascontiguousarray(leading[:, :_N_COMPONENTS], dtype=np.float32))


def _dense_below(above: F32, below: F32) -> F32:
    return np.ascontiguousarray(np.concatenate([above, below]), dtype=np.float32)


def _below(above: Matrix, below: Matrix) -> Matrix:
    if isinstance(above, np.ndarray):
        return _dense_below(above, below)
    return _sorted(sp.vstack([above, below], format="csr"))


def _present(features: sp.csr_array) -> sp.csr_array:
    found = sp.csr_array((features != 0).astype(np.float32))
    return _sorted(found)


def _sorted(matrix: sp.csr_array) -> sp.csr_array:
    matrix = sp.csr_array(matrix, dtype=np.float32)
    matrix.sort_indices()
    return matrix
