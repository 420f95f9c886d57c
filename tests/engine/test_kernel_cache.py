"""Compiled kernels are kept, given up when a source changes, and never worth a run."""

from __future__ import annotations

import errno
import importlib.util
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pulink.engine import kernel_cache, top_pairs
from pulink.engine.kernel_cache import _ForgivingCache, _sources, source_stamp

ENGINE = Path(top_pairs.__file__).parent


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


def test_the_stamp_knows_the_files_whose_lines_are_inlined(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert {ENGINE / "random.py", ENGINE / "compile.py"} <= _sources(ENGINE / "top_pairs.py")
    (tmp_path / "one.py").write_text("from pulink.engine.two import (\n    x,\n)\n")
    (tmp_path / "two.py").write_text("from pulink.engine import three\n")
    (tmp_path / "three.py").write_text("y = 1\n")
    monkeypatch.setattr(kernel_cache, "_ENGINE", tmp_path)
    kernel_cache._imported.cache_clear()
    assert {path.name for path in _sources(tmp_path / "one.py")} == {"one.py", "two.py", "three.py"}
    before = source_stamp(tmp_path / "one.py")
    (tmp_path / "three.py").write_text("y = 2\n")
    source_stamp.cache_clear()
    assert source_stamp(tmp_path / "one.py") != before
    kernel_cache._imported.cache_clear()
