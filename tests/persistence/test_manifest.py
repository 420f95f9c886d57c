"""Which folders may be replaced by a model."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import pulink
from pulink.errors import OutputError
from pulink.persistence.manifest import MANIFEST, stranger
from tests.support.planted import planted_graph


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


def test_what_a_desktop_leaves_is_a_small_file_of_a_known_name(
    model: pulink.LinkPredictor, tmp_path: Path
) -> None:
    model.save(tmp_path)
    for name in (".DS_Store", ".directory", "._model.json", "._.DS_Store"):
        (tmp_path / name).write_text("desktop")
        assert stranger(tmp_path) is None
    (tmp_path / "._mine.txt").write_text("mine")
    assert stranger(tmp_path) == "._mine.txt"
    (tmp_path / "._mine.txt").unlink()
    (tmp_path / ".DS_Store").write_bytes(bytes(1_000_000))
    assert stranger(tmp_path) == ".DS_Store"
    (tmp_path / ".DS_Store").unlink()
    (tmp_path / ".DS_Store").mkdir()
    (tmp_path / ".DS_Store" / "thesis").write_text("mine")
    with pytest.raises(OutputError, match=r"it holds '\.DS_Store', which pulink did not write there"):
        model.save(tmp_path)
    assert (tmp_path / ".DS_Store" / "thesis").read_text() == "mine"


@pytest.mark.parametrize("kind", ["folder", "link", "pipe"])
@pytest.mark.parametrize("name", ["names.parquet", MANIFEST])
def test_no_file_of_a_model_is_anything_but_a_file(
    model: pulink.LinkPredictor, tmp_path: Path, name: str, kind: str
) -> None:
    model.save(tmp_path / "model")
    place = tmp_path / "model" / name
    if name == MANIFEST:
        place.rename(tmp_path / "elsewhere")
    else:
        manifest = json.loads((tmp_path / "model" / MANIFEST).read_text())
        manifest["sha256"][name] = "00"
        (tmp_path / "model" / MANIFEST).write_text(json.dumps(manifest))
    make = {"folder": place.mkdir, "link": lambda: place.symlink_to(tmp_path / "elsewhere")}
    make.get(kind, lambda: os.mkfifo(place))()
    assert stranger(tmp_path / "model") == name
    with pytest.raises(OutputError, match="which pulink did not write there"):
        model.save(tmp_path / "model")


def test_a_manifest_cannot_give_other_files_away(model: pulink.LinkPredictor, tmp_path: Path) -> None:
    (tmp_path / MANIFEST).write_text('{"format": 3, "sha256": {"precious.txt": "x", "photos": "y"}}')
    (tmp_path / "precious.txt").write_text("mine")
    assert stranger(tmp_path) == MANIFEST
    sums = dict.fromkeys(("model.json", "tensors.safetensors", "precious.txt"), "x")
    (tmp_path / MANIFEST).write_text(json.dumps({"format": 3, "sha256": sums}))
    with pytest.raises(OutputError, match=r"it holds 'precious\.txt', which pulink did not write there"):
        model.save(tmp_path)
    assert (tmp_path / "precious.txt").read_text() == "mine"


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
    for number in (1, 99):
        names = ("model.json", "tensors.safetensors", "names.parquet")
        (tmp_path / MANIFEST).write_text(json.dumps({"format": number, "sha256": dict.fromkeys(names, "00")}))
        for name in names:
            (tmp_path / name).write_bytes(b"0")
        model.save(tmp_path)
        assert not (tmp_path / "names.parquet").exists()
        assert (tmp_path / "model.json").read_bytes() != b"0"
