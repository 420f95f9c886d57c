"""What can be said about a table of edges, and what a table of nodes says to it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.graph.spaces.kind_names import BIPARTITE, KINDS, TYPED

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True)
class EdgeOptions:
    """How a table of edges is read.

    source, target, weight, time  names of columns; None: guessed, and times only where they are asked for
    kind                          of the graph; None: detected
    between                       types of nodes whose links are asked about; None: those that rows link
    """

    source: str | None = None
    target: str | None = None
    weight: str | None = None
    time: str | None = None
    kind: str | None = None
    between: Sequence[tuple[str, str]] | None = None


AS_LISTED = EdgeOptions()


@dataclass(frozen=True)
class NodeNames:
    """Nodes that a table of nodes names, with or without an edge.

    types  of each, where a column tells them
    where  what to call the table in a message
    fail   an error that names the row of a problem
    """

    ids: pl.Series
    types: pl.Series | None = None
    where: str = "the node table"
    fail: Callable[[int, str], InputError] = lambda _, problem: InputError(problem)


def check_kind(kind: str | None, between: object, has_types: bool) -> None:
    """Refuse an unknown kind, and types where they tell nothing.

    >>> from pulink.graph.tables.edge_options import check_kind
    >>> check_kind("directed", None, has_types=False)
    """
    if kind is not None and kind not in KINDS:
        raise UnknownNameError("kind of graph", str(kind), KINDS)
    if kind == TYPED and not has_types:
        raise ParameterError("a typed graph needs node_type, the column of the node table that names the types")
    if kind not in (None, BIPARTITE, TYPED) and has_types:
        raise ParameterError(
            f"node_type goes with a typed or bipartite graph, and this one is to be {kind}: a link of two "
            "types is written with the type first that between names first"
        )
    if between is not None and not has_types:
        raise ParameterError("between goes with node_type, the column of the node table that names the types")
