"""Compiled kernels on disk: in the user's cache, never beside the code.

numba's own cache looks at one source file. A kernel also holds the lines of other files that were inlined into it,
so here a kernel is compiled anew when its file, or any file of the package that it imports, has changed.
"""

from __future__ import annotations

import ast
import contextlib
import hashlib
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numba
from numba.core.caching import CompileResultCacheImpl, FunctionCache, UserProvidedCacheLocator

from pulink.system.user_cache import writable_cache

# The folder in which the package `pulink` lies.
_ROOT = Path(__file__).parents[2]
_PACKAGE = "pulink"
_DEFINITION = re.compile(r"^(?:def |class |async |@)", re.MULTILINE)


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
    """Digest of a file and of all files of the package that it imports, directly or not."""
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
    """The files behind the imports at the top of a file; those inside functions bring nothing into a kernel."""
    named = {name for statement in _head(file.read_text("utf-8")) for name in _modules(statement, file)}
    return frozenset(path for name in named for path in _files(name))


def _head(source: str) -> list[ast.stmt]:
    """What stands above the first function or class, where all imports are: whole files took half a second."""
    above = _DEFINITION.split(source, maxsplit=1)[0]
    try:
        return ast.parse(above).body
    except SyntaxError:
        # A line of a docstring began like a definition.
        return ast.parse(source).body


def _modules(statement: ast.stmt, file: Path) -> Iterator[str]:
    """Names that may be modules of the package: `from a import b` may mean the module a or the module a.b."""
    if isinstance(statement, ast.Import):
        yield from (alias.name for alias in statement.names)
    elif isinstance(statement, ast.ImportFrom):
        home = statement.module or ""
        if statement.level:
            parents = file.relative_to(_ROOT).parts[: -statement.level]
            home = ".".join([*parents, *([home] if home else [])])
        yield home
        yield from (f"{home}.{alias.name}" for alias in statement.names)


def _files(module: str) -> Iterator[Path]:
    """The file of a module, and those of the folders that it lies in."""
    parts = module.split(".")
    if parts[0] != _PACKAGE:
        return
    for depth in range(1, len(parts) + 1):
        place = _ROOT.joinpath(*parts[:depth])
        yield from (path for path in (place.with_suffix(".py"), place / "__init__.py") if path.is_file())
