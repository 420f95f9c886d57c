"""Bytes that travel: messages, shared arrays, and the closed list of tasks."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

from pulink.distributed.group.job import GroupTask
from pulink.distributed.messages import described, receive, restored, send
from pulink.distributed.shared_file import mapped
from pulink.distributed.task import HOMES, named_object, task_at
from pulink.errors import ClusterError, InputError, OutputError, ParameterError, TooLargeError
from pulink.persistence.checkpoints import Checkpoint


def test_a_message_comes_as_it_went_and_half_a_one_is_none() -> None:
    stream = io.BytesIO()
    send(stream, {"task": "a", "n": 0.1}, b"\x00\xff" * 9)
    whole = stream.getvalue()
    assert receive(io.BytesIO(whole)) == ({"task": "a", "n": 0.1}, b"\x00\xff" * 9)
    for length in (0, 7, 20, len(whole) - 1):
        with pytest.raises(EOFError):
            receive(io.BytesIO(whole[:length]))


@pytest.mark.parametrize("dtype", ["<f8", "<f4", "<i8", "<i4", "<i2", "i1", "<u8", "<u4", "<u2", "u1", "?"])
def test_shared_arrays_are_mapped_as_they_were(dtype: str, tmp_path: Path) -> None:
    values = np.arange(12).reshape(3, 4).astype(dtype)
    arrays = {"values": values, "none": np.empty((0, 2), dtype), "flag": np.array([True])}
    path = tmp_path / "shared"
    path.write_bytes(Checkpoint({"word": "ä", "list": [1, None]}, arrays).to_bytes())
    found = mapped(path)
    assert found.plain == {"word": "ä", "list": [1, None]}
    for name, array in arrays.items():
        assert found.arrays[name].dtype == array.dtype
        assert found.arrays[name].shape == array.shape
        assert found.arrays[name].tobytes() == array.tobytes()
        assert not found.arrays[name].flags.writeable
        assert found.arrays[name].flags.aligned


@pytest.mark.parametrize(
    "error", [InputError("a"), TooLargeError("b"), OutputError("c"), ValueError("d"), MemoryError("e")], ids=repr
)
def test_errors_are_told_by_name_and_message(error: Exception) -> None:
    found = restored(described(error))
    assert type(found) is type(error)
    assert str(found) == str(error)


@pytest.mark.parametrize("name", ["print", "KeyboardInterrupt", "difflib", "_Odd", "Iterable"])
def test_other_names_are_no_errors(name: str) -> None:
    found = restored({"error": name, "message": "words"})
    assert type(found) is ClusterError
    assert str(found) == f"a piece of the work failed: {name}: words"


def test_every_home_has_tasks_and_nothing_else_can_be_asked_for() -> None:
    of_pull_plus = (("TRAIN", "FOLD"), ("VIEW",), ("SCORES", "FAR"))
    of_parts = (("SURVEY", "READ", "CUT", "HALVES"), ("NUMBER", "ROWS"), ("SPREAD", "FEATURES"))
    for home, names in zip(HOMES, (*of_pull_plus, *of_parts, ("RUN",), ("RANK",)), strict=False):
        for name in names:
            assert task_at(f"{home}:{name}").address == f"{home}:{name}"
    for home in ("pulink.methods.pull.sharded.training", "pulink.methods.baselines.gnn.sharded_epochs"):
        assert home in HOMES
        for name in ("TRAIN", "FIND"):
            assert named_object(f"{home}:{name}", GroupTask).address == f"{home}:{name}"
    for address in ("os:system", f"{HOMES[0]}:gather", f"{HOMES[0]}:", "pulink.errors:TRAIN", ""):
        with pytest.raises(ParameterError, match="there is no task"):
            task_at(address)
