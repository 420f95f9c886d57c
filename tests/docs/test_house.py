"""The limits that keep the house readable: no crowded folder, no long file, no long function, nothing put off."""

from __future__ import annotations

import ast
import re
from collections import Counter
from pathlib import Path

import pytest

import pulink

SOURCE = Path(pulink.__file__).parent
FILES = sorted(SOURCE.rglob("*.py"))

MOST_MODULES, MOST_LINES, MOST_OF_A_FUNCTION, MOST_OF_A_COMMAND = 14, 400, 60, 40

Function = ast.FunctionDef | ast.AsyncFunctionDef


def name_of(path: Path) -> str:
    return path.relative_to(SOURCE).as_posix()


def functions(path: Path) -> list[Function]:
    return [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, Function)]


def body_length(function: Function) -> int:
    """Lines after the signature and the docstring."""
    body = function.body[1:] if ast.get_docstring(function) is not None else function.body
    return (body[-1].end_lineno or 0) - body[0].lineno + 1 if body else 0


def test_no_folder_is_crowded() -> None:
    counts = Counter(name_of(path.parent) for path in FILES if path.name != "__init__.py")
    crowded = {folder: n for folder, n in counts.items() if n > MOST_MODULES}
    assert crowded == {}, f"more than {MOST_MODULES} modules: give what belongs together a folder of its own"


def test_no_file_is_long() -> None:
    lengths = {name_of(path): len(path.read_text().splitlines()) for path in FILES}
    long = {name: n for name, n in lengths.items() if n > MOST_LINES}
    assert long == {}, f"more than {MOST_LINES} lines: a file holds one idea"


def test_no_function_is_long() -> None:
    """Signatures and docstrings of what is public are as long as what they describe, and no code."""
    long = {
        f"{name_of(path)}: {function.name}": n
        for path in FILES
        for function in functions(path)
        if (n := body_length(function)) > MOST_OF_A_FUNCTION
    }
    assert long == {}, f"more than {MOST_OF_A_FUNCTION} lines"


@pytest.mark.parametrize("command", ["find", "measuring/evaluate", "review", "suggest"])
def test_a_command_parses_calls_and_prints(command: str) -> None:
    file = SOURCE / "cli" / f"{command}.py"
    (function,) = (own for own in functions(file) if own.name == file.stem)
    n_lines = body_length(function)
    assert n_lines < MOST_OF_A_COMMAND, (
        f"the body of {command} has {n_lines} lines: the work belongs in workflows/"
    )


def test_nothing_is_put_off() -> None:
    put_off = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    texts = [path for path in SOURCE.rglob("*") if path.suffix in {".py", ".toml", ".css", ".js", ".md"}]
    found = [
        f"{name_of(path)}, line {number}: {line.strip()}"
        for path in texts
        for number, line in enumerate(path.read_text().splitlines(), start=1)
        if put_off.search(line)
    ]
    assert len(texts) > len(FILES)
    assert found == []
