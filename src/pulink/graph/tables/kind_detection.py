"""What kind of graph two columns of names list, and by what that is seen.

    names of the columns    citing and cited: directed; user and item: bipartite
    disjoint columns        no name stands in both: bipartite
    reversed rows           nearly all rows have their reverse: undirected, both ways listed; some have: directed
    no reversed rows        every row has the lower name first, or the one that the list names first: undirected,
                            each link listed once; else, where next to no row leads back to where others came from,
                            and at random many would: directed

Where nothing speaks for another kind, a graph is undirected.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import polars as pl
import scipy.sparse as sp

from pulink.graph.spaces.directed_pairs import DirectedPairs
from pulink.graph.spaces.kinds import BIPARTITE, DIRECTED, TYPED, UNDIRECTED
from pulink.graph.tables.kind_words import has_two_groups, has_two_sides, runs_one_way
from pulink.text import counted, listed

Rows = npt.NDArray[np.integer]

# Fewer distinct rows than this tell nothing, by columns and by directions.
_FEW_FOR_SIDES, _FEW_FOR_DIRECTION = 10, 50
_FEW_REVERSED = 10
# Of the rows, the share with a reverse below which there are next to none, and from which all have one.
_NONE, _ALL = 0.02, 0.98
# Of the rows, the share on circles up to which a list has a direction, and which there must be at random.
_BACK, _BACK_AT_RANDOM = 0.01, 0.2


class Detected(NamedTuple):
    """A kind, and one clause that says by what it is seen; an empty one where nothing speaks for any."""

    kind: str
    evidence: str


def kind_by_words(columns: tuple[str, str] | None) -> Detected | None:
    """The kind that the names of two columns tell; None where they tell none, or there are none."""
    if columns is None:
        return None
    called = f"columns {listed([columns[0]])} and {listed([columns[1]])}"
    if runs_one_way(*columns):
        return Detected(DIRECTED, f"{called} name a direction")
    if has_two_sides(*columns) or has_two_groups(*columns):
        return Detected(BIPARTITE, f"{called} name two kinds of nodes")
    return None


def natural_places(names: pl.Series) -> npt.NDArray[np.int64]:
    """Where each name stands among all (n) if n2 comes before n10; as they come where not all end in a number.

    >>> import polars as pl
    >>> from pulink.graph.tables.kind_detection import natural_places
    >>> natural_places(pl.Series(["n1", "n10", "n2"])).tolist()
    [0, 2, 1]
    """
    parts = pl.DataFrame(
        {
            "word": names.str.extract(r"^(.*?)[0-9]{1,18}$"),
            "number": names.str.extract(r"([0-9]{1,18})$").cast(pl.Int64, strict=False),
        }
    )
    if parts["number"].null_count():
        return np.arange(len(names))
    order = parts.with_row_index("place").sort("word", "number", "place")["place"].to_numpy()
    places = np.empty(len(names), dtype=np.int64)
    places[order] = np.arange(len(names))
    return places


def kind_by_rows(rows: Rows, n_nodes: int, *, timed: bool = False, sided: bool = True) -> Detected:
    """The kind that rows (m x 2) tell, whose nodes are numbered in the order of their names.

    timed  whether rows have times
    sided  whether the graph may be bipartite

    >>> import numpy as np
    >>> from pulink.graph.tables.kind_detection import kind_by_rows
    >>> users, items = np.arange(12), 12 + np.arange(12) % 5
    >>> kind_by_rows(np.stack([users, items], axis=1), 17)
    Detected(kind='bipartite', evidence='no name stands in both columns')
    """
    rows = rows[rows[:, 0] != rows[:, 1]]
    if not len(rows):
        return Detected(UNDIRECTED, "")
    if sided and _two_sides(rows, n_nodes):
        return Detected(BIPARTITE, "no name stands in both columns")
    if (rows[:, 0] < rows[:, 1]).all():
        return _once("the lower name first") if len(rows) > 2 else Detected(UNDIRECTED, "")
    space = DirectedPairs(n_nodes)
    pairs = space.unique(rows)
    n_reversed = int(space.isin(pairs[:, ::-1], pairs).sum())
    share = n_reversed / len(pairs)
    told = f"{n_reversed:,} of {counted(len(pairs), 'row')} have their reverse"
    if share >= _ALL:
        return Detected(UNDIRECTED, told)
    if share >= _NONE and n_reversed >= _FEW_REVERSED and len(pairs) >= _FEW_FOR_DIRECTION:
        return Detected(DIRECTED, told)
    if share >= _NONE:
        return Detected(UNDIRECTED, "")
    return _without_reverses(rows, pairs, n_nodes, timed)


def _without_reverses(rows: Rows, pairs: Rows, n_nodes: int, timed: bool) -> Detected:
    if (rows[:, 0] > rows[:, 1]).all():
        if timed and len(pairs) >= _FEW_FOR_DIRECTION:
            return Detected(DIRECTED, "every row has a time, and leads from the higher name to the lower")
        return _once("the higher name first")
    if _by_appearance(rows, n_nodes):
        return _once("in the order in which nodes come")
    if len(pairs) < _FEW_FOR_DIRECTION:
        return Detected(UNDIRECTED, "")
    n_back = _n_leading_back(pairs, n_nodes)
    if n_back > _BACK * len(pairs) or not _would_lead_back(pairs, n_nodes):
        return Detected(UNDIRECTED, "")
    back = "no row leads" if not n_back else f"only {n_back:,} of {len(pairs):,} rows lead"
    return Detected(DIRECTED, f"{back} back to where others came from")


def _once(how: str) -> Detected:
    return Detected(UNDIRECTED, f"each link is listed once, {how}")


def _two_sides(rows: Rows, n_nodes: int) -> bool:
    first, second = (np.bincount(rows[:, column], minlength=n_nodes) for column in (0, 1))
    if (first.astype(np.bool_) & second.astype(np.bool_)).any():
        return False
    n_first, n_second = np.count_nonzero(first), np.count_nonzero(second)
    # A star, and links that have no node in common, are no two kinds of nodes.
    if min(n_first, n_second) < 2 or max(n_first, n_second) == min(n_first, n_second) == len(rows):
        return False
    n_distinct = len(DirectedPairs(n_nodes).unique(rows))
    # Where everything is linked with everything, there would be nothing left to ask.
    return bool(_FEW_FOR_SIDES <= n_distinct < n_first * n_second)


def _by_appearance(rows: Rows, n_nodes: int) -> bool:
    """Whether rows come node by node, and none leads to a node whose rows came before: as lists are written out
    of a graph that has no directions."""
    first_row = np.full(n_nodes, len(rows), dtype=np.int64)
    starts, places = np.unique(rows[:, 0], return_index=True)
    first_row[starts] = places
    return bool((first_row[rows[:, 0]] < first_row[rows[:, 1]]).all())


def _n_leading_back(pairs: Rows, n_nodes: int) -> int:
    """How many rows are part of a circle."""
    from scipy.sparse.csgraph import connected_components

    ones = np.ones(len(pairs), dtype=np.int8)
    links = sp.csr_array((ones, (pairs[:, 0], pairs[:, 1])), shape=(n_nodes, n_nodes))
    _, group = connected_components(links, directed=True, connection="strong")
    return int((group[pairs[:, 0]] == group[pairs[:, 1]]).sum())


def _would_lead_back(pairs: Rows, n_nodes: int) -> bool:
    """Whether many rows would be part of a circle if each were written either way at random."""
    turned = np.random.default_rng(0).random(len(pairs)) < 0.5
    either = np.where(turned[:, None], pairs[:, ::-1], pairs)
    return _n_leading_back(either, n_nodes) >= _BACK_AT_RANDOM * len(pairs)


_INSTEAD = {
    UNDIRECTED: "{} if rows have a direction",
    DIRECTED: "{} to read it without directions",
    BIPARTITE: "{} if both columns hold nodes of one kind",
}
_OTHER = {UNDIRECTED: DIRECTED, DIRECTED: UNDIRECTED, BIPARTITE: UNDIRECTED}


def read_as(kind: str, evidence: str, option: str | None = None) -> str:
    """The line that tells a kind that nobody asked for.

    option  how the reader asks for a kind, with {} for its name: --{} or kind="{}"

    >>> from pulink.graph.tables.kind_detection import read_as
    >>> read_as("directed", "12 of 90 rows have their reverse", "--{}")
    'read as directed: 12 of 90 rows have their reverse; --undirected to read it without directions'
    """
    why = f": {evidence}" if evidence else ""
    if kind == TYPED or option is None:
        return f"read as {kind}{why}"
    return f"read as {kind}{why}; {_INSTEAD[kind].format(option.format(_OTHER[kind]))}"
