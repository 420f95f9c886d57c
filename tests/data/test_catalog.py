"""The catalogue: counts that are true, and help where a file is not here."""

from __future__ import annotations

import gzip
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import pulink
from pulink.data import catalog
from pulink.data.generated import sized_graph
from pulink.errors import InputError, UnknownNameError

PAPER = {"pubmed", "cora-full", "chameleon", "crocodile", "facebook", "physics", "ogbn-arxiv"}
LARGE = {name for name, entry in catalog.datasets().items() if entry.edges > 200_000}


@pytest.fixture
def data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PULINK_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n in LARGE else ()) for n in catalog.datasets()]
)
def test_a_dataset_has_the_counts_of_its_entry(name: str) -> None:
    entry = catalog.datasets()[name]
    if not entry.available:
        pytest.skip(f"{entry.file} is not in PULINK_DATA ({os.environ.get('PULINK_DATA', 'not set')})")
    graph = pulink.load(name)
    assert (graph.n_nodes, graph.n_edges, graph.n_features) == (entry.nodes, entry.edges, entry.features or 0)
    assert not any("checksum" in note for note in graph.cleaning.notes)


def test_the_papers_seven_are_there_with_its_counts() -> None:
    entries = catalog.datasets()
    assert {name for name, entry in entries.items() if entry.paper} == PAPER
    for name in PAPER:
        paper = entries[name].paper
        assert paper is not None
        assert entries[name].nodes == paper[0]


def test_every_entry_says_where_it_comes_from() -> None:
    for entry in catalog.datasets().values():
        assert entry.title
        assert entry.licence
        assert entry.source in {"ships with pulink", "generated"} or entry.source.startswith("https://")


def test_the_sample_is_one_connected_graph_with_readable_names() -> None:
    graph = pulink.load("sample")
    n_components, _ = sp.csgraph.connected_components(pulink.to_scipy(graph), directed=False)
    assert n_components == 1
    assert graph.has_edges(np.array([graph.names.index_of(["python3-numpy", "python3-scipy"])])).all()
    assert graph.feature_names is not None
    assert "section=science" in graph.feature_names


def test_an_unknown_name_is_guessed() -> None:
    with pytest.raises(UnknownNameError, match=r"unknown dataset 'chamelon'. Did you mean 'chameleon'\?"):
        pulink.load("chamelon")


def test_a_dataset_that_is_not_here_says_how_to_get_it(data_folder: Path) -> None:
    place = data_folder
    with pytest.raises(InputError) as caught:
        pulink.load("physics")
    assert "https://github.com/shchur/gnn-benchmark" in str(caught.value)
    assert f"pulink.write_npz(pulink.from_pyg(Coauthor(root, 'Physics')[0]), \"{place / 'physics.npz'}\")" in str(
        caught.value
    )
    with pytest.raises(InputError) as caught:
        pulink.load("cora-full")
    assert f"put it at {place / 'cora.npz'}" in str(caught.value)


def test_pulink_data_comes_before_the_cache_and_may_name_several_folders(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = data_folder.parent / "other"
    cache = data_folder.parent / "cache" / "pulink" / "data"
    small = pulink.Graph.from_edges([[0, 1]])
    for folder in (other, cache):
        folder.mkdir(parents=True)
        pulink.write_npz(small, folder / "seal_usair.npz")
    entry = catalog.datasets()["usair"]
    assert entry.path() == cache / "seal_usair.npz"
    monkeypatch.setenv("PULINK_DATA", f"{data_folder}{os.pathsep}{other}")
    assert entry.path() == other / "seal_usair.npz"
    assert "checksum differs" in str(pulink.load("usair").cleaning)


def test_cora_full_as_it_is_published(data_folder: Path) -> None:
    adjacency = sp.csr_matrix(np.array([[0, 1, 0], [0, 1, 1], [0, 0, 0]], dtype=np.float32))
    words = sp.csr_matrix(np.array([[0, 3.0], [0.5, 0], [0, 0]], dtype=np.float32))
    parts = {
        f"{prefix}_{part}": getattr(matrix, part)
        for prefix, matrix in (("adj", adjacency), ("attr", words))
        for part in ("data", "indices", "indptr", "shape")
    }
    # The published file keeps its names as pickled objects.
    names = np.array({0: "a paper"}, dtype=object)
    np.savez(data_folder / "cora.npz", **parts, labels=np.zeros(3), idx_to_node=names)
    graph = pulink.load("cora-full")
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    assert graph.features is not None
    assert graph.features.toarray().tolist() == [[0, 1], [1, 0], [0, 0]]
    assert graph.cleaning.n_loops == 1


def write_arxiv(folder: Path, **changes: bytes) -> None:
    members = {
        "edge.csv.gz": gzip.compress(b"0,1\n2,1\n1,0\n"),
        "node-feat.csv.gz": gzip.compress(b"0.5,-1\n0,1\n1e-3,2\n0,0\n"),
        "num-node-list.csv.gz": gzip.compress(b"4\n"),
        "num-edge-list.csv.gz": gzip.compress(b"3\n"),
    }
    with zipfile.ZipFile(folder / "arxiv.zip", "w") as archive:
        for name, content in (members | changes).items():
            archive.writestr(f"arxiv/raw/{name}", content)


def test_ogbn_arxiv_as_it_is_published(data_folder: Path) -> None:
    write_arxiv(data_folder)
    graph = pulink.load("ogbn-arxiv")
    assert graph.n_nodes == 4
    assert graph.edges.tolist() == [[0, 1], [1, 2]]
    np.testing.assert_allclose(graph.features, [[0.5, -1], [0, 1], [1e-3, 2], [0, 0]])
    with zipfile.ZipFile(data_folder / "arxiv.zip") as archive:
        archive.extractall(data_folder)
    (data_folder / "arxiv.zip").unlink()
    assert pulink.load("ogbn-arxiv").edges.tolist() == graph.edges.tolist()


def test_a_damaged_ogbn_arxiv_is_refused(data_folder: Path) -> None:
    write_arxiv(data_folder, **{"edge.csv.gz": gzip.compress(b"0,x\n")})
    with pytest.raises(InputError, match=r"raw/edge.csv.gz cannot be read"):
        pulink.load("ogbn-arxiv")
    packed = bytearray(gzip.compress(b"0,1\n" * 100))
    packed[14] ^= 255
    write_arxiv(data_folder, **{"edge.csv.gz": bytes(packed)})
    with pytest.raises(InputError, match=r"raw/edge.csv.gz: not a whole gzip file"):
        pulink.load("ogbn-arxiv")
    (data_folder / "arxiv.zip").write_bytes(b"not a zip")
    with pytest.raises(InputError, match="cannot be read as a zip archive"):
        pulink.load("ogbn-arxiv")
    (data_folder / "arxiv.zip").unlink()
    (data_folder / "arxiv").mkdir()
    with pytest.raises(InputError, match=r"has no file raw/edge.csv.gz"):
        pulink.load("ogbn-arxiv")


def test_options_choose_another_version_of_a_dataset(data_folder: Path) -> None:
    rows = np.array([[0, 1, 2, 3, 3], [1, 0, 1, 3, 0]], dtype=np.int32)
    words = sp.csr_array(np.array([[0.5, 0.0], [2.0, 1.0], [0.0, 0.0], [0.0, 3.0]], dtype=np.float32))
    parts = {"x_data": words.data, "x_indices": words.indices, "x_indptr": words.indptr}
    for file in ("chameleon.npz", "pubmed.npz"):
        np.savez(
            data_folder / file, num_nodes=np.array(4), edge_index=rows, x_shape=np.array(words.shape), **parts
        )
    assert pulink.load("chameleon").edges.tolist() == [[0, 1], [0, 3], [1, 2]]
    assert pulink.load("chameleon+upper").edges.tolist() == [[0, 1]]
    assert catalog.stored_loops("chameleon+upper").tolist() == [3]
    binary = pulink.load("pubmed+binary").features
    assert sp.issparse(binary)
    assert binary.toarray().tolist() == [[1, 0], [1, 1], [0, 0], [0, 1]]


def test_an_unknown_or_pointless_option_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="option of dataset pubmed"):
        pulink.load("pubmed+bynary")
    with pytest.raises(InputError, match="has no option 'upper'"):
        pulink.load("pubmed+upper")


def test_the_generated_graph_is_the_same_every_time() -> None:
    first, second = (sized_graph(500, 300, 3, seed=1) for _ in range(2))
    assert (first.n_edges, first.n_nodes, first.n_features) == (500, 300, 3)
    assert np.array_equal(first.edges, second.edges)
    assert first.degrees.max() > 4 * first.degrees.mean()
