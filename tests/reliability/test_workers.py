"""What the processes that read and load take for a clear refusal, and what for a violation."""

from __future__ import annotations

import json
import warnings
from pathlib import Path

import pytest
from torture import folder_worker, kept_figures
from torture.folder_worker import outcome
from torture.model_folders import Case, Figures, cases, judged
from torture.reading_worker import _refusal

import pulink
from pulink.errors import ModelError

ASKED = {"edges": "/a/edges.csv", "nodes": "/a/nodes.csv", "settings": {"encoding": "utf-9"}}


@pytest.mark.parametrize(
    ("message", "fate"),
    [
        ("/a/edges.csv: row 3 has no target", "refused"),
        ("/a/nodes.csv: is not UTF-8", "refused"),
        ("encoding 'utf-9' is not known to Python", "refused"),
        ("encoding 'utf-7' is not known to Python", "violation"),
        ("the encoding is wrong", "violation"),
        ("/a: cannot be read", "violation"),
        ("/a/edges.csv: row 3\nhas no target", "violation"),
        ("/a/edges.csv: " + "x" * 1_000, "violation"),
    ],
)
def test_a_refusal_names_what_was_given(message: str, fate: str) -> None:
    assert _refusal(message, ASKED)[0] == fate


def test_an_encoding_that_was_not_given_is_not_named() -> None:
    assert _refusal("encoding None is not known", ASKED | {"settings": {}, "nodes": None})[0] == "violation"


def test_warnings_are_violations(monkeypatch: pytest.MonkeyPatch) -> None:
    def load_model(folder: str) -> None:
        warnings.warn("overflow", RuntimeWarning, stacklevel=1)
        raise ModelError(f"{folder}: is damaged")

    monkeypatch.setattr(pulink, "load_model", load_model)
    fate, told = outcome("folder", None)
    assert fate == "violation"
    assert told.startswith("1 warnings (refused), the first: RuntimeWarning in ")
    monkeypatch.setattr(warnings, "warn", lambda *_, **__: None)
    assert outcome("folder", None) == ("refused", "folder: is damaged")
    assert folder_worker._refusal("damaged", "folder")[0] == "violation"


def test_models_take_turns_and_are_judged() -> None:
    models = {name: {"manifest.json": name.encode() * 9, "model.json": b"{}"} for name in ("a", "b", "c")}
    assert [case.method for case in cases(models, 6, 0, seed=0)] == ["a", "b", "c", "a", "b", "c"]
    case = Case(0, "a", "flip", {}, is_sealed=False)
    answer = {"fate": "refused", "told": "", "seconds": 0.1, "clock": 0.1, "grown": 0}
    assert judged(answer, case)[0] == "refused"
    assert judged(answer | {"fate": "loaded"}, case)[0] == "violation"
    assert judged(answer | {"seconds": 6.0}, case)[0] == "violation"
    assert judged(answer | {"grown": 2 * 10**9}, case)[0] == "violation"
    figures = Figures()
    figures.control("a", answer | {"fate": "equal"})
    figures.add(case, answer)
    assert not figures.violations
    figures.control("b", answer)
    assert figures.violations == ["b, undamaged: refused: "]


def test_a_short_form_leaves_the_figures_of_a_whole_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kept_figures, "RESULTS", tmp_path)
    kept_figures.tell("kills", {"kills": 1}, whole=False)
    assert not list(tmp_path.iterdir())
    kept_figures.tell("kills", {"kills": 100}, whole=True)
    kept_figures.tell("kills", {"kills": 1}, whole=False)
    assert json.loads((tmp_path / "kills.json").read_text()) == {"kills": 100}
