"""The small parts: shapes, rates, leases, the worker."""

from __future__ import annotations

import json
import threading
from concurrent.futures import Future
from typing import Any

import pytest

from pulink.serve.api import shapes
from pulink.serve.api.schema import ShapeError, check
from pulink.serve.json_text import json_bytes
from pulink.serve.leases import Leases
from pulink.serve.rates import Rate
from pulink.serve.refusals import Refused
from pulink.serve.settings import is_loopback
from pulink.serve.worker import QUICK, SLOW, Worker


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.parametrize(
    ("value", "shape", "message"),
    [
        ("", {"type": "string", "minLength": 1}, "1"),
        (3, {"type": "string"}, "of type string"),
        (True, {"type": "integer"}, "of type integer"),
        (1.5, {"type": "integer"}, "of type integer"),
        (0, {"type": "number", "exclusiveMinimum": 0}, "out of range"),
        (float("inf"), {"type": "number"}, "finite"),
        ([1, "a"], {"type": "array", "items": {"type": "integer"}}, r"body\[1\]"),
        ({"b": 1}, shapes.obj({"a": {}}, closed=True), "lacks 'a'"),
        ({"a": 1, "b": 1}, shapes.obj({"a": {}}, closed=True), "'b', which is not known"),
        (None, shapes.GIVEN_NODE, "of type"),
        ({"undo": True}, shapes.GIVEN_ANSWER, "lacks 'reviewer'"),
        ({"source": "a", "target": "b", "reviewer": "me"}, shapes.GIVEN_ANSWER, "lacks 'answer'"),
    ],
)
def test_what_is_of_another_shape_is_told_why(value: Any, shape: dict[str, Any], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        check(value, shape)


@pytest.mark.parametrize(
    ("value", "shape"),
    [
        (2.0, {"type": "integer"}),
        (None, shapes.MAYBE_TEXT),
        ("a", shapes.GIVEN_NODE),
        ({"name": "a"}, shapes.GIVEN_NODE),
    ],
)
def test_what_is_of_a_shape_passes(value: Any, shape: dict[str, Any]) -> None:
    check(value, shape)


def test_a_rate_fills_again() -> None:
    clock = Clock()
    rate = Rate(1.0, 2.0, clock)
    assert [rate.take("a") for _ in range(3)] == [True, True, False]
    assert rate.take("b")
    clock.now = 1.0
    assert [rate.take("a") for _ in range(2)] == [True, False]


def test_a_rate_does_not_remember_for_ever() -> None:
    clock = Clock()
    rate = Rate(1.0, 2.0, clock)
    for number in range(30_000):
        rate.take(str(number))
    assert len(rate._left) <= 10_000


def test_a_lease_ends_with_its_answer_or_after_its_time() -> None:
    clock = Clock()
    leases = Leases(10.0, clock)
    leases.take(1, "a")
    assert (leases.of_others("a"), leases.of_others("b")) == (set(), {1})
    leases.take(2, "a")
    assert leases.of_others("b") == {2}
    leases.release(2)
    assert leases.of_others("b") == set()
    leases.take(3, "a")
    clock.now = 10.0
    assert leases.of_others("b") == set()


def test_the_worker_does_what_is_quick_first_and_no_more_than_may_wait() -> None:
    worker, begun, go_on = Worker(3), threading.Event(), threading.Event()
    done: list[str] = []

    def hold() -> None:
        begun.set()
        go_on.wait()

    worker.submit(hold)
    begun.wait()
    tasks: list[Future[None]] = [
        worker.submit(lambda name=name: done.append(name), urgency)  # type: ignore[misc]
        for name, urgency in (("slow", SLOW), ("quick", QUICK), ("later", SLOW))
    ]
    with pytest.raises(Refused, match="too many"):
        worker.submit(hold)
    tasks[2].cancel()
    go_on.set()
    tasks[0].result()
    assert worker.run(lambda: worker.run(lambda: 7)) == 7
    assert done == ["quick", "slow"]
    with pytest.raises(ZeroDivisionError):
        worker.run(lambda: 1 / 0)
    assert worker.close()
    with pytest.raises(Refused, match="ending"):
        worker.run(lambda: 1)


def test_json_has_no_numbers_that_are_none() -> None:
    assert json.loads(json_bytes({"a": [float("nan"), 1.5, (float("inf"),)]})) == {"a": [None, 1.5, [None]]}


@pytest.mark.parametrize(
    ("host", "is_own"),
    [("127.0.0.1", True), ("::1", True), ("LocalHost", True), ("192.168.0.7", False), ("lab", False)],
)
def test_what_only_this_machine_reaches(host: str, is_own: bool) -> None:
    assert is_loopback(host) is is_own
