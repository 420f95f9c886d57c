"""Exact selection against a twin that scores every cell."""

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from scipy.special import expit

from pulink.engine.adjacency import Adjacency, contains, symmetric_adjacency
from pulink.engine.random import stream_key
from pulink.engine.search import top_by_embedding as top
from pulink.engine.search.top_by_embedding import top_by_embedding
from pulink.engine.threads import use_threads
from tests.support.adjacencies import dense, pair_sets, random_adjacency
from tests.support.ties import ranked

F32 = npt.NDArray[np.float32]

N_DRAWS = 2_500


def embeddings(n_nodes: int, n_units: int, seed: int, spread: float = 1.0) -> F32:
    """Normal rows whose lengths differ by a factor of e^spread and more."""
    rng = np.random.default_rng(seed)
    lengths = np.exp(spread * rng.normal(size=(n_nodes, 1)))
    return (rng.normal(size=(n_nodes, n_units)) * lengths).astype(np.float32)


def all_cells(excluded: Adjacency, rows: npt.NDArray[np.integer] | None, ordered: bool) -> npt.NDArray[np.int64]:
    """Every cell that may be selected."""
    n = excluded.n_nodes
    free = (dense(excluded) == 0) & ~np.eye(n, dtype=np.bool_)
    if rows is None:
        return np.argwhere(np.triu(free))
    is_row = np.isin(np.arange(n), rows)
    if ordered:
        return np.argwhere(free & is_row[:, None])
    either = is_row[:, None] | is_row[None, :]
    return np.argwhere(np.triu(free & either))


def scores_of(z: F32, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.float64]:
    wide = z.astype(np.float64)
    return (wide[pairs[:, 0]] * wide[pairs[:, 1]]).sum(axis=1)


def check_best(
    z: F32,
    excluded: Adjacency,
    count: int,
    rows: npt.NDArray[np.integer] | None = None,
    ordered: bool = False,
) -> None:
    found = top_by_embedding(z, excluded, count, rows=rows, ordered=ordered)
    cells = all_cells(excluded, rows, ordered)
    best = np.sort(scores_of(z, cells))[::-1][:count]
    assert len(found) == len(best)
    scale = 1e-5 * max(1.0, np.abs(best).max(initial=0.0))
    np.testing.assert_allclose(scores_of(z, found), best, atol=scale)
    selected, allowed = (
        own.astype(np.int64) @ [excluded.n_nodes, 1]
        for own in (found if ordered else np.sort(found, axis=1), cells)
    )
    assert len(np.unique(selected)) == len(selected)
    assert np.isin(selected, allowed).all()


@pytest.mark.parametrize("count", [1, 7, 500, 5_000])
@pytest.mark.parametrize("spread", [0.0, 1.5])
def test_all_pairs(count: int, spread: float) -> None:
    check_best(embeddings(130, 8, 0, spread), random_adjacency(130, 0.1, seed=1), count)


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("count", [1, 40, 900])
def test_hub_rows(count: int, ordered: bool) -> None:
    rows = np.array([3, 77, 20, 5, 111, 64, 8, 9])
    check_best(embeddings(130, 8, 2), random_adjacency(130, 0.2, seed=3), count, rows, ordered)


def test_many_blocks_of_rows() -> None:
    check_best(embeddings(900, 4, 4, spread=0.7), random_adjacency(900, 0.05, seed=5), 2_000)


def test_many_blocks_of_columns() -> None:
    n_nodes = 9_000
    z = embeddings(n_nodes, 4, 6, spread=0.2)
    excluded = symmetric_adjacency(np.array([[0, 1]], dtype=np.int32), n_nodes)
    rows = np.arange(50)
    scores = z[rows] @ z.T
    scores[rows, rows] = scores[0, 1] = scores[1, 0] = -np.inf
    found = top_by_embedding(z, excluded, 3_000, rows=rows, ordered=True)
    np.testing.assert_allclose(scores_of(z, found), np.sort(scores.ravel())[::-1][:3_000], rtol=1e-4)
    assert len(np.unique(found, axis=0)) == 3_000


def test_more_blocks_than_one_over_all_pairs() -> None:
    n_nodes = 2_600
    z = embeddings(n_nodes, 3, 7, spread=0.1)
    excluded = symmetric_adjacency(np.empty((0, 2), dtype=np.int32), n_nodes)
    found = top_by_embedding(z, excluded, 20_000)
    scores = z @ z.T
    best = np.partition(scores[np.triu_indices(n_nodes, k=1)], -20_000)[-20_000:]
    np.testing.assert_allclose(scores_of(z, found), np.sort(best)[::-1], rtol=1e-4)
    assert len(np.unique(np.sort(found, axis=1), axis=0)) == 20_000


@settings(deadline=None, derandomize=True, max_examples=80)
@given(pair_sets(), st.integers(0, 60), st.data())
def test_any_small_graph_with_ties(
    case: tuple[npt.NDArray[np.int32], int], count: int, data: st.DataObject
) -> None:
    # Whole numbers: many inner products tie, and none is rounded.
    pairs, n_nodes = case
    whole = st.lists(st.integers(-2, 2), min_size=2 * n_nodes, max_size=2 * n_nodes)
    z = np.array(data.draw(whole), dtype=np.float32).reshape(n_nodes, 2)
    rows = data.draw(st.none() | st.lists(st.integers(0, n_nodes - 1), min_size=1, unique=True))
    excluded = symmetric_adjacency(pairs, n_nodes)
    if rows is None:
        check_best(z, excluded, count)
    else:
        check_best(z, excluded, count, np.array(rows), ordered=data.draw(st.booleans()))


def test_ties_are_broken_by_a_hash_of_the_pair_on_any_number_of_threads() -> None:
    z = np.ones((300, 2), dtype=np.float32)
    excluded = random_adjacency(300, 0.1, seed=8)
    pairs = all_cells(excluded, None, ordered=False)
    expected = [pair for _, _, pair in ranked(np.ones(len(pairs)), pairs)[:50]]
    for threads in (1, 2, 3):
        with use_threads(threads):
            found = np.sort(top_by_embedding(z, excluded, 50), axis=1)
        assert [tuple(pair) for pair in found.tolist()] == expected


def test_asking_for_more_than_exist_gives_all() -> None:
    excluded = random_adjacency(20, 0.5, seed=9)
    z = embeddings(20, 3, 10)
    n_free = 190 - excluded.indices.size // 2
    assert len(top_by_embedding(z, excluded, 10_000)) == n_free
    complete = random_adjacency(6, 1.1, seed=0)
    assert top_by_embedding(embeddings(6, 2, 0), complete, 5).shape == (0, 2)
    assert top_by_embedding(z, excluded, 0).shape == (0, 2)


def test_hub_pairs_fill_two_cells_only_if_ordered() -> None:
    # Nodes 0 and 1 are hubs with by far the largest product: its two cells come first.
    z = np.array([[3.0], [3.0], [1.0], [0.5]], dtype=np.float32)
    nothing = symmetric_adjacency(np.empty((0, 2), dtype=np.int32), 4)
    rows = np.array([0, 1])
    assert top_by_embedding(z, nothing, 2, rows=rows, ordered=True).tolist() == [[0, 1], [1, 0]]
    once = np.sort(top_by_embedding(z, nothing, 2, rows=rows), axis=1).tolist()
    assert once[0] == [0, 1]
    assert once[1] in ([0, 2], [1, 2])


@pytest.mark.parametrize("ordered", [False, True])
def test_one_draw_falls_on_cells_in_proportion_to_sigma(ordered: bool) -> None:
    z = np.array([[1.5], [-1.0], [0.7], [2.0], [-0.3]], dtype=np.float32)
    excluded = symmetric_adjacency(np.array([[0, 1], [2, 3]], dtype=np.int32), 5)
    rows = np.array([0, 3]) if ordered else None
    cells = all_cells(excluded, rows, ordered)
    position = {tuple(cell): k for k, cell in enumerate(cells.tolist())}
    counts = np.zeros(len(cells))
    for seed in range(N_DRAWS):
        pair = top_by_embedding(z, excluded, 1, rows=rows, ordered=ordered, noise=stream_key(seed, "gumbel"))[
            0
        ].tolist()
        counts[position[tuple(pair if ordered else sorted(pair))]] += 1
    probabilities = expit(scores_of(z, cells))
    assert probabilities.max() / probabilities.min() > 5
    assert stats.chisquare(counts, N_DRAWS * probabilities / probabilities.sum()).pvalue > 1e-3


def test_two_draws_follow_sampling_without_replacement() -> None:
    # P(a then b) = s_a / S · s_b / (S − s_a)
    z = np.array([[2.0], [1.0], [-1.0]], dtype=np.float32)
    excluded = symmetric_adjacency(np.empty((0, 2), dtype=np.int32), 3)
    cells = all_cells(excluded, None, ordered=False)
    share = expit(scores_of(z, cells))
    probabilities, outcomes = [], []
    for a in range(3):
        for b in set(range(3)) - {a}:
            outcomes.append((tuple(cells[a].tolist()), tuple(cells[b].tolist())))
            probabilities.append(share[a] / share.sum() * share[b] / (share.sum() - share[a]))
    drawn = []
    for seed in range(N_DRAWS):
        pairs = np.sort(top_by_embedding(z, excluded, 2, noise=stream_key(seed, "two")), axis=1).tolist()
        drawn.append((tuple(pairs[0]), tuple(pairs[1])))
    counts = [drawn.count(outcome) for outcome in outcomes]
    assert stats.chisquare(counts, N_DRAWS * np.array(probabilities)).pvalue > 1e-3


def test_sampling_excludes_edges_and_never_repeats() -> None:
    excluded = random_adjacency(400, 0.1, seed=11)
    z = embeddings(400, 4, 12)
    found = top_by_embedding(z, excluded, 3_000, rows=np.arange(100), ordered=True, noise=stream_key(0, "s"))
    assert not contains(excluded, found).any()
    assert len(np.unique(found, axis=0)) == 3_000
    assert not np.array_equal(
        found, top_by_embedding(z, excluded, 3_000, rows=np.arange(100), ordered=True, noise=stream_key(1, "s"))
    )


@pytest.mark.parametrize("guess", [-np.inf, 0.0, 1e9])
def test_a_first_threshold_changes_no_list(guess: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither one that is right nor one that no pair reaches."""
    z = embeddings(900, 8, 4)
    excluded = random_adjacency(900, 0.01, 5)
    monkeypatch.setattr(top, "_SAMPLE", 1 << 14)
    expected = top_by_embedding(z, excluded, 2_000)
    assert np.isfinite(top._likely_threshold(z, excluded, 2_000))
    monkeypatch.setattr(top, "_likely_threshold", lambda *_: guess)
    assert np.array_equal(top_by_embedding(z, excluded, 2_000), expected)
    with use_threads(2):
        assert np.array_equal(top_by_embedding(z, excluded, 2_000), expected)
