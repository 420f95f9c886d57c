"""FitCheckpoints of work on the disk: whatever was done to one, it is taken whole or made again."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from pulink.persistence.checkpoints import FINISHED, Checkpoint, Checkpoints, FitCheckpoints

PIECE = Checkpoint({"text": "x", "number": 3}, {"a": np.arange(4.0)})


def kept(folder: Path) -> Path:
    Checkpoints(folder).of("key").save("loop", lambda: PIECE)
    return folder / "key" / "loop.piece"


def test_a_piece_comes_back_as_it_was(tmp_path: Path) -> None:
    kept(tmp_path)
    found = Checkpoints(tmp_path).of("key").load("loop")
    assert found is not None
    assert (found.plain["text"], found.plain["number"]) == ("x", 3)
    assert np.array_equal(found.arrays["a"], np.arange(4.0))


def test_no_flipped_bit_is_taken_and_none_raises(tmp_path: Path) -> None:
    path = kept(tmp_path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        for bit in (0, 7):
            damaged = bytearray(whole)
            damaged[place] ^= 1 << bit
            path.write_bytes(damaged)
            assert Checkpoints(tmp_path).of("key").load("loop") is None


@pytest.mark.parametrize("length", [0, 1, 31, 32, 39, 40, 41, 60])
def test_no_piece_that_was_cut_short_is_taken(tmp_path: Path, length: int) -> None:
    path = kept(tmp_path)
    path.write_bytes(path.read_bytes()[:length])
    assert Checkpoints(tmp_path).of("key").load("loop") is None


def test_what_is_finished_makes_loops_needless_but_nothing_that_is_finished(tmp_path: Path) -> None:
    checkpoints = Checkpoints(tmp_path).of("key")
    checkpoints.save("loop", lambda: PIECE)
    checkpoints.finish(f"{FINISHED}gcn-ce@pull", PIECE)
    checkpoints.save("loop", lambda: PIECE)
    checkpoints.finish(f"{FINISHED}gcn-ce@pull-no-lc", PIECE)
    left = sorted(path.stem for path in (tmp_path / "key").iterdir())
    assert left == [f"{FINISHED}gcn-ce@pull", f"{FINISHED}gcn-ce@pull-no-lc"]


def test_whether_anything_is_kept_is_known(tmp_path: Path) -> None:
    first = Checkpoints(tmp_path)
    checkpoints = first.of("key")
    assert not first.holds_something
    checkpoints.save("loop", lambda: PIECE)
    assert first.holds_something
    again = Checkpoints(tmp_path)
    again.of("key")
    assert again.holds_something
    (tmp_path / "file").write_text("")
    blocked = Checkpoints(tmp_path / "file")
    blocked.of("key").save("loop", lambda: PIECE)
    assert not blocked.holds_something


@pytest.mark.parametrize("kind", ["link", "pipe", "folder", "hole"])
def test_only_a_file_of_sane_size_is_taken(tmp_path: Path, kind: str) -> None:
    path = kept(tmp_path)
    path.rename(tmp_path / "elsewhere")
    if kind == "hole":
        path.touch()
        os.truncate(path, 1 << 42)
    else:
        {"link": lambda: path.symlink_to(tmp_path / "elsewhere"), "pipe": lambda: os.mkfifo(path)}.get(
            kind, path.mkdir
        )()
    checkpoints = Checkpoints(tmp_path).of("key")
    assert checkpoints.seconds_before == 0
    assert checkpoints.load("loop") is None


@pytest.mark.parametrize("clock", [[float("nan"), 0], [float("inf"), 1], [-5, 1], [1e300, 1], ["x", 1], [1], None])
def test_a_clock_that_cannot_be_is_not_believed(tmp_path: Path, clock: Any) -> None:
    from pulink.persistence import checkpoints

    path = kept(tmp_path)
    path.write_bytes(checkpoints.sealed_bytes(Checkpoint({}), clock))
    assert Checkpoints(tmp_path).of("key").seconds_before == 0


def test_a_piece_that_is_of_no_use_is_made_again(tmp_path: Path) -> None:
    def second(checkpoint: Checkpoint) -> Any:
        return checkpoint.plain["numbers"][1]

    checkpoints: FitCheckpoints = Checkpoints(tmp_path).of("key")
    for numbers in ({}, [1], "x", 3, None):
        checkpoints.save("loop", lambda numbers=numbers: Checkpoint({"numbers": numbers}))  # type: ignore[misc]
        assert checkpoints.resumed("loop", second) is None
        assert checkpoints.remember("loop", lambda: Checkpoint({"numbers": [1, 2]}), second) == 2
        assert checkpoints.resumed("loop", second) == 2


def test_want_of_memory_is_no_fault_of_a_piece(tmp_path: Path) -> None:
    def dear(_: Checkpoint) -> None:
        raise MemoryError

    kept(tmp_path)
    with pytest.raises(MemoryError):
        Checkpoints(tmp_path).of("key").resumed("loop", dear)
