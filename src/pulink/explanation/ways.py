"""In which ways nodes join the two ends of a pair, where a link has a direction or its ends have types.

Directed, i -> j:           i -> u -> j,   i -> u <- j,   i <- u -> j,   i <- u <- j
With types, i - u - v - j:  v is like i, of its type and with a neighbour in common; u is like j
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, index_dtype, source_rows
from pulink.engine.structure.common_neighbours import common_neighbours
from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs

Longs = npt.NDArray[np.int64]
F64 = npt.NDArray[np.float64]

TWO_STEPS, BOTH_LINK_TO, LINK_TO_BOTH, TWO_STEPS_BACK, LIKE_FIRST, LIKE_SECOND = WAYS = (
    "two_steps", "both_link_to", "link_to_both", "two_steps_back", "similar_to_first", "similar_to_second",
)  # fmt: skip

# Signals of PULL+ that are about one way alone.
_COLUMNS = {
    TWO_STEPS: ("through", "through_resource"),
    BOTH_LINK_TO: ("common_targets", "common_targets_resource"),
    LINK_TO_BOTH: ("common_sources", "common_sources_resource"),
    TWO_STEPS_BACK: ("back", "back_resource"),
    LIKE_FIRST: ("ease_by_first_20", "ease_by_first_100"),
    LIKE_SECOND: ("ease_by_second_20", "ease_by_second_100"),
}
# Of each directed way, whether who leads to the first end is read, and to the second, not whom they lead to.
_DIRECTED = {
    TWO_STEPS: (False, True),
    BOTH_LINK_TO: (False, False),
    LINK_TO_BOTH: (True, True),
    TWO_STEPS_BACK: (True, False),
}

N_NAMED = 5
# Entries of neighbours' rows that are read for similar nodes of a pair, as for paths.
_MOST_READ = 1_000_000


@dataclass(frozen=True)
class Way:
    """Nodes that join a pair in one way.

    kind      one of `WAYS`
    n_nodes   how many there are
    nodes     up to 5 of them: the lowest degree first; of similar ones the most similar first
    n_shared  of similar ones: how many neighbours the first of `nodes` shares with the end that it is like
    is_all    whether all were looked at; of very many only those of the lowest degrees are
    adds      of PULL+: what the signals about this way alone add to the log-odds
    """

    kind: str
    n_nodes: int
    nodes: tuple[int, ...]
    n_shared: int = 0
    is_all: bool = True
    adds: float = 0.0


class BothWays(NamedTuple):
    """A directed graph's links in rows: whom each node leads to, and who leads to it."""

    forth: Adjacency
    back: Adjacency

    def stacked(self) -> Adjacency:
        """Row i: whom i leads to; row n + i: who leads to i."""
        starts = [self.forth.indptr, self.back.indptr[1:].astype(np.int64) + self.forth.indptr[-1]]
        indices = np.concatenate([self.forth.indices, self.back.indices])
        return Adjacency(np.concatenate(starts).astype(index_dtype(len(indices))), indices)


def both_ways(graph: Graph) -> BothWays:
    turned = graph.edges[:, ::-1]
    order = np.lexsort((turned[:, 1], turned[:, 0]))
    return BothWays(source_rows(graph.edges, graph.n_nodes), source_rows(turned[order], graph.n_nodes))


def directed_ways(graph: Graph, rows: Adjacency, pairs: Longs) -> list[tuple[Way, ...]]:
    """The ways of two steps by pair (k x 2), those that there are; rows: as `BothWays.stacked`."""
    found: list[list[Way]] = [[] for _ in pairs]
    for kind, turned in _DIRECTED.items():
        ends = pairs + graph.n_nodes * np.array(turned, dtype=np.int64)
        counts, members = lightest(rows, ends, graph.degrees, N_NAMED)
        for p in np.flatnonzero(counts).tolist():
            found[p].append(Way(kind, int(counts[p]), tuple(members[p][members[p] >= 0].tolist())))
    return [tuple(ways) for ways in found]


def similar_ways(graph: Graph, pairs: Longs) -> list[tuple[Way, ...]]:
    """Nodes like the first end that link to the second, and nodes like the second to which the first links."""
    space = graph.pair_space
    assert isinstance(space, TypedPairs)
    mark = np.zeros(graph.n_nodes, dtype=np.int64)
    return [
        (
            *_similar(graph, space, LIKE_FIRST, (i, j), mark),
            *_similar(graph, space, LIKE_SECOND, (j, i), mark),
        )
        for i, j in pairs.tolist()
    ]


def _similar(graph: Graph, space: TypedPairs, kind: str, pair: tuple[int, int], mark: Longs) -> Iterator[Way]:
    """Neighbours of t that are of the type of s and have a neighbour in common with it, besides t."""
    s, t = pair
    rows, degrees = graph.adjacency, graph.degrees
    beside = rows.indices[rows.indptr[t] : rows.indptr[t + 1]]
    beside = beside[(beside != s) & (space.types[beside] == space.types[s])]
    beside = beside[np.argsort(degrees[beside], kind="stable")]
    read = beside[np.cumsum(degrees[beside]) <= _MOST_READ]
    if not len(read):
        return
    own = rows.indices[rows.indptr[s] : rows.indptr[s + 1]]
    mark[own[own != t]] = 1
    # Each of these rows holds t, so that none is empty.
    starts = np.concatenate([[0], np.cumsum(degrees[read])[:-1]])
    places = np.arange(int(degrees[read].sum())) + np.repeat(rows.indptr[read] - starts, degrees[read])
    shared = np.add.reduceat(mark[rows.indices[places]], starts)
    mark[own] = 0
    alike = np.flatnonzero(shared)
    # The cosine of their neighbours, but for what is the same for all.
    order = alike[np.lexsort((read[alike], -shared[alike] / np.sqrt(degrees[read[alike]])))][:N_NAMED]
    if len(order):
        named = tuple(read[order].tolist())
        yield Way(kind, len(alike), named, int(shared[order[0]]), len(read) == len(beside))


def with_contributions(ways: Sequence[Way], columns: Sequence[str], contributions: F64) -> tuple[Way, ...]:
    """The same ways of one pair, with what their own signals add; contributions (S) of columns so called."""
    adds = dict(zip(columns, contributions.tolist(), strict=True))
    return tuple(replace(way, adds=sum(adds.get(name, 0.0) for name in _COLUMNS[way.kind])) for way in ways)


def lightest(rows: Adjacency, pairs: Longs, weights: Longs, most: int) -> tuple[Longs, Longs]:
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
