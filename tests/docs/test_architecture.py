"""docs/architecture.md and the READMEs of rooms name every module and no other; rooms and files stay small."""

from __future__ import annotations

import ast
import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "pulink"
PAGE = ROOT / "docs" / "architecture.md"
ROOMS_WITH_A_MAP = ("engine", "report")

MODULES = {
    path.relative_to(PACKAGE).as_posix()
    for path in PACKAGE.rglob("*.py")
    if path.name != "__init__.py" or path.parent == PACKAGE
}


def named_modules(page: str) -> list[str]:
    """Paths below src/pulink: lines of the form "- `file.py`: ..." under a heading "### `folder/`"."""
    folder, found = "", []
    for line in page.splitlines():
        if heading := re.fullmatch(r"### `(\S+)/`", line):
            folder = "" if heading[1] == "." else f"{heading[1]}/"
        elif entry := re.match(r"- `(\w+\.py)`: \S", line):
            found.append(folder + entry[1])
    return found


def test_every_module_has_its_line() -> None:
    named = named_modules(PAGE.read_text())
    missing = [
        f'{path}: add a line "- `{Path(path).name}`: what it does." under "### `{Path(path).parent.as_posix()}/`"'
        for path in sorted(MODULES - set(named))
    ]
    assert missing == [], "docs/architecture.md does not name modules of src/pulink"
    assert sorted(set(named) - MODULES) == [], "docs/architecture.md names modules that are gone"
    assert len(named) == len(set(named)), "docs/architecture.md names a module twice"


def test_the_chain_is_the_import_contract() -> None:
    (chain,) = re.findall(r"```text\n(errors ←.*?)```", PAGE.read_text(), re.DOTALL)
    written = [
        {f"pulink.{name.strip()}" for name in step.strip().strip("()").split("|")} for step in chain.split("←")
    ]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    (layers,) = (contract["layers"] for contract in contracts if contract["type"] == "layers")
    assert written == [{name.strip() for name in layer.split("|")} for layer in reversed(layers)]


def test_the_contracts_know_no_exceptions() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert [contract["name"] for contract in contracts if "ignore_imports" in contract] == []


@pytest.mark.parametrize("room", ROOMS_WITH_A_MAP)
def test_the_map_of_a_room_names_its_modules(room: str) -> None:
    here = {path.removeprefix(f"{room}/") for path in MODULES if path.startswith(f"{room}/")}
    named = set(re.findall(r"`((?:\w+/)*\w+\.py)`", (PACKAGE / room / "README.md").read_text()))
    assert sorted(here - named) == [], f"src/pulink/{room}/README.md does not name these modules"
    assert sorted(named - here) == [], f"src/pulink/{room}/README.md names modules that are gone"


def test_no_folder_is_crowded() -> None:
    counts: dict[str, int] = {}
    for path in MODULES:
        folder = Path(path).parent.as_posix()
        counts[folder] = counts.get(folder, 0) + 1
    assert {folder: n for folder, n in counts.items() if n > 14} == {}


def test_no_file_is_long() -> None:
    lines = {path: len((PACKAGE / path).read_text().splitlines()) for path in MODULES}
    assert {path: n for path, n in lines.items() if n > 400} == {}


def test_no_function_is_long() -> None:
    long = [
        f"{path}: {node.name} has {length} lines"
        for path in sorted(MODULES)
        for node in ast.walk(ast.parse((PACKAGE / path).read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and (length := body_length(node)) > 60
    ]
    assert long == []


def body_length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Lines below the signature and the docstring: options of a command and their help are long, but no code."""
    first = function.body[0]
    described = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    start = (first.end_lineno or 0) + 1 if described else first.lineno
    return (function.end_lineno or 0) - start + 1
