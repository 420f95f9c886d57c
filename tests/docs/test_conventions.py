"""docs/conventions.md: twenty rows, and every test that they name is there and runs by default."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "conventions.md").read_text()
ROWS = re.findall(r"^\| (\d+) \|.*$", PAGE, re.MULTILINE)
NAMED = re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PAGE)


def test_there_are_twenty_and_each_names_a_test() -> None:
    assert [int(number) for number in ROWS] == list(range(1, 21))
    for line in re.findall(r"^\| \d+ \|.*$", PAGE, re.MULTILINE):
        assert re.search(r"`tests/[\w/]+\.py::test_\w+`", line), line


@pytest.mark.parametrize(("file", "name"), NAMED)
def test_the_test_is_there_and_runs_by_default(file: str, name: str) -> None:
    found = {
        node.name: node for node in ast.parse((ROOT / file).read_text()).body if isinstance(node, ast.FunctionDef)
    }
    assert name in found
    assert "pytest.mark.slow" not in [ast.unparse(one) for one in found[name].decorator_list]
