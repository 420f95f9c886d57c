"""The .npz layout: there and back, and nothing unpickled."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import pulink
from pulink.data.formats.arrays.npz import read_npz
from pulink.errors import InputError

EDGES = np.array([[0, 1], [1, 2]], dtype=np.int32)


@pytest.mark.parametrize("features", [None, np.eye(4, 3), sp.csr_array(np.eye(4, 3))])
def test_there_and_back(tmp_path: Path, features: object) -> None:
    graph = pulink.Graph.from_edges([[0, 1], [1, 3]], n_nodes=4, features=features)
    pulink.write_npz(graph, tmp_path / "g.npz")
    back = read_npz(tmp_path / "g.npz")
    assert back.edges.tolist() == graph.edges.tolist()
    assert back.n_nodes == 4
    assert type(back.features) is type(graph.features)
    if features is not None:
        np.testing.assert_array_equal(sp.csr_array(back.features).toarray(), np.eye(4, 3))


def test_edges_stand_as_the_source_lists_them(tmp_path: Path) -> None:
    np.savez(tmp_path / "g.npz", num_nodes=3, edge_index=np.array([[1, 0, 2, 0], [0, 1, 2, 1]]), y=np.zeros(3))
    graph = read_npz(tmp_path / "g.npz")
    assert graph.edges.tolist() == [[0, 1]]
    assert str(graph.cleaning) == "1 duplicate merged, 1 reversed duplicate merged, 1 self-loop dropped"


@pytest.mark.parametrize(
    ("arrays", "message"),
    [
        ({"edge_index": EDGES}, "has no array 'num_nodes'; it holds edge_index"),
        ({"num_nodes": 3}, "has no array 'edge_index'"),
        ({"num_nodes": 3, "edge_index": EDGES[0]}, r"must be 2 x E, got \(2,\)"),
        ({"num_nodes": 2, "edge_index": EDGES}, r"edge \(1, 2\) names a node outside 0 \.\. 1"),
        ({"num_nodes": [3, 3], "edge_index": EDGES}, "num_nodes must be one whole number"),
        ({"num_nodes": -1, "edge_index": EDGES[:, :0]}, "at least 0"),
        ({"num_nodes": 3, "edge_index": EDGES * 1.0}, "whole node numbers"),
        ({"num_nodes": 3, "edge_index": EDGES.astype(object)}, "it holds Python objects"),
        ({"num_nodes": 3, "edge_index": EDGES, "y": np.array([{}])}, "it holds Python objects"),
        ({"num_nodes": 3, "edge_index": EDGES, "x": np.ones((2, 2))}, "features have 2 rows"),
        ({"num_nodes": 3, "edge_index": EDGES, "x": np.full((3, 1), np.nan)}, "NaN"),
        ({"num_nodes": 3, "edge_index": EDGES, "x": np.array([["a"]] * 3)}, "x must hold numbers"),
        ({"num_nodes": 3, "edge_index": EDGES, "x_data": np.ones(1)}, "has no array 'x_indices'"),
        (
            {
                "num_nodes": 3,
                "edge_index": EDGES,
                "x_data": np.ones(1),
                "x_indices": np.array([9]),
                "x_indptr": np.array([0, 1, 1, 1]),
                "x_shape": np.array([3, 2]),
            },
            r"x_\* is not a sparse matrix",
        ),
    ],
)
def test_what_is_no_graph_is_refused(tmp_path: Path, arrays: dict[str, np.ndarray], message: str) -> None:
    path = tmp_path / "g.npz"
    np.savez(path, **arrays)  # type: ignore[arg-type]
    with pytest.raises(InputError, match=message) as caught:
        read_npz(path)
    assert str(caught.value).startswith(str(path))


def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "g.npz"
    np.savez(path, num_nodes=3, edge_index=np.arange(2000).reshape(2, -1))
    whole = path.read_bytes()
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 255
    for damaged in (whole[:-30], whole[:100], b"", b"a,b\n", bytes(flipped)):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"is not a whole .npz file|cannot be read as .npz"):
            read_npz(path)
