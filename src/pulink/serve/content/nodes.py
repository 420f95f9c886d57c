"""Nodes by their names, both ways, and as JSON holds them. Names are any text, and may be shared by two types."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.explanation.node_names import type_of
from pulink.graph.graph import Graph
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.serve.refusals import Refused
from pulink.text import shown

Pair = npt.NDArray[np.int64]
# A name, or a name with its type.
Node = str | Mapping[str, str]


class Nodes:
    """The nodes of a graph.

    Parameters
    ----------
    graph : Graph
        Of the model.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def names(self) -> list[str]:
        """By node number."""
        return [str(name) for name in self.graph.names.series().to_list()]

    @cached_property
    def types(self) -> list[str]:
        """By node number; empty where nodes have none."""
        space = self.graph.pair_space
        if not isinstance(space, TypedPairs):
            return [""] * self.graph.n_nodes
        return [space.type_names[number] for number in space.types.tolist()]

    @cached_property
    def _places(self) -> dict[str, list[int]]:
        found: dict[str, list[int]] = {}
        for number, name in enumerate(self.names):
            found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _lower(self) -> pl.Series:
        return pl.Series(self.names, dtype=pl.String).str.to_lowercase()

    def to_dict(self, node: int) -> dict[str, str]:
        """A node as JSON holds it."""
        return {"name": self.names[node], "type": self.types[node]}

    def with_degree(self, node: int) -> dict[str, Any]:
        """The same, and how many links it has."""
        return self.to_dict(node) | {"degree": int(self.graph.degrees[node])}

    def number(self, given: Node, usual_type: str = "") -> int:
        """The node that is meant; 404 if there is none, 400 if there are two.

        usual_type  the type that is meant where a name alone does not tell
        """
        name, kind = (given, "") if isinstance(given, str) else (given["name"], given.get("type", ""))
        alike = self._places.get(name, [])
        if not alike and not kind:
            return self._typed(name)
        of_type = [node for node in alike if not kind or self.types[node] == kind]
        if len(of_type) > 1 and usual_type:
            of_type = [node for node in of_type if self.types[node] == usual_type]
        if not of_type:
            raise _unknown(name, kind)
        if len(of_type) > 1:
            raise Refused(400, f"{shown(name)} names nodes of several types: say which type is meant")
        return of_type[0]

    def _typed(self, given: str) -> int:
        """`type:name`, as the commands take it."""
        for place in (place for place, letter in enumerate(given) if letter == ":"):
            for node in self._places.get(given[place + 1 :], []):
                if self.types[node] == given[:place] != "":
                    return node
        raise _unknown(given, "")

    def pair(self, source: Node, target: Node) -> Pair:
        """Two ends as node numbers (2), ordered as pairs of the graph are."""
        space = self.graph.pair_space
        usual = ("", "")
        if isinstance(space, TypedPairs) and len(space.between) == 1:
            first, second = space.between[0]
            usual = space.type_names[first], space.type_names[second]
        ends = [self.number(given, kind) for given, kind in zip((source, target), usual, strict=True)]
        if ends[0] == ends[1]:
            raise Refused(400, f"a link needs two different nodes, got {shown(self.names[ends[0]])} twice")
        pair = np.array([ends], dtype=np.int64)
        if not space.allowed(pair)[0]:
            first_type, second_type = (shown(type_of(self.graph, end)) for end in ends)
            raise Refused(400, f"links between {first_type} and {second_type} are not asked about")
        return np.asarray(space.ordered(pair)[0].astype(np.int64))

    def search(self, text: str, size: int) -> list[dict[str, Any]]:
        """Nodes whose names hold a text: first those that are it or begin with it, then those with most links."""
        wanted = text.lower()
        if not wanted:
            return [
                self.with_degree(node) for node in np.argsort(-self.graph.degrees, kind="stable")[:size].tolist()
            ]
        holds = np.flatnonzero(self._lower.str.contains(wanted, literal=True).to_numpy())
        names = self._lower.gather(holds)
        is_it, begins = (names == wanted).to_numpy(), names.str.starts_with(wanted).to_numpy()
        order = np.lexsort((holds, -self.graph.degrees[holds], ~begins, ~is_it))[:size]
        return [self.with_degree(node) for node in holds[order].tolist()]


def _unknown(name: str, kind: str) -> Refused:
    of_type = f" of type {shown(kind)}" if kind else ""
    return Refused(404, f"no node{of_type} is called {shown(name)}")
