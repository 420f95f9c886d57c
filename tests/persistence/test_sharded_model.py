"""Model folders of graphs in parts: what was written is read back row by row, and what was changed is refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import pulink
from pulink.errors import InputError, ModelError
from pulink.persistence import sharded_model_reading
from pulink.persistence.array_file import ArrayFile
from pulink.persistence.sharded_model import LINK_COLUMNS, attribute_counts
from pulink.persistence.sharded_model_reading import ShardedModelFolder, sharded_place
from pulink.predictor.predictor import LinkPredictor
from tests.support.planted import planted_graph
from tests.support.sharded_models import sharded_folder


@pytest.fixture(scope="module")
def model() -> LinkPredictor:
    return pulink.PULL(max_iterations=1, n_epochs=3, threads=1, n_splits=1).fit(planted_graph(20, 3, 0.4, 0.02, 1))


@pytest.fixture(scope="module")
def written(model: LinkPredictor, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("sharded") / "results" / "model"
    sharded_folder(model, folder)
    return folder


@pytest.fixture
def folder(written: Path, tmp_path: Path) -> Path:
    return Path(shutil.copytree(written, tmp_path / "model"))


def test_what_was_written_is_read_back(
    model: LinkPredictor, written: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sharded_model_reading, "_BLOCK", 7)
    found = ShardedModelFolder.open(written, verify=True)
    embeddings = model.state_["embeddings"]
    assert len(found.summary.embedding_ranges) == 4
    nodes = np.array([0, 3, 18, 19, 20, 21, 58, 59])
    np.testing.assert_array_equal(found.rows(nodes), embeddings[nodes])
    seen = np.zeros(len(embeddings), dtype=bool)
    for first, rows in found.blocks():
        assert 2 <= len(rows) <= 8
        np.testing.assert_array_equal(rows[1:], embeddings[first : first + len(rows) - 1])
        assert not seen[first : first + len(rows) - 1].any()
        seen[first : first + len(rows) - 1] = True
    assert seen.all()
    for name, array in found.encoder().items():
        np.testing.assert_array_equal(array, model.state_[f"encoder.{name}"])
    assert model._calibrator is not None
    plain, arrays = model._calibrator.stored()
    assert found.summary.calibration == json.loads(json.dumps(plain))
    for name, array in found.calibration().items():
        np.testing.assert_array_equal(array, arrays[name])
    links = found.links()
    assert dict(links.schema) == LINK_COLUMNS
    assert links.height == found.summary.n_links == 20
    assert links.drop("first", "second").equals(model.missing_links(20))


def test_a_folder_is_found_where_it_is_and_below_its_results(written: Path, tmp_path: Path) -> None:
    assert sharded_place(written) == sharded_place(written.parent) == written
    assert sharded_place(tmp_path) is None
    assert sharded_place(tmp_path / "nothing") is None
    pulink.L3N().fit(planted_graph(20, 3, 0.4, 0.02, 1)).save(tmp_path / "model")
    assert sharded_place(tmp_path) is None


def test_features_that_hold_more_than_0_and_1_are_no_attributes() -> None:
    counts = attribute_counts(np.array([[0, 1, 1], [0, 0, 1]], dtype=np.float32))
    assert counts is not None
    assert counts.tolist() == [0, 1, 2]
    assert attribute_counts(np.array([[0, 0.5]], dtype=np.float32)) is None
    assert attribute_counts(np.array([[0, np.nan]], dtype=np.float32)) is None


def _cut(name: str) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        (folder / name).write_bytes((folder / name).read_bytes()[:-1])

    return damage


def _gone(name: str) -> Callable[[Path], None]:
    return lambda folder: (folder / name).unlink()


def _linked(folder: Path) -> None:
    (folder / "model.json").rename(folder.parent / "elsewhere.json")
    (folder / "model.json").symlink_to(folder.parent / "elsewhere.json")


def _flipped(folder: Path) -> None:
    text = (folder / "model.json").read_text()
    (folder / "model.json").write_text(text.replace('"PULL"', '"pull"'))


def _listed(change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        told = json.loads((folder / "manifest.json").read_text())
        change(told)
        (folder / "manifest.json").write_text(json.dumps(told))

    return damage


def _told(**changes: object) -> Callable[[Path], None]:
    """Whoever changes a file can write its sum."""

    def damage(folder: Path) -> None:
        import hashlib

        told = json.loads((folder / "model.json").read_text()) | changes
        text = json.dumps(told).encode()
        (folder / "model.json").write_bytes(text)
        seen = {"bytes": len(text), "sha256": hashlib.sha256(text).hexdigest()}
        _listed(lambda manifest: manifest["files"].update({"model.json": seen}))(folder)  # type: ignore[attr-defined]

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        _cut("embeddings-00001.safetensors"),
        _cut("links-00000.parquet"),
        _cut("graph/graph.json"),
        _cut("graph/rows-00000.safetensors"),
        _gone("encoder.safetensors"),
        _gone("model.json"),
        _gone("graph/rows-00001.safetensors"),
        _linked,
        _flipped,
        _listed(lambda told: told.update(format=2)),
        _listed(lambda told: told.update(format=True)),
        _listed(lambda told: told.update(files=[])),
        _listed(lambda told: told.update(files={"../x": {"bytes": 0, "sha256": ""}})),
        _listed(lambda told: told["files"].pop("graph/graph.json")),  # type: ignore[attr-defined]
        _listed(lambda told: told["files"].pop("embeddings-00002.safetensors")),  # type: ignore[attr-defined]
        _listed(lambda told: told["files"].update({"a/../../x": {"bytes": 0, "sha256": ""}})),  # type: ignore[attr-defined]
        _told(kind="PULLPlus"),
        _told(params=[]),
        _told(learned=None),
        _told(calibration=None),
        _told(embedding_ranges=[0, 60]),
        _told(embedding_ranges=[0, 19, 39, 61]),
        _told(embedding_ranges=[0, 39, 19, 60]),
        _told(n_units=0),
        _told(n_units=10**5),
        _told(n_units=True),
        _told(n_links=-1),
        _told(n_links=10**13),
        _told(searched=None),
    ],
)
def test_a_folder_that_is_not_whole_is_refused_in_one_line(folder: Path, damage: Callable[[Path], None]) -> None:
    damage(folder)
    with pytest.raises(InputError) as error:
        ShardedModelFolder.open(folder)
    assert "\n" not in str(error.value)


def _overwrite(path: Path, array: str, value: float) -> None:
    with ArrayFile(path) as file:
        begin = file._places[array].offset
        cells = file.read(array)
    cells.ravel()[3] = value
    content = bytearray(path.read_bytes())
    content[begin : begin + cells.nbytes] = cells.tobytes()
    path.write_bytes(content)


def test_cells_that_were_changed_are_refused_when_they_are_read(folder: Path) -> None:
    _overwrite(folder / "embeddings-00000.safetensors", "embeddings", np.inf)
    found = ShardedModelFolder.open(folder)
    assert np.isfinite(found.rows(np.array([5, 40]))).all()
    with pytest.raises(ModelError, match="no number"):
        found.rows(np.array([0]))
    with pytest.raises(ModelError, match="no number"):
        list(found.blocks())
    with pytest.raises(ModelError, match="checksum"):
        ShardedModelFolder.open(folder, verify=True)


def test_small_files_that_were_changed_are_refused_by_their_checksum(folder: Path) -> None:
    _overwrite(folder / "calibration.safetensors", "calibration.scores", 0.0)
    content = bytearray((folder / "links-00000.parquet").read_bytes())
    content[40] ^= 1
    (folder / "links-00000.parquet").write_bytes(content)
    found = ShardedModelFolder.open(folder)
    for read in (found.calibration, found.links):
        with pytest.raises(ModelError, match="checksum"):
            read()


def test_embeddings_of_another_shape_are_refused(folder: Path) -> None:
    _told(n_units=15)(folder)
    with pytest.raises(InputError, match="other arrays"):
        ShardedModelFolder.open(folder).rows(np.array([0]))


@pytest.mark.parametrize("opened", [pulink.load_model, pulink.PULL.load])
def test_whoever_wants_a_whole_model_is_told_what_answers_by_this_one(
    written: Path, opened: Callable[[Path], object]
) -> None:
    with pytest.raises(ModelError, match="pulink suggest and pulink explain answer by it"):
        opened(written)
