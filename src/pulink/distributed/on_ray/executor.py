"""Pieces made by a Ray cluster, which a process beside this one asks (`driver`).

Ray ends its own process when it loses a cluster, takes signals for itself and prints: none of that reaches whoever
waits here. A cluster that is too small at the moment is waited for, and said to be; one that is lost is one line.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from itertools import count
from pathlib import Path
from typing import Any

from pulink.distributed.executor import Executor, Pending
from pulink.distributed.messages import receive, restored, send
from pulink.distributed.on_ray.patience import Node, Patience
from pulink.distributed.shared_file import SharedFiles
from pulink.distributed.task import S, Shared, Task
from pulink.engine.threads import threads_in_use
from pulink.errors import ClusterError, TooLargeError
from pulink.persistence.checkpoints import Checkpoint

# Seconds: to find a cluster, without a word of its head, and to leave it.
_CONNECTING, _SILENCE, _LEAVING = 60.0, 60.0, 2.0
_LOOK = 0.1


class RayCluster(Executor):
    """The nodes of a cluster; each piece takes as many of their processors as there are threads here.

    address  auto, or ray://HOST:PORT
    """

    n_here = 0

    def __init__(self, address: str) -> None:
        self._address = address
        # Files whose values nobody needs; told with the next question, as memory is tidied up at any moment.
        self._forgotten: queue.SimpleQueue[Path] = queue.SimpleQueue()
        self._files = SharedFiles(self._forgotten.put)
        self._numbers, self._lock = count(), threading.Lock()
        # With what they share, which must stay in its file until they are made.
        self._pending: dict[int, tuple[Pending, Shared]] = {}
        self._patience = Patience(address)
        self._room, self._n_silent, self._is_lost = 0, 0, False
        self._nodes: list[Node] | None = None
        self._refused = ""
        self._is_connected = threading.Event()
        self._start()
        try:
            self._wait_for_nodes()
        except BaseException:
            self.close()
            raise

    def _start(self) -> None:
        paths = os.pathsep.join(path for path in sys.path if path)
        # Ray says much while it ends.
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 (closed with the process)
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-P", "-m", __package__, self._address, str(self._files.folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env=os.environ | {"PYTHONPATH": paths},
            # Ctrl-C is for whoever waits.
            process_group=0,
        )
        self._thread = threading.Thread(target=self._listen, daemon=True)
        self._thread.start()

    def _wait_for_nodes(self) -> None:
        limit = time.monotonic() + _CONNECTING
        while not self._is_connected.wait(_LOOK):
            if self._refused or self._is_lost:
                raise ClusterError(self._refused or f"cannot use the cluster {self._address}: Ray ended by itself")
            if time.monotonic() > limit:
                raise ClusterError(f"cannot use the cluster {self._address}: no answer in {_CONNECTING:.0f} s")

    def require(self, n_bytes: int, what: str, way_out: str) -> None:
        super().require(n_bytes, what, way_out)
        most = max((node.n_bytes for node in self._nodes or ()), default=None)
        if most is not None and n_bytes > most:
            raise TooLargeError(
                f"{what} needs about {n_bytes / 1e9:.1f} GB on a node, and no node of {self._address} has more "
                f"than {most / 1e9:.1f} GB: {way_out}"
            )
        self._room = n_bytes

    def n_at_once(self, threads: int) -> int:
        room = max(self._room, 1)
        return sum(int(min(node.n_processors // threads, node.n_bytes // room)) for node in self._nodes or ())

    def start(self, task: Task[S], shared: S, piece: Checkpoint) -> Pending:
        number, pending, threads = next(self._numbers), Pending(), threads_in_use()
        pending.set_running_or_notify_cancel()
        with self._lock:
            self._pending[number] = pending, shared
        file = str(self._files.file_of(shared))
        question = {"start": number, "task": task.address, "shared": file, "threads": threads, "room": self._room}
        self._patience.needs(threads, self._room)
        try:
            with contextlib.suppress(queue.Empty):
                while True:
                    self._ask({"forget": str(self._forgotten.get_nowait())})
            self._ask(question, piece.to_bytes())
        except OSError:
            self._lose()
        if self._is_lost:
            self._fail_all(self._loss())
        return pending

    def _ask(self, question: dict[str, Any], content: bytes = b"") -> None:
        assert self._process.stdin is not None
        send(self._process.stdin, question, content)  # type: ignore[arg-type]

    def look_around(self, note: Callable[[str], object]) -> None:
        if not self._pending:
            return
        self._n_silent += 1
        if self._n_silent * _LOOK > _SILENCE:
            self._process.kill()
        words, has_ended = self._patience.look(self._nodes or [])
        for line in words:
            note(line)
        if has_ended:
            self._fail_all(ClusterError(self._patience.last_words()))

    def _listen(self) -> None:
        """In a thread: what the other process tells."""
        assert self._process.stdout is not None
        try:
            while True:
                plain, content = receive(self._process.stdout)  # type: ignore[arg-type]
                self._n_silent = 0
                self._hear(plain, content)
        except (EOFError, OSError, ValueError):
            self._lose()

    def _hear(self, plain: dict[str, Any], content: bytes) -> None:
        if "nodes" in plain:
            self._nodes = [Node(one["address"], one["processors"], one["bytes"]) for one in plain["nodes"]]
            self._is_connected.set()
        elif "refused" in plain:
            self._refused = plain["refused"]
        elif "made" in plain:
            made = Checkpoint.from_bytes(content)
            self._taken(plain["made"]).set_result(made)
        elif "error" in plain:
            self._taken(plain["number"]).set_exception(restored(plain))

    def _taken(self, number: int) -> Pending:
        with self._lock:
            pending, _ = self._pending.pop(number, (Pending(), None))
        return pending

    def _lose(self) -> None:
        self._is_lost = True
        self._fail_all(self._loss())

    def _loss(self) -> ClusterError:
        return ClusterError(f"the cluster {self._address} is lost: its head does not answer")

    def _fail_all(self, error: ClusterError) -> None:
        with self._lock:
            lost, self._pending = list(self._pending.values()), {}
        for pending, _ in lost:
            if not pending.done():
                pending.set_exception(error)

    def close(self) -> None:
        with contextlib.suppress(OSError):
            if self._process.stdin is not None:
                self._process.stdin.close()
        try:
            self._process.wait(_LEAVING)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._thread.join()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._said.close()
        self._files.close()
