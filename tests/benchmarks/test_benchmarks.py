"""Benchmarks take minutes; here only that they still fit the code that they measure."""

from __future__ import annotations

import importlib
import pkgutil
import time
from typing import Any

import pytest

import benchmarks
from benchmarks import plus_parts


@pytest.mark.filterwarnings("ignore:`torch.jit.script` is deprecated")  # by PyG, when it is imported
@pytest.mark.parametrize("name", [module.name for module in pkgutil.iter_modules(benchmarks.__path__)])
def test_what_a_benchmark_needs_is_there(name: str) -> None:
    importlib.import_module(f"benchmarks.{name}")


@pytest.mark.parametrize(("name", "home", "attribute"), plus_parts.PARTS)
def test_a_part_that_is_timed_is_there(name: str, home: Any, attribute: str) -> None:
    assert callable(getattr(home, attribute)), name
    assert attribute in home.__dict__, name


def test_a_part_within_a_part_counts_for_the_inner_one_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(time, "process_time", lambda: now[0])
    clock = plus_parts.Clock()

    def wait(seconds: float) -> None:
        now[0] += seconds

    inner = clock.around("inner", wait)

    def outer() -> None:
        wait(1.0)
        inner(5.0)
        wait(2.0)
        inner(7.0)

    clock.around("outer", outer)()
    assert clock.seconds == {"inner": 12.0, "outer": 3.0}
