"""Pieces made by a Ray cluster. This is the only file that knows Ray, and the only one whose values Ray pickles.

What is handed to Ray are numbers, texts and bytes of our own formats; what pieces share lies in its object store,
once on every node. Nodes have pulink installed, the same as here: no code is shipped but the name of a function.
"""

from __future__ import annotations

import contextlib
import ipaddress
import json
import logging
import os
import threading
import weakref
from functools import cache
from typing import Any
from urllib.parse import urlsplit

import numpy as np
import numpy.typing as npt

from pulink.distributed.executor import Executor, Pending
from pulink.distributed.messages import described, restored
from pulink.distributed.shared_file import viewed
from pulink.distributed.task import Bench, S, Shared, Task
from pulink.engine.threads import threads_in_use, use_threads
from pulink.errors import ClusterError
from pulink.persistence.checkpoints import FITTING, Checkpoint
from pulink.system.versions import source_digest, versions

try:
    import ray
except ImportError as error:
    raise ClusterError("Ray is not installed: pip install 'pulink[ray]'") from error

# Workers and nodes that may be lost under one piece.
_MOST_LOST = 3
_AUTH, _BY_TOKEN = "RAY_AUTH_MODE", "token"
# Names by which a machine calls itself, besides addresses.
_LOOPBACK = ("localhost",)

# What a node answers: plain values as JSON, and a checkpoint.
_Answer = tuple[str, bytes]


class RayCluster(Executor):
    """The nodes of a cluster; each piece takes as many of their processors as there are threads here.

    address  auto, or ray://HOST:PORT
    """

    n_here = 0

    def __init__(self, address: str) -> None:
        _refuse_open(urlsplit(address).hostname if "://" in address else None)
        self._address = address
        try:
            self._connection = ray.init(
                address, log_to_driver=False, logging_level=logging.ERROR, configure_logging=False
            )
        except Exception as error:
            raise ClusterError(f"cannot use the cluster {address}: {_first_line(error)}") from error
        try:
            _refuse_open(None if "://" in address else _host(ray.get_runtime_context().gcs_address))
        except ClusterError:
            self.close()
            raise
        self._make = ray.remote(_make)
        self._shared: weakref.WeakKeyDictionary[Shared, tuple[str, Any]] = weakref.WeakKeyDictionary()
        self._references: set[Any] = set()
        self._lock = threading.Lock()

    def start(self, task: Task[S], shared: S, piece: Checkpoint) -> Pending:
        threads = threads_in_use()
        self._refuse_small(threads)
        key, stored = self._stored(shared)
        options = {"num_cpus": threads, "max_retries": _MOST_LOST - 1}
        reference = self._make.options(**options).remote(
            _made_by(), task.address, key, stored, piece.to_bytes(), threads
        )
        pending = Pending()
        pending.set_running_or_notify_cancel()
        with self._lock:
            self._references.add(reference)
        reference.future().add_done_callback(lambda done: self._arrived(pending, reference, done))
        return pending

    def _arrived(self, pending: Pending, reference: Any, done: Any) -> None:
        with self._lock:
            self._references.discard(reference)
        lost = done.exception()
        if lost is not None:
            pending.set_exception(ClusterError(f"{self._address} lost a piece of the work: {_first_line(lost)}"))
            return
        plain, content = done.result()
        told = json.loads(plain)
        if "error" in told:
            pending.set_exception(restored(told))
        else:
            pending.set_result(Checkpoint.from_bytes(content))

    def _stored(self, shared: Shared) -> tuple[str, Any]:
        """Its name, and where it lies in the object store, as long as the values are here."""
        if shared not in self._shared:
            content = np.frombuffer(shared.packed().to_bytes(), dtype=np.uint8)
            reference = ray.put(content)
            self._shared[shared] = reference.hex(), reference
        return self._shared[shared]

    def _refuse_small(self, threads: int) -> None:
        """Ray would wait for ever for a node with enough processors."""
        most = max((node["Resources"].get("CPU", 0.0) for node in ray.nodes() if node["Alive"]), default=0.0)
        if most < threads:
            raise ClusterError(
                f"no node of {self._address} has {threads} processors, one for each thread (the most: {most:g}): "
                "use fewer threads"
            )

    def close(self) -> None:
        with contextlib.suppress(Exception):
            for reference in list(getattr(self, "_references", ())):
                ray.cancel(reference, force=True)
        with contextlib.suppress(Exception):
            ray.shutdown()


@cache
def _bench() -> Bench:
    return Bench()


def _make(
    made_by: str, address: str, key: str, stored: npt.NDArray[np.uint8], piece: bytes, threads: int
) -> _Answer:
    """In a process of a node."""
    if made_by != _made_by():
        return json.dumps(
            described(ClusterError("a node has another pulink, or other versions of libraries"))
        ), b""
    try:
        with use_threads(threads):
            made = _bench().make(address, key, lambda: viewed(stored.data), Checkpoint.from_bytes(piece))
        return json.dumps({"made": True}), made.to_bytes()
    except Exception as error:
        return json.dumps(described(error)), b""


@cache
def _made_by() -> str:
    """What makes the same bytes."""
    return json.dumps([versions(), source_digest(FITTING)], sort_keys=True)


def _refuse_open(host: str | None) -> None:
    """Whoever reaches an open cluster runs programs on it: other machines' need a token."""
    if host is None or _is_loopback(host) or os.environ.get(_AUTH) == _BY_TOKEN:
        return
    raise ClusterError(
        f"the cluster at {host} is not of this machine alone: start it with RAY_AUTH_MODE=token, and set the same "
        "here with its token (docs/distributed.md)"
    )


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host in _LOOPBACK


def _host(address: str) -> str:
    return address.rpartition(":")[0].strip("[]")


def _first_line(error: BaseException) -> str:
    lines = str(error).strip().splitlines()
    return lines[0].rstrip(".") if lines else type(error).__name__
