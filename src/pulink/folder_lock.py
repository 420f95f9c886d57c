"""One process for one output folder: the second is told at once who holds it.

The system holds the lock for the process and lets it go when the process ends, however it ends, so no stale lock
can keep anybody out.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from pulink.errors import OutputError

LOCK = ".pulink.lock"


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder alone; it is made if it is not there, and removed again if nothing was put into it."""
    made = _made(folder)
    handle = _lock(folder / LOCK)
    try:
        yield
    finally:
        (folder / LOCK).unlink(missing_ok=True)
        handle.close()
        for path in made:
            with contextlib.suppress(OSError):
                path.rmdir()


def _made(folder: Path) -> list[Path]:
    """The folders that had to be made, the innermost first."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}") from error
    return missing


def _lock(path: Path) -> TextIO:
    while True:
        try:
            handle = path.open("a+")
        except OSError as error:
            raise OutputError(f"cannot write into {path.parent}: {error.strerror or error}") from error
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            handle.seek(0)
            holder = handle.read().strip() or "another process"
            handle.close()
            raise OutputError(
                f"{path.parent}: {holder} is writing there; wait for it, or choose another"
            ) from None
        # Between opening and locking, the last holder may have removed the file.
        if path.exists() and os.fstat(handle.fileno()).st_ino == path.stat().st_ino:
            break
        handle.close()
    handle.truncate(0)
    handle.write(f"process {os.getpid()} on {socket.gethostname()}")
    handle.flush()
    return handle
