"""The public names: listed once, found, documented, and cheap until they are used."""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import pytest

import pulink

PATHS = os.environ | {"PYTHONPATH": str(Path(pulink.__file__).parents[1])}


def test_the_list_is_the_table() -> None:
    assert sorted(pulink.__all__) == sorted(pulink._HOMES)
    assert len(set(pulink.__all__)) == len(pulink.__all__)
    assert set(dir(pulink)) == {*pulink.__all__, "__version__"}


@pytest.mark.parametrize("name", pulink.__all__)
def test_every_name_is_found_and_documented(name: str) -> None:
    value = getattr(pulink, name)
    if callable(value):
        assert value.__doc__
        assert value.__module__ == pulink._HOMES[name]


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = pulink.nonsense


def test_importing_the_package_imports_nothing_heavy() -> None:
    code = "import sys, pulink; sys.exit(any(name in sys.modules for name in ('torch', 'polars', 'numba')))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_version_is_there_and_looked_up_only_when_asked_for() -> None:
    assert pulink.__version__ == version("pulink")
    code = "import sys; before = set(sys.modules); import pulink; print(*sorted(set(sys.modules) - before))"
    ended = subprocess.run(
        [sys.executable, "-S", "-c", code], capture_output=True, text=True, check=True, env=PATHS
    )
    # Ctrl-C is not heeded while this is loaded.
    assert ended.stdout.split() == ["__future__", "pulink"]
