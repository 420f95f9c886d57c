"""Checkpoints of groups: everybody reads the pieces that hold its rows, whatever the number of workers was."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from pulink.distributed.group.checkpoints import PAIRS, ROWS, GroupCheckpoints, read_pieces
from pulink.distributed.group.own_rows import OwnRows, own_rows
from pulink.distributed.group.shards import Shards
from pulink.graph.graph import Graph

N = 600
GRAPH = Graph.from_edges(np.stack([np.arange(N - 1), np.arange(1, N)], axis=1), N)
SHARDS = Shards.of_degrees(GRAPH.degrees)
VALUES = np.arange(N, dtype=np.float32)[:, None]
PAIR_ROWS = np.stack([np.arange(N), np.full(N, 7)], axis=1)


def rows_of(rank: int, size: int) -> OwnRows:
    return own_rows(GRAPH, SHARDS, SHARDS.of_worker(rank, size))


def keep_as(size: int, folder: Path) -> None:
    """As that many workers would; the first one last, which names them all."""
    ranges = [np.array(SHARDS.rows_of_worker(rank, size)) for rank in range(size)]
    for rank in reversed(range(size)):
        first, end = ranges[rank]
        group: Any = SimpleNamespace(rank=rank, size=size, gathered=lambda _: ranges)
        arrays = {f"{ROWS}z": VALUES[first:end], f"{PAIRS}0": PAIR_ROWS[first:end], "bias": np.ones(3)}
        GroupCheckpoints(folder, group, rows_of(rank, size)).save("standing", {"epoch": 4}, arrays)


@pytest.mark.parametrize("size", [1, 2, 4])
def test_any_number_of_workers_goes_on_with_the_pieces_of_four(size: int, tmp_path: Path) -> None:
    keep_as(4, tmp_path)
    for rank in range(size):
        rows = rows_of(rank, size)
        found = read_pieces(tmp_path, "standing", rows)
        assert found is not None
        assert found.plain == {"epoch": 4}
        own = slice(rows.first, rows.first + rows.n_rows)
        np.testing.assert_array_equal(found.arrays[f"{ROWS}z"], VALUES[own])
        np.testing.assert_array_equal(found.arrays[f"{PAIRS}0"], PAIR_ROWS[own])
        np.testing.assert_array_equal(found.arrays["bias"], np.ones(3))


def test_pieces_without_own_rows_are_not_read(tmp_path: Path) -> None:
    keep_as(4, tmp_path)
    (tmp_path / "standing-1-3.piece").unlink()
    assert read_pieces(tmp_path, "standing", rows_of(0, 2)) is not None
    assert read_pieces(tmp_path, "standing", rows_of(1, 2)) is None


def test_who_has_no_rows_knows_how_far_the_others_were(tmp_path: Path) -> None:
    keep_as(4, tmp_path)
    nobody = own_rows(GRAPH, SHARDS, range(256, 256))
    found = read_pieces(tmp_path, "standing", nobody)
    assert found is not None
    assert found.plain == {"epoch": 4}
    assert found.arrays[f"{ROWS}z"].shape == (0, 1)


@pytest.mark.parametrize("content", [b"", b"{}", b'{"number": 1, "rows": 3}', b'{"number": 1, "n_workers": 4}'])
def test_a_damaged_list_of_pieces_is_none(content: bytes, tmp_path: Path) -> None:
    keep_as(2, tmp_path)
    (tmp_path / "standing.json").write_bytes(content)
    assert read_pieces(tmp_path, "standing", rows_of(0, 2)) is None
