"""A graph folder as a Graph without its rows: what it is called, how large it is, and nothing that needs edges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import overload

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.engine.adjacency import Adjacency
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.graph.names import Names
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.persistence.sharded_names import COUNTED


class FolderNames(Names):
    """Names that are looked up in the files of a graph when somebody asks for them.

    nodes  which nodes of the graph these are, in ascending order; None: all
    """

    def __init__(self, graph: ShardedGraph, nodes: npt.NDArray[np.int64] | None = None) -> None:
        super().__init__(graph.n_nodes if nodes is None else len(nodes))
        self._graph, self._nodes = graph, nodes

    @overload
    def __getitem__(self, index: int) -> str: ...

    @overload
    def __getitem__(self, index: slice) -> list[str]: ...

    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return self._called(np.arange(*index.indices(len(self))))
        if not -len(self) <= index < len(self):
            raise IndexError(f"node {index} of {len(self)}")
        return self._called(np.array([index % len(self)]))[0]

    def _called(self, places: npt.NDArray[np.integer]) -> list[str]:
        return self._graph.names(places if self._nodes is None else self._nodes[places])

    @property
    def given(self) -> bool:
        return self._graph.summary.called != COUNTED

    def series(self) -> pl.Series:
        return pl.Series("name", self[:], pl.String)

    def take(self, nodes: npt.NDArray[np.integer]) -> pl.Series:
        return pl.Series("name", self._called(np.asarray(nodes)), pl.String)

    def index_of(self, names: Sequence[object]) -> npt.NDArray[np.int64]:
        found = self._graph.numbers(names)  # type: ignore[arg-type]
        if self._nodes is None:
            return found
        places = np.searchsorted(self._nodes, found).astype(np.int64)
        for place, node, name in zip(places.tolist(), found.tolist(), names, strict=True):
            if place == len(self._nodes) or self._nodes[place] != node:
                raise InputError(f"{name!r} is not among the nodes that were read")
        return places


@dataclass(frozen=True, eq=False)
class Outline(Graph):
    """A whole graph by its counts and names.

    n_folder_edges, n_columns  edges and columns of features, which stay in the folder
    """

    n_folder_edges: int = 0
    n_columns: int = 0

    @property
    def n_edges(self) -> int:
        """How many edges there are."""
        return self.n_folder_edges

    @property
    def n_features(self) -> int:
        """How many columns the features have; 0 without features."""
        return self.n_columns

    @cached_property
    def adjacency(self) -> Adjacency:
        """Nobody holds it."""
        raise InputError(
            "the edges of this graph stay in their folder, nobody holds them all: pulink.suggest and "
            "pulink.explain take the folder of the model"
        )


def outline_of(graph: ShardedGraph) -> Outline:
    """What is known of a graph without reading its rows."""
    return Outline(
        edges=np.empty((0, 2), dtype=np.int32),
        n_nodes=graph.n_nodes,
        # Whoever asks whether there are weights asks for nothing else.
        weights=np.empty(0, dtype=np.float32) if graph.weighted else None,
        feature_names=graph.summary.feature_names,
        names=FolderNames(graph),
        cleaning=graph.cleaning,
        ends=graph.summary.ends,
        n_folder_edges=graph.n_edges,
        n_columns=graph.n_features,
    )
