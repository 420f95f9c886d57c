"""Addresses of clusters: how a user says who does the work.

local:N           N processes of this machine
auto              the Ray cluster that this machine belongs to
ray://HOST:PORT   a Ray cluster elsewhere
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from pulink.distributed.executor import Executor, ThisProcess, using
from pulink.errors import ParameterError
from pulink.text import shown

AUTO = "auto"
MOST_WORKERS = 1_024
_ALLOWED = f"local:N with N from 1 to {MOST_WORKERS:,}, auto or ray://HOST:PORT"
_LOCAL = re.compile("local:([0-9]{1,9})")
_RAY = re.compile(r"ray://(\[[0-9a-fA-F:.]+\]|[\w.-]+):([0-9]{1,5})", re.ASCII)


def check_address(address: object) -> None:
    """ParameterError if it is no address of a cluster."""
    if isinstance(address, str):
        local, remote = _LOCAL.fullmatch(address), _RAY.fullmatch(address)
        if address == AUTO or (local and 1 <= int(local[1]) <= MOST_WORKERS):
            return
        if remote and 1 <= int(remote[2]) <= 65_535:
            return
    given = shown(address) if isinstance(address, str) else repr(address)
    raise ParameterError(f"cluster must be {_ALLOWED}, got {given}")


def n_local(address: str | None) -> int | None:
    """How many processes of this machine an address asks for; None for all others."""
    if address is None:
        return None
    check_address(address)
    local = _LOCAL.fullmatch(address)
    return None if local is None else int(local[1])


@contextmanager
def working_on(
    address: str | None, *, idle: bool = False, note: Callable[[str], object] = lambda _: None
) -> Iterator[Executor]:
    """Within the block, pieces of this thread's work are made by the cluster of this address; None: here.

    idle  there will be none: the address is checked, and nothing started
    note  told what whoever waits for pieces should know
    """
    if address is not None:
        check_address(address)
    with using(_executor_at(None if idle else address), note) as executor:
        yield executor


def _executor_at(address: str | None) -> Executor:
    if address is None:
        return ThisProcess()
    if (local := _LOCAL.fullmatch(address)) is not None:
        from pulink.distributed.local_executor import LocalWorkers

        return LocalWorkers(int(local[1]))
    from pulink.distributed.on_ray.executor import RayCluster

    return RayCluster(address)
