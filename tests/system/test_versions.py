"""What results depend on besides settings and data: versions, and pulink's own lines."""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

import pulink
from pulink.persistence.checkpoints import FITTING
from pulink.system.versions import digest_of_files, source_digest

ROOT = Path(__file__).resolve().parents[2]
PARTS = ("engine", "metrics.py")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    (tmp_path / "engine" / "search").mkdir(parents=True)
    for name in ("metrics.py", "engine/a.py", "engine/search/b.py", "report.py"):
        (tmp_path / name).write_text(f"# {name}")
    return tmp_path


@pytest.mark.parametrize(
    "change",
    [
        lambda own: (own / "metrics.py").write_text("# other"),
        lambda own: (own / "engine" / "search" / "b.py").write_text("# other"),
        lambda own: (own / "engine" / "new.py").write_text(""),
        lambda own: (own / "engine" / "a.py").unlink(),
        lambda own: (own / "engine" / "a.py").rename(own / "engine" / "c.py"),
    ],
    ids=["a file", "a file in a subfolder", "a new file", "a file less", "another name"],
)
def test_the_digest_tells_every_change_of_a_source_file(change: Callable[[Path], object], package: Path) -> None:
    before = digest_of_files(package, PARTS)
    assert digest_of_files(package, PARTS) == before != ""
    change(package)
    assert digest_of_files(package, PARTS) not in (before, "")


def test_other_files_do_not_count(package: Path) -> None:
    before = digest_of_files(package, PARTS)
    (package / "report.py").write_text("# other")
    (package / "engine" / "notes.txt").write_text("other")
    assert digest_of_files(package, PARTS) == before


def test_where_sources_are_not_there_nothing_is_told(package: Path) -> None:
    (package / "metrics.py").unlink()
    assert digest_of_files(package, PARTS) == ""


def test_every_room_that_a_fit_runs_through_is_looked_at() -> None:
    """By the import contract: all from the registry of methods down to the engine, but for what reads files."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    layers = [own.removeprefix("pulink.") for own in contracts[0]["layers"]]
    below = layers[layers.index("methods.registry") : layers.index("engine") + 1]
    rooms = {own.split(" ")[0].split(".")[0] for own in below} - {"data"}
    assert rooms == {own.removesuffix(".py") for own in FITTING} - {"evaluation", "measuring"}
    package = Path(pulink.__file__).parent
    assert all((package / own).exists() for own in FITTING)
    assert len(source_digest(FITTING)) == 64
