"""Hiding edges from a graph, and proving that what is hidden cannot be seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.engine.random import permutation, stream_key
from pulink.errors import InputError, LeakError, ParameterError
from pulink.graph.graph import Edges, Graph, frozen
from pulink.text import counted, plural

Longs = npt.NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Split:
    """A training graph, and hidden pairs by which a model is chosen (val) and measured (test).

    Make it with `pulink.split`, or by hand for hidden edges of your own choice; `pulink.audit` checks it.

    Parameters
    ----------
    train : Graph
        The graph without the hidden edges.
    val_edges, val_non_edges, test_edges, test_non_edges : array of int32, k x 2
        Node numbers of the hidden edges, and of pairs that are unconnected in the whole graph.
    seed : int or None
        What the split was drawn with.

    Examples
    --------
    >>> import pulink
    >>> graph = pulink.Graph.from_edges([[i, i + 1] for i in range(20)])
    >>> pulink.split(graph, val=0.1, test=0.2, seed=3)
    Split(train 14 edges, val 2, test 4, seed 3)
    """

    train: Graph
    val_edges: Edges
    val_non_edges: Edges
    test_edges: Edges
    test_non_edges: Edges
    seed: int | None = None

    def __repr__(self) -> str:
        return (
            f"Split(train {counted(self.train.n_edges, 'edge')}, val {len(self.val_edges):,}, "
            f"test {len(self.test_edges):,}, seed {self.seed})"
        )

    @property
    def hidden_edges(self) -> Edges:
        """Validation and test edges together."""
        return np.concatenate([self.val_edges, self.test_edges])


def split(graph: Graph, val: float = 0.1, test: float = 0.1, seed: int = 0) -> Split:
    """Hide some of a graph's edges, and draw as many non-edges.

    Of m edges floor(val · m) and floor(test · m) are hidden. The same seed gives the same split on any machine.

    Parameters
    ----------
    graph : Graph
        The whole graph.
    val, test : float
        Which shares of the edges are hidden, to choose a model by and to measure it by.
    seed : int
        Which of the possible splits it is.

    Returns
    -------
    Split
        The training graph and the hidden pairs, audited.

    Raises
    ------
    ParameterError
        If a share is not in [0, 1), or both together reach 1.
    InputError
        If the graph has fewer unconnected pairs than non-edges are needed.

    Examples
    --------
    >>> import pulink
    >>> graph = pulink.load("sample")
    >>> pulink.split(graph, test=0.2)
    Split(train 15,415 edges, val 2,201, test 4,403, seed 0)
    """
    if not isinstance(graph, Graph):
        raise ParameterError(f"split takes a Graph (see pulink.from_frame), got {type(graph).__name__}")
    _check_ratios(val, test)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise ParameterError(f"seed must be a whole number, got {seed!r}")
    # The tiny addition keeps 0.1 * 30 = 3.0000000000000004 and 0.3 * 10 = 2.9999999999999996 alike.
    n_val, n_test = (math.floor(share * graph.n_edges + 1e-9) for share in (val, test))
    order = permutation(stream_key(seed, "split", "edges"), graph.n_edges)
    return _hidden(graph, order[:n_val], order[n_val : n_val + n_test], n_val + n_test, seed)


def split_part(graph: Graph, val: float, part: int, seed: int) -> Split:
    """The split that hides the next `val` of the edges after those of the parts before: no edge is in two parts.

    Part 0 is `split(graph, val, test=0, seed=seed)`; there are floor(1 / val) parts. A graph that is nearly
    complete has fewer non-edges than are hidden: then there are as many as it has.
    """
    n_val = math.floor(val * graph.n_edges + 1e-9)
    order = permutation(stream_key(seed, "split", "edges"), graph.n_edges)
    held = order[part * n_val : (part + 1) * n_val]
    assert len(held) == n_val, "there are no more edges to hide"
    n_free = graph.n_pairs - graph.n_edges
    n_non_edges = min(n_val, n_free) if n_free else n_val
    return _hidden(graph, held, held[:0], n_non_edges, seed, *((part,) if part else ()))


def _hidden(graph: Graph, held_val: Longs, held_test: Longs, n_non_edges: int, seed: int, *key: int) -> Split:
    """The split that hides these edges; so many non-edges are drawn by seed and key."""
    n_val = len(held_val)
    sampler = graph.pair_space.sampler(graph.adjacency)
    if n_non_edges > sampler.n_free:
        raise InputError(
            f"{counted(n_non_edges, 'non-edge is', 'non-edges are')} needed, but only "
            f"{counted(sampler.n_free, 'pair is', 'pairs are')} unconnected: "
            "hide a smaller share of the edges (val, test or val_ratio; 0 hides none; "
            "in the command --set METHOD.val_ratio=0)"
        )
    free = sampler.draw_distinct(n_non_edges, stream_key(seed, "split", "non-edges", *key))
    keep = np.ones(graph.n_edges, dtype=np.bool_)
    keep[held_val] = keep[held_test] = False
    result = Split(
        train=graph.keep_edges(keep),
        val_edges=frozen(graph.edges[held_val]),
        val_non_edges=frozen(free[:n_val]),
        test_edges=frozen(graph.edges[held_test]),
        test_non_edges=frozen(free[n_val:]),
        seed=seed,
    )
    audit(result)
    return result


def audit(split: Split) -> None:
    """Check that no hidden pair is visible in training, hidden twice, or an edge and a non-edge at once.

    Parameters
    ----------
    split : Split
        The split to check; nothing happens if it is sound.

    Raises
    ------
    LeakError
        With the first pair that should not be where it is.

    Examples
    --------
    >>> import pulink
    >>> from dataclasses import replace
    >>> split = pulink.split(pulink.load("sample"))
    >>> pulink.audit(split)
    >>> try:
    ...     pulink.audit(replace(split, test_edges=split.train.edges[:1]))
    ... except pulink.errors.LeakError as error:
    ...     print(str(error).split(",")[0])
    1 of the test edges stands in the training graph
    """
    train = split.train
    parts = {
        "validation edges": split.val_edges,
        "test edges": split.test_edges,
        "validation non-edges": split.val_non_edges,
        "test non-edges": split.test_non_edges,
    }
    for label, pairs in parts.items():
        _refuse_visible(train, label, pairs)
    codes = np.concatenate([train.pair_space.codes(pairs) for pairs in parts.values()])
    unique, counts = np.unique(codes, return_counts=True)
    if len(unique) < len(codes):
        i, j = train.pair_space.pairs_of(unique[counts > 1][:1])[0].tolist()
        raise LeakError(
            f"{train.names[i]!r} - {train.names[j]!r} is held out {int(counts.max())} times; "
            "validation and test edges and non-edges must not overlap"
        )


def _refuse_visible(train: Graph, label: str, pairs: Edges) -> None:
    if not len(pairs):
        return
    if pairs.min() < 0 or pairs.max() >= train.n_nodes:
        raise InputError(f"{label} name a node outside 0 .. {train.n_nodes - 1}")
    visible = train.has_edges(pairs)
    if visible.any():
        i, j = pairs[np.flatnonzero(visible)[0]].tolist()
        stand = plural(int(visible.sum()), "stands", "stand")
        raise LeakError(
            f"{visible.sum():,} of the {label} {stand} in the training graph, the first is "
            f"{train.names[i]!r} - {train.names[j]!r}; held-out pairs must be absent from it"
        )


def _check_ratios(val: float, test: float) -> None:
    for name, share in (("val", val), ("test", test)):
        if not 0 <= share < 1:
            raise ParameterError(f"{name} must lie in [0, 1), got {share!r}")
    if val + test >= 1:
        raise ParameterError(f"val + test must stay below 1, got {val} + {test}")
