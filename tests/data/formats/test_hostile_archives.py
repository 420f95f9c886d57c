"""gzip and .npz files that unpack to far more than they are, lie about themselves, or hold more than numbers."""

from __future__ import annotations

import base64
import gzip
import io
import struct
import sys
import time
import zipfile
import zlib
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp

import pulink
from pulink.data.formats import sources
from pulink.data.formats.arrays import npz_members
from pulink.errors import InputError
from pulink.system.memory import peak_bytes, reset_peak
from tests.conftest import Write
from tests.support.hostile import EDGES, refused

PAIRS = np.array([[0, 1], [1, 2]])
GRAPH = {"num_nodes": np.array(3), "edge_index": PAIRS}


def npy(header: str, body: bytes = b"") -> bytes:
    text = header.encode() + b"\n"
    return b"\x93NUMPY\x01\x00" + struct.pack("<H", len(text)) + text + body


def plain(array: object) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, np.asarray(array), allow_pickle=True)
    return buffer.getvalue()


def archive(path: Path, packing: int = zipfile.ZIP_DEFLATED, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", packing) as file:
        for name, content in members.items():
            file.writestr(f"{name}.npy", content)
    return path


@pytest.mark.parametrize("ending", ["csv", "graphml"])
@pytest.mark.parametrize("filling", [b"\0", b"a,b\n", b"\n"])
def test_a_gzip_bomb_is_refused_while_it_is_unpacked(write: Write, ending: str, filling: bytes) -> None:
    bomb = gzip.compress(filling * (10_000_000 // len(filling))) * 60
    path = write(f"bomb.{ending}.gz", bomb)
    reset_peak()
    before = peak_bytes()
    refused("unpacks to more than [67] MB, as a decompression bomb does .allowed are 6 MB and 15 times", path)
    assert peak_bytes() - before < 150_000_000


def test_a_gzip_bomb_that_claims_to_be_small_is_refused(write: Write) -> None:
    bomb = bytearray(gzip.compress(b"a,b\n" * 12_000_000))
    bomb[-4:] = (8).to_bytes(4, "little")
    refused("decompression bomb", write("edges.csv.gz", bytes(bomb)))


def test_a_bomb_inside_gzip_is_not_unpacked_by_others(write: Write) -> None:
    bomb = b"a,b\n" * 10_000_000
    refused("is gzipped twice; unpack it first", write("edges.csv.gz", gzip.compress(gzip.compress(bomb))))
    refused("is not text|line 1: not UTF-8", write("edges.csv.gz", gzip.compress(zlib.compress(bomb))))
    refused("is not text|line 1: not UTF-8", write("edges.csv", zlib.compress(bomb)))
    assert pulink.read(write("edges.csv", "x\x01,b\nb,c\n")).names.series().to_list() == ["b", "c", "x\x01"]


def test_what_is_packed_well_but_small_is_read(write: Write) -> None:
    rows = "source,target\n" + "a,b\nb,c\n" * 500_000
    assert pulink.read(write("edges.csv.gz", gzip.compress(rows.encode()))).n_edges == 2


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (gzip.compress(b"a,b\n" * 1_000)[:-5], "not a whole gzip file .it ends too early"),
        (gzip.compress(b"a,b\n" * 1_000)[:30], "not a whole gzip file .it ends too early"),
        (gzip.compress(b"a,b\n") + b"garbage", "not a whole gzip file"),
        (b"\x1f\x8b" + b"\xff" * 100, "not a whole gzip file"),
        (gzip.compress(b"") * 20_000, "more than 1,[0-9]* parts in one file"),
    ],
    ids=["end missing", "most missing", "garbage after it", "only the magic bytes", "too many parts"],
)
def test_damaged_gzip_is_refused(write: Write, content: bytes, message: str) -> None:
    refused(message, write("edges.csv.gz", content))


def test_gzip_in_parts_and_with_padding_is_read(write: Write) -> None:
    parts = gzip.compress(b"a,b\n") + gzip.compress(b"b,c\n") + b"\0" * 1_000_000
    assert pulink.read(write("edges.csv.gz", parts)).n_edges == 2
    # A part whose last bytes come out only after all of it went in.
    assert sources.unpacked(gzip.compress(b"x" * (1 << 20)), "x") == b"x" * (1 << 20)


def test_standard_input_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "STANDARD_INPUT", 1_000_000)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"a,b\n" * 1_000_000)))
    with pytest.raises(InputError, match="standard input: more than 1 MB; save it as a file"):
        pulink.read("-")


@pytest.mark.parametrize("name", ["edge_index", "x"])
def test_an_npz_bomb_is_refused_while_it_is_unpacked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(npz_members, "FREE_ARRAYS", 1_000_000)
    np.savez_compressed(tmp_path / "bomb.npz", **GRAPH | {name: np.zeros((2, 2_000_000))})
    refused("unpacks to more than [23] MB, as a decompression bomb does", tmp_path / "bomb.npz")


def test_arrays_that_are_not_needed_are_not_unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz_members, "FREE_ARRAYS", 1_000_000)
    np.savez_compressed(tmp_path / "graph.npz", y=np.zeros(2_000_000), **GRAPH)
    assert pulink.read(tmp_path / "graph.npz").n_edges == 2


@pytest.mark.parametrize("name", ["edge_index", "num_nodes", "x", "y"])
def test_objects_are_never_unpickled(tmp_path: Path, name: str) -> None:
    class Alarm:
        def __reduce__(self) -> tuple[object, ...]:
            return (exec, (f"open({str(tmp_path / 'alarm')!r}, 'w')",))

    members = {key: plain(value) for key, value in GRAPH.items()} | {
        name: plain(np.array([Alarm()], dtype=object))
    }
    refused("it holds Python objects", archive(tmp_path / "graph.npz", **members))
    assert not (tmp_path / "alarm").exists()


@pytest.mark.parametrize(
    ("member", "message"),
    [
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 10**15)}"), "cannot be read|damaged"),
        (
            npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1000000000000)}", b"\0" * 80),
            "holds 80 bytes",
        ),
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1)}", b"\0" * 80), "holds more than 16 bytes"),
        (npy("{'descr': '<i8', 'fortran_order': False, 'shape': (2, -1)}", b"\0" * 16), "edge_index"),
        (npy("{'descr': '|S0', 'fortran_order': False, 'shape': (2, 9)}"), "edge_index"),
        (npy("(" * 5_000), "damaged header"),
        (npy("{'descr': '<i8',\n '''"), "damaged header"),
        (npy("{'descr': '<q9', 'fortran_order': False, 'shape': (2, 1)}"), "cannot be read"),
        (plain(PAIRS.astype("m8[s]")), "must hold whole node numbers, got timedelta64"),
        (plain(np.zeros((2, 2), dtype=[("a", "i4")])), "must hold whole node numbers"),
        (plain(np.array([[2**64 - 1], [0]], dtype=np.uint64)), "whole numbers below 2.63"),
        (b"hello", "cannot be read as .npz arrays"),
        (b"", "cannot be read as .npz arrays"),
    ],
)
def test_arrays_that_lie_are_refused(tmp_path: Path, member: bytes, message: str) -> None:
    refused(message, archive(tmp_path / "graph.npz", num_nodes=plain(3), edge_index=member))


@pytest.mark.parametrize("count", [-1, 3 * 10**8, 10**12])
def test_nodes_that_are_only_announced_are_refused(tmp_path: Path, count: int) -> None:
    np.savez(tmp_path / "graph.npz", **GRAPH | {"num_nodes": np.array(count)})
    refused("num_nodes is .*at least 0, and for 2 stored at most 10,000,020", tmp_path / "graph.npz")


@pytest.mark.parametrize("packing", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_other_packings_are_refused(tmp_path: Path, packing: int) -> None:
    path = archive(tmp_path / "graph.npz", packing, num_nodes=plain(3), edge_index=plain(np.zeros((2, 1_000_000))))
    refused("packed in a way that NumPy does not write", path)


def test_encrypted_members_and_endless_directories_are_refused(tmp_path: Path) -> None:
    path = archive(tmp_path / "graph.npz", **{key: plain(value) for key, value in GRAPH.items()})
    data = bytearray(path.read_bytes())
    for mark, flags in ((b"PK\x01\x02", 8), (b"PK\x03\x04", 6)):
        data[data.index(mark) + flags] |= 1
    path.write_bytes(bytes(data))
    refused("packed in a way that NumPy does not write", path)
    many = {f"a-name-that-is-rather-long-{k:06}-{'x' * 200}": b"" for k in range(9_000)}
    refused("a part of .* bytes where 2,097,152 are allowed", archive(tmp_path / "many.npz", 0, **many))


def test_old_headers_and_other_byte_orders_are_read(tmp_path: Path) -> None:
    old = npy("{'descr': '>i8', 'fortran_order': True, 'shape': (2L, 2L)}", PAIRS.T.astype(">i8").tobytes())
    graph = pulink.read(archive(tmp_path / "graph.npz", num_nodes=plain(3), edge_index=old))
    assert graph.edges.tolist() == [[0, 1], [1, 2]]


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"x_indices": np.array([2**32 + 1])}, "x_. is not a sparse matrix"),
        ({"x_indices": np.array([0.5])}, "x_. must hold whole numbers"),
        ({"x_shape": np.array([3, 10**15])}, "the number of columns is 1,000,000,000,000,000; it must be"),
        ({"x_shape": np.array([3.0, 2.0])}, "has no shape of two whole numbers"),
        ({"x_indptr": np.array([0, 9, 9, 9])}, "indptr must rise from 0 to at most 1"),
        ({"x_indptr": np.array([0, 1, 1, 0])}, "indptr must rise from 0 to at most 1"),
        ({"x_indptr": np.array([], dtype=int)}, "indptr must rise from 0 to at most 1"),
        ({"x_data": np.array([1j])}, "x_. must hold numbers, got complex128"),
        ({"x_data": np.array([np.inf])}, "x holds 1 infinite numbers, the first at row 0 column 1"),
    ],
)
def test_damaged_sparse_features_are_refused(tmp_path: Path, parts: dict[str, np.ndarray], message: str) -> None:
    whole = {
        "x_data": np.ones(1),
        "x_indices": np.array([1]),
        "x_indptr": np.array([0, 1, 1, 1]),
        "x_shape": np.array([3, 2]),
    }
    np.savez(tmp_path / "graph.npz", **GRAPH | whole | parts)
    refused(message, tmp_path / "graph.npz")


def test_dense_features_that_are_not_finite_are_counted_and_placed(tmp_path: Path) -> None:
    features = np.array([[1, np.nan], [1e300, 2], [np.nan, -np.inf]])
    np.savez(tmp_path / "graph.npz", x=features, **GRAPH)
    message = "x holds 2 NaN and 2 infinite numbers, the first at row 0 column 1, row 1 column 0, row 2 column 0 "
    refused(message, tmp_path / "graph.npz")


@pytest.mark.parametrize("kind", ["csr", "csc", "coo", "bsr", "dia"])
def test_every_kind_of_sparse_matrix_is_read(write: Write, tmp_path: Path, kind: str) -> None:
    dense = np.array([[1.0, 0], [0, 2], [3, 4]])
    sp.save_npz(tmp_path / "x.npz", sp.csr_array(dense).asformat(kind))
    graph = pulink.read(write("edges.csv", "0,1\n1,2\n"), tmp_path / "x.npz")
    np.testing.assert_array_equal(sp.csr_array(graph.features).toarray(), dense)


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"shape": np.array([10**12, 2])}, "the number of rows is 1,000,000,000,000"),
        ({"shape": np.array([3, 2, 2])}, "no shape of two whole numbers"),
        ({"row": np.array([7])}, "the matrix is damaged .*index 7|row index"),
        ({"row": np.array([-1])}, "the matrix is damaged .negative"),
        ({"format": np.array("zip")}, "has the format 'zip'; csr, csc, coo, bsr and dia are known"),
        ({"format": np.array([1, 2])}, "has the format None"),
        ({"data": np.array(["a"])}, "must hold numbers"),
        ({"data": np.array([1e30])}, r"x\.npz: features hold numbers beyond"),
    ],
)
def test_damaged_node_matrices_are_refused(
    write: Write, tmp_path: Path, parts: dict[str, np.ndarray], message: str
) -> None:
    whole = {"format": np.array(b"coo"), "shape": np.array([3, 2]), "data": np.ones(1)}
    whole |= {"row": np.array([0]), "col": np.array([0])}
    np.savez(tmp_path / "x.npz", **whole | parts)
    refused(message, write("edges.csv", "0,1\n1,2\n"), tmp_path / "x.npz")


def test_a_bomb_of_a_node_matrix_is_refused(write: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(npz_members, "FREE_ARRAYS", 1_000_000)
    whole = {"format": np.array(b"coo"), "shape": np.array([3, 2]), "data": np.zeros(2_000_000)}
    np.savez_compressed(tmp_path / "x.npz", **whole)
    refused("decompression bomb", write("edges.csv", EDGES), tmp_path / "x.npz")


@pytest.mark.parametrize(
    ("filling", "message"),
    [
        (b"a,\n", "line 3: column_2 is empty"),
        pytest.param(b"# \n", "unpacks to more than 10 MB that must be read line by line", marks=pytest.mark.slow),
        pytest.param(b'a, "b"\n', None, marks=pytest.mark.slow),
        (b"a,b\n", None),
    ],
)
def test_rows_that_pack_well_cost_little(write: Write, filling: bytes, message: str | None) -> None:
    noise = b"# " + base64.b64encode(np.random.default_rng(0).bytes(1_000_000)) + b"\n"
    packed = gzip.compress(noise + b"x,y\n" + filling * (19_000_000 // len(filling)))
    path = write("edges.csv.gz", packed)
    reset_peak()
    before, started = peak_bytes(), time.process_time()
    if message is None:
        assert pulink.read(path).n_edges == 2
    else:
        refused(message, path)
    assert time.process_time() - started < 5
    assert peak_bytes() - before < 1_000_000_000


def test_a_fault_is_named_before_line_by_line_is_too_much(write: Write) -> None:
    rows = b"a,b\n" * 1_000_000 + b"a,b,c\n" + b"a,b\n" * 500_000
    refused("line 1000001: 3 columns where line 1 has 2", write("edges.csv.gz", gzip.compress(rows)))


def test_an_edge_list_that_packs_ten_times_is_read(write: Write) -> None:
    ends = np.random.default_rng(0).integers(1_000, size=400_000).tolist()
    rows = "".join(f"a-rather-long-name-of-node-{end},another-name-b\n" for end in ends)
    packed = gzip.compress(rows.encode())
    assert 6_000_000 < len(rows) > 9 * len(packed)
    assert pulink.read(write("edges.csv.gz", packed)).n_edges == 1_000
