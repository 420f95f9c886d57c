"""Small graphs, and views of them that are made in no time."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

import pulink
from pulink.engine.threads import use_threads
from pulink.methods.pull_plus.attribute_signals import Attributes
from pulink.methods.pull_plus.pair_signals import PairSignals, SignalConfig

CONFIG = SignalConfig(n_units=4, n_epochs=3, learning_rate=0.01, seed=0)


def random_graph(n_nodes: int, n_edges: int, seed: int, **more: object) -> pulink.Graph:
    """Any `n_edges` of all pairs."""
    low, high = np.triu_indices(n_nodes, k=1)
    chosen = np.random.default_rng(seed).permutation(len(low))[:n_edges]
    return pulink.Graph.from_edges(np.stack([low[chosen], high[chosen]], axis=1), n_nodes, **more)  # type: ignore[arg-type]


def all_pairs(n_nodes: int) -> npt.NDArray[np.int64]:
    return np.stack(np.triu_indices(n_nodes, k=1), axis=1).astype(np.int64)


def words(n_nodes: int, n_words: int, seed: int) -> sp.csr_array:
    """Sparse features: a few words per node, some nodes with none."""
    rng = np.random.default_rng(seed)
    return sp.csr_array(np.where(rng.random((n_nodes, n_words)) < 0.3, rng.integers(1, 4, (n_nodes, n_words)), 0))


def numbers(n_nodes: int, n_columns: int, seed: int) -> npt.NDArray[np.float32]:
    """Dense features of several sizes."""
    rng = np.random.default_rng(seed)
    return (rng.normal(size=(n_nodes, n_columns)) * 10.0 ** np.arange(n_columns) + 1).astype(np.float32)


def made(graph: pulink.Graph) -> PairSignals:
    """The view of a graph with its own features."""
    features = None if graph.features is None else Attributes.of(graph.features, CONFIG.seed)
    with use_threads(1):
        return PairSignals.make(graph, features, CONFIG)
