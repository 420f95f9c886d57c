"""The public names: listed once, found, documented, and cheap until they are used."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import pulink

PATHS = os.environ | {"PYTHONPATH": str(Path(pulink.__file__).parents[1])}


LINES = [
    (node.module, own.name, own.asname)
    for node in ast.walk(ast.parse(Path(pulink.__file__).read_text()))
    if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("pulink.")
    for own in node.names
]


def test_every_name_is_written_once_and_that_is_the_list() -> None:
    names = [name for _, name, _ in LINES]
    assert {name for name in names if names.count(name) > 1} == set()
    assert pulink.__all__ == sorted(names)
    assert dir(pulink) == sorted([*names, "__version__"])
    everything: dict[str, object] = {}
    exec("from pulink import *", everything)  # noqa: S102 (a fixed text)
    assert set(names) <= set(everything)


@pytest.mark.parametrize(("home", "name", "given"), LINES)
def test_every_name_is_found_documented_and_exported_to_type_checkers(
    home: str, name: str, given: str | None
) -> None:
    assert given == name, f"src/pulink/__init__.py: write `from {home} import {name} as {name}`"
    value = getattr(pulink, name)
    if callable(value):
        assert value.__doc__
        assert value.__module__ == home


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = pulink.nonsense


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, pulink; sys.exit(any(name in sys.modules for name in ('torch', 'polars', 'numba')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_command_explains_itself_without_loading_what_computes() -> None:
    heavy = ("torch", "polars", "numba", "numpy", "scipy", "sklearn")
    code = f"import sys, pulink.cli.app; print(*(name for name in {heavy} if name in sys.modules))"
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ended.stdout == "\n"


def test_the_version_is_there_and_looked_up_only_when_asked_for() -> None:
    assert pulink.__version__ == version("pulink")
    code = "import sys; before = set(sys.modules); import pulink; print(*sorted(set(sys.modules) - before))"
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=PATHS
    )
    # Ctrl-C is not heeded while this is loaded.
    assert ended.stdout.split() == ["__future__", "pulink"]
