"""The user's cache: besides the output folder, the only place where the command leaves files.

$XDG_CACHE_HOME/pulink, else ~/.cache/pulink. It may be removed at any time.
"""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path

_NAME = "pulink"


def cache_folder(*parts: str) -> Path | None:
    """Where this part of the cache is, or would be; None for a user without a home."""
    named = Path(os.environ.get("XDG_CACHE_HOME", ""))
    if named.is_absolute():
        return named.joinpath(_NAME, *parts)
    home = _home()
    return None if home is None else home.joinpath(".cache", _NAME, *parts)


def _home() -> Path | None:
    """Python takes an empty name for the root folder, and a relative one as it is."""
    try:
        home = Path(os.environ["HOME"]) if "HOME" in os.environ else Path.home()
    except RuntimeError:
        return None
    return home if home.is_absolute() else None


def writable_cache(*parts: str) -> Path | None:
    """This part of the cache, made if need be; None where nothing can be written, or where others may write."""
    folder = cache_folder(*parts)
    if folder is None:
        return None
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        with tempfile.TemporaryFile(dir=folder):
            pass
        return folder if all(_is_safe(path) for path in (folder, *folder.parents[: len(parts) + 1])) else None
    except OSError:
        return None


def _is_safe(folder: Path) -> bool:
    """Compiled code is run as it lies there: nobody else may have put it, or be able to put it, there."""
    status = folder.stat()
    is_shared = status.st_mode & 0o022 and not status.st_mode & stat.S_ISVTX
    return status.st_uid in (os.getuid(), 0) and not is_shared


def keep_libraries_quiet() -> None:
    """For the command's own process: no folder in /tmp, no semaphore, unless the user has settings of his own.

    PyTorch makes a folder for compiled code at the first optimiser, although nothing here is compiled by it; one
    that is there need not be made. joblib tries out a semaphore for processes that are never started.
    """
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", str(Path(__file__).parent))
    os.environ.setdefault("JOBLIB_MULTIPROCESSING", "0")


def keep_fonts_in_cache() -> None:
    """Before matplotlib is loaded: its list of fonts goes into our cache; the user's own settings are not read."""
    folder = writable_cache("matplotlib")
    if folder is not None:
        os.environ.setdefault("MPLCONFIGDIR", str(folder))
