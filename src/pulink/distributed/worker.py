"""A process that makes pieces for another: `python -m pulink.distributed.worker FOLDER`.

It is asked on its standard input and answers on its standard output. It ends with whoever started it, however that
ends, and then removes FOLDER, which holds what all workers share.
"""

from __future__ import annotations

import os
import queue
import shutil
import sys
import threading
import time
from pathlib import Path
from typing import Any, BinaryIO

from pulink.distributed.messages import described, receive, send

# Seconds between two words about how far a piece is.
_PACE = 0.3

_Asked = queue.SimpleQueue[tuple[dict[str, Any], bytes]]


def main() -> None:
    asked: _Asked = queue.SimpleQueue()
    # Whatever else is printed, by a library for example, must not stand between the answers.
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    # Before the libraries load: who started this process may end while they do.
    threading.Thread(target=_listen, args=(sys.stdin.buffer, asked, Path(sys.argv[1])), daemon=True).start()
    _work(asked, answers)


def _listen(questions: BinaryIO, asked: _Asked, folder: Path) -> None:
    """Whoever asks ends its workers itself; where it cannot any more, the end of the questions tells."""
    try:
        while True:
            asked.put(receive(questions))
    except (EOFError, OSError):
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(1)


def _work(asked: _Asked, answers: BinaryIO) -> None:
    from pulink.distributed.shared_file import mapped
    from pulink.distributed.task import Bench
    from pulink.engine.pace import listening
    from pulink.engine.threads import use_threads
    from pulink.persistence.checkpoints import Checkpoint

    bench = Bench()
    while True:
        plain, content = asked.get()
        shared = Path(plain["shared"])
        try:
            with use_threads(plain["threads"]), listening(_Teller(answers).hear):
                piece = Checkpoint.from_bytes(content)
                made = bench.make(plain["task"], shared.name, lambda path=shared: mapped(path), piece)  # type: ignore[misc]
            send(answers, {"made": True}, made.to_bytes())
        except Exception as error:
            send(answers, described(error))


class _Teller:
    """Says now and then how far a piece is."""

    def __init__(self, answers: BinaryIO) -> None:
        self._answers, self._last = answers, time.monotonic()

    def hear(self, share: float) -> None:
        if time.monotonic() - self._last >= _PACE:
            self._last = time.monotonic()
            send(self._answers, {"share": share})


if __name__ == "__main__":
    main()
