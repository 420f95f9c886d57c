"""What is known of a pair: common neighbours, short paths, shared attributes, and what the trees made of it.

Of a directed graph's pair also the reverse link and the ways of two steps; where nodes have types, similar nodes.

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
from pulink.errors import InputError
from pulink.explanation.short_paths import Path, strongest_paths
from pulink.explanation.surroundings import Surroundings
from pulink.explanation.ways import (
    BothWays,
    Way,
    both_ways,
    directed_ways,
    lightest,
    similar_ways,
    with_contributions,
)
from pulink.graph.features import Features
from pulink.graph.graph import Graph
from pulink.graph.pairs import resolve_pairs
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.methods.pull_plus.contributions import by_subject
from pulink.text import counted

Longs = npt.NDArray[np.int64]

_N_COMMON, N_PATHS, _N_SHARED = 5, 3, 5
_BLOCK = 4_096


@dataclass(frozen=True)
class PairFacts:
    """What is known of the pair i - j, or i -> j.

    pair      i, j
    n_common  how many common neighbours they have, whichever way the links run
    common    up to 5 of them, the lowest degree first, then the lower number
    paths     up to 3 (u, v) with edges i - u - v - j, the largest 1 / (d_u d_v) first; those through a node of
              `common` stand behind all others
    shared    up to 5 columns of the features that both have, the rarest first
    n_shared  how many they share in all
    signals   of PULL+ only: what signals are about and what they add to the log-odds, the largest size first
    ways      of directed graphs and of those with types: nodes that join the two, by how they do
    reverse   of directed graphs: whether j -> i is an edge
    along     of directed graphs: whether all `paths` run along the direction, i -> u -> v -> j
    """

    pair: tuple[int, int]
    n_common: int
    common: tuple[int, ...]
    paths: tuple[Path, ...]
    shared: tuple[int, ...]
    n_shared: int
    signals: tuple[tuple[str, float], ...] = ()
    ways: tuple[Way, ...] = ()
    reverse: bool = False
    along: bool = False


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
    if table is not None and isinstance(graph, Surroundings) and graph.attribute_counts is not None:
        table = table[0], graph.attribute_counts
    blocks = (ends[start : start + _BLOCK] for start in range(0, len(ends), _BLOCK))
    found = [facts for block in blocks for facts in _of_block(graph.without_direction, block, table)]
    if isinstance(graph.pair_space, TypedPairs):
        return [replace(facts, ways=ways) for facts, ways in zip(found, similar_ways(graph, ends), strict=True)]
    return _with_direction(graph, ends, found) if graph.is_directed and len(ends) else found


def with_signals(
    found: Sequence[PairFacts], columns: Sequence[str], contributions: npt.NDArray[np.float64]
) -> list[PairFacts]:
    """The same facts with the signals of PULL+: contributions (k x S) of the columns of `PairSignals.names`."""
    subjects = by_subject(columns, contributions)
    rows = np.stack(list(subjects.values()), axis=1).tolist()
    return [
        replace(
            facts,
            signals=tuple(sorted(zip(subjects, row, strict=True), key=lambda signal: -abs(signal[1]))),
            ways=with_contributions(facts.ways, columns, own) if facts.ways else (),
        )
        for facts, row, own in zip(found, rows, contributions, strict=True)
    ]


def _with_direction(graph: Graph, pairs: Longs, found: Sequence[PairFacts]) -> list[PairFacts]:
    """What the direction says of pairs besides; paths along it take the place of others where there are any."""
    links = both_ways(graph)
    ways = directed_ways(graph, links.stacked(), pairs)
    reverse = graph.has_edges(pairs[:, ::-1]).tolist()
    paths = _paths_along(links, pairs, found)
    return [
        replace(facts, ways=own, reverse=is_reverse, paths=along or facts.paths, along=bool(along))
        for facts, own, is_reverse, along in zip(found, ways, reverse, paths, strict=True)
    ]


def _paths_along(links: BothWays, pairs: Longs, found: Sequence[PairFacts]) -> list[tuple[Path, ...]]:
    avoided = np.full((len(pairs), _N_COMMON), -1, dtype=np.int64)
    for p, facts in enumerate(found):
        avoided[p, : len(facts.common)] = facts.common
    return strongest_paths(links.forth, pairs, avoided, N_PATHS, back=links.back)


def _of_block(graph: Graph, pairs: Longs, attributes: tuple[Adjacency, Longs] | None) -> Iterator[PairFacts]:
    n_common, common = lightest(graph.adjacency, pairs, graph.degrees, _N_COMMON)
    n_shared, shared = np.zeros(len(pairs), np.int64), np.empty((len(pairs), 0), np.int64)
    if attributes is not None:
        n_shared, shared = lightest(attributes[0], pairs, attributes[1], _N_SHARED)
    paths = strongest_paths(graph.adjacency, pairs, common, N_PATHS, degrees=graph.degrees)
    for p, (i, j) in enumerate(pairs.tolist()):
        yield PairFacts(
            (i, j), int(n_common[p]), _members(common[p]), paths[p], _members(shared[p]), int(n_shared[p])
        )


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
