"""The locks agree with constraints.txt, and constraints.txt with pyproject.toml and with what is installed."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name
from packaging.version import Version
from tools.lock import CONSTRAINTS, LOCK, ROOT, _is_wanted, all_pins, files_of, lock_text, pins_of

PINS = pins_of(CONSTRAINTS.read_text())
LOCKS = list(all_pins())


def problems(lock: str, pins: dict[str, str]) -> list[str]:
    """What a lock and pins do not agree on."""
    locked, files = pins_of(lock), files_of(lock)
    differing = [f"{name}: {pins.get(name)} is not {locked.get(name)}" for name in pins | locked
                 if pins.get(name) != locked.get(name)]  # fmt: skip
    return differing + [f"{name}: no hash" for name in locked if not files.get(name)]


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.name)
def test_a_lock_has_every_pin_with_its_version_and_hashes(lock: object) -> None:
    assert problems(lock.read_text(), all_pins()[lock]) == []  # type: ignore[attr-defined,index]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (r"(?m)^numpy==\S+", "numpy==1.0", "numpy: .* is not 1.0"),
        (r"(?m)^numpy==.*(\n +.*)+\n", "", "numpy: .* is not None"),
        (r"(?m)^numpy==(\S+).*(\n +.*)+\n", r"numpy==\1\n", "numpy: no hash"),
        (
            r"\Z",
            "stranger==1 \\\\\n    --hash=sha256:" + 64 * "0" + "\n    # stranger-1-py3-none-any.whl\n",
            "stranger",
        ),
    ],
)
def test_a_lock_that_departs_is_found_out(old: str, new: str, said: str) -> None:
    changed, n_changes = re.subn(old, new, LOCK.read_text(), count=1)
    assert n_changes == 1
    (problem,) = problems(changed, all_pins()[LOCK])
    assert re.search(said, problem)


def test_the_hashes_are_whole_and_each_belongs_to_one_file_of_its_version() -> None:
    for lock in LOCKS:
        text = lock.read_text()
        assert not re.search(r"https?://|file:|index-url|find-links", text), "a lock names no place"
        for name, files in files_of(text).items():
            assert len(set(files.values())) == len(files)
            assert all(_is_wanted(file, name, pins_of(text)[name]) for file in files)


def test_everything_that_the_project_asks_for_is_pinned_within_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    asked = [*project["project"]["dependencies"], *project["build-system"]["requires"]]
    for extra in project["project"]["optional-dependencies"].values():
        asked += extra
    for need in map(Requirement, asked):
        if need.name != "pulink":
            assert Version(PINS[canonicalize_name(need.name)]) in need.specifier, str(need)


def test_everything_that_extras_of_other_packages_bring_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    asked = [Requirement(text) for extra in project["optional-dependencies"].values() for text in extra]
    brought = {
        canonicalize_name(own.name)
        for need in asked
        for extra in need.extras - project["optional-dependencies"].keys()
        for own in map(Requirement, requires(need.name) or ())
        if own.marker is None or own.marker.evaluate({"extra": extra})
    }
    assert {"pandas", "pyarrow", "fsspec"} <= brought, "what Ray Train imports"
    assert brought <= PINS.keys()


def test_everything_that_pinned_packages_need_is_pinned() -> None:
    for name in PINS:
        try:
            needs = [Requirement(text) for text in requires(name) or ()]
        except PackageNotFoundError:
            continue
        for system in ("linux", "darwin"):
            settings = {"extra": "", "sys_platform": system, "platform_system": system.capitalize()}
            applying = {
                canonicalize_name(n.name) for n in needs if n.marker is None or n.marker.evaluate(settings)
            }
            assert applying <= PINS.keys(), f"{name} on {system}"


@pytest.mark.parametrize(
    ("file", "is_wanted"),
    [
        ("numpy-2.4.6-cp311-cp311-manylinux_2_27_x86_64.manylinux_2_28_x86_64.whl", True),
        ("numpy-2.4.6-cp314-cp314-macosx_11_0_arm64.whl", True),
        ("numpy-2.4.6+cpu-cp311-cp311-manylinux_2_28_x86_64.whl", True),
        ("numpy-2.4.6-cp39-abi3-manylinux_2_17_aarch64.whl", True),
        ("numpy-2.4.6-py2.py3-none-any.whl", True),
        ("numpy-2.4.7-cp311-cp311-manylinux_2_28_x86_64.whl", False),
        ("numpy-2.4.6-cp310-cp310-manylinux_2_28_x86_64.whl", False),
        ("numpy-2.4.6-cp313-cp313t-manylinux_2_28_x86_64.whl", False),
        ("numpy-2.4.6-cp311-cp311-musllinux_1_2_x86_64.whl", False),
        ("numpy-2.4.6-cp311-cp311-win_amd64.whl", False),
        ("numpy_stubs-2.4.6-py3-none-any.whl", False),
        ("numpy-2.4.6.tar.gz", False),
        ("not a wheel.whl", False),
    ],
)
def test_files_are_chosen_by_version_python_and_system(file: str, is_wanted: bool) -> None:
    assert _is_wanted(file, "numpy", "2.4.6") is is_wanted


def test_what_is_written_is_read_again() -> None:
    files = {"a": {"a-1-py3-none-any.whl": 64 * "0", "a-1-cp311-cp311-macosx_11_0_arm64.whl": 64 * "1"},
             "b": {"b-2-py3-none-any.whl": 64 * "2"}}  # fmt: skip
    text = lock_text("Two", {"b": "2", "a": "1"}, files)
    assert files_of(text) == files
    assert pins_of(text) == {"a": "1", "b": "2"}
