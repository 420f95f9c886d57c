"""A sparse matrix in place of a node table: row i belongs to the node called i."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy.sparse as sp

from pulink.data.formats.arrays.npz_matrices import (
    refuse_not_finite,
    row_starts,
    single,
    sparse_rows,
    two_counts,
    whole,
)
from pulink.data.formats.arrays.npz_members import Arrays, opened_arrays
from pulink.data.formats.sources import existing_file
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.tables.edge_options import NodeNames
from pulink.graph.tables.numbering import WHOLE
from pulink.text import reason, shown


@dataclass(frozen=True)
class NodeMatrix:
    """Features by row number."""

    matrix: sp.csr_array
    where: str

    @property
    def ids(self) -> pl.Series:
        """What the rows' nodes are called."""
        return pl.Series("name", np.arange(self.matrix.shape[0])).cast(pl.String)

    @property
    def nodes(self) -> NodeNames:
        """The same for a list of edges."""
        return NodeNames(self.ids, where=self.where)

    def attach(self, graph: Graph, kinds: dict[str, str] | None = None) -> Graph:  # noqa: ARG002
        """The graph with this matrix's rows as features; every node needs one."""
        names = graph.names.series()
        n_rows = self.matrix.shape[0]
        # "01" is not the node called 1: only numbers written plainly count.
        numbers = pl.select(
            pl.when(names.str.contains(WHOLE)).then(names.cast(pl.Int64, strict=False))
        ).to_series()
        bad = (numbers.is_null() | (numbers >= n_rows)).fill_null(True)
        if bad.any():
            raise InputError(
                f"{self.where}: its {n_rows} rows belong to the nodes called 0 .. {n_rows - 1}, "
                f"but the graph has a node {shown(names.filter(bad)[0])}"
            )
        try:
            return graph.with_features(self.matrix[numbers.to_numpy()])
        except InputError as error:
            raise InputError(f"{self.where}: {error}") from error


def read_node_matrix(path: str | Path) -> NodeMatrix:
    """A matrix that scipy.sparse.save_npz wrote."""
    where = str(existing_file(path))
    try:
        with opened_arrays(path) as arrays:
            matrix = _stored(arrays, f"{where}: the matrix")
    except InputError as error:
        cause = str(error).removeprefix(f"{where}: ")
        raise InputError(f"{where}: is not a sparse matrix written by scipy.sparse.save_npz ({cause})") from error
    refuse_not_finite(matrix, f"{where}: the matrix")
    return NodeMatrix(matrix, where)


def _stored(arrays: Arrays, what: str) -> sp.csr_array:
    """Any of SciPy's formats as rows."""
    kind, shape, data = (arrays.read(name) for name in ("format", "shape", "data"))
    name = kind.item() if kind.size == 1 else None
    name = name.decode(errors="replace") if isinstance(name, bytes) else name
    if name == "csr":
        return sparse_rows(data, arrays.read("indices"), arrays.read("indptr"), shape, what)
    if name == "csc":
        return sparse_rows(data, arrays.read("indices"), arrays.read("indptr"), shape[::-1], what).T.tocsr()
    size = two_counts(shape, data.size, what)
    others = {"coo": ("row", "col"), "bsr": ("indices", "indptr"), "dia": ("offsets",)}
    if not isinstance(name, str) or name not in others:
        raise InputError(f"{what} has the format {shown(name)}; csr, csc, coo, bsr and dia are known")
    parts = [whole(arrays.read(part), what) for part in others[name]]
    if name == "bsr":
        row_starts(parts[1], len(parts[0]), what)
    return _built(name, single(data, what), parts, size, what)


def _built(
    name: str, data: np.ndarray, parts: list[npt.NDArray[np.int64]], size: tuple[int, int], what: str
) -> sp.csr_array:
    try:
        if name == "coo":
            return sp.csr_array(sp.coo_array((data, tuple(parts)), shape=size))
        if name == "dia":
            return sp.csr_array(sp.dia_array((data, *parts), shape=size))
        blocks = sp.bsr_array((data, *parts), shape=size)
        blocks.check_format(full_check=True)
        return sp.csr_array(blocks)
    except (ValueError, IndexError, TypeError, OverflowError) as error:
        raise InputError(f"{what} is damaged ({reason(error)})") from error
