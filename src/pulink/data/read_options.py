"""How files and frames are read: each option once. Readers take them whole, and the command line offers each."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any, TypedDict, TypeVar, get_type_hints

from pulink.errors import UnknownParameterError
from pulink.graph.tables.edge_options import EdgeOptions

Function = TypeVar("Function", bound=Callable[..., Any])


def _about(meaning: str, unless_given: str | None = None) -> dict[str, str | None]:
    """What an option means, and in words what happens where it is not given."""
    return {"meaning": meaning, "unless_given": unless_given}


@dataclass(frozen=True)
class ReadOptions:
    """Everything that can be said about how edges and node attributes are read.

    An option that is added here is a keyword of `pulink.read` (repeat it in `ReadKeywords`) and an option of every
    command that reads a graph. What is left to do is to obey it, in `read.py` or in a reader of `formats`.
    """

    source: str | None = field(
        default=None, metadata=_about("Name of the edge list's column with the first node of each edge.")
    )
    target: str | None = field(
        default=None, metadata=_about("Name of the edge list's column with the second node of each edge.")
    )
    weight: str | None = field(default=None, metadata=_about("Name of the edge list's column with edge weights."))
    node_id: str | None = field(default=None, metadata=_about("Name of the node table's column with node ids."))
    header: bool | None = field(
        default=None,
        metadata=_about("Whether the edge list's first line names its columns.", "detected"),
    )
    separator: str | None = field(
        default=None, metadata=_about("The character between the edge list's columns.", "detected")
    )
    encoding: str = field(default="utf-8", metadata=_about("The files' encoding."))
    kinds: dict[str, str] | None = field(
        default=None,
        metadata=_about("Treat a column of the node table as number, category or text, or ignore it."),
    )
    kind: str | None = field(
        default=None,
        metadata=_about("Of the graph: undirected, directed, bipartite or typed.", "detected, and told"),
    )
    node_type: str | None = field(
        default=None, metadata=_about("Name of the node table's column with node types.")
    )
    between: list[tuple[str, str]] | None = field(
        default=None,
        metadata=_about("Find links between nodes of these two types only.", "all types that edges connect"),
    )
    time: str | None = field(default=None, metadata=_about("Name of the edge list's column with times."))
    table: str | None = field(
        default=None,
        metadata=_about("The database's table of edges.", "the only one, or the one whose columns tell"),
    )
    sql: str | None = field(default=None, metadata=_about("A select that gives the edges, from a database."))
    node_table: str | None = field(
        default=None,
        metadata=_about("The table of nodes, where --nodes is a database.", "the one with a column of ids"),
    )

    @property
    def of_edges(self) -> EdgeOptions:
        """What concerns the table of edges."""
        return EdgeOptions(self.source, self.target, self.weight, self.time, self.kind, self.between)

    def given(self) -> dict[str, Any]:
        """The options that are not as by default."""
        return {
            option.name: value
            for option in fields(self)
            if (value := getattr(self, option.name)) != option.default
        }

    def but(self, given: Mapping[str, Any]) -> ReadOptions:
        """The same with some of them given; an unknown name lists them all."""
        known = [option.name for option in fields(self)]
        for name in given:
            if name not in known:
                raise UnknownParameterError("option of reading", name, known)
        return replace(self, **given)


class ReadKeywords(TypedDict, total=False):
    """The fields of `ReadOptions` as keywords, for those who check types."""

    source: str | None
    target: str | None
    weight: str | None
    node_id: str | None
    header: bool | None
    separator: str | None
    encoding: str
    kinds: dict[str, str] | None
    kind: str | None
    node_type: str | None
    between: list[tuple[str, str]] | None
    time: str | None
    table: str | None
    sql: str | None
    node_table: str | None


AS_FOUND = ReadOptions()


def with_read_keywords(function: Function) -> Function:
    """Show every reading option in the signature of a function that takes them as `**given`."""
    signature = inspect.signature(function)
    kept = [
        parameter
        for parameter in signature.parameters.values()
        if parameter.kind is not inspect.Parameter.VAR_KEYWORD
    ]
    hints = get_type_hints(ReadOptions)
    keywords = [
        inspect.Parameter(
            option.name, inspect.Parameter.KEYWORD_ONLY, default=option.default, annotation=hints[option.name]
        )
        for option in fields(ReadOptions)
    ]
    function.__signature__ = signature.replace(parameters=[*kept, *keywords])  # type: ignore[attr-defined]
    return function
