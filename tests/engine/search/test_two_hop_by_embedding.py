"""The best pairs two steps apart against a twin that looks at every pair."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pulink.engine.adjacency import Adjacency, symmetric_adjacency
from pulink.engine.search.two_hop_by_embedding import two_hop_by_embedding
from tests.support.adjacencies import dense, pair_sets, random_adjacency


def wedges(adjacency: Adjacency, max_degree: int) -> set[tuple[int, int]]:
    """Unconnected pairs with a common neighbour of at most `max_degree`."""
    linked = dense(adjacency) > 0
    n = adjacency.n_nodes
    small = linked.sum(axis=1) <= max_degree
    return {
        (i, j)
        for i in range(n)
        for j in range(i + 1, n)
        if not linked[i, j] and (linked[i] & linked[j] & small).any()
    }


def check_best(z: npt.NDArray[np.float32], adjacency: Adjacency, count: int, max_degree: int) -> None:
    found = two_hop_by_embedding(z, adjacency, count, max_degree)
    candidates = wedges(adjacency, max_degree)
    wide = z.astype(np.float64)
    best = sorted((float(wide[i] @ wide[j]) for i, j in candidates), reverse=True)[:count]
    assert [float(wide[i] @ wide[j]) for i, j in found] == pytest.approx(best, abs=1e-4)
    pairs = [tuple(sorted(pair)) for pair in found.tolist()]
    assert len(set(pairs)) == len(pairs)
    assert set(pairs) <= candidates


@pytest.mark.parametrize("count", [1, 50, 10_000])
@pytest.mark.parametrize("max_degree", [4, 100])
def test_random_graph(count: int, max_degree: int) -> None:
    z = np.random.default_rng(0).normal(size=(120, 5)).astype(np.float32)
    check_best(z, random_adjacency(120, 0.05, seed=1), count, max_degree)


@settings(deadline=None, derandomize=True, max_examples=60)
@given(pair_sets(), st.integers(1, 40), st.integers(1, 8), st.data())
def test_any_small_graph_with_ties(
    case: tuple[npt.NDArray[np.int32], int], count: int, max_degree: int, data: st.DataObject
) -> None:
    pairs, n_nodes = case
    whole = st.lists(st.integers(-2, 2), min_size=2 * n_nodes, max_size=2 * n_nodes)
    z = np.array(data.draw(whole), dtype=np.float32).reshape(n_nodes, 2)
    check_best(z, symmetric_adjacency(pairs, n_nodes), count, max_degree)


def test_a_path_by_hand() -> None:
    # 0 - 1 - 2 - 3: the pairs two steps apart are (0, 2) and (1, 3); (0, 3) is three steps apart.
    path = symmetric_adjacency(np.array([[0, 1], [1, 2], [2, 3]], dtype=np.int32), 4)
    z = np.array([[9.0], [1.0], [1.0], [9.5]], dtype=np.float32)
    assert two_hop_by_embedding(z, path, 5).tolist() == [[1, 3], [0, 2]]


def test_more_wedges_than_one_buffer_holds() -> None:
    # Forty stars with 90 leaves each: 160,200 wedges, which no buffer of the search holds at once.
    pairs = np.array([(s, 40 + 90 * s + leaf) for s in range(40) for leaf in range(90)], dtype=np.int32)
    n_nodes = 40 + 40 * 90
    z = np.random.default_rng(2).normal(size=(n_nodes, 3)).astype(np.float32)
    found = two_hop_by_embedding(z, symmetric_adjacency(pairs, n_nodes), 300)
    products = [z[40 + 90 * s : 130 + 90 * s] for s in range(40)]
    upper = np.triu_indices(90, k=1)
    best = np.sort(np.concatenate([(rows @ rows.T)[upper] for rows in products]))[::-1][:300]
    np.testing.assert_allclose((z[found[:, 0]] * z[found[:, 1]]).sum(axis=1), best, rtol=1e-4)
    assert len(np.unique(found, axis=0)) == 300
