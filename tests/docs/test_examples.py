"""The stories in examples/ run, with a method that takes seconds."""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

import pulink

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


MISSING = r"missing: about (\d+) \(90% interval: (\d+) to (\d+)\)"


def told(script: str, data: str, capsys: pytest.CaptureFixture[str]) -> str:
    if not pulink.datasets()[data].available:
        pytest.skip(f"{data} is not on this machine")
    runpy.run_path(str(EXAMPLES / script))["main"]("l3n")
    return capsys.readouterr().out


def test_citations(capsys: pytest.CaptureFixture[str]) -> None:
    out = told("citations.py", "cora", capsys)
    assert re.search(r"hidden citations stand above other pairs [5-9]\d\.\d% of the time", out)
    best, low, high = map(int, re.search(MISSING, out.replace(",", "")).groups())  # type: ignore[union-attr]
    assert 0 < low < best < high < 5_278
    assert "shared neighbour" in out or "short path" in out


@pytest.mark.slow
def test_friends(capsys: pytest.CaptureFixture[str]) -> None:
    out = told("friends.py", "lastfm-asia", capsys)
    counts = [int(count) for count in re.findall(r"missing: (\d+) links", out)]
    assert counts == sorted(counts)
    first, second = re.findall(r"shape: \(5, 7\)\n.*?\n└", out, re.DOTALL)[:2]
    gone = re.findall(r"│ 1 +┆ (\S+)\s+┆ (\S+)\s+┆", first)[0]
    assert gone not in re.findall(r"│ \d+ +┆ (\S+)\s+┆ (\S+)\s+┆", second)
    assert "┆ newcomer ┆" in out


def test_own_csv(capsys: pytest.CaptureFixture[str]) -> None:
    out = told("own_csv.py", "sample", capsys)
    page = Path(out.rpartition("open ")[2].strip())
    text = page.read_text()
    assert "edges given in both directions" in text
    assert "Missing links of" in text


@pytest.mark.slow
@pytest.mark.parametrize(("script", "data"), [("citations.py", "cora"), ("own_csv.py", "sample")])
def test_by_default(script: str, data: str, capsys: pytest.CaptureFixture[str]) -> None:
    if not pulink.datasets()[data].available:
        pytest.skip(f"{data} is not on this machine")
    runpy.run_path(str(EXAMPLES / script))["main"]()
    assert capsys.readouterr().out
