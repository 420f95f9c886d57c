"""Hiding edges from a graph, and proving that what is hidden cannot be seen."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from pulink.engine.random import permutation, stream_key
from pulink.errors import InputError, LeakError, ParameterError, UnknownNameError
from pulink.graph.graph import Edges, Graph, frozen
from pulink.graph.pairs import pair_text
from pulink.graph.partial import seen_times
from pulink.graph.spaces.typed_pairs import TypedPairs
from pulink.text import counted, plural

Longs = npt.NDArray[np.int64]

# What decides which edges are hidden.
SPLITS = RANDOM, BY_TIME = "random", "time"


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
    cut : float or None
        Of a split by time: when the first hidden edge was first seen. Training knows nothing from then on.

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
    cut: float | None = None

    def __repr__(self) -> str:
        return (
            f"Split(train {counted(self.train.n_edges, 'edge')}, val {len(self.val_edges):,}, "
            f"test {len(self.test_edges):,}, seed {self.seed}{'' if self.cut is None else ', by time'})"
        )

    @property
    def hidden_edges(self) -> Edges:
        """Validation and test edges together."""
        return np.concatenate([self.val_edges, self.test_edges])

    def have_past(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """Say for each pair whether both of its ends have an edge in the training graph.

        Parameters
        ----------
        pairs : array of node numbers, k x 2
            As `test_edges`.

        Returns
        -------
        array of bool, k

        Examples
        --------
        >>> import pulink
        >>> graph = pulink.Graph.from_edges([[0, 1], [1, 2], [0, 2], [2, 3]], 6, times=[1, 2, 3, 4])
        >>> split = pulink.split(graph, val=0.25, test=0.25, by="time")
        >>> split.have_past(split.val_edges).tolist(), split.have_past(split.test_edges).tolist()
        ([True], [False])
        """
        return np.asarray((self.train.degrees[pairs] > 0).all(axis=1), dtype=np.bool_)


def split(graph: Graph, val: float = 0.1, test: float = 0.1, seed: int = 0, *, by: str = "random") -> Split:
    """Hide some of a graph's edges, and draw as many non-edges.

    Of m edges floor(val · m) and floor(test · m) are hidden. The same seed gives the same split on any machine.

    By time, the edges that were first seen last are the test edges, those before them the validation edges, and
    the training graph is the graph as it was known before: later sightings of its edges are gone as well. Edges
    that were first seen at the same time stay together, so that a few more may be hidden.

    Parameters
    ----------
    graph : Graph
        The whole graph.
    val, test : float
        Which shares of the edges are hidden, to choose a model by and to measure it by.
    seed : int
        Which of the possible splits it is; by time, which non-edges it has.
    by : str
        "random" or "time".

    Returns
    -------
    Split
        The training graph and the hidden pairs, audited.

    Raises
    ------
    ParameterError
        If a share is not in [0, 1), or both together reach 1.
    InputError
        If the graph has fewer unconnected pairs than non-edges are needed; by time, if its edges have no times, or
        none of them was seen before those that are hidden.

    Examples
    --------
    >>> import pulink
    >>> graph = pulink.load("sample")
    >>> pulink.split(graph, test=0.2)
    Split(train 15,415 edges, val 2,201, test 4,403, seed 0)
    >>> path = pulink.Graph.from_edges([[i, i + 1] for i in range(20)], times=range(20))
    >>> pulink.split(path, by="time").test_edges.tolist()
    [[18, 19], [19, 20]]
    """
    if not isinstance(graph, Graph):
        raise ParameterError(f"split takes a Graph (see pulink.from_frame), got {type(graph).__name__}")
    _check_ratios(val, test)
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer):
        raise ParameterError(f"seed must be a whole number, got {seed!r}")
    if by not in SPLITS:
        raise UnknownNameError("way to split", str(by), SPLITS)
    # The tiny addition keeps 0.1 * 30 = 3.0000000000000004 and 0.3 * 10 = 2.9999999999999996 alike.
    n_val, n_test = (math.floor(share * graph.n_recorded + 1e-9) for share in (val, test))
    if by == BY_TIME:
        return _later_hidden(graph, n_val, n_test, seed)
    order = _random_order(graph, seed)
    return _hidden(graph, order[:n_val], order[n_val : n_val + n_test], n_val + n_test, seed)


def _random_order(graph: Graph, seed: int) -> Longs:
    """The edges that may be hidden, in a random order: not those that people accepted."""
    return graph.recorded[permutation(stream_key(seed, "split", "edges"), graph.n_recorded)]


def _later_hidden(graph: Graph, n_val: int, n_test: int, seed: int) -> Split:
    """The split that hides the latest new edges, at least so many; edges of one time stay together."""
    first = seen_times(graph).first
    order = graph.recorded[np.argsort(first[graph.recorded], kind="stable")]
    first_test = _cut(first[order], n_test)
    first_val = _cut(first[order[:first_test]], n_val)
    if not first_val and graph.n_edges:
        raise InputError(
            f"all of the {counted(graph.n_edges, 'edge')} would be hidden, because edges that were first seen at "
            "the same time stay together: hide a smaller share of them (val, test)"
        )
    n_hidden = len(order) - first_val
    cut = float(first[order[first_val]]) if n_hidden else None
    return _hidden(graph, order[first_val:first_test], order[first_test:], n_hidden, seed, cut=cut)


def _cut(times: npt.NDArray[np.float64], n_later: int) -> int:
    """How many of ascending times come before the last so many, and are earlier than the first of these."""
    if not n_later:
        return len(times)
    return int(np.searchsorted(times, times[max(len(times) - n_later, 0)])) if len(times) else 0


def split_part(graph: Graph, val: float, part: int, seed: int) -> Split:
    """The split that hides the next `val` of the edges after those of the parts before: no edge is in two parts.

    Part 0 is `split(graph, val, test=0, seed=seed)`; there are floor(1 / val) parts. A graph that is nearly
    complete has fewer non-edges than are hidden: then there are as many as it has.
    """
    n_val = math.floor(val * graph.n_recorded + 1e-9)
    order = _random_order(graph, seed)
    held = order[part * n_val : (part + 1) * n_val]
    assert len(held) == n_val, "there are no more edges to hide"
    n_free = graph.n_pairs - graph.n_edges
    n_non_edges = min(n_val, n_free) if n_free else n_val
    return _hidden(graph, held, held[:0], n_non_edges, seed, *((part,) if part else ()))


def hiding(graph: Graph, held: Longs) -> Split:
    """The split whose test edges are these (places in `graph.edges`), and whose non-edges hang on them alone.

    There are as many non-edges, or as many as the graph has.
    """
    n_free = graph.n_pairs - graph.n_edges
    key = int(held.min()), int(held.max()), int(held.sum()) % 2**31
    return _hidden(graph, held[:0], held, min(len(held), n_free) if n_free else len(held), 0, *key)


def _hidden(
    graph: Graph,
    held_val: Longs,
    held_test: Longs,
    n_non_edges: int,
    seed: int,
    *key: int,
    cut: float | None = None,
) -> Split:
    """The split that hides these edges; so many non-edges are drawn by seed and key.

    cut  of a split by time: when training ends
    """
    n_val = len(held_val)
    sampler = graph.pair_space.sampler(graph.adjacency)
    if n_non_edges > sampler.n_free:
        raise InputError(
            f"{counted(n_non_edges, 'non-edge is', 'non-edges are')} needed, but only "
            f"{counted(sampler.n_free, 'pair is', 'pairs are')} unconnected: "
            "hide a smaller share of the edges (val, test or val_ratio; 0 hides none; "
            "in the command --set METHOD.val_ratio=0)"
        )
    drawn = sampler.draw_distinct(n_non_edges, stream_key(seed, "split", "non-edges", *key))
    free = graph.pair_space.ordered(drawn).astype(np.int32)
    keep = np.ones(graph.n_edges, dtype=np.bool_)
    keep[held_val] = keep[held_test] = False
    result = Split(
        train=graph.keep_edges(keep) if cut is None else graph.before(cut),
        val_edges=frozen(graph.edges[held_val]),
        val_non_edges=frozen(free[:n_val]),
        test_edges=frozen(graph.edges[held_test]),
        test_non_edges=frozen(free[n_val:]),
        seed=seed,
        cut=cut,
    )
    audit(result)
    return result


def audit(split: Split) -> None:
    """Check that no hidden pair is visible in training, hidden twice, or an edge and a non-edge at once.

    Of a split by time also that training knows of no sighting since the first hidden edge.

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
        pair = pair_text(train, train.pair_space.pairs_of(unique[counts > 1][:1])[0])
        raise LeakError(
            f"{pair} is held out {int(counts.max())} times; "
            "validation and test edges and non-edges must not overlap"
        )
    if split.cut is not None:
        _refuse_later(train, split.cut)


def _refuse_later(train: Graph, cut: float) -> None:
    """Raise if training knows of something that was seen at the cut of a split by time or later."""
    seen, space = seen_times(train), train.pair_space
    later = np.flatnonzero(seen.times >= cut)
    if len(later):
        pair, time = pair_text(train, train.edges[seen.edges[later[0]]]), seen.times[later[0]]
        raise LeakError(
            f"the first hidden edge was seen at {cut}, and training knows of "
            f"{counted(len(later), 'sighting')} from then on, the first is {pair} at {time}"
        )
    context = space.context_times if isinstance(space, TypedPairs) else None
    if context is not None and (context.times >= cut).any():
        raise LeakError(
            f"the first hidden edge was seen at {cut}, and training knows of later links of other types"
        )


def _refuse_visible(train: Graph, label: str, pairs: Edges) -> None:
    if not len(pairs):
        return
    if pairs.min() < 0 or pairs.max() >= train.n_nodes:
        raise InputError(f"{label} name a node outside 0 .. {train.n_nodes - 1}")
    visible = train.has_edges(pairs)
    if visible.any():
        pair = pair_text(train, pairs[np.flatnonzero(visible)[0]])
        stand = plural(int(visible.sum()), "stands", "stand")
        raise LeakError(
            f"{visible.sum():,} of the {label} {stand} in the training graph, the first is {pair}; "
            "held-out pairs must be absent from it"
        )


def _check_ratios(val: float, test: float) -> None:
    for name, share in (("val", val), ("test", test)):
        if not 0 <= share < 1:
            raise ParameterError(f"{name} must lie in [0, 1), got {share!r}")
    if val + test >= 1:
        raise ParameterError(f"val + test must stay below 1, got {val} + {test}")
