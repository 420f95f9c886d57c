"""What is asked of every method: scores of pairs, scores of rows of the table, and the best of all free pairs."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from benchmarks.kinds.graphs import Pairs, Table
from benchmarks.kinds.measures import F64, Longs, best_cells, precision_at_k, recall_and_ndcg
from pulink.graph.split import Split


class Scorer(Protocol):
    """A fitted method; `settings` are those that it chose on validation edges."""

    settings: dict[str, Any]

    def score(self, pairs: Pairs) -> F64: ...

    def rows(self, start: int, stop: int) -> F64: ...

    def best(self, k: int, known: Pairs) -> tuple[Longs, Longs]: ...


@dataclass
class DenseScorer:
    """A score in each cell of the table."""

    table: Table
    matrix: npt.NDArray[np.floating]
    settings: dict[str, Any] = field(default_factory=dict)

    def score(self, pairs: Pairs) -> F64:
        return np.asarray(self.matrix[self.table.cells(pairs)], dtype=np.float64)

    def rows(self, start: int, stop: int) -> F64:
        return np.asarray(self.matrix[start:stop], dtype=np.float64)

    def best(self, k: int, known: Pairs) -> tuple[Longs, Longs]:
        return best_cells(self.rows, self.table.closed(known), k)


def adjacency_of(split: Split) -> sp.csr_matrix:
    """The training edges as cells of the table."""
    return Table.of(split.train).matrix(split.train.edges)


def on_validation(scorer: Scorer, split: Split) -> float:
    """By what settings are chosen: precision@K of the validation edges; where there are two sides, the mean of it
    and NDCG@20. Test edges are candidates like others."""
    table = Table.of(split.train)
    hidden = table.matrix(split.val_edges)
    precision = precision_at_k(scorer.best(len(split.val_edges), split.train.edges), hidden)
    if split.train.is_directed:
        return precision
    _, ndcg = recall_and_ndcg(scorer.rows, table.closed(split.train.edges), hidden)
    return (precision + ndcg) / 2
