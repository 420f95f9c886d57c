"""Compiled kernels are kept, given up when a source changes, and never worth a run."""

from __future__ import annotations

import ast
import errno
import importlib.util
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from pulink.engine import kernel_cache
from pulink.engine.kernel_cache import _ForgivingCache, _head, _sources, source_stamp
from pulink.engine.search import top_by_embedding

ENGINE = Path(kernel_cache.__file__).parent
IMPORTS = ast.Import | ast.ImportFrom


@pytest.fixture
def shelf(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(kernel_cache, "_shelf", lambda: tmp_path / "shelf")
    return tmp_path / "shelf"


def load(tmp_path: Path) -> Any:
    """A kernel, from a file, as a new process would find it."""
    source = tmp_path / "triple.py"
    source.write_text("from pulink.engine.compile import kernel\n\n@kernel\ndef triple(x):\n    return 3 * x\n")
    spec = importlib.util.spec_from_file_location("triple", source)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.triple


def hits(triple: Any) -> int:
    assert triple(2) == 6
    return sum(triple.stats.cache_hits.values())


def test_a_kernel_is_compiled_once_and_nothing_is_put_beside_the_code(tmp_path: Path, shelf: Path) -> None:
    assert hits(load(tmp_path)) == 0
    assert hits(load(tmp_path)) == 1
    assert sorted(path.name for path in tmp_path.iterdir()) == ["shelf", "triple.py"]
    assert {path.suffix for path in shelf.rglob("*") if path.is_file()} == {".nbi", ".nbc"}


@pytest.mark.parametrize(
    ("suffix", "damage"),
    [(".nbi", lambda _: b""), (".nbi", lambda _: b"nonsense"), (".nbc", lambda data: data[:-9])],
)
def test_a_damaged_file_costs_a_compilation(
    suffix: str, damage: Callable[[bytes], bytes], tmp_path: Path, shelf: Path
) -> None:
    hits(load(tmp_path))
    (file,) = shelf.rglob(f"*{suffix}")
    file.write_bytes(damage(file.read_bytes()))
    assert hits(load(tmp_path)) == 0
    assert hits(load(tmp_path)) == 1, "it was not mended"


def test_a_full_disk_costs_a_compilation(tmp_path: Path, shelf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(_ForgivingCache, "_save_overload", full)
    assert hits(load(tmp_path)) == 0
    assert hits(load(tmp_path)) == 0


def test_without_a_shelf_kernels_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel_cache, "_shelf", lambda: None)
    assert hits(load(tmp_path)) == 0
    assert [path.name for path in tmp_path.iterdir()] == ["triple.py"]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small package in which a kernel in one folder calls a kernel of another, by way of a third."""
    monkeypatch.setattr(kernel_cache, "_ROOT", tmp_path)
    home = tmp_path / "pulink"
    files = {
        "one.py": "import pulink.engine.deep.two\n",
        "engine/deep/two.py": "from pulink.engine.deep import (\n    three,\n)\n",
        "engine/deep/three.py": "from ..flat import y\n\ndef f():\n    from pulink import late\n",
        "engine/flat.py": "y = 1\n",
        "engine/__init__.py": "",
        "late.py": "",
        "stranger.py": "",
    }
    for name, text in files.items():
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text(text)
    forget()
    yield home
    forget()


def forget() -> None:
    kernel_cache._imported.cache_clear()
    source_stamp.cache_clear()


def test_the_stamp_follows_imports_into_folders(package: Path) -> None:
    found = {str(path.relative_to(package)) for path in _sources(package / "one.py")}
    deep = {"engine/deep/two.py", "engine/deep/three.py"}
    assert found == {"one.py", "engine/__init__.py", "engine/flat.py", *deep}
    before = source_stamp(package / "one.py")
    (package / "stranger.py").write_text("y = 2\n")
    forget()
    assert source_stamp(package / "one.py") == before
    (package / "engine" / "flat.py").write_text("y = 2\n")
    forget()
    assert source_stamp(package / "one.py") != before


def test_the_stamp_knows_the_files_whose_lines_are_inlined() -> None:
    assert {ENGINE / "random.py", ENGINE / "compile.py"} <= _sources(Path(top_by_embedding.__file__))


CALLER = """
from pulink.engine.compile import kernel
from pulink.borrowed.deep.called import called

@kernel
def caller(x):
    return called(x) + 1
"""
CALLED = """
from pulink.engine.compile import inlined

@inlined
def called(x):
    return {factor} * x
"""
ASK = """
import sys, pathlib
import pulink
from pulink.engine import kernel_cache
kernel_cache._ROOT = pathlib.Path(sys.argv[1])
pulink.__path__.append(sys.argv[1] + "/pulink")
from pulink.borrowed.caller import caller
print(caller(10), sum(caller.stats.cache_hits.values()))
"""


def test_a_kernel_is_compiled_anew_when_one_that_it_calls_is_edited(tmp_path: Path) -> None:
    """Each answer comes from a process of its own, as that of a developer would after an edit."""
    deep = tmp_path / "pulink" / "borrowed" / "deep"
    deep.mkdir(parents=True)
    (deep.parent / "caller.py").write_text(CALLER)

    def answer(factor: int) -> str:
        (deep / "called.py").write_text(CALLED.format(factor=factor))
        env = os.environ | {"NUMBA_CACHE_DIR": str(tmp_path / "shelf"), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-c", ASK, str(tmp_path)]
        return subprocess.run(command, env=env, capture_output=True, text=True, check=True).stdout.strip()

    assert [answer(3), answer(3), answer(5)] == ["31 0", "31 1", "51 0"]


def test_what_stands_above_the_first_definition_names_every_import() -> None:
    """Also where a line of a docstring begins like a definition."""
    for file in ENGINE.rglob("*.py"):
        whole = [ast.dump(node) for node in ast.parse(file.read_text()).body if isinstance(node, IMPORTS)]
        assert [ast.dump(node) for node in _head(file.read_text()) if isinstance(node, IMPORTS)] == whole, file
    head = _head('"""A\nclass of things."""\nimport a\n\n\ndef f(): ...\n')
    assert [type(node) for node in head] == [ast.Expr, ast.Import, ast.FunctionDef]
