"""Compiled kernels on disk: in the user's cache, never beside the code.

numba's own cache looks at one source file. A kernel also holds the lines of other files that were inlined into it,
so here a kernel is compiled anew when its file, or any file of the engine that it imports, has changed.
"""

from __future__ import annotations

import contextlib
import hashlib
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator

from pulink.user_cache import writable_cache

_ENGINE = Path(__file__).parent
_IMPORT = re.compile(r"^from pulink\.engine(?:\.(\w+))? import ([^\n(]+|\([^)]*\))", re.MULTILINE)


def keep_compiled(dispatcher: Any) -> None:
    """Let a compiled function be kept on disk, where there is a place for it."""
    if hasattr(dispatcher, "enable_caching") and _shelf() is not None:
        # The slot that numba's own enable_caching fills.
        dispatcher._cache = _ForgivingCache(dispatcher.py_func)


@cache
def _shelf() -> Path | None:
    """NUMBA_CACHE_DIR if the user has set it, else a part of the user's cache."""
    return Path(numba.config.CACHE_DIR) if numba.config.CACHE_DIR else writable_cache("kernels")


class _Locator(UserProvidedCacheLocator):  # type: ignore[misc]
    def __init__(self, py_func: Callable[..., object], py_file: str) -> None:
        super().__init__(py_func, py_file)
        shelf = _shelf()
        assert shelf is not None
        self._cache_path = str(shelf / self.get_suitable_cache_subpath(py_file))

    @classmethod
    def from_function(cls, py_func: Callable[..., object], py_file: str) -> _Locator:
        return cls(py_func, py_file)

    def get_source_stamp(self) -> str:
        return source_stamp(Path(self._py_file))


class _Implementation(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Locator,)


class _ForgivingCache(FunctionCache):  # type: ignore[misc]
    """A cache that is damaged or cannot be written costs the time of compiling, never a run."""

    _impl_class = _Implementation

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        try:
            return super().load_overload(sig, target_context)
        except Exception:  # what a damaged file raises depends on its bytes
            with contextlib.suppress(OSError):
                self.flush()
            return None

    def save_overload(self, sig: Any, data: Any) -> None:
        with contextlib.suppress(OSError):
            super().save_overload(sig, data)


@cache
def source_stamp(file: Path) -> str:
    """Digest of a file and of all files of the engine that it imports, directly or not."""
    digest = hashlib.sha256()
    for path in sorted(_sources(file)):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _sources(file: Path) -> set[Path]:
    found, waiting = {file}, [file]
    while waiting:
        new = _imported(waiting.pop()) - found
        found |= new
        waiting += new
    return found


@cache
def _imported(file: Path) -> frozenset[Path]:
    named = set()
    for module, names in _IMPORT.findall(file.read_text(encoding="utf-8")):
        named |= {module} if module else set(re.findall(r"\w+", names))
    return frozenset(path for path in (_ENGINE / f"{name}.py" for name in named) if path.is_file())
