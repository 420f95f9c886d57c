"""Graph: frozen, each edge once, of one of four kinds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.engine.adjacency import Adjacency, contains
from pulink.errors import InputError
from pulink.graph.edge_rows import Cleaning, check_size, edge_array, merged_edges, time_array, weight_array
from pulink.graph.edge_times import EdgeTimes
from pulink.graph.features import Features, feature_matrix
from pulink.graph.names import Names
from pulink.graph.pair_space import PairSpace, UndirectedPairs
from pulink.graph.repr_html import card
from pulink.graph.spaces.kinds import DIRECTED, UNDIRECTED, pair_space_of
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.renamed import Renamed
from pulink.text import counted, plural

Edges = npt.NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Graph:
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
        "polars" or "pandas": the library in whose frames lists of links are given.
    space : PairSpace or None
        What a pair is, and with it the graph's kind; None: undirected.
    ends : tuple of two str
        What the two ends of a link are called in lists.
    times : EdgeTimes or None
        When each edge was seen, once or several times.

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
    space: PairSpace | None = None
    ends: tuple[str, str] = ("source", "target")
    times: EdgeTimes | None = None

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
        """Build a graph from pairs of node numbers in any order; repeats are merged, loops dropped.

        Parameters
        ----------
        edges : array of whole numbers, m x 2
            The two ends of each edge, in either order; of a directed graph the source first.
        n_nodes : int, optional
            How many nodes there are; None: up to the largest number, or as many as there are names.
        weights : array of m positive numbers, optional
            One per row; a merged edge has the largest of its rows.
        features : matrix, n x d, sparse or dense, optional
            Attributes of the nodes as numbers.
        feature_names : tuple of str, optional
            What the d columns are called.
        names : list of str or polars Series, optional
            What the nodes are called; None: by their numbers.
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
            If these are no pairs of node numbers, or weights, features or names do not fit them.

        Examples
        --------
        >>> import pulink
        >>> graph = pulink.Graph.from_edges([[0, 1], [1, 0], [2, 2], [1, 2]])
        >>> graph.edges.tolist(), str(graph.cleaning)
        ([[0, 1], [1, 2]], '1 reversed duplicate merged, 1 self-loop dropped')
        """
        array = edge_array(edges)
        largest = int(array.max()) + 1 if len(array) else 0
        if n_nodes is None:
            n_nodes = max(largest, 0 if names is None else len(names))
        check_size(n_nodes)
        if largest > n_nodes or (len(array) and int(array.min()) < 0):
            bad = array[(array < 0).any(axis=1) | (array >= n_nodes).any(axis=1)][0]
            raise InputError(f"edge {tuple(bad.tolist())} names a node outside 0 .. {n_nodes - 1}")
        values, seen = weight_array(weights, len(array)), time_array(times, len(array))
        space, is_context = pair_space_of(kind, n_nodes, array, node_types, between, ends)
        if is_context.any():
            space = _with_context(space, array[is_context], None if values is None else values[is_context])
            array, values = array[~is_context], None if values is None else values[~is_context]
            seen = None if seen is None else seen[~is_context]
        kept, values, seen_edges, cleaning = merged_edges(space, array, values, seen)
        return cls(
            edges=frozen(kept),
            n_nodes=n_nodes,
            weights=None if values is None else frozen(values),
            features=feature_matrix(features, n_nodes),
            feature_names=feature_names,
            names=Names(
                n_nodes, None if names is None else pl.Series("name", names, dtype=pl.String), type_names_of(space)
            ),
            cleaning=replace(cleaning, notes=notes),
            space=None if kind == UNDIRECTED else space,
            ends=ends,
            times=seen_edges,
        )

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

    @property
    def n_absent(self) -> int:
        """How many pairs are known to be no links."""
        return 0 if self.absent is None else len(self.absent)

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
    def known_pairs(self) -> Adjacency:
        """Edges and known non-links: pairs of which nobody need ask."""
        if self.absent is None:
            return self.adjacency
        merged = self.pair_space.merge(np.concatenate([self.edges, self.absent]))
        return self.pair_space.adjacency(merged.edges)

    @cached_property
    def degrees(self) -> npt.NDArray[np.int64]:
        """How many neighbours each node has (n); of a directed graph, links from it and to it together."""
        if self.is_directed:
            return np.bincount(self.edges.ravel(), minlength=self.n_nodes).astype(np.int64)
        return np.diff(self.adjacency.indptr).astype(np.int64)

    @cached_property
    def without_direction(self) -> Graph:
        """A directed graph with each pair once, whichever way its links run; any other graph as it is."""
        if not self.is_directed:
            return self
        plain = Graph.from_edges(self.edges, self.n_nodes, weights=self.weights)
        return replace(
            self,
            edges=plain.edges,
            weights=plain.weights,
            space=None,
            absent=None,
            times=None,
            cleaning=Cleaning(),
        )

    def has_edges(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Say for each pair whether it is an edge.

        Parameters
        ----------
        pairs : array of node numbers, k x 2
            Written either way.

        Returns
        -------
        array of bool, k
        """
        return contains(self.adjacency, pairs)

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

    def open_pairs(self, node: int) -> npt.NDArray[np.int64]:
        """Give the pairs of a node of which nobody knows whether they are links.

        Parameters
        ----------
        node : int
            Its number.

        Returns
        -------
        array of int64, k x 2
        """
        pairs = self.pair_space.pairs_with(node)
        return pairs[~contains(self.known_pairs, pairs)]

    def is_absent(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Say for each pair whether it is known to be no link.

        Parameters
        ----------
        pairs : array of node numbers, k x 2
            Written either way.

        Returns
        -------
        array of bool, k
        """
        if self.absent is None:
            return np.zeros(len(pairs), dtype=np.bool_)
        return self.pair_space.isin(pairs, self.absent)

    def with_absent(self, pairs: object) -> Graph:
        """Give the same graph, in which these pairs are known to be no links.

        Parameters
        ----------
        pairs : list of pairs of names, array of node numbers (k x 2), or frame of two columns
            They take the place of the pairs that were known before. None of them may be an edge.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If one of the pairs is an edge.

        Examples
        --------
        >>> import pulink
        >>> graph = pulink.Graph.from_edges([[0, 1], [1, 2]], names=["Ada", "Bob", "Cleo"])
        >>> graph.with_absent([("Cleo", "Ada")]).absent.tolist()
        [[0, 2]]
        """
        from pulink.graph.pairs import resolve_pairs

        array = resolve_pairs(self, pairs)
        apart = array[self.pair_space.allowed(array)]
        edges = self.has_edges(apart)
        if edges.any():
            i, j = apart[np.flatnonzero(edges)[0]].tolist()
            are = plural(int(edges.sum()), "is an edge", "are edges")
            raise InputError(
                f"{edges.sum():,} of the pairs that are no links {are} of the graph, the first is "
                f"{self.names[i]!r} - {self.names[j]!r}"
            )
        unique = self.pair_space.unique(apart)
        return replace(self, absent=frozen(unique) if len(unique) else None)

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
        return replace(
            self,
            edges=frozen(self.edges[keep]),
            weights=None if self.weights is None else frozen(self.weights[keep]),
            cleaning=Cleaning(n_rows=int(keep.sum())),
            times=None if self.times is None else self.times.of_edges(keep),
        )

    def before(self, time: float) -> Graph:
        """Give the graph as it was known before a time.

        Parameters
        ----------
        time : float
            Edges that were first seen then or later are left out.

        Returns
        -------
        Graph

        Raises
        ------
        InputError
            If the edges have no times.
        """
        if self.times is None:
            raise InputError("the edges have no times: read them with a time column")
        past = self.times.before(time)
        keep = np.bincount(past.edges, minlength=self.n_edges) > 0
        return replace(self.keep_edges(keep), times=past.of_edges(keep))

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
        return replace(self, weights=None if values is None else frozen(values))

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
        rows: list[tuple[str, object]] = [("nodes", self.n_nodes), ("edges", self.n_edges)]
        rows += [("node features", self.n_features)] if self.features is not None else []
        rows = [("kind", self.kind), *rows] if self.kind != UNDIRECTED else rows
        rows += [("weights", "yes")] if self.weights is not None else []
        rows += [("known non-links", self.n_absent)] if self.n_absent else []
        said = str(self.cleaning)
        return card("Graph", [*rows, *([("on the way in", said)] if said else [])])

    def __repr__(self) -> str:
        features = f", {counted(self.n_features, 'feature')}" if self.features is not None else ""
        weights = ", weighted" if self.weights is not None else ""
        absent = f", {counted(self.n_absent, 'known non-link')}" if self.n_absent else ""
        counts = f"{counted(self.n_nodes, 'node')}, {counted(self.n_edges, 'edge')}"
        kind = "" if self.kind == UNDIRECTED else f"{self.kind}, "
        times = "" if self.times is None else ", timed"
        return f"Graph({kind}{counts}{features}{weights}{times}{absent})"


def _with_context(
    space: PairSpace, rows: npt.NDArray[np.integer], weights: npt.NDArray[np.float32] | None
) -> PairSpace:
    """The space of typed pairs, with links of other types, each once."""
    assert isinstance(space, TypedPairs)
    kept, values, _, _ = merged_edges(UndirectedPairs(space.n_nodes), rows, weights)
    return replace(space, context=frozen(kept), context_weights=None if values is None else frozen(values))


def type_names_of(space: PairSpace) -> pl.Series | None:
    """The type of each node by its name; None where nodes have none."""
    if not isinstance(space, TypedPairs):
        return None
    return pl.Series("type", space.type_names, dtype=pl.String).gather(space.types)


Frozen = TypeVar("Frozen", bound=np.generic)


def frozen(array: npt.NDArray[Frozen]) -> npt.NDArray[Frozen]:
    """The same numbers, contiguous and read-only."""
    array = np.ascontiguousarray(array)
    array.flags.writeable = False
    return array
