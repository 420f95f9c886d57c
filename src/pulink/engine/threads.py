"""How many threads the arithmetic may use: a setting, not a guess at the machine."""

from __future__ import annotations

import os

import torch

from pulink.errors import ParameterError

VARIABLE = "PULINK_THREADS"


def thread_count(threads: int | None = None) -> int:
    """The argument, else the variable PULINK_THREADS, else 1 for each two cores, at least 1."""
    if threads is None:
        text = os.environ.get(VARIABLE, "").strip()
        if text:
            if not text.isdigit() or int(text) < 1:
                raise ParameterError(f"{VARIABLE} must be a whole number from 1, got {text!r}")
            threads = int(text)
    if threads is None:
        return max(1, (os.cpu_count() or 1) // 2)
    if isinstance(threads, bool) or not isinstance(threads, int) or threads < 1:
        raise ParameterError(f"threads must be a whole number from 1, got {threads!r}")
    return threads


def use_threads(threads: int | None = None) -> int:
    """Set PyTorch's pool for this process and return its size."""
    count = thread_count(threads)
    torch.set_num_threads(count)
    return count
