"""One process for one output folder: the second is told at once who holds it.

The system holds the lock for the process and lets it go when the process ends, however it ends, so no stale lock
can keep anybody out, not even one of another user.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import socket
import stat
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Literal, TextIO

from pulink.errors import OutputError, ParameterError
from pulink.system.files import check_file_target, check_writable, remove_leftovers

LOCK = ".pulink.lock"

_LONGEST = 200


def output_folder(given: object) -> Path:
    """A folder by its name. An empty one would be the folder that the process was started in."""
    if not isinstance(given, str | Path) or not str(given).strip():
        raise ParameterError(f"folder must be the name of a folder, got {given!r}")
    return Path(given)


@contextlib.contextmanager
def held(folder: Path, files: Iterable[str] = (), depth: int = 0) -> Iterator[None]:
    """Hold an output folder alone; what is written into it must find room there, and what was torn is removed.

    files  what will be written into it
    depth  how far below it files are written
    """
    check_writable(folder)
    for name in files:
        check_file_target(folder / name)
    with locked(folder):
        remove_leftovers(folder, depth)
        yield


@contextlib.contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold a folder alone; it is made if it is not there, and removed again if nothing was put into it."""
    made = _made(folder)
    handle: TextIO | None = None
    try:
        handle = _lock(folder / LOCK)
        yield
    finally:
        if handle is not None:
            with contextlib.suppress(OSError):
                (folder / LOCK).unlink()
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
    """The lock's file, held; whoever holds it is named in it, where there is room for that."""
    try:
        while True:
            handle = _opened(path)
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                with handle:
                    holder = handle.read(_LONGEST).strip() or "another process"
                raise OutputError(
                    f"{path.parent}: {holder} is writing there; wait for it, or choose another"
                ) from None
            except OSError as error:
                handle.close()
                raise OutputError(
                    f"{path.parent}: cannot be locked ({error.strerror}); choose a folder on another disk"
                ) from error
            # Between opening and locking, the last holder may have removed the file.
            is_there = path.exists() and os.fstat(handle.fileno()).st_ino == path.stat().st_ino
            if is_there and (handle.writable() or not _removed(path)):
                break
            handle.close()
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write into {path.parent}: {error.strerror or error}") from error
    with contextlib.suppress(OSError):
        os.truncate(handle.fileno(), 0)
        os.write(handle.fileno(), f"process {os.getpid()} on {socket.gethostname()}".encode())
    return handle


def _opened(path: Path) -> TextIO:
    """Not through a link: what it leads to is none of ours. What another user left can be held without writing."""
    flags = os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK
    mode: Literal["r", "r+"] = "r+"
    try:
        number = os.open(path, os.O_RDWR | os.O_CREAT | flags, 0o666)
    except PermissionError as error:
        if not path.exists():
            raise
        number, mode = _opened_to_read(path, os.O_RDONLY | flags, error), "r"
    status = os.fstat(number)
    if not stat.S_ISREG(status.st_mode) or status.st_nlink > 1:
        os.close(number)
        raise OutputError(f"cannot write into {path.parent}: {path.name} there is not pulink's; remove it")
    return os.fdopen(number, mode, encoding="utf-8", errors="replace")


def _opened_to_read(path: Path, flags: int, refused: PermissionError) -> int:
    try:
        return os.open(path, flags)
    except PermissionError:
        raise OutputError(
            f"cannot write into {path.parent}: {path.name} there belongs to somebody else, and may not be opened "
            f"({refused.strerror}); whoever left it can remove it"
        ) from refused


def _removed(path: Path) -> bool:
    """Whether a lock that nobody holds could make room for one that tells who holds the folder."""
    try:
        path.unlink()
    except OSError:
        return False
    return True
