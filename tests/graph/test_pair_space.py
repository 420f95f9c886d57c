"""The pair space: answers by hand on small graphs, what every kind must keep, and that nobody goes around it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

import pulink
from pulink import Graph
from pulink.engine.adjacency import contains
from pulink.graph.pair_space import PairSpace, UndirectedPairs
from tests.support.kinds import KINDS, graphs, pairs_by_hand, tiny_graphs, written_by_hand
from tests.support.planted_kinds import small_planted
from tests.support.undirected import assumptions

KEY = np.uint64(7)
NO_PAIRS = np.empty((0, 2), dtype=np.int32)
# 0 - 1, 1 - 2, 1 - 3 among five nodes.
STAR = Graph.from_edges([[1, 0], [2, 1], [1, 3]], n_nodes=5)
SOURCE = Path(pulink.__file__).parent

_GROUP = "groups are asked for undirected graphs alone"
# Files beside the engine and the pair space that may take for granted that a pair has no direction.
ALLOWED = {
    "distributed/group/shards.py": "draws for each node, and no pairs",
    "methods/baselines/gnn/sharded_epochs.py": _GROUP,
    "methods/pull/sharded/fit.py": _GROUP,
    "methods/pull/sharded/loop.py": _GROUP,
    "methods/pull/sharded/selection.py": _GROUP,
    "nn/sharded/added_pairs.py": _GROUP,
    "predictor/sharded/best_pairs.py": _GROUP,
    "predictor/sharded/find_job.py": _GROUP,
    "predictor/sharded/group_calibration.py": _GROUP,
    "predictor/sharded/hidden_pairs.py": _GROUP,
    "methods/baselines/autoencoder/mvgae_views.py": "likeness has no direction, whatever the links have",
}


@st.composite
def pairs_of_a_space(draw: st.DrawFn) -> tuple[PairSpace, np.ndarray]:
    """A space, and allowed pairs of it in any order and written in any way, some of them several times."""
    space = draw(graphs()).pair_space
    ways = sorted(written_by_hand(space))
    drawn = draw(st.lists(st.sampled_from(ways), max_size=30)) if ways else []
    return space, np.array(drawn, dtype=np.int32).reshape(-1, 2)


def rows(pairs: np.ndarray) -> list[tuple[int, int]]:
    return [(int(i), int(j)) for i, j in pairs]


def test_order_codes_and_counts_by_hand() -> None:
    space = UndirectedPairs(5)
    assert space.n_pairs == 10
    assert space.n_pairs_by_node.tolist() == [4, 4, 4, 4, 4]
    pairs = np.array([[3, 1], [1, 3], [0, 4], [2, 2]], dtype=np.int32)
    assert space.ordered(pairs).tolist() == [[1, 3], [1, 3], [0, 4], [2, 2]]
    assert space.ordered(pairs).dtype == np.int32
    assert space.codes(pairs).tolist() == [8, 8, 4, 12]
    assert space.pairs_of(np.array([8, 4])).tolist() == [[1, 3], [0, 4]]
    assert space.unique(pairs[:3]).tolist() == [[0, 4], [1, 3]]
    assert space.isin(pairs[:3], np.array([[4, 0]])).tolist() == [False, False, True]
    assert space.isin(pairs[:3], pairs[:0]).tolist() == [False, False, False]


def test_what_is_allowed_by_hand() -> None:
    space = UndirectedPairs(3)
    asked = np.array([[0, 1], [1, 0], [1, 1], [0, 3], [-1, 0], [2, 1]])
    assert space.allowed(asked).tolist() == [True, True, False, False, False, True]
    assert space.are_ordered(asked).tolist() == [True, False, False, False, False, False]
    # Of three nodes, 1 is 0 - 1, 3 would be 1 - 0, 4 is 1 - 1, 9 is beyond the last node.
    codes = np.array([-1, 0, 1, 2, 3, 4, 5, 9, 3 * 2**32 + 1])
    assert space.are_codes(codes).tolist() == [False, False, True, True, False, False, True, False, False]


def test_the_pairs_of_a_node_begin_at_it() -> None:
    space = UndirectedPairs(4)
    assert space.pairs_with(2).tolist() == [[2, 0], [2, 1], [2, 3]]
    pairs, ends = np.array([[0, 2], [1, 3], [0, 3]]), np.array([2, 1, 3])
    assert space.starting_at(pairs, ends).tolist() == [[2, 0], [1, 3], [3, 0]]


def test_unconnected_pairs_by_hand() -> None:
    free = STAR.pair_space.unconnected(STAR.adjacency)
    assert free.tolist() == [[0, 2], [0, 3], [0, 4], [1, 4], [2, 3], [2, 4], [3, 4]]
    assert STAR.pair_space.sampler(STAR.adjacency).n_free == 7
    assert STAR.pair_space.sampler().n_free == STAR.n_pairs == 10


def test_open_pairs_are_neither_edges_nor_known_to_be_none() -> None:
    assert STAR.open_pairs(1).tolist() == [[1, 4]]
    assert STAR.open_pairs(2).tolist() == [[2, 0], [2, 3], [2, 4]]
    assert STAR.with_absent(np.array([[4, 2]])).open_pairs(2).tolist() == [[2, 0], [2, 3]]


def test_merging_counts_what_is_left_out() -> None:
    merged = UndirectedPairs(4).merge(np.array([[2, 1], [1, 2], [2, 1], [3, 3], [0, 3]]))
    assert merged.edges.tolist() == [[0, 3], [1, 2]]
    assert (merged.n_loops, merged.n_same, merged.n_reversed) == (1, 1, 1)


@pytest.mark.parametrize("n_nodes", [0, 1])
def test_fewer_than_two_nodes_have_no_pairs(n_nodes: int) -> None:
    space, nothing = UndirectedPairs(n_nodes), np.empty((0, 2), dtype=np.int32)
    known = space.adjacency(nothing)
    assert space.n_pairs == len(space.unconnected(known)) == len(space.sampler(known).draw(3, KEY)) == 0
    assert len(space.unique(nothing)) == len(space.codes(nothing)) == len(space.isin(nothing, nothing)) == 0
    assert not space.are_codes(np.arange(-2, 3)).any()


def test_codes_of_the_largest_graphs_do_not_overflow() -> None:
    n_nodes = 2**31 - 1
    last = np.array([[n_nodes - 1, n_nodes - 2]], dtype=np.int32)
    codes = UndirectedPairs(n_nodes).codes(last)
    assert codes.tolist() == [(n_nodes - 2) * n_nodes + n_nodes - 1]
    assert UndirectedPairs(n_nodes).pairs_of(codes).tolist() == [[n_nodes - 2, n_nodes - 1]]


@given(pairs_of_a_space())
def test_order_is_final_and_the_same_however_a_pair_is_written(drawn: tuple[PairSpace, np.ndarray]) -> None:
    space, pairs = drawn
    ordered = space.ordered(pairs)
    assert ordered.dtype == pairs.dtype
    assert rows(ordered) == [written_by_hand(space)[pair] for pair in rows(pairs)]
    assert np.array_equal(space.ordered(ordered), ordered)
    assert space.are_ordered(ordered).all()
    assert np.array_equal(space.are_ordered(pairs), (ordered == pairs).all(axis=1))


@given(graphs())
def test_the_pairs_of_a_space_are_those_listed_by_hand(graph: Graph) -> None:
    space, every = graph.pair_space, sorted(pairs_by_hand(graph.pair_space))
    assert space.n_pairs == len(every)
    ends = range(-1, space.n_nodes + 2)
    asked = np.array([(i, j) for i in ends for j in ends])
    ways = written_by_hand(space)
    assert space.allowed(asked).tolist() == [pair in ways for pair in rows(asked)]
    assert rows(space.unconnected(space.adjacency(NO_PAIRS))) == [
        pair for pair in every if not contains(space.adjacency(NO_PAIRS), np.array([pair]))[0]
    ]


@given(pairs_of_a_space())
def test_codes_are_one_number_per_pair_and_turn_back_into_it(drawn: tuple[PairSpace, np.ndarray]) -> None:
    space, pairs = drawn
    codes = space.codes(pairs)
    assert codes.dtype == np.int64
    assert np.array_equal(space.pairs_of(codes), space.ordered(pairs))
    assert np.array_equal(space.codes(space.pairs_of(codes)), codes)
    assert space.are_codes(codes).all()
    every = np.arange(-space.n_nodes, space.n_nodes**2 + space.n_nodes)
    valid = every[space.are_codes(every)]
    assert rows(space.pairs_of(valid)) == sorted(pairs_by_hand(space))
    assert np.array_equal(space.codes(space.pairs_of(valid)), valid)


@given(pairs_of_a_space(), st.integers(0, 30))
def test_repeats_and_membership_equal_a_twin_made_of_sets(drawn: tuple[PairSpace, np.ndarray], cut: int) -> None:
    space, pairs = drawn
    ways = written_by_hand(space)
    others = {ways[pair] for pair in rows(pairs[:cut])}
    assert space.isin(pairs, pairs[:cut]).tolist() == [ways[pair] in others for pair in rows(pairs)]
    assert rows(space.unique(pairs)) == sorted({ways[pair] for pair in rows(pairs)})


@given(pairs_of_a_space(), st.integers(0, 3))
def test_merging_counts_every_row_once(drawn: tuple[PairSpace, np.ndarray], n_loops: int) -> None:
    space, pairs = drawn
    loops = np.full((min(n_loops, space.n_nodes), 2), 0, dtype=np.int32)
    merged = space.merge(np.concatenate([pairs, loops]))
    assert np.array_equal(merged.edges, space.unique(pairs))
    assert merged.edges.dtype == np.int32
    written = len(set(rows(pairs)))
    assert merged.n_loops == len(loops)
    assert merged.n_same == len(pairs) - written
    assert merged.n_reversed == written - len(merged.edges)


@given(graphs())
def test_known_and_unconnected_pairs_are_all_pairs(graph: Graph) -> None:
    space = graph.pair_space
    free = space.unconnected(graph.adjacency)
    assert len(free) == space.sampler(graph.adjacency).n_free == graph.n_pairs - graph.n_edges
    assert sorted(rows(free) + rows(graph.edges)) == sorted(pairs_by_hand(space))
    assert rows(free) == sorted(rows(free))


@given(graphs())
def test_every_pair_belongs_to_its_two_ends(graph: Graph) -> None:
    space = graph.pair_space
    own = [space.pairs_with(node) for node in range(graph.n_nodes)]
    assert [len(pairs) for pairs in own] == space.n_pairs_by_node.tolist()
    assert all((pairs == node).any(axis=1).all() for node, pairs in enumerate(own))
    for node, pairs in enumerate(own):
        assert np.array_equal(space.starting_at(space.ordered(pairs), np.full(len(pairs), node)), pairs)
    codes, times = np.unique(space.codes(np.concatenate(own)), return_counts=True)
    assert rows(space.pairs_of(codes)) == sorted(pairs_by_hand(space))
    assert (times == 2).all()


@given(graphs(), st.integers(0, 2**32), st.integers(0, 20))
def test_only_allowed_unconnected_pairs_are_drawn(graph: Graph, key: int, start: int) -> None:
    space = graph.pair_space
    sampler = space.sampler(graph.adjacency)
    drawn, distinct = sampler.draw(40, np.uint64(key)), sampler.draw_distinct(10**6, np.uint64(key))
    assert len(drawn) == (40 if sampler.n_free else 0)
    for pairs in (drawn, distinct):
        assert space.allowed(pairs).all()
        assert not graph.has_edges(pairs).any()
    assert np.array_equal(sampler.draw(10, np.uint64(key), start), drawn[start : start + 10])
    assert np.array_equal(space.unique(distinct), space.unconnected(graph.adjacency))
    some = sampler.draw_distinct(sampler.n_free // 3, np.uint64(key))
    assert len(some) == len(space.unique(some)) == sampler.n_free // 3
    assert space.allowed(some).all()
    assert not graph.has_edges(some).any()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("known", ["edges", "nothing"])
def test_every_free_pair_is_drawn_equally_often(kind: str, known: str) -> None:
    graph = tiny_graphs()[kind]
    space = graph.pair_space
    sampler = space.sampler(graph.adjacency if known == "edges" else None)
    drawn = space.codes(sampler.draw(40_000, KEY))
    codes, times = np.unique(drawn, return_counts=True)
    assert len(codes) == sampler.n_free
    assert chisquare(times).pvalue > 1e-3


@pytest.mark.parametrize("kind", KINDS)
def test_distinct_pairs_are_drawn_equally_often(kind: str) -> None:
    graph = tiny_graphs()[kind]
    sampler = graph.pair_space.sampler(graph.adjacency)
    count = max(1, sampler.n_free // 3)
    drawn = [graph.pair_space.codes(sampler.draw_distinct(count, np.uint64(key))) for key in range(3_000)]
    _, times = np.unique(np.concatenate(drawn), return_counts=True)
    assert len(times) == sampler.n_free
    assert np.abs(times / (3_000 * count / sampler.n_free) - 1).max() < 0.15


@given(graphs())
def test_an_adjacency_holds_its_pairs_and_no_others(graph: Graph) -> None:
    space = graph.pair_space
    adjacency, known = space.adjacency(graph.edges), {*rows(graph.edges)}
    ways = written_by_hand(space)
    assert contains(adjacency, graph.edges).all()
    if ways:
        asked = np.array(sorted(ways), dtype=np.int32)
        assert contains(adjacency, asked).tolist() == [ways[pair] in known for pair in rows(asked)]
    for node in range(graph.n_nodes):
        row = adjacency.indices[adjacency.indptr[node] : adjacency.indptr[node + 1]]
        assert (np.diff(row) > 0).all()


@given(graphs(), st.data())
def test_values_follow_their_pairs(graph: Graph, data: st.DataObject) -> None:
    values = np.array(data.draw(st.permutations(range(1, graph.n_edges + 1))), dtype=np.float32)
    adjacency = graph.pair_space.adjacency(graph.edges, values)
    assert adjacency.values is not None
    for value, (i, j) in zip(values, rows(graph.edges), strict=True):
        row = slice(adjacency.indptr[i], adjacency.indptr[i + 1])
        assert adjacency.values[row][adjacency.indices[row] == j].tolist() == [value]


def test_nobody_else_takes_for_granted_that_a_pair_has_no_direction() -> None:
    files = {str(path.relative_to(SOURCE)): path for path in sorted(SOURCE.rglob("*.py"))}
    asking = {
        name: path
        for name, path in files.items()
        if not name.startswith(("engine/", "graph/spaces/"))
        and name != "graph/pair_space.py"
        and name not in ALLOWED
    }
    assert len(asking) > 150
    found = [
        f"{name}:{line}: {what}; ask graph.pair_space"
        for name, path in asking.items()
        for line, what in assumptions(path.read_text())
    ]
    assert found == []


def test_groups_are_asked_for_undirected_graphs_alone() -> None:
    kinds = {kind: small_planted(kind) for kind in ("directed", "bipartite", "typed")}
    for model in (pulink.PULL(), pulink.GCNCE()):
        assert {kind for kind, graph in kinds.items() if model.alone_because(graph) is None} == set()


@pytest.mark.parametrize("file", [*ALLOWED, "graph/pair_space.py", "graph/spaces/typed_pairs.py"])
def test_what_may_take_it_for_granted_does(file: str) -> None:
    assert assumptions((SOURCE / file).read_text()) != []


@pytest.mark.parametrize(
    "code",
    [
        "np.sort(pairs, axis=1)",
        "np.sort(np.concatenate([one, other]), axis=-1)",
        "n_pairs = n * (n - 1) // 2",
        "graph.n_nodes * (graph.n_nodes - 1) / 2",
        "(n - 1) * n // 2",
        "i, j = divmod(code, n_nodes)",
        "np.divmod(codes, max(self.n_nodes, 1))",
        "codes // graph.n_nodes",
        "codes % n",
        "low * n_nodes + high",
        "pairs.astype(np.int64) @ (self.n_nodes, 1)",
        "np.minimum(pairs[:, 0], pairs[:, 1])",
        "np.triu_indices(n, k=1)",
        "from pulink.graph.pairs import pair_codes",
        "def all_unconnected(graph): ...",
        "from pulink.engine.non_edges import NonEdgeSampler",
        "non_edges.NonEdgeSampler(adjacency)",
        "from pulink.engine.adjacency import Adjacency, symmetric_adjacency",
    ],
)
def test_the_guard_finds(code: str) -> None:
    assert assumptions(f"\n{code}")[0][0] == 2


@pytest.mark.parametrize(
    "code",
    [
        "np.sort(scores)",
        "np.sort(rows, axis=0)",
        "graph.pair_space.ordered(pairs)",
        "n_edges * (n_edges + 1) / 2",
        "degrees[pairs[:, 0]] * degrees[pairs[:, 1]]",
        "from pulink.engine.non_edges import PairSampler",
        "n // 2",
    ],
)
def test_the_guard_lets_pass(code: str) -> None:
    assert assumptions(code) == []
