"""Pieces made by processes of this machine, each with a thread here that asks it for one after the other.

What pieces share is a file in a folder of one's own, which every worker maps into its memory.
"""

from __future__ import annotations

import contextlib
import os
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

from pulink.distributed.executor import Executor, Pending, all_waited
from pulink.distributed.group.restarts import most_ranks, until_done
from pulink.distributed.messages import LostWorkerError, receive, restored, send
from pulink.distributed.shared_file import SharedFiles
from pulink.distributed.task import S, Shared, Task
from pulink.engine.threads import threads_in_use
from pulink.errors import ClusterError
from pulink.persistence.checkpoints import Checkpoint

WORKER = "pulink.distributed.worker"
# A piece that ended so many workers is given up: it would end all others too.
MOST_LOST = 3


@dataclass(frozen=True, eq=False)
class _Job:
    """A piece that is asked for; `shared` is held until it is made, and with it the file.

    tries  how many workers may be lost under it
    """

    pending: Pending
    question: dict[str, Any]
    content: bytes
    shared: Shared
    tries: int = MOST_LOST


class LocalWorkers(Executor):
    """So many processes, started at once: their libraries load while a graph is read.

    module  what they run
    """

    def __init__(self, n_workers: int, module: str = WORKER) -> None:
        self.n_here = n_workers
        self._files = SharedFiles()
        self.folder = self._files.folder
        self._jobs: queue.SimpleQueue[_Job | None] = queue.SimpleQueue()
        self._n_groups = 0
        self.workers = [_Worker(self._jobs, self.folder, module) for _ in range(n_workers)]

    def start(self, task: Task[S], shared: S, piece: Checkpoint) -> Pending:
        return self._asked(task, shared, piece, MOST_LOST).pending

    def _asked(self, task: Task[S], shared: S, piece: Checkpoint, tries: int) -> _Job:
        question = {"task": task.address, "shared": str(self._files.file_of(shared)), "threads": threads_in_use()}
        job = _Job(Pending(), question, piece.to_bytes(), shared, tries)
        self._jobs.put(job)
        return job

    @property
    def n_together(self) -> int:
        return most_ranks(len(self.workers))

    def together(self, folder: Path, watch: Callable[[], None]) -> None:
        from pulink.distributed.group.rank import RANK, NothingShared

        size, nothing = self.n_together, NothingShared()

        def attempt() -> list[Exception]:
            self._n_groups += 1
            told = {"folder": str(folder), "size": size, "store": str(self.folder / f"group-{self._n_groups}")}
            jobs = [self._asked(RANK, nothing, Checkpoint(told | {"rank": rank}), 1) for rank in range(size)]
            try:
                return all_waited(self, [job.pending for job in jobs], watch)
            finally:
                # Those of a group that lost one wait for it, or would begin to.
                for job in jobs:
                    job.pending.cancel()
                for worker in self.workers:
                    worker.end_piece(jobs)

        until_done(attempt, folder)

    @contextlib.contextmanager
    def scratch(self) -> Iterator[Path]:
        # In the folder that is removed also where this process is killed.
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            yield Path(folder)

    def close(self) -> None:
        with contextlib.suppress(queue.Empty):
            while True:
                job = self._jobs.get_nowait()
                if job is not None:
                    job.pending.cancel()
        for worker in self.workers:
            worker.end()
            self._jobs.put(None)
        for worker in self.workers:
            worker.thread.join()
        self._files.close()


class _Worker:
    """A process and the thread that asks it; a process that was lost is replaced."""

    def __init__(self, jobs: queue.SimpleQueue[_Job | None], folder: Path, module: str) -> None:
        self._jobs, self._folder, self._module = jobs, folder, module
        self._lock = threading.Lock()
        self._has_ended = False
        self._doing: _Job | None = None
        self._start()
        self.thread = threading.Thread(target=self._serve, daemon=True)
        self.thread.start()

    @property
    def pid(self) -> int:
        return self._process.pid

    def end(self) -> None:
        with self._lock:
            self._has_ended = True
            self._process.kill()

    def end_piece(self, jobs: Sequence[_Job]) -> None:
        """End the process if it is doing one of these; another one takes its place."""
        with self._lock:
            if self._doing in jobs:
                self._process.kill()

    def _start(self) -> None:
        with self._lock:
            if self._has_ended:
                raise EOFError
            self._said: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 (read when the process has ended)
            paths = os.pathsep.join(path for path in sys.path if path)
            self._process = subprocess.Popen(  # noqa: S603
                [sys.executable, "-P", "-m", self._module, str(self._folder)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._said,
                env=os.environ | {"PYTHONPATH": paths},
                # Ctrl-C is for whoever waits: it ends its workers itself.
                process_group=0,
            )

    def _serve(self) -> None:
        while (job := self._jobs.get()) is not None:
            with self._lock:
                is_asked = job.pending.set_running_or_notify_cancel()
                self._doing = job if is_asked else None
            if is_asked:
                self._do(job)
            del job
        self._end_process()
        self._said.close()

    def _is_through(self) -> None:
        """Before anybody hears of it: whoever ends this piece must not end the process that comes after it."""
        with self._lock:
            self._doing = None

    def _do(self, job: _Job) -> None:
        for _ in range(job.tries):
            try:
                self._ask(job)
            except Exception:
                # Whatever came of it, this process is not to be asked again.
                job.pending.share = 0.0
                words = self._last_words()
                self._is_through()
                try:
                    self._start()
                except (EOFError, OSError):
                    break
            else:
                return
        if job.tries == 1:
            job.pending.set_exception(LostWorkerError(words))
        else:
            job.pending.set_exception(ClusterError(f"a piece of the work ended {job.tries} workers: {words}"))

    def _ask(self, job: _Job) -> None:
        """EOFError or OSError if the process ends before it has answered."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        send(self._process.stdin, job.question, job.content)  # type: ignore[arg-type]
        while True:
            plain, content = receive(self._process.stdout)  # type: ignore[arg-type]
            if "share" in plain:
                job.pending.share = plain["share"]
                continue
            self._is_through()
            if "error" in plain:
                job.pending.set_exception(restored(plain))
            else:
                job.pending.set_result(Checkpoint.from_bytes(content))
            return

    def _last_words(self) -> str:
        """Why a process ended, after which nothing of it is left."""
        self._end_process()
        status = self._process.returncode
        with self._said:
            self._said.seek(0)
            lines = self._said.read().decode(errors="replace").strip().splitlines()
        how = f"was ended by signal {-status}" if status < 0 else f"ended with status {status}"
        return f"the last {how}{f' ({lines[-1]})' if lines else ''}"

    def _end_process(self) -> None:
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
