"""How far loops are: shares by hand, for who listens, in his own thread only."""

from __future__ import annotations

import threading

import pytest

from pulink.engine.pace import is_heard, listening, paced, portion, tell
from pulink.engine.threads import run_shares, use_threads


def test_nobody_is_told_by_default() -> None:
    assert not is_heard()
    tell(0.5)
    assert list(paced("ab")) == ["a", "b"]
    with portion(0.0, 1.0):
        assert not is_heard()


def test_loops_within_loops_add_up() -> None:
    heard: list[float] = []
    with listening(heard.append):
        for _ in paced("ab"):
            for _ in paced("wxyz"):
                pass
    assert heard == [0.125, 0.25, 0.375, 0.5, 0.5, 0.625, 0.75, 0.875, 1.0, 1.0]


def test_blocks_have_their_portions() -> None:
    heard: list[float] = []
    with listening(heard.append):
        with portion(0.0, 0.25):
            tell(0.5)
        for _ in paced("ab", begin=0.5):
            tell(0.5)
    assert heard == [0.125, 0.25, 0.625, 0.75, 0.875, 1.0]


def test_a_loop_that_is_left_early_leaves_nothing_behind() -> None:
    heard: list[float] = []
    with listening(heard.append):
        for _ in paced("abcd"):
            break
        tell(0.5)
        with pytest.raises(KeyboardInterrupt):
            for _ in paced("abcd"):
                raise KeyboardInterrupt
        tell(1.0)
    assert heard == [0.5, 1.0]
    assert not is_heard()


def test_work_of_who_hears_it_is_his_own() -> None:
    heard: list[float] = []

    def start_something(share: float) -> None:
        heard.append(share)
        assert not is_heard()
        list(paced("abc"))

    with listening(start_something):
        list(paced("ab"))
    assert heard == [0.5, 1.0]


def test_shares_of_threads_are_told_by_the_first() -> None:
    heard: list[float] = []

    def run(items: list[int]) -> tuple[bool, int]:
        return threading.current_thread() is threading.main_thread(), sum(items)

    def loop(items: list[int]) -> tuple[bool, int]:
        for _ in items:
            pass
        return run(items)

    with use_threads(2), listening(heard.append):
        assert run_shares(loop, range(8)) == [(True, 6), (False, 22)]
    assert heard == [0.25, 0.5, 0.75, 1.0] * 2
