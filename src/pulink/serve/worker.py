"""One thread for the model: requests come one after the other, and no more of them wait than are worth it."""

from __future__ import annotations

import asyncio
import itertools
import queue
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from pulink.serve.refusals import Refused

Value = TypeVar("Value")

# What is quick goes before what takes its time: answers are written before estimates are made of them.
QUICK, SLOW = 0, 1
_END = 2


class Worker:
    """A thread and what waits for it.

    Parameters
    ----------
    waiting : int
        So many may wait.
    """

    def __init__(self, waiting: int = 200) -> None:
        self._queue: queue.PriorityQueue[tuple[int, int, Callable[[], None]]] = queue.PriorityQueue(waiting)
        self._order = itertools.count()
        self._closed = False
        self._thread = threading.Thread(target=self._work, name="pulink-model", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        while True:
            urgency, _, task = self._queue.get()
            if urgency == _END:
                return
            task()

    def submit(self, compute: Callable[[], Value], urgency: int = SLOW) -> Future[Value]:
        """Have something computed; 503 where too much waits already."""
        future: Future[Value] = Future()

        def task() -> None:
            # Nobody waits for it any more.
            if not future.set_running_or_notify_cancel():
                return
            try:
                future.set_result(compute())
            except BaseException as error:  # it is told to whoever waits
                future.set_exception(error)

        if self._closed:
            raise Refused(503, "the server is ending")
        try:
            self._queue.put_nowait((urgency, next(self._order), task))
        except queue.Full:
            raise Refused(503, "too many requests wait for the model: try again in a moment") from None
        return future

    def run(self, compute: Callable[[], Value], urgency: int = SLOW) -> Value:
        """Have something computed and wait for it; the worker itself computes it at once."""
        if threading.current_thread() is self._thread:
            return compute()
        return self.submit(compute, urgency).result()

    async def reach(self, compute: Callable[[], Value], seconds: float, urgency: int = SLOW) -> Value:
        """The same for a server, which does not stand still meanwhile; 503 if it takes longer."""
        future: asyncio.Future[Any] = asyncio.wrap_future(self.submit(compute, urgency))
        try:
            found: Value = await asyncio.wait_for(future, seconds)
        except TimeoutError:
            raise Refused(503, f"this takes longer than {seconds:g} seconds") from None
        return found

    def close(self, seconds: float = 5.0) -> bool:
        """Let no more come, and wait for what is under way; whether it ended in time."""
        self._closed = True
        # Room is made by leaving out what waits.
        while True:
            try:
                self._queue.put_nowait((_END, next(self._order), lambda: None))
                break
            except queue.Full:
                self._queue.get_nowait()
        self._thread.join(seconds)
        return not self._thread.is_alive()
