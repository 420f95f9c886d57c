"""Threads are a setting: the argument, then the variable, then half the cores."""

import os
from collections.abc import Iterator

import pytest
import torch
from threadpoolctl import threadpool_info

from pulink.engine.threads import MOST_THREADS, run_shares, thread_count, threads_in_use, use_threads
from pulink.errors import ParameterError


@pytest.fixture(autouse=True)
def same_pool_afterwards(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.delenv("PULINK_THREADS", raising=False)
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_the_argument_wins_over_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_THREADS", "3")
    assert thread_count() == 3
    assert thread_count(2) == 2


@pytest.mark.parametrize(("cores", "threads"), [(1, 1), (2, 1), (3, 1), (16, 8), (None, 1)])
def test_half_the_cores_without_a_setting(
    monkeypatch: pytest.MonkeyPatch, cores: int | None, threads: int
) -> None:
    monkeypatch.setattr(os, "cpu_count", lambda: cores)
    assert thread_count() == threads
    monkeypatch.setenv("PULINK_THREADS", "  ")
    assert thread_count() == threads


@pytest.mark.parametrize("value", [0, -1, True, 1.5, "2", 1_025, 10**30])
def test_a_bad_argument_is_named(value: object) -> None:
    with pytest.raises(ParameterError, match=r"threads must be a whole number from 1 to 1,024, got"):
        thread_count(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("text", ["0", "-2", "two", "1.5", "²", "1025", "99999999999"])
def test_a_bad_variable_is_named(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    monkeypatch.setenv("PULINK_THREADS", text)
    with pytest.raises(
        ParameterError, match=f"PULINK_THREADS must be a whole number from 1 to 1,024, got '{text}'"
    ):
        thread_count()


def test_the_setting_holds_within_the_block_and_pytorch_is_left_as_it_was() -> None:
    torch.set_num_threads(2)
    with use_threads(3) as count:
        assert count == threads_in_use() == 3
        assert torch.get_num_threads() == 1
    assert threads_in_use() == 1
    assert torch.get_num_threads() == 2


@pytest.mark.parametrize("threads", [1, 2, 3, 8])
def test_shares_keep_their_order(threads: int) -> None:
    with use_threads(threads):
        shares = run_shares(list, range(5))
    assert [item for share in shares for item in share] == [0, 1, 2, 3, 4]
    assert len(shares) == min(threads, 5)


def test_an_error_in_a_share_is_raised() -> None:
    def fail(share: list[int]) -> None:
        if 4 in share:
            raise ValueError("share with 4")

    with use_threads(2), pytest.raises(ValueError, match="share with 4"):
        run_shares(fail, range(5))


def test_numpy_works_on_one_thread_within_the_block_and_as_before_after_it() -> None:
    def blas() -> list[int]:
        return [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"]

    before = blas()
    assert before
    with use_threads(2):
        assert set(blas()) == {1}
    assert blas() == before


@pytest.mark.parametrize("threads", [1, 3])
def test_no_share_records_gradients(threads: int) -> None:
    leaf = torch.ones(3, requires_grad=True)
    with use_threads(threads):
        recorded = run_shares(lambda share: [(leaf * item).requires_grad for item in share], range(6))
    assert [part for share in recorded for part in share] == 6 * [False]
    assert torch.is_grad_enabled()


def test_a_variable_without_end_is_refused_in_a_short_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULINK_THREADS", "9" * 5_000)
    with pytest.raises(ParameterError, match=r"got '99999999999999999999'…$"):
        thread_count()


def test_as_many_threads_as_allowed() -> None:
    assert thread_count(MOST_THREADS) == MOST_THREADS
