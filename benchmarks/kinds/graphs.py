"""The four graphs, and their pairs as cells of a table: a row per source, a column per target.

Of a directed graph all nodes are sources and targets. Of a two-sided one the nodes of the first side, which have
the lower numbers, are the sources and the others the targets. Weights of OpenFlights are left out: no rival here
reads them.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs

Pairs = npt.NDArray[np.integer]

DIRECTED = ("email_eu_core", "debian_dependencies", "openflights")
TWO_SIDED = ("flavor_bipartite",)
GRAPHS = DIRECTED + TWO_SIDED


def path_of(name: str) -> Path:
    """Where a graph's file is, if it is there."""
    return Path(os.environ.get("PULINK_DATA", "../shared/data")) / f"{name}.npz"


def read_graph(name: str) -> Graph:
    """One of the four graphs, with its kind, names and features."""
    with np.load(path_of(name)) as file:
        arrays = dict(file)
    rows, n_nodes = arrays["edge_index"].T, int(arrays["num_nodes"])
    names = arrays["names"].tolist() if "names" in arrays else None
    if names is not None and len(set(names)) < n_nodes:
        names = None
    if name in TWO_SIDED:
        n_first = int(arrays["num_left"])
        types = ["ingredient"] * n_first + ["compound"] * (n_nodes - n_first)
        return Graph.from_edges(
            rows,
            n_nodes,
            kind="bipartite",
            node_types=types,
            between=[("ingredient", "compound")],
            names=names,
            ends=("ingredient", "compound"),
        )
    return Graph.from_edges(rows, n_nodes, kind="directed", names=names, features=_features(arrays))


def _features(arrays: dict[str, npt.NDArray[np.generic]]) -> sp.csr_matrix | None:
    """Words as they are; places as numbers of mean 0 and deviation 1, and a column per country."""
    if "x_data" in arrays:
        parts = arrays["x_data"], arrays["x_indices"], arrays["x_indptr"]
        return sp.csr_matrix(parts, shape=tuple(arrays["x_shape"]))
    if "x" not in arrays:
        return None
    numbers = arrays["x"].astype(np.float64)
    scaled = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    countries, places = np.unique(arrays["country"], return_inverse=True)
    one_hot = sp.csr_matrix(
        (np.ones(len(places)), (np.arange(len(places)), places)), shape=(len(places), len(countries))
    )
    return sp.hstack([sp.csr_matrix(scaled), one_hot], format="csr").astype(np.float32)


@dataclass(frozen=True)
class Table:
    """Pairs as cells: pair (i, j) is row i, column j - offset. Offset 0: the diagonal is no pair."""

    n_rows: int
    n_columns: int
    offset: int

    @classmethod
    def of(cls, graph: Graph) -> Table:
        """The table of a graph's pairs."""
        if graph.is_directed:
            return cls(graph.n_nodes, graph.n_nodes, 0)
        assert isinstance(graph.space, TypedPairs)
        n_first = int(np.sum(graph.space.types == graph.space.types[0]))
        assert (graph.space.types[:n_first] == graph.space.types[0]).all(), "the first side comes first"
        return cls(n_first, graph.n_nodes - n_first, n_first)

    def cells(self, pairs: Pairs) -> tuple[Pairs, Pairs]:
        """Rows and columns of pairs (k x 2)."""
        return pairs[:, 0], pairs[:, 1] - self.offset

    def matrix(self, pairs: Pairs) -> sp.csr_matrix:
        """A matrix with a 1 in the cell of each pair."""
        return sp.csr_matrix((np.ones(len(pairs)), self.cells(pairs)), shape=(self.n_rows, self.n_columns))

    def closed(self, known: Pairs) -> sp.csr_matrix:
        """The cells that no list may hold: known pairs, and a node with itself."""
        if self.offset:
            return self.matrix(known)
        loops = np.repeat(np.arange(self.n_rows)[:, None], 2, axis=1)
        return self.matrix(np.concatenate([known, loops]))
