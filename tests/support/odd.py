"""Graphs that nobody has in mind, and what may come of them: a defined result, or one clear line."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import pulink
from pulink.errors import PulinkError
from tests.support.quick import make

# The least that a method can be asked to do.
LEAST = {
    "n_splits": 2,
    "n_epochs": 1,
    "max_rounds": 0,
    "n_trees": 3,
    "n_folds": 2,
    "max_iterations": 2,
    "max_epochs": 2,
    "min_epochs": 1,
    "search_epochs": 1,
    "max_nodes": 8,
}


def all_pairs(n_nodes: int) -> npt.NDArray[np.int64]:
    return np.stack(np.triu_indices(n_nodes, k=1), axis=1)


def pairs_of(graph: pulink.Graph) -> npt.NDArray[np.int64]:
    """Every pair that may be linked, or is."""
    space = graph.pair_space
    return np.concatenate([space.unconnected(graph.adjacency), graph.edges]).astype(np.int64)


def _graph(pairs: object, n_nodes: int | None = None) -> pulink.Graph:
    return pulink.Graph.from_edges(pairs, n_nodes)  # type: ignore[arg-type]


# Nothing to learn from: refused by every method.
BARREN = {
    "empty": _graph([], 0),
    "one node": _graph([], 1),
    "two nodes apart": _graph([], 2),
    "no edges": _graph([], 9),
    "self-loops only": _graph([[k, k] for k in range(6)]),
}
# No non-edge is left to hide one against: refused by every method, unless told to hide none.
FULL = {"complete": _graph(all_pairs(9)), "complete but for one": _graph(all_pairs(9)[1:])}
# Served, but for methods that say that these are too small.
SMALL = {
    "two nodes": _graph([[0, 1]]),
    "one edge many times": _graph([[0, 1], [1, 0]] * 20),
    "one edge and nodes without": _graph([[0, 1]], 5),
    "a path of three": _graph([[0, 1], [1, 2]]),
    "a triangle": _graph(all_pairs(3)),
}
# Served by every method.
SERVED = {
    "star": _graph([[0, k] for k in range(1, 13)]),
    "two parts": _graph(np.concatenate([all_pairs(6)[2:], all_pairs(6)[1:] + 6])),
    "many parts": _graph([[2 * k, 2 * k + 1] for k in range(12)]),
    "isolated nodes": _graph(all_pairs(6)[2:], 16),
    "ring": _graph([[k, (k + 1) % 12] for k in range(12)]),
    "two sides": _graph([[a, b] for a in range(5) for b in range(5, 11)]),
}
ODD = BARREN | FULL | SMALL | SERVED


def _numbers(n_rows: int, n_columns: int) -> npt.NDArray[np.float32]:
    return np.random.default_rng(1).normal(size=(n_rows, n_columns)).astype(np.float32)


def features_of(kind: str, n: int) -> npt.NDArray[np.float32] | None:
    """Node features (n x d) that are usual or say little."""
    kinds = {
        "none": None,
        "words": (_numbers(n, 5) > 0).astype(np.float32),
        "numbers": _numbers(n, 4),
        "one column": _numbers(n, 1),
        "constant": np.full((n, 3), 2.5, dtype=np.float32),
        "zeros": np.zeros((n, 3), dtype=np.float32),
        "no columns": np.zeros((n, 0), dtype=np.float32),
        "tiny": np.full((n, 3), 1e-40, dtype=np.float32),
        "large": np.where(np.arange(n) % 2, 1e18, -1e18)[:, None].astype(np.float32),
    }
    return kinds[kind]


FEATURES = ("none", "words", "numbers", "one column", "constant", "zeros", "no columns", "tiny", "large")


def outcome(name: str, graph: pulink.Graph, budget: dict[str, int], val_ratio: float = 0.1) -> str:
    """The list of links as text, or why there is none; anything but these two is an error of the test."""
    model = make(name, budget).set_params(val_ratio=val_ratio)
    try:
        model.fit(graph)
        found = model.missing_links(60)
        scores = model.decision_function(pairs_of(graph))
    except PulinkError as refusal:
        message = str(refusal)
        assert 20 < len(message) < 300, message
        assert len(message.splitlines()) == 1
        return f"refused: {message}"
    assert np.isfinite(scores).all()
    probs = found["probability"].to_numpy()
    assert ((probs >= 0) & (probs <= 1)).all()
    assert (np.diff(probs) <= 0).all()
    pairs = found.select("source", "target").cast(int).to_numpy().reshape(-1, 2)
    assert not graph.has_edges(pairs).any()
    assert graph.pair_space.are_ordered(pairs).all()
    assert len(graph.pair_space.unique(pairs)) == len(pairs)
    assert len(pairs) == min(60, graph.n_pairs - graph.n_edges)
    return f"found: {found.write_csv()}"
