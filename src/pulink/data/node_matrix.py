"""A sparse matrix in place of a node table: row i belongs to the node called i."""

from __future__ import annotations

import zipfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import polars as pl
import scipy.sparse as sp

from pulink.data.edge_list import WHOLE
from pulink.data.sources import existing_file
from pulink.errors import InputError
from pulink.graph.graph import Graph


@dataclass(frozen=True)
class NodeMatrix:
    """Features by row number."""

    matrix: sp.csr_array
    where: str

    @property
    def ids(self) -> pl.Series:
        """What the rows' nodes are called."""
        return pl.Series("name", np.arange(self.matrix.shape[0])).cast(pl.String)

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
                f"but the graph has a node {names.filter(bad)[0]!r}"
            )
        return graph.with_features(self.matrix[numbers.to_numpy()])


def read_node_matrix(path: str | Path) -> NodeMatrix:
    """A matrix that scipy.sparse.save_npz wrote."""
    found = existing_file(path)
    try:
        matrix = sp.load_npz(found)
        if hasattr(matrix, "check_format"):
            matrix.check_format(full_check=True)
        matrix = sp.csr_array(matrix, dtype=np.float32)
    except (ValueError, OSError, EOFError, KeyError, TypeError, AttributeError, zipfile.BadZipFile) as error:
        raise InputError(f"{path}: is not a sparse matrix written by scipy.sparse.save_npz") from error
    if not np.isfinite(matrix.data).all():
        raise InputError(f"{path}: holds NaN or infinite numbers; features must be finite")
    return NodeMatrix(matrix, str(path))
