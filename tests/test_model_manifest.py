"""Which folders may be replaced by a model."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import pulink
from pulink.errors import OutputError
from pulink.model_manifest import MANIFEST, stranger
from tests.planted import planted_graph


@pytest.fixture
def model() -> pulink.LinkPredictor:
    return pulink.make("l3n").fit(planted_graph(10, 2, 0.5, 0.1, seed=0))


def test_a_saved_model_holds_no_stranger_and_is_replaced(model: pulink.LinkPredictor, tmp_path: Path) -> None:
    for _ in range(2):
        model.save(tmp_path / "model")
    (tmp_path / "model" / ".DS_Store").write_text("desktop")
    assert stranger(tmp_path / "model") is None
    model.save(tmp_path / "model")
    assert not (tmp_path / "model" / ".DS_Store").exists()


@pytest.mark.parametrize("name", ["thesis.tex", ".git", "notes"])
def test_what_a_user_put_beside_a_model_is_kept(model: pulink.LinkPredictor, tmp_path: Path, name: str) -> None:
    model.save(tmp_path / "model")
    (tmp_path / "model" / name).mkdir()
    with pytest.raises(OutputError, match=f"it holds '{name}', which pulink did not write there"):
        model.save(tmp_path / "model")
    assert (tmp_path / "model" / name).is_dir()


@pytest.mark.parametrize(
    "content",
    ["", "no JSON", "[]", '{"name": "my browser extension"}', '{"format": 3}', '{"format": 3, "sha256": ["x"]}'],
)
def test_a_manifest_of_something_else_saves_its_folder(
    model: pulink.LinkPredictor, tmp_path: Path, content: str
) -> None:
    (tmp_path / MANIFEST).write_text(content)
    assert stranger(tmp_path) == MANIFEST
    with pytest.raises(OutputError, match="which pulink did not write there"):
        model.save(tmp_path)
    assert (tmp_path / MANIFEST).read_text() == content


def test_older_and_newer_formats_are_replaced(model: pulink.LinkPredictor, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text(json.dumps({"format": 99, "sha256": {"weights.bin": "00"}}))
    (tmp_path / "weights.bin").write_bytes(b"0")
    model.save(tmp_path)
    assert not (tmp_path / "weights.bin").exists()
