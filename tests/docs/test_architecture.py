"""docs/architecture.md and the READMEs of rooms name every module and no other."""

from __future__ import annotations

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
        f"- `{Path(path).name}`: ... under ### `{Path(path).parent.as_posix()}/`"
        for path in sorted(MODULES - set(named))
    ]
    assert not missing, "\n".join(["docs/architecture.md lacks these lines:", *missing])
    assert sorted(set(named) - MODULES) == [], "docs/architecture.md names modules that are gone"
    assert len(named) == len(set(named)), "docs/architecture.md names a module twice"


def test_the_chain_is_the_import_contract() -> None:
    (chain,) = re.findall(r"```text\n(\w+ ←.*?)```", PAGE.read_text(), re.DOTALL)
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
