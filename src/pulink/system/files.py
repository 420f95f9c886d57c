"""Writing that never leaves half a file: stage beside the target, sync, rename."""

from __future__ import annotations

import contextlib
import ctypes
import errno
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, BinaryIO

from pulink.errors import OutputError

_HERE, _EXCHANGE = -100, 2  # AT_FDCWD and RENAME_EXCHANGE of Linux

# What is being written, beside its target; whoever holds the folder may remove what a killed process left.
STAGED = ".pulink-staged."

_PAGE = 4096


Stranger = Callable[[Path], str | None]


def sha256(path: Path) -> str:
    """Hex digest of a file's bytes."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def opened_regular(path: Path, *, links: bool = False) -> BinaryIO:
    """A regular file, to be read; OSError for anything else: a pipe would wait for ever.

    links  whether a link may lead to it
    """
    flags = os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK | (0 if links else os.O_NOFOLLOW)
    number = os.open(path, flags)
    if not stat.S_ISREG(os.fstat(number).st_mode):
        os.close(number)
        raise OSError(errno.EINVAL, "no regular file", str(path))
    return os.fdopen(number, "rb")


def read_regular(path: Path, at_most: int, *, links: bool = False) -> bytes:
    """The bytes of a regular file; OSError for anything else, and for more bytes."""
    with opened_regular(path, links=links) as handle:
        data = handle.read(at_most + 1)
    if len(data) > at_most:
        raise OSError(errno.EFBIG, f"more than {at_most:,} bytes", str(path))
    return data


def write_atomically(path: Path, content: bytes | str) -> None:
    """Replace `path` with `content`, or leave it exactly as it was."""
    # Other people's text may hold what is no letter; that must not cost a run its record.
    data = content.encode(errors="backslashreplace") if isinstance(content, str) else content
    with atomic_writer(path) as file:
        file.write(data)


@contextlib.contextmanager
def atomic_writer(path: Path) -> Iterator[IO[bytes]]:
    """Yield a file that replaces `path` when the block ends well; else `path` stays exactly as it was."""
    staged: Path | None = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=STAGED, delete=False) as handle:
            staged = Path(handle.name)
            yield handle
            handle.flush()
            os.fsync(handle.fileno())
        staged.chmod(_mode(path, 0o666))
        staged.replace(path)
        _sync_folder(path.parent)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error
    finally:
        if staged is not None:
            with contextlib.suppress(OSError):
                staged.unlink()


def _mode(path: Path, new: int) -> int:
    """As open as what is replaced, or as the user's mask lets new ones be."""
    with contextlib.suppress(FileNotFoundError):
        return stat.S_IMODE(path.lstat().st_mode)
    mask = os.umask(0o077)  # the only way to ask for it is to set it
    os.umask(mask)
    return new & ~mask


def _sync_folder(folder: Path) -> None:
    """A rename is safe from a power cut once the folder that holds the name is written; not all systems can."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        with contextlib.suppress(OSError):
            os.fsync(handle)
    finally:
        os.close(handle)


@contextlib.contextmanager
def staged_folder(target: Path, stranger: Stranger) -> Iterator[Path]:
    """Yield an empty folder that becomes `target` when the block ends well, and vanishes when it does not.

    An existing `target` is replaced only if it is empty or holds no stranger: nothing that pulink did not write is
    ever deleted.
    """
    check_replaceable(target, stranger)
    staged: Path | None = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        staged = Path(tempfile.mkdtemp(dir=target.parent, prefix=STAGED))
        yield staged
        staged.chmod(_mode(target, 0o777))
        _swap_in(staged, target)
        _sync_folder(target.parent)
    except OutputError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from error
    finally:
        if staged is not None:
            shutil.rmtree(staged, ignore_errors=True)


def check_writable(folder: Path) -> None:
    """Fail now rather than after the work: prove that a file can be made in `folder`, or where that would be."""
    try:
        nearest = next(path for path in (folder, *folder.absolute().parents) if path.exists())
        with tempfile.TemporaryFile(dir=nearest) as handle:
            # An empty file finds room on a disk that is full.
            handle.write(bytes(_PAGE))
            handle.flush()
    except OSError as error:
        raise OutputError(f"cannot write into {folder}: {error.strerror or error}") from error


def check_replaceable(target: Path, stranger: Stranger) -> None:
    """Refuse to replace anything but a folder that holds nothing but what pulink wrote.

    stranger  names something in a folder that is not pulink's; None if there is nothing
    """
    if target.is_symlink():
        raise OutputError(f"cannot write {target}: it is a link; give the folder itself")
    if not target.exists():
        return
    if not target.is_dir():
        raise OutputError(f"cannot write {target}: it is a file, and a folder is to be made")
    try:
        found = stranger(target)
    except OSError as error:
        raise OutputError(f"cannot write {target}: {error.strerror or error}") from error
    if found is not None:
        raise OutputError(f"cannot write {target}: it holds {found!r}, which pulink did not write there")


def check_file_target(path: Path) -> None:
    """Fail now rather than after the work, where a folder stands in a file's place."""
    if path.is_dir():
        raise OutputError(f"cannot write {path}: it is a folder, and a file is to be made")


def check_output_file(path: Path) -> None:
    """Fail now rather than after the work, where a single file cannot be written."""
    if not path.name:
        raise OutputError(f"cannot write {path}: it is a folder, and a file is to be made")
    check_file_target(path)
    if not _takes_a_stream(path):
        check_writable(path.resolve().parent)


def write_output(path: Path, data: bytes) -> None:
    """Replace the file that a user named, or leave it as it was; a pipe or a device is written to."""
    if not _takes_a_stream(path):
        # A link stays one, and what it leads to is replaced.
        write_atomically(path.resolve() if path.is_symlink() else path, data)
        return
    try:
        with path.open("wb") as stream:
            stream.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def _takes_a_stream(path: Path) -> bool:
    """Whether something stands there that can be written to, and must not be replaced: /dev/stdout, a pipe."""
    return path.exists() and not path.is_file() and not path.is_dir()


def remove_leftovers(folder: Path, depth: int = 0) -> None:
    """What writers that were killed left half done in a folder that is ours alone, and so far below it."""
    for level in range(depth + 1):
        for path in folder.glob("*/" * level + f"{STAGED}*"):
            if path.is_dir() and not path.is_symlink():
                shutil.rmtree(path, ignore_errors=True)
            else:
                with contextlib.suppress(OSError):
                    path.unlink()


def _swap_in(staged: Path, target: Path) -> None:
    """At every moment there is a whole folder at the target, where the system can exchange two of them."""
    if not target.exists():
        staged.rename(target)
    elif not _exchanged(staged, target):
        retired = Path(tempfile.mkdtemp(dir=target.parent, prefix=STAGED))
        target.rename(retired / target.name)
        try:
            staged.rename(target)
        except OSError:
            (retired / target.name).rename(target)
            raise
        finally:
            shutil.rmtree(retired, ignore_errors=True)


def _exchanged(one: Path, other: Path) -> bool:
    """Python has no call for it; Linux has one, though not on every file system."""
    try:
        exchange = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):
        return False
    names = os.fsencode(one.absolute()), os.fsencode(other.absolute())
    return bool(exchange(_HERE, names[0], _HERE, names[1], _EXCHANGE) == 0)
