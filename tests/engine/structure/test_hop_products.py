"""Products of propagated features against dense propagation over the graph without the pair's edge."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.structure.hop_products import HopProducts, propagated
from pulink.engine.threads import use_threads
from tests.support.adjacencies import dense, pair_sets, random_adjacency


def slow_hops(adjacency: Adjacency, features: npt.NDArray[np.floating], n_hops: int) -> npt.NDArray[np.float64]:
    looped = (dense(adjacency) > 0) + np.eye(adjacency.n_nodes)
    root = np.sqrt(looped.sum(axis=1))
    step = looped / np.outer(root, root)
    hops = [features.astype(np.float64)]
    for _ in range(n_hops):
        hops.append(step @ hops[-1])
    return np.stack(hops, axis=1)


def slow_product(
    adjacency: Adjacency, features: npt.NDArray[np.floating], pair: tuple[int, int], n_hops: int
) -> npt.NDArray[np.float64]:
    edges = np.argwhere(np.triu(dense(adjacency)) > 0).astype(np.int32)
    bare = symmetric_adjacency(edges[~(edges == sorted(pair)).all(axis=1)], adjacency.n_nodes)
    hops = slow_hops(bare, features, n_hops)
    return np.asarray((hops[pair[0]] * hops[pair[1]]).ravel())


def some_features(n_nodes: int, seed: int = 0) -> npt.NDArray[np.float32]:
    return np.random.default_rng(seed).normal(size=(n_nodes, 3)).astype(np.float32)


def test_an_edge_by_hand() -> None:
    # 0 - 1 - 2. With its edge gone, 0 stands alone: X_1[0] = x_0. For 1 it leaves 1 - 2: X_1[1] = (x_1 + x_2) / 2.
    path = symmetric_adjacency(np.array([(0, 1), (1, 2)], dtype=np.int32), 3)
    x = np.array([[2.0], [3.0], [5.0]], dtype=np.float32)
    products = HopProducts(path, propagated(path, x, 2)).of(np.array([(0, 1), (0, 2)]))
    assert products[0] == pytest.approx([6.0, 8.0, 8.0], rel=1e-5)
    # 0 and 2 are not connected: both degrees are 2 with the loop, that of 1 is 3.
    one = [2 / 2 + 3 / 6**0.5, 2 / 6**0.5 + 3 / 3 + 5 / 6**0.5, 5 / 2 + 3 / 6**0.5]
    two = [one[0] / 2 + one[1] / 6**0.5, one[2] / 2 + one[1] / 6**0.5]
    assert products[1] == pytest.approx([10.0, one[0] * one[2], two[0] * two[1]], rel=1e-5)


@settings(derandomize=True, max_examples=80)
@given(pair_sets().filter(lambda case: case[1] > 1), st.integers(0, 2))
def test_any_small_graph(case: tuple[npt.NDArray[np.int32], int], n_hops: int) -> None:
    pairs, n_nodes = case
    adjacency = symmetric_adjacency(pairs, n_nodes)
    x = some_features(n_nodes)
    every = np.stack(np.triu_indices(n_nodes, k=1), axis=1)
    found = HopProducts(adjacency, propagated(adjacency, x, n_hops)).of(every)
    slow = np.stack([slow_product(adjacency, x, (i, j), n_hops) for i, j in every.tolist()])
    np.testing.assert_allclose(found, slow, rtol=2e-4, atol=2e-5)


def test_hubs() -> None:
    adjacency = random_adjacency(60, 0.3, seed=1)
    x = some_features(60)
    products = HopProducts(adjacency, propagated(adjacency, x, 2))
    pairs = np.argwhere(np.triu(dense(adjacency)) > 0)[::20]
    slow = np.stack([slow_product(adjacency, x, (i, j), 2) for i, j in pairs.tolist()])
    np.testing.assert_allclose(products.of(pairs), slow, rtol=1e-3, atol=1e-5)


def test_both_orders_threads_and_weights_change_no_bit() -> None:
    plain = random_adjacency(40, 0.2, seed=2)
    weighted = Adjacency(plain.indptr, plain.indices, np.full(plain.indices.size, 3.0, dtype=np.float32))
    hops = propagated(plain, some_features(40), 2)
    assert np.array_equal(hops, propagated(weighted, some_features(40), 2))
    pairs = np.stack(np.triu_indices(40, k=1), axis=1)
    alone = HopProducts(plain, hops).of(pairs)
    assert np.array_equal(alone, HopProducts(plain, hops).of(pairs[:, ::-1]))
    with use_threads(3):
        assert np.array_equal(alone, HopProducts(plain, hops).of(pairs))
