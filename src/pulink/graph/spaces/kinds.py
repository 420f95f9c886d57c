"""The four kinds of graphs, and the pair space of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.graph.pair_space import PairSpace, UndirectedPairs
from pulink.graph.spaces.directed_pairs import DirectedPairs
from pulink.graph.spaces.kind_names import BIPARTITE as BIPARTITE
from pulink.graph.spaces.kind_names import DIRECTED as DIRECTED
from pulink.graph.spaces.kind_names import KINDS as KINDS
from pulink.graph.spaces.kind_names import TYPED as TYPED
from pulink.graph.spaces.kind_names import UNDIRECTED as UNDIRECTED
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.text import counted, listed, shown

# Tables of types by types are made: a column with a value of its own in every row is no type.
MOST_TYPES = 1_000

Rows = npt.NDArray[np.integer]
Mask = npt.NDArray[np.bool_]


# A list of links, and what is told of one, has these names already.
TAKEN = frozenset(
    {"rank", "probability", "score", "probability_low", "probability_high", "reason", "reasons", "searched"}
    | {
        "known",
        "signals",
        "paths",
        "common_neighbours",
        "n_common_neighbours",
        "shared_attributes",
        "ways",
        "along",
    }
)
_LONGEST_END = 100


def check_end_names(ends: object) -> None:
    """ParameterError if lists of links cannot call their two ends so."""
    if (
        not isinstance(ends, tuple)
        or len(ends) != 2
        or not all(isinstance(end, str) and 0 < len(end) <= _LONGEST_END and end.isprintable() for end in ends)
        or ends[0] == ends[1]
        or TAKEN & {*ends}
    ):
        raise ParameterError(
            f"ends must be two different names of at most {_LONGEST_END} printable characters, and no column that "
            f"lists have besides ({listed(sorted(TAKEN)[:3])}, ...); got {shown(ends)}"
        )


class SpaceOfRows(NamedTuple):
    """The pair space of a graph, and which of its rows are links of other types than those asked about."""

    space: PairSpace
    is_context: Mask


def pair_space_of(
    kind: str,
    n_nodes: int,
    rows: Rows,
    node_types: Sequence[str] | None,
    between: Sequence[tuple[str, str]] | None,
    ends: tuple[str, str],
) -> SpaceOfRows:
    """The pair space of rows (m x 2) of a kind of graph.

    node_types  of every node, for bipartite and typed graphs; None in a bipartite one: by the columns
    between     which types may link; None: those that some row links
    """
    if not isinstance(kind, str):
        raise ParameterError(f"kind must be one of {listed(KINDS)}, got {shown(kind)}")
    if kind not in KINDS:
        raise UnknownNameError("kind of graph", kind, KINDS)
    check_end_names(ends)
    if between is not None and (isinstance(between, str) or not isinstance(between, Sequence) or not between):
        raise ParameterError(f"between takes a list of pairs of types, got {shown(between)}")
    plain = np.zeros(len(rows), dtype=np.bool_)
    if kind in (UNDIRECTED, DIRECTED):
        if node_types is not None or between is not None:
            raise ParameterError(f"node_types and between go with a bipartite or typed graph, and this is {kind}")
        return SpaceOfRows(UndirectedPairs(n_nodes) if kind == UNDIRECTED else DirectedPairs(n_nodes), plain)
    if node_types is None:
        if kind == TYPED:
            raise ParameterError("a typed graph needs node_types: the type of every node")
        node_types = _types_by_column(rows, n_nodes, ends)
        between = between or [ends]
    if len(node_types) != n_nodes:
        raise InputError(
            f"{counted(len(node_types), 'node type was', 'node types were')} given for {n_nodes:,} nodes"
        )
    _refuse_odd_types(node_types)
    names = _in_order_of(node_types, between)
    numbers = {name: number for number, name in enumerate(names)}
    types = np.array([numbers[name] for name in node_types], dtype=np.int16)
    wanted = _linked_types(rows, types) if between is None else _numbered(between, numbers)
    if kind == BIPARTITE and (len(names) != 2 or len(wanted) != 1 or wanted[0][0] == wanted[0][1]):
        raise InputError(
            f"a bipartite graph links nodes of two types; here {counted(len(names), 'type')} would be linked by "
            f"{counted(len(wanted), 'pair')} of types: read it as a typed graph"
        )
    space = TypedPairs(types, names, wanted, bipartite=kind == BIPARTITE)
    is_context = ~space.allowed(rows) & (rows[:, 0] != rows[:, 1])
    if kind == BIPARTITE and is_context.any():
        i, j = rows[np.flatnonzero(is_context)[0]].tolist()
        raise InputError(f"a bipartite graph has no edge between two nodes of one type, as {i} and {j} are")
    return SpaceOfRows(space, is_context)


def _types_by_column(rows: Rows, n_nodes: int, ends: tuple[str, str]) -> list[str]:
    first, second = (np.isin(np.arange(n_nodes), rows[:, column]) for column in (0, 1))
    both = np.flatnonzero(first & second)
    if len(both):
        raise InputError(
            f"node {both[0]} stands in both columns ({counted(len(both), 'node does', 'nodes do')}): "
            "a bipartite graph has other nodes in each; say what is what with node_types"
        )
    neither = np.flatnonzero(~first & ~second)
    if len(neither):
        raise InputError(f"node {neither[0]} has no edge: say on which side it is with node_types")
    return [ends[0] if is_first else ends[1] for is_first in first.tolist()]


def _refuse_odd_types(node_types: Sequence[str]) -> None:
    for node, name in enumerate(node_types):
        if not isinstance(name, str):
            raise InputError(f"every node needs a type, and a type is text; node {node} has {shown(name)}")
    n_types = len(set(node_types))
    if n_types > MOST_TYPES:
        raise InputError(f"nodes have at most {MOST_TYPES:,} types, and these have {n_types:,}")


def _in_order_of(node_types: Sequence[str], between: Sequence[tuple[str, str]] | None) -> tuple[str, ...]:
    """Types in the order in which they are asked about, then by name."""
    for pair in between or ():
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ParameterError(f"between takes a list of pairs of types, got {shown(pair)} as one of them")
    asked = [name for pair in between or () for name in pair]
    known = sorted(set(node_types))
    for name in asked:
        if name not in known:
            raise UnknownNameError("type of nodes", name, known)
    return tuple(dict.fromkeys([*asked, *known]))


def _numbered(between: Sequence[tuple[str, str]], numbers: dict[str, int]) -> tuple[tuple[int, int], ...]:
    found: list[tuple[int, int]] = []
    for pair in between:
        ends = numbers[pair[0]], numbers[pair[1]]
        if ends not in found and ends[::-1] not in found:
            found.append(ends)
    return tuple(found)


def _linked_types(rows: Rows, types: npt.NDArray[np.int16]) -> tuple[tuple[int, int], ...]:
    """Types that some row links, written as most of these rows are."""
    ends = types[rows[rows[:, 0] != rows[:, 1]]].astype(np.int64)
    found: list[tuple[int, int]] = []
    pairs, counts = np.unique(ends, axis=0, return_counts=True) if len(ends) else (ends, ends[:, 0])
    for place in np.argsort(-counts, kind="stable"):
        a, b = pairs[place].tolist()
        if (a, b) not in found and (b, a) not in found:
            found.append((a, b))
    return tuple(sorted(found))
