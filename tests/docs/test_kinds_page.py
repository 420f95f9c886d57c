"""docs/kinds.md: its files and its Python, run in their order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PAGE = Path(__file__).resolve().parents[2] / "docs" / "kinds.md"
SECTIONS = re.findall(r"^## ([^\n]*: [^\n]*)\n(.*?)(?=^## |\Z)", PAGE.read_text(), re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize(("title", "text"), SECTIONS, ids=[title for title, _ in SECTIONS])
def test_the_example_of_a_kind_runs(
    title: str, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in re.findall(r"^`(\w+\.csv)`.*?```csv\n(.*?)```", text, re.DOTALL | re.MULTILINE):
        (tmp_path / name).write_text(content)
    (code,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    assert "assert " in code, f"{title}: the example shows nothing"
    exec(code, {})  # noqa: S102 (our own page)


def test_every_kind_has_an_example() -> None:
    assert [title.partition(":")[0] for title, _ in SECTIONS] == [
        "Directed",
        "Bipartite",
        "Typed",
        "Timed",
        "Undirected",
    ]
