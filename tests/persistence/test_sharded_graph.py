"""Graph folders: parts of them are what the whole graph has there, and what was changed is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import load_file

from pulink.distributed.group.own_rows import own_rows, own_rows_of, shards_of
from pulink.distributed.group.shards import Shards
from pulink.errors import InputError
from pulink.graph.graph import Graph
from pulink.persistence import sharded_graph
from pulink.persistence.array_file import ArrayFile
from pulink.persistence.sharded_graph import ShardedGraph
from tests.support.adjacencies import random_pairs
from tests.support.graph_folders import graph_folder
from tests.support.planted import planted_graph

N = 57
RANGES = [0, 10, 10, 31, 56, 57]


def a_graph(*, weighted: bool = True, named: bool = True, featured: bool = True) -> Graph:
    edges = random_pairs(N, 0.15, seed=3)
    draws = np.random.default_rng(5)
    return Graph.from_edges(
        edges,
        N,
        weights=draws.random(len(edges)).astype(np.float32) + 0.1 if weighted else None,
        names=sorted(["ä", "z" * 300, "日本", *(f"node {k}" for k in range(N - 3))], key=str.encode)
        if named
        else None,
        features=draws.random((N, 3), dtype=np.float32) if featured else None,
    )


@pytest.mark.parametrize(("weighted", "named", "featured"), [(True, True, True), (False, False, False)])
def test_any_part_of_a_folder_is_that_part_of_the_graph(
    tmp_path: Path, weighted: bool, named: bool, featured: bool
) -> None:
    graph = a_graph(weighted=weighted, named=named, featured=featured)
    graph_folder(graph, tmp_path, RANGES)
    found = ShardedGraph.open(tmp_path, verify=True)
    assert (found.n_nodes, found.n_edges, found.weighted) == (N, graph.n_edges, weighted)
    assert found.n_features == graph.n_features
    if graph.weights is not None:
        assert found.mean_weight == pytest.approx(float(graph.weights.mean()))
    adjacency = graph.adjacency
    for first, end in [(0, N), (0, 0), (9, 11), (10, 31), (12, 57), (30, 31), (N, N), (0, 56)]:
        indptr, indices, weights = found.rows(first, end)
        low, high = adjacency.indptr[first], adjacency.indptr[end]
        np.testing.assert_array_equal(indptr, np.asarray(adjacency.indptr[first : end + 1]) - low)
        np.testing.assert_array_equal(indices, adjacency.indices[low:high])
        assert (weights is None) == (adjacency.values is None)
        if weights is not None and adjacency.values is not None:
            np.testing.assert_array_equal(weights, adjacency.values[low:high])
        np.testing.assert_array_equal(found.degrees(first, end), graph.degrees[first:end])
        features = found.features(first, end)
        assert (features is None) == (graph.features is None)
        if features is not None:
            np.testing.assert_array_equal(features, graph.features[first:end])
    np.testing.assert_array_equal(
        found.neighbours(33), adjacency.indices[adjacency.indptr[33] :][: graph.degrees[33]]
    )


@pytest.mark.parametrize("named", [True, False])
def test_names_are_found_both_ways(tmp_path: Path, named: bool) -> None:
    graph = a_graph(named=named)
    found = graph_folder(graph, tmp_path, RANGES)
    nodes = np.random.default_rng(1).permutation(N)
    names = found.names(nodes)
    assert names == [graph.names[int(node)] for node in nodes]
    np.testing.assert_array_equal(found.numbers(names), nodes)


@pytest.mark.parametrize("name", ["nodo 3", "", "\udcff", "01", "57", 3])
def test_an_unknown_name_is_refused_as_a_graph_does(tmp_path: Path, name: object) -> None:
    for named in (True, False):
        graph = a_graph(named=named)
        found = graph_folder(graph, tmp_path / str(named), RANGES)
        with pytest.raises(InputError) as expected:
            graph.names.index_of([name])
        with pytest.raises(InputError) as error:
            found.numbers([name])  # type: ignore[list-item]
        assert str(error.value) == str(expected.value)


def test_what_a_worker_owns_and_the_shards_are_those_of_the_graph(tmp_path: Path) -> None:
    graph = a_graph()
    found = graph_folder(graph, tmp_path, RANGES)
    shards = Shards.of_degrees(graph.degrees)
    np.testing.assert_array_equal(shards_of(found).bounds, shards.bounds)
    for rank in range(4):
        mine, expected = (
            function(source, shards, shards.of_worker(rank, 4))  # type: ignore[operator]
            for function, source in ((own_rows_of, found), (own_rows, graph))
        )
        for name in ("indptr", "indices", "weights", "features"):
            np.testing.assert_array_equal(getattr(mine, name), getattr(expected, name))
        assert (mine.n_edges, mine.first, mine.n_rows) == (expected.n_edges, expected.first, expected.n_rows)


@pytest.mark.parametrize("n_nodes", [1, 255, 256, 257, 3_000])
def test_shards_of_a_folder_are_those_of_its_degrees(tmp_path: Path, n_nodes: int) -> None:
    ends = np.random.default_rng(n_nodes).integers(0, n_nodes, (4 * n_nodes, 2)) ** 2 // n_nodes
    graph = Graph.from_edges(ends, n_nodes)
    ranges = sorted({0, n_nodes // 7, n_nodes // 3, n_nodes})
    found = graph_folder(graph, tmp_path, ranges)
    np.testing.assert_array_equal(shards_of(found).bounds, Shards.of_degrees(graph.degrees).bounds)


def test_the_files_are_plain_safetensors(tmp_path: Path) -> None:
    graph = a_graph()
    graph_folder(graph, tmp_path, [0, N])
    rows = load_file(tmp_path / "rows-00000.safetensors")
    np.testing.assert_array_equal(rows["indices"], graph.adjacency.indices)
    np.testing.assert_array_equal(load_file(tmp_path / "features-00000.safetensors")["features"], graph.features)


def _cut(folder: Path) -> None:
    path = folder / "rows-00002.safetensors"
    path.write_bytes(path.read_bytes()[:-4])


def _missing(folder: Path) -> None:
    (folder / "names-00003.safetensors").unlink()


def _unsealed(folder: Path) -> None:
    (folder / "graph.json").unlink()


def _linked(folder: Path) -> None:
    path = folder / "rows-00002.safetensors"
    path.rename(folder.parent / "elsewhere")
    path.symlink_to(folder.parent / "elsewhere")


def _told(change: Callable[[dict[str, object]], object]) -> Callable[[Path], None]:
    def damage(folder: Path) -> None:
        told = json.loads((folder / "graph.json").read_text())
        change(told)
        (folder / "graph.json").write_text(json.dumps(told))

    return damage


@pytest.mark.parametrize(
    "damage",
    [
        _cut,
        _missing,
        _unsealed,
        _linked,
        _told(lambda told: told.update(format=2)),
        _told(lambda told: told.update(n_nodes=10**12)),
        _told(lambda told: told.update(ranges=[0, 57])),
        _told(lambda told: told.update(ranges=[0, 31, 10, 31, 56, 57])),
        _told(lambda told: told.update(n_edges=True)),
        _told(lambda told: told.update(weighted=False)),
        _told(lambda told: told.update(names="../../x")),
        _told(lambda told: told.update(ends=["a"])),
        _told(lambda told: told.update(features={"n_columns": 4, "names": ["a"]})),
        _told(lambda told: told.update(files={"../../etc/passwd": {"bytes": 1, "sha256": ""}})),
        _told(lambda told: told.clear()),
    ],
)
def test_a_folder_that_is_not_whole_is_refused_in_one_line(tmp_path: Path, damage: Callable[[Path], None]) -> None:
    folder = tmp_path / "graph"
    graph_folder(a_graph(), folder, RANGES)
    damage(folder)
    with pytest.raises(InputError) as error:
        ShardedGraph.open(folder)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("array", "place", "value", "read"),
    [
        ("indices", 7, 57, "rows"),
        ("indices", 7, -1, "rows"),
        ("indices", 8, 0, "rows"),
        ("weights", 3, np.nan, "rows"),
        ("weights", 3, -1.0, "rows"),
        ("indptr", 4, 10_000, "degrees"),
        ("indptr", 4, 0, "degrees"),
        ("indptr", 0, 1, "degrees"),
        ("features", (2, 1), np.inf, "features"),
    ],
)
def test_cells_that_were_changed_never_reach_a_kernel(
    tmp_path: Path, array: str, place: int, value: float, read: str
) -> None:
    graph_folder(a_graph(), tmp_path, RANGES)
    name = f"{'features' if array == 'features' else 'rows'}-00002.safetensors"
    with ArrayFile(tmp_path / name) as file:
        cells = file.read(array)
        begin = file._places[array].offset
    cells[place] = value
    content = bytearray((tmp_path / name).read_bytes())
    content[begin : begin + cells.nbytes] = cells.tobytes()
    (tmp_path / name).write_bytes(content)
    found = ShardedGraph.open(tmp_path)
    with pytest.raises(InputError, match="damaged"):
        getattr(found, read)(0, N)
    with pytest.raises(InputError, match="checksum"):
        ShardedGraph.open(tmp_path, verify=True)


def test_a_damaged_file_of_names_reads_nothing_outside_of_it(tmp_path: Path) -> None:
    graph_folder(a_graph(), tmp_path, RANGES)
    path = tmp_path / "names-00002.safetensors"
    with ArrayFile(path) as file:
        starts = file.read("starts")
        begin = file._places["starts"].offset
    starts[3] = 2**62
    content = bytearray(path.read_bytes())
    content[begin : begin + starts.nbytes] = starts.tobytes()
    path.write_bytes(content)
    found = ShardedGraph.open(tmp_path)
    for node in (12, 13):
        with pytest.raises(InputError, match="damaged"):
            found.names([node])


def test_pairs_are_looked_up_in_rows_of_any_range(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = planted_graph(25, 3, 0.5, 0.03, seed=0)
    folder = graph_folder(graph, tmp_path / "graph", [0, 31, 50, graph.n_nodes])
    monkeypatch.setattr(sharded_graph, "_LOOKED_AT", 7)
    pairs = np.random.default_rng(0).integers(0, graph.n_nodes, (500, 2))
    pairs = pairs[pairs[:, 0] != pairs[:, 1]]
    np.testing.assert_array_equal(folder.are_connected(pairs), graph.has_edges(pairs))
    assert not len(folder.are_connected(pairs[:0]))
