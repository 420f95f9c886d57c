"""What signals of timed pairs are computed from, by hand."""

from __future__ import annotations

import numpy as np
import pytest

import pulink
from pulink.methods.pull_plus.pair_signals import PairSignals
from pulink.methods.pull_plus.quantities.timed import _NEVER, TimeQuantities
from pulink.methods.pull_plus.signals import SIGNALS, signal_names

# 0 -> 1 at 10 and again at 40, 1 -> 2 at 20, 2 -> 0 at 30; node 3 was never seen. Of four sightings and four nodes
# those are 3, 0, 2 and 1 quarters old.
ROWS, TIMES = [[0, 1], [1, 2], [2, 0], [0, 1]], [10.0, 20.0, 30.0, 40.0]
PAIR = np.array([[0, 2]])


def quantities(kind: str = "directed", times: list[float] = TIMES) -> TimeQuantities:
    return TimeQuantities(pulink.Graph.from_edges(ROWS, 4, kind=kind, times=times))


def test_roles_of_directed_nodes_by_hand() -> None:
    found = quantities()
    # Node 0 was a source just now, and a target a quarter ago; node 2 a source a quarter ago, a target two.
    assert [found.last(PAIR, 0, role)[0] for role in (0, 1)] == [0.0, 0.25]
    assert [found.last(PAIR, 1, role)[0] for role in (0, 1)] == [0.25, 0.5]
    assert [found.first(PAIR, end)[0] for end in (0, 1)] == [0.75, 0.5]
    # Sightings halve over half a sighting per node, and over three.
    assert found.recent(PAIR, 0, 0, 0)[0] == pytest.approx(1 + 0.5**1.5)
    assert found.recent(PAIR, 0, 0, 1)[0] == pytest.approx(1 + 0.5**0.25)
    assert found.recent(PAIR, 1, 1, 0)[0] == pytest.approx(0.5**1)


def test_without_direction_both_roles_are_one() -> None:
    found = quantities("undirected")
    for role in (0, 1):
        assert found.last(PAIR, 0, role)[0] == 0.0
        assert found.last(PAIR, 1, role)[0] == 0.25
        assert found.recent(PAIR, 1, role, 0)[0] == pytest.approx(0.5**0.5 + 0.5**1)


def test_a_node_that_was_never_seen_is_told_from_all_others() -> None:
    found = quantities()
    never = np.array([[3, 0]])
    assert found.last(never, 0, 0)[0] == _NEVER
    assert found.first(never, 0)[0] == -1
    assert found.recent(never, 0, 1, 1)[0] == 0


def test_the_unit_and_the_start_of_time_change_nothing() -> None:
    one, other = quantities(), quantities(times=[1000 + 86_400 * own for own in TIMES])
    pairs = np.array([[i, j] for i in range(4) for j in range(4) if i != j])
    for role in (0, 1):
        assert np.array_equal(one.last(pairs, 0, role), other.last(pairs, 0, role))
        assert np.array_equal(one.recent(pairs, 1, role, 0), other.recent(pairs, 1, role, 0))


def test_what_came_at_one_time_is_equally_old() -> None:
    found = quantities(times=[5.0] * 4)
    assert found.last(PAIR, 0, 0)[0] == found.last(PAIR, 1, 1)[0] == found.first(PAIR, 0)[0] == 0


@pytest.mark.parametrize("kind", ["undirected", "directed"])
def test_only_timed_graphs_have_these_signals(kind: str) -> None:
    timed = PairSignals(pulink.Graph.from_edges(ROWS, 4, kind=kind, times=TIMES), {}, {}, None)
    plain = PairSignals(pulink.Graph.from_edges(ROWS, 4, kind=kind), {}, {}, None)
    assert timed.names == signal_names((), kind, timed=True)
    assert {*timed.names} - {*plain.names} == {own.name for own in SIGNALS if own.timed}
    assert np.isfinite(timed.signals(PAIR)).all()
    shared = [name in plain.names for name in timed.names]
    assert np.array_equal(timed.signals(PAIR)[:, shared], plain.signals(PAIR))


def test_the_past_knows_nothing_of_the_future() -> None:
    graph = pulink.Graph.from_edges(ROWS, 4, kind="directed", times=TIMES)
    then = TimeQuantities(graph.before(25.0))
    alone = TimeQuantities(pulink.Graph.from_edges(ROWS[:2], 4, kind="directed", times=TIMES[:2]))
    pairs = np.array([[i, j] for i in range(4) for j in range(4) if i != j])
    for end in (0, 1):
        assert np.array_equal(then.first(pairs, end), alone.first(pairs, end))
        for role in (0, 1):
            assert np.array_equal(then.last(pairs, end, role), alone.last(pairs, end, role))
            assert np.array_equal(then.recent(pairs, end, role, 1), alone.recent(pairs, end, role, 1))
