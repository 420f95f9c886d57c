"""Model folders: round trips, and everything that does not fit the manifest refused."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
import pytest
import scipy.sparse as sp

import pulink
from pulink.errors import ModelError, NotFittedError, OutputError
from pulink.system.files import sha256
from tests.support.planted import planted_graph


@pytest.fixture(scope="module")
def named_graph() -> pulink.Graph:
    plain = planted_graph(10, 3, 0.6, 0.1, seed=0)
    rng = np.random.default_rng(0)
    return pulink.Graph.from_edges(
        plain.edges,
        30,
        weights=rng.uniform(0.5, 2, plain.n_edges),
        features=rng.random((30, 4)),
        names=[f"knoten {k:02d} ü" for k in range(30)],
    )


@pytest.fixture(scope="module")
def fitted(named_graph: pulink.Graph) -> pulink.PULL:
    return pulink.PULL(n_epochs=8, max_iterations=3, stop=False, n_hubs=5, seed=4).fit(named_graph)


@pytest.fixture
def folder(fitted: pulink.PULL, tmp_path: Path) -> Path:
    fitted.save(tmp_path / "model")
    return tmp_path / "model"


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}


def test_a_round_trip_keeps_everything(fitted: pulink.PULL, folder: Path) -> None:
    loaded = pulink.load_model(folder)
    assert isinstance(loaded, pulink.PULL)
    pairs = np.array([(i, j) for i in range(30) for j in range(i)])
    assert np.array_equal(loaded.decision_function(pairs), fitted.decision_function(pairs))
    assert loaded.get_params() == fitted.get_params()
    assert (loaded.n_iter_, loaded.n_steps_, loaded.stop_reason_) == (
        fitted.n_iter_,
        fitted.n_steps_,
        fitted.stop_reason_,
    )
    for one, other in ((loaded.history_, fitted.history_), (loaded.refit_history_, fitted.refit_history_)):
        assert [record.to_dict() for record in one] == [record.to_dict() for record in other]
        assert all(np.array_equal(a.entered, b.entered) for a, b in zip(one, other, strict=True))
    for name, value in fitted.encoder_state_.items():
        assert np.array_equal(loaded.encoder_state_[name].numpy(), value.numpy())
    for graph, twin in ((loaded.graph_, fitted.graph_), (loaded.expected_graph_, fitted.expected_graph_)):
        assert np.array_equal(graph.edges, twin.edges)
        assert graph.weights is not None
        assert twin.weights is not None
        assert np.array_equal(graph.weights, twin.weights)
        assert graph.names.series().to_list() == twin.names.series().to_list()
    assert loaded.missing_links(20).equals(fitted.missing_links(20))


def test_a_loaded_model_can_be_fitted_again(folder: Path, named_graph: pulink.Graph, fitted: pulink.PULL) -> None:
    again = pulink.PULL.load(folder).fit(named_graph)
    assert np.array_equal(again.embeddings_, fitted.embeddings_)


def test_baselines_are_kept_too(named_graph: pulink.Graph, tmp_path: Path) -> None:
    model = pulink.GCNCE(max_epochs=6, min_epochs=0, seed=1).fit(named_graph)
    model.save(tmp_path / "gcn")
    loaded = pulink.GCNCE.load(tmp_path / "gcn")
    assert np.array_equal(loaded.embeddings_, model.embeddings_)
    assert loaded.history_ == model.history_
    assert (loaded.n_epochs_, loaded.n_steps_) == (model.n_epochs_, model.n_steps_)


def test_saved_twice_the_bytes_are_the_same(fitted: pulink.PULL, folder: Path, tmp_path: Path) -> None:
    fitted.save(tmp_path / "again")
    assert contents(folder) == contents(tmp_path / "again")
    pulink.PULL.load(folder).save(tmp_path / "reloaded")
    assert contents(folder) == contents(tmp_path / "reloaded")


def test_two_fits_with_one_seed_give_the_same_bytes(
    named_graph: pulink.Graph, fitted: pulink.PULL, folder: Path, tmp_path: Path
) -> None:
    pulink.PULL(**fitted.get_params()).fit(named_graph).save(tmp_path / "twin")
    assert contents(folder) == contents(tmp_path / "twin")


def test_nothing_is_pickled(folder: Path) -> None:
    assert set(contents(folder)) == {"manifest.json", "model.json", "names.parquet", "tensors.safetensors"}
    for content in contents(folder).values():
        # What pickle, or PyTorch's zip of pickles, would begin with.
        assert not content.startswith((b"\x80", b"PK"))


def test_the_manifest_lists_every_other_file(folder: Path) -> None:
    sums = json.loads((folder / "manifest.json").read_text())["sha256"]
    assert set(sums) == set(contents(folder)) - {"manifest.json"}


def flip_a_byte(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


def truncate(file: Path) -> None:
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])


@pytest.mark.parametrize("name", ["model.json", "tensors.safetensors", "names.parquet"])
@pytest.mark.parametrize(
    ("damage", "message"),
    [(flip_a_byte, "changed or damaged"), (truncate, "changed or damaged"), (Path.unlink, "is missing")],
)
def test_damage_is_refused(folder: Path, name: str, damage: Callable[[Path], None], message: str) -> None:
    damage(folder / name)
    with pytest.raises(ModelError, match=f"{name} .*{message}|{name} {message}"):
        pulink.PULL.load(folder)


@pytest.mark.parametrize("content", ["", "{", "[]", "{}", '{"format": 99}', '{"format": 1, "sha256": {}}'])
def test_a_broken_manifest_is_refused(folder: Path, content: str) -> None:
    (folder / "manifest.json").write_text(content)
    with pytest.raises(ModelError):
        pulink.PULL.load(folder)


def test_a_manifest_that_names_other_files_is_refused(folder: Path) -> None:
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["sha256"]["../outside"] = "0"
    (folder / "manifest.json").write_text(json.dumps(manifest))
    with pytest.raises(ModelError, match="does not list the files of a model"):
        pulink.PULL.load(folder)


def test_a_missing_folder_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ModelError, match=r"is not a model folder, it has no manifest\.json"):
        pulink.PULL.load(tmp_path / "nowhere")


def test_a_foreign_class_is_refused(folder: Path) -> None:
    with pytest.raises(ModelError, match="holds a 'PULL', not a 'GCNCE'"):
        pulink.GCNCE.load(folder)


def reseal(folder: Path) -> None:
    """Write checksums that fit, as someone would who changes a model on purpose."""
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["sha256"] = {name: sha256(folder / name) for name in manifest["sha256"]}
    (folder / "manifest.json").write_text(json.dumps(manifest))


def test_unknown_settings_are_refused_even_when_sealed(folder: Path) -> None:
    model = json.loads((folder / "model.json").read_text())
    model["params"]["n_dragons"] = 3
    (folder / "model.json").write_text(json.dumps(model))
    reseal(folder)
    with pytest.raises(ModelError, match="settings that this pulink does not know: n_dragons"):
        pulink.PULL.load(folder)


@pytest.mark.parametrize("name", ["tensors.safetensors", "names.parquet"])
def test_a_file_of_another_format_is_refused_even_when_sealed(folder: Path, name: str) -> None:
    (folder / name).write_bytes(b"neither this nor that")
    reseal(folder)
    with pytest.raises(ModelError):
        pulink.PULL.load(folder)


def test_embeddings_of_another_graph_are_refused_even_when_sealed(
    named_graph: pulink.Graph, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    pulink.PULL(n_epochs=2, max_iterations=1).fit(named_graph.with_features(None)).save(folder)
    model = json.loads((folder / "model.json").read_text())
    model["n_nodes"] = 31
    (folder / "model.json").write_text(json.dumps(model))
    names = pl.Series("name", [str(k) for k in range(31)])
    names.to_frame().write_parquet(folder / "names.parquet")
    reseal(folder)
    with pytest.raises(ModelError, match="embeddings do not fit its graph"):
        pulink.PULL.load(folder)


def test_features_of_another_graph_are_refused_even_when_sealed(folder: Path) -> None:
    model = json.loads((folder / "model.json").read_text())
    model["n_features"] = 5
    (folder / "model.json").write_text(json.dumps(model))
    reseal(folder)
    with pytest.raises(ModelError, match="features do not fit its nodes"):
        pulink.PULL.load(folder)


@pytest.mark.parametrize("sparse", [False, True])
def test_features_their_names_and_known_non_links_are_kept(
    named_graph: pulink.Graph, tmp_path: Path, sparse: bool
) -> None:
    features = np.round(np.random.default_rng(1).random((30, 4)))
    called = ("one", "=two", "three: x", "four")
    absent = np.array(
        [pair for pair in ((0, 1), (4, 29), (7, 3)) if not named_graph.has_edges(np.array([pair]))[0]]
    )
    graph = named_graph.with_features(sp.csr_array(features) if sparse else features, called).with_absent(absent)
    pulink.PULL(n_epochs=2, max_iterations=1).fit(graph).save(tmp_path / "model")
    loaded = pulink.load_model(tmp_path / "model").graph_
    assert sp.issparse(loaded.features) == sparse
    found = loaded.features.toarray() if sparse else loaded.features
    np.testing.assert_array_equal(found, features)
    assert loaded.feature_names == called
    np.testing.assert_array_equal(loaded.absent, graph.absent)


def test_an_older_model_is_replaced_but_nothing_else_is(fitted: pulink.PULL, folder: Path, tmp_path: Path) -> None:
    fitted.save(folder)
    assert pulink.PULL.load(folder).n_iter_ == fitted.n_iter_
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "thesis.txt").write_text("keep me")
    with pytest.raises(OutputError, match="which pulink did not write there"):
        fitted.save(tmp_path / "mine")
    assert (tmp_path / "mine" / "thesis.txt").read_text() == "keep me"


def test_an_unfitted_model_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        pulink.PULL().save(tmp_path / "model")
    assert not (tmp_path / "model").exists()
