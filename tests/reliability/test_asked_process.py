"""The process that is asked is judged by the processor, by the clock and by its memory."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from torture import asked_process
from torture.asked_process import AskedProcess, excess


@pytest.fixture
def worker(tmp_path: Path) -> Iterator[AskedProcess]:
    process = AskedProcess("tests.reliability.odd_worker", tmp_path / "noise")
    yield process
    process.stop()


def test_a_process_that_only_sleeps_hangs(worker: AskedProcess, monkeypatch: pytest.MonkeyPatch) -> None:
    assert worker.ask({"how": "well"})["fate"] == "read"
    monkeypatch.setattr(asked_process, "HANG", 0.5)
    started = time.monotonic()
    answer = worker.ask({"how": "sleep"})
    assert answer["fate"] == "violation"
    assert answer["told"] == "the process hung: no answer within 0.5 s by the clock"
    assert time.monotonic() - started < 20
    monkeypatch.undo()
    assert worker.ask({"how": "well"})["fate"] == "read"


def test_children_count(worker: AskedProcess) -> None:
    alone = worker.ask({"how": "well"})
    with_child = worker.ask({"how": "child", "bytes": 400_000_000})
    assert alone["bytes"] < 400_000_000 < with_child["grown"] < with_child["bytes"]
    assert worker.ask({"how": "well"})["bytes"] < 400_000_000


def test_death_and_noise_are_violations(worker: AskedProcess) -> None:
    assert worker.ask({"how": "die"})["told"] == "the process died (status 7)"
    shouted = worker.ask({"how": "shout"})
    assert shouted["fate"] == "violation"
    assert "Panic!" in shouted["told"]
    assert worker.ask({"how": "well"})["fate"] == "read"


def test_limits() -> None:
    answer = {"fate": "read", "told": "a graph", "seconds": 4.9, "clock": 29.0}
    assert excess(answer, 999_999_999) is None
    assert excess(answer, 1_100_000_000) == "4.9 s of the processor, 1100 MB (read: a graph)"
    assert excess(answer | {"seconds": 5.1}, 0) == "5.1 s of the processor, 0 MB (read: a graph)"
