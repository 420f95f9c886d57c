"""How many threads the arithmetic may use: a setting, not a guess at the machine."""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from functools import cache
from typing import TypeVar

import torch
from threadpoolctl import ThreadpoolController

from pulink.engine.pace import Paced, is_heard
from pulink.errors import ParameterError

VARIABLE = "PULINK_THREADS"
# More than the largest machines have cores; each takes memory and time to start.
MOST_THREADS = 1_024
_ALLOWED = f"a whole number from 1 to {MOST_THREADS:,}"

Item = TypeVar("Item")
Result = TypeVar("Result")


def thread_count(threads: int | None = None) -> int:
    """The argument, else the variable PULINK_THREADS, else 1 for each two cores, at least 1."""
    if threads is None:
        text = os.environ.get(VARIABLE, "").strip()
        if text:
            if not re.fullmatch("[0-9]{1,9}", text) or not 1 <= int(text) <= MOST_THREADS:
                given = f"{text[:20]!r}{'…' * (len(text) > 20)}"
                raise ParameterError(f"{VARIABLE} must be {_ALLOWED}, got {given}")
            threads = int(text)
    if threads is None:
        return max(1, (os.cpu_count() or 1) // 2)
    if isinstance(threads, bool) or not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS:
        raise ParameterError(f"threads must be {_ALLOWED}, got {threads!r}")
    return threads


@contextmanager
def use_threads(threads: int | None = None) -> Iterator[int]:
    """Within the block, shares run on this many threads; PyTorch's and NumPy's own pools are kept at one.

    These pools spin at their barriers: two of their threads on a machine with one free core were ten times slower
    than one. The threads of `run_shares` wait asleep.
    """
    count = thread_count(threads)
    before = _in_use.count, torch.get_num_threads()
    _in_use.count = count
    torch.set_num_threads(1)
    try:
        with _blas().limit(limits=1, user_api="blas"):
            yield count
    finally:
        _in_use.count = before[0]
        torch.set_num_threads(before[1])


@cache
def _blas() -> ThreadpoolController:
    return ThreadpoolController()


def threads_in_use() -> int:
    """How many threads `run_shares` may take; 1 outside `use_threads`."""
    return _in_use.count


class _InUse(threading.local):
    count = 1


_in_use = _InUse()


def run_shares(function: Callable[[list[Item]], Result], items: Sequence[Item]) -> list[Result]:
    """Run `function` on one contiguous share of the items per thread; results in the order of the shares.

    Kernels and PyTorch's operations release the interpreter lock, so shares do run side by side. None of them
    records gradients: threads that write parts of one tensor would race for its history.
    """
    count = max(1, min(threads_in_use(), len(items)))
    bounds = [len(items) * k // count for k in range(count + 1)]
    shares = [list(items[bounds[k] : bounds[k + 1]]) for k in range(count)]
    waiting = [_pool(count - 1).submit(function, share) for share in shares[1:]] if count > 1 else []
    with torch.no_grad():
        # The share of this thread speaks for those of all others.
        first = function(Paced(shares[0]) if is_heard() else shares[0])
    return [first, *(future.result() for future in waiting)]


@cache
def _pool(size: int) -> ThreadPoolExecutor:
    return ThreadPoolExecutor(size, thread_name_prefix="pulink", initializer=_ready)


def _ready() -> None:
    torch.set_num_threads(1)
    torch.set_grad_enabled(False)
