"""A cluster that is too small is waited for, with few words; what is lost and what joins is told once."""

from __future__ import annotations

import pytest

from pulink.distributed.on_ray.patience import VARIABLE, Node, Patience
from pulink.errors import ParameterError

SMALL, LARGE, HEAD = Node("10.0.0.2", 1.0, 8e9), Node("10.0.0.3", 4.0, 8e9), Node("10.0.0.1", 0.0, 8e9)


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def patience(threads: int = 2, room: int = 0) -> tuple[Patience, Clock]:
    clock = Clock()
    found = Patience("auto", clock)
    found.needs(threads, room)
    return found, clock


def heard(
    found: Patience, clock: Clock, seconds: float, nodes: list[Node]
) -> tuple[list[tuple[float, str]], float]:
    """Lines with their times in so many seconds of looks, and when it ended."""
    begun, lines = clock.now, []
    while clock.now - begun < seconds:
        words, has_ended = found.look(nodes)
        lines += [(clock.now - begun, line) for line in words]
        if has_ended:
            break
        clock.now += 0.5
    return lines, clock.now - begun


def test_a_cluster_that_is_large_enough_is_no_matter_for_words() -> None:
    found, clock = patience()
    assert heard(found, clock, 1000.0, [HEAD, SMALL, LARGE]) == ([], 1000.0)


def test_words_come_ever_more_seldom_and_after_ten_minutes_it_ends() -> None:
    found, clock = patience()
    lines, ended = heard(found, clock, 1000.0, [HEAD, SMALL])
    assert ended == 600.0
    assert [seconds for seconds, _ in lines] == [2.0, 62.0, 124.0, 248.0, 496.0]
    assert lines[0][1] == (
        "waiting for a node of the cluster auto with 2 processors: it has 2 nodes, with up to 1 processor and "
        "8.0 GB; giving up after 10 min more (Ctrl-C stops)"
    )
    assert found.last_words() == (
        "no node of the cluster auto with 2 processors in 10 min (PULINK_CLUSTER_WAIT sets how many seconds are "
        "waited)"
    )


def test_a_node_that_comes_ends_the_waiting_and_it_begins_anew_with_the_next() -> None:
    found, clock = patience()
    assert heard(found, clock, 590.0, [SMALL])[1] == 590.0
    lines, _ = heard(found, clock, 5.0, [SMALL, LARGE])
    assert [line for _, line in lines] == [
        "the cluster auto has a node more, 10.0.0.3",
        "the cluster auto has what was waited for: going on",
    ]
    lines, ended = heard(found, clock, 700.0, [SMALL])
    assert ended == 600.0
    assert lines[0][1] == "node 10.0.0.3 is lost: its pieces are made again by 1 node"


def test_a_short_gap_is_not_worth_a_word() -> None:
    found, clock = patience()
    assert heard(found, clock, 1.0, [])[0] == []
    assert [line for _, line in heard(found, clock, 1.0, [LARGE])[0]] == [
        "the cluster auto has a node more, 10.0.0.3"
    ]


def test_memory_is_waited_for_too() -> None:
    found, clock = patience(threads=1, room=int(16e9))
    lines, _ = heard(found, clock, 3.0, [LARGE])
    assert (
        "with 1 processor and 16.0 GB of memory: it has 1 node, with up to 4 processors and 8.0 GB" in lines[0][1]
    )


def test_the_last_node_that_is_lost_leaves_nobody() -> None:
    found, clock = patience(threads=1)
    assert heard(found, clock, 1.0, [SMALL])[0] == []
    lines, _ = heard(found, clock, 3.0, [])
    assert lines[0][1] == "node 10.0.0.2 is lost"
    assert "it has no node" in lines[1][1]


def test_the_environment_says_how_long(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, "7")
    found, clock = patience()
    assert heard(found, clock, 100.0, [])[1] == 7.0
    for wrong in ("soon", "-1", "nan", "inf"):
        monkeypatch.setenv(VARIABLE, wrong)
        with pytest.raises(ParameterError, match="PULINK_CLUSTER_WAIT must be a number of seconds"):
            Patience("auto")
