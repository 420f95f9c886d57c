"""Graph: frozen, each edge once, of one of four kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.engine.adjacency import Adjacency
from pulink.graph.building import called_by_ends, graph_parts
from pulink.graph.building import frozen as frozen
from pulink.graph.edge_rows import Cleaning, weight_array
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.features import Features, feature_matrix
from pulink.graph.known_pairs import KnownPairs
from pulink.graph.names import Names
from pulink.graph.pair_space import PairSpace, UndirectedPairs
from pulink.graph.partial import known_before, undirected_twin, with_some_edges
from pulink.graph.repr_html import graph_card, graph_text
from pulink.graph.spaces.kinds import DIRECTED, UNDIRECTED
from pulink.renamed import Renamed

Edges = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Graph(KnownPairs):
    """A graph without loops or repeated edges: undirected, directed, bipartite or typed.

    It never changes once it is made. Build it with `Graph.from_edges`, `pulink.read` or another reader: they sort,
    merge and check what the constructor takes as it is.

    Parameters
    ----------
    edges : array of int32, m x 2
        Node numbers, ordered and sorted as by `pair_space`; read-only.
    n_nodes : int
        Nodes are 0 .. n_nodes - 1, those without an edge included.
    weights : array of float32, m, or None
        One positive number per edge; None: all are 1.
    features : sparse (CSR) or dense matrix of float32, n x d, or None
        Attributes of the nodes as numbers.
    feature_names : tuple of str or None
        What the d columns are called.
    feature_recipe : dict or None
        How the columns of a node table became these d, as plain JSON values.
    names : Names
        What the nodes are called; by default their numbers.
    absent : array of int32, k x 2, or None
        Pairs that were checked and are no links, ordered and sorted as edges are.
    cleaning : Cleaning
        What was merged or dropped when the graph was built.
    frames : str
        "polars", "pandas" or "pyarrow": the library in whose frames lists of links are given.
    id_types : tuple of two str or None, or None
        How lists of links give the names of their two ends: "Int64" or another type of whole numbers, as the frame
        or array held them; None: as texts.
    space : PairSpace or None
        What a pair is, and with it the graph's kind; None: undirected.
    ends : tuple of two str
        What the two ends of a link are called in lists.
    times : EdgeTimes or None
        When each edge was seen, once or several times.
    accepted : array of int32, k x 2, or None
        Edges that nobody recorded and people accepted: they are no random part of the links, and never hidden.

    Examples
    --------
    >>> import pulink
    >>> graph = pulink.Graph.from_edges([[0, 1], [1, 2]], names=["Ada", "Bob", "Cleo"])
    >>> graph
    Graph(3 nodes, 2 edges)
    >>> graph.degrees.tolist(), graph.names[2]
    ([1, 2, 1], 'Cleo')
    """

    edges: Edges
    n_nodes: int
    weights: npt.NDArray[np.float32] | None = None
    features: Features | None = None
    feature_names: tuple[str, ...] | None = None
    feature_recipe: dict[str, Any] | None = None
    names: Names = None  # type: ignore[assignment]
    absent: Edges | None = None
    cleaning: Cleaning = field(default_factory=Cleaning)
    frames: str = "polars"
    id_types: tuple[str | None, str | None] | None = None
    space: PairSpace | None = None
    ends: tuple[str, str] = ("source", "target")
    times: EdgeTimes | None = None
    accepted: Edges | None = None

    def __post_init__(self) -> None:
        if self.names is None:
            object.__setattr__(self, "names", Names(self.n_nodes))

    @classmethod
    def from_edges(
        cls,
        edges: npt.ArrayLike,
        n_nodes: int | None = None,
        *,
        weights: npt.ArrayLike | None = None,
        features: object = None,
        feature_names: tuple[str, ...] | None = None,
        names: list[str] | pl.Series | None = None,
        notes: tuple[str, ...] = (),
        kind: str = UNDIRECTED,
        node_types: Sequence[str] | None = None,
        between: Sequence[tuple[str, str]] | None = None,
        ends: tuple[str, str] = ("source", "target"),
        times: npt.ArrayLike | None = None,
    ) -> Graph:
        """Build a graph from pairs of nodes in any order; repeats are merged, loops dropped.

        Parameters
        ----------
        edges : array of whole numbers or list of pairs, m x 2
            The two ends of each edge, in either order; of a directed graph the source first. They are node numbers
            where n_nodes, names, features or node_types are given, and else what the nodes are called, whole
            numbers or texts: numbers that no pair holds are no nodes then.
        n_nodes : int, optional
            How many nodes there are; None: as many as there are names, types, or ends of edges.
        weights : array of m positive numbers, optional
            One per row; a merged edge has the largest of its rows.
        features : matrix, n x d, sparse or dense, optional
            Attributes of the nodes as numbers.
        feature_names : tuple of str, optional
            What the d columns are called.
        names : list of str or polars Series, optional
            What the nodes are called; None: as the edges call them.
        notes : tuple of str
            What a reader of the graph should know, kept in `cleaning`.
        kind : str
            "undirected", "directed", "bipartite" (other nodes in each column) or "typed".
        node_types : list of str, n, optional
            The type of every node of a typed graph; of a bipartite one, where columns do not tell.
        between : list of pairs of str, optional
            Types whose links are asked about; None: those that edges link. Edges of other types are known, and
            never proposed.
        ends : tuple of two str
            What the two ends of a link are called in lists.
        times : array of m numbers, optional
            When each row was seen.

        Returns
        -------
        Graph
            With its edges sorted, each once.

        Raises
        ------
        InputError
            If these are no pairs of nodes, or weights, features or names do not fit them.

        Examples
        --------
        >>> import pulink
        >>> graph = pulink.Graph.from_edges([[0, 1], [1, 0], [2, 2], [1, 2]])
        >>> graph.edges.tolist(), str(graph.cleaning)
        ([[0, 1], [1, 2]], '1 reversed duplicate merged, 1 self-loop dropped')
        >>> pulink.Graph.from_edges([(1, 2), (2, 30)]).names.series().to_list()
        ['1', '2', '30']
        >>> pulink.Graph.from_edges([(1, 2), (2, 3)], n_nodes=5)
        Graph(5 nodes, 2 edges)
        """
        if n_nodes is None and names is None and features is None and node_types is None:
            edges, names = called_by_ends(edges)
        parts = graph_parts(edges, n_nodes, weights, times, names, notes, kind, node_types, between, ends)
        matrix = feature_matrix(features, parts.n_nodes)
        return cls(**parts._asdict(), features=matrix, feature_names=feature_names)

    @property
    def n_edges(self) -> int:
        """How many edges there are."""
        return len(self.edges)

    @property
    def n_pairs(self) -> int:
        """How many pairs may be linked."""
        return self.pair_space.n_pairs

    @property
    def n_features(self) -> int:
        """How many columns the features have; 0 without features."""
        return 0 if self.features is None else int(self.features.shape[1])

    @cached_property
    def pair_space(self) -> PairSpace:
        """What a pair of nodes is here: which end comes first, which pairs there are."""
        return UndirectedPairs(self.n_nodes) if self.space is None else self.space

    @property
    def kind(self) -> str:
        """What kind of graph it is: "undirected", "directed", "bipartite" or "typed"."""
        return self.pair_space.kind

    @property
    def is_directed(self) -> bool:
        """Whether i -> j and j -> i are two links."""
        return self.kind == DIRECTED

    @cached_property
    def adjacency(self) -> Adjacency:
        """Who is linked with whom, as sorted rows, with weights if there are any."""
        return self.pair_space.adjacency(self.edges, self.weights)

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """How many neighbours each node has (n); of a directed graph, links from it and to it together."""
        if self.is_directed:
            return np.bincount(self.edges.ravel(), minlength=self.n_nodes).astype(np.int64)
        return np.diff(self.adjacency.indptr).astype(np.int64)

    @cached_property
    def without_direction(self) -> Graph:
        """A directed graph with each pair once, whichever way its links run; any other graph as it is."""
        return undirected_twin(self) if self.is_directed else self

    def neighbours(self, node: int) -> npt.NDArray[np.int32]:
        """Give the nodes that a node is linked to.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        array of node numbers, ascending
        """
        adjacency = self.without_direction.adjacency
        return adjacency.indices[adjacency.indptr[node] : adjacency.indptr[node + 1]]

    def keep_edges(self, keep: npt.NDArray[np.bool_]) -> Graph:
        """Give a graph with the same nodes and some of the edges.

        Parameters
        ----------
        keep : array of bool, m
            Which edges stay.

        Returns
        -------
        Graph
        """
        return with_some_edges(self, keep)

    def before(self, time: float) -> Graph:
        """Give the graph as it was known before a time.

        Parameters
        ----------
        time : float
            Sightings from then on are left out, edges that were first seen then or later, and weights that came
            later.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If the edges have no times.
        """
        return known_before(self, time)

    with_edges = Renamed("keep_edges")
    decided = Renamed("known_pairs")

    def with_weights(self, weights: npt.ArrayLike | None) -> Graph:
        """Give the same graph with other weights.

        Parameters
        ----------
        weights : array of m positive numbers, or None
            One per edge; None: all are 1.

        Returns
        -------
        Graph
        """
        values = weight_array(weights, self.n_edges)
        times = None if self.times is None else replace(self.times, weights=None)
        return replace(self, weights=None if values is None else frozen(values), times=times)

    def with_features(
        self,
        features: object,
        feature_names: tuple[str, ...] | None = None,
        feature_recipe: dict[str, Any] | None = None,
    ) -> Graph:
        """Give the same graph with other node features.

        Parameters
        ----------
        features : matrix, n x d, sparse or dense, or None
            Attributes of the nodes as numbers; None: there are none.
        feature_names : tuple of str, optional
            What the d columns are called.
        feature_recipe : dict, optional
            How the columns of a node table became these d.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If there is not one row per node, or a value is no finite number up to 1e18.
        """
        matrix = feature_matrix(features, self.n_nodes)
        return replace(self, features=matrix, feature_names=feature_names, feature_recipe=feature_recipe)

    def _repr_html_(self) -> str:
        return graph_card(self)

    def __repr__(self) -> str:
        return graph_text(self)
