"""What is known of a pair: common neighbours, short paths, shared attributes, and what the trees made of it.

These are facts of the graph that a person can check. They are not how a method arrived at its score, but for the
signals of PULL+.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from pulink.engine.adjacency import Adjacency, Ints, index_dtype
from pulink.engine.structure.common_neighbours import common_neighbours
from pulink.errors import InputError
from pulink.explanation.short_paths import Path, strongest_paths
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.graph.pairs import resolve_pairs
from pulink.methods.pull_plus.contributions import by_subject
from pulink.text import counted

Longs = npt.NDArray[np.int64]

_N_COMMON, _N_PATHS, _N_SHARED = 5, 3, 5
_BLOCK = 4_096


@dataclass(frozen=True)
class PairFacts:
    """What is known of the pair i - j.

    pair      i, j
    n_common  how many common neighbours they have
    common    up to 5 of them, the lowest degree first, then the lower number
    paths     up to 3 (u, v) with edges i - u - v - j, the largest 1 / (d_u d_v) first; those through a node of
              `common` stand behind all others
    shared    up to 5 columns of the features that both have, the rarest first
    n_shared  how many they share in all
    signals   of PULL+ only: what signals are about and what they add to the log-odds, the largest size first
    """

    pair: tuple[int, int]
    n_common: int
    common: tuple[int, ...]
    paths: tuple[Path, ...]
    shared: tuple[int, ...]
    n_shared: int
    signals: tuple[tuple[str, float], ...] = ()


def find_facts(graph: Graph, pairs: object, features: Features | None = None) -> list[PairFacts]:
    """The facts of each pair (names, or k x 2 node numbers), without signals.

    features  by default the graph's; a model from a folder has its own

    Attributes are columns of sparse features, or of dense ones that hold only 0 and 1; two nodes share one if both
    have an entry there. Columns with a negative entry are numbers brought to mean 0, which are not shared.

    Time is in proportion to the rows of the pair's nodes, plus some milliseconds for its paths at most: from the
    end with less around it, neighbours of low degree are tried first, until a million entries are read. On graphs
    of up to half a million edges nothing is missed; on larger ones weak paths may be, which go past hubs.
    """
    ends = resolve_pairs(graph, pairs)
    table = _attributes(graph.features if features is None else features, graph.n_nodes)
    blocks = (ends[start : start + _BLOCK] for start in range(0, len(ends), _BLOCK))
    return [facts for block in blocks for facts in _of_block(graph, block, table)]


def with_signals(
    found: Sequence[PairFacts], columns: Sequence[str], contributions: npt.NDArray[np.float64]
) -> list[PairFacts]:
    """The same facts with the signals of PULL+: contributions (k x S) of the columns of `PairSignals.names`."""
    subjects = by_subject(columns, contributions)
    rows = np.stack(list(subjects.values()), axis=1).tolist()
    return [
        replace(facts, signals=tuple(sorted(zip(subjects, row, strict=True), key=lambda signal: -abs(signal[1]))))
        for facts, row in zip(found, rows, strict=True)
    ]


def _of_block(graph: Graph, pairs: Longs, attributes: tuple[Adjacency, Longs] | None) -> Iterator[PairFacts]:
    n_common, common = _lightest(graph.adjacency, pairs, graph.degrees, _N_COMMON)
    n_shared, shared = np.zeros(len(pairs), np.int64), np.empty((len(pairs), 0), np.int64)
    if attributes is not None:
        n_shared, shared = _lightest(attributes[0], pairs, attributes[1], _N_SHARED)
    paths = strongest_paths(graph.adjacency, pairs, common, _N_PATHS)
    for p, (i, j) in enumerate(pairs.tolist()):
        yield PairFacts(
            (i, j), int(n_common[p]), _members(common[p]), paths[p], _members(shared[p]), int(n_shared[p])
        )


def _lightest(rows: Adjacency, pairs: Longs, weights: Longs, most: int) -> tuple[Longs, Longs]:
    """How many members both rows of a pair have (k), and those of least weight (k x most, padded by -1)."""
    starts, members = common_neighbours(rows, pairs)
    counts = np.diff(starts).astype(np.int64)
    owners = np.repeat(np.arange(len(pairs)), counts)
    # Members ascend within a row, and the sort is stable: the lower number comes first among equals.
    members = members[np.lexsort((weights[members], owners))]
    ranks = np.arange(len(members)) - starts[owners]
    kept = ranks < most
    table = np.full((len(pairs), most), -1, dtype=np.int64)
    table[owners[kept], ranks[kept]] = members[kept]
    return counts, table


def _members(row: Ints) -> tuple[int, ...]:
    return tuple(row[row >= 0].tolist())


def _attributes(features: Features | None, n_nodes: int) -> tuple[Adjacency, Longs] | None:
    """The attributes of each node as sorted rows, and how many nodes have each; None if features are numbers."""
    if features is None:
        return None
    if features.shape[0] != n_nodes:
        rows, nodes = counted(features.shape[0], "row"), counted(n_nodes, "node")
        raise InputError(f"features have {rows}, the graph has {nodes}")
    if not sp.issparse(features) and not _is_binary(np.asarray(features)):
        return None
    matrix = sp.csr_array(features)
    if not matrix.has_canonical_format:
        matrix = matrix.copy()
        matrix.sum_duplicates()
    n_columns = matrix.shape[1]
    signed = np.bincount(matrix.indices[matrix.data < 0], minlength=n_columns) > 0
    kept = (matrix.data > 0) & ~signed[matrix.indices]
    columns = matrix.indices[kept].astype(np.int32)
    starts = np.concatenate([[0], np.cumsum(kept)])[matrix.indptr].astype(index_dtype(len(columns)))
    return Adjacency(starts, columns), np.bincount(columns, minlength=n_columns)


def _is_binary(features: npt.NDArray[np.floating]) -> bool:
    blocks = (features[start : start + _BLOCK] for start in range(0, len(features), _BLOCK))
    return all(bool(((block == 0) | (block == 1)).all()) for block in blocks)
