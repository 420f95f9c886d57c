"""Compiling is announced once it has taken two seconds in all, and never otherwise."""

import time

import pytest
from numba.core import event

from pulink.engine import compile as compiling


def compile_for(seconds: float) -> None:
    with event.trigger_event("numba:compile"):
        time.sleep(seconds)


def test_a_long_compilation_is_announced_while_it_lasts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_PATIENCE", 0.05)
    said: list[float] = []
    started = time.perf_counter()
    with compiling.announce_compiling(lambda _: said.append(time.perf_counter() - started)):
        compile_for(0.5)
    assert len(said) == 1
    assert said[0] < 0.5


def test_short_ones_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compiling, "_PATIENCE", 0.2)
    said: list[str] = []
    with compiling.announce_compiling(said.append):
        compile_for(0.15)
        assert not said
        compile_for(0.15)
        compile_for(0.15)
    assert len(said) == 1
    assert "once" in said[0]


def test_a_quick_one_is_not_announced() -> None:
    said: list[str] = []
    with compiling.announce_compiling(said.append):
        compile_for(0.01)
    time.sleep(0.05)
    assert not said
