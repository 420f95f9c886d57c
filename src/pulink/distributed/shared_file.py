"""Checkpoints in files that several processes map into their memory, which holds each once for all of them."""

from __future__ import annotations

import json
import mmap
import shutil
import tempfile
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.distributed.task import Shared
from pulink.persistence.checkpoints import Arrays, Checkpoint

_TYPES = {
    "F64": np.float64, "F32": np.float32, "I64": np.int64, "I32": np.int32, "I16": np.int16, "I8": np.int8,
    "U64": np.uint64, "U32": np.uint32, "U16": np.uint16, "U8": np.uint8, "BOOL": np.bool_,
}  # fmt: skip


class SharedFiles:
    """What pieces of work have in common, each in a file of a folder of this user's own.

    forget  told of a file once nobody needs its values any more; it is removed
    """

    def __init__(self, forget: Callable[[Path], object] = lambda _: None) -> None:
        # Only for this user.
        self.folder = Path(tempfile.mkdtemp(prefix="pulink-cluster-"))
        self._files: weakref.WeakKeyDictionary[Shared, Path] = weakref.WeakKeyDictionary()
        self._n_files, self._forget = 0, forget

    def file_of(self, shared: Shared) -> Path:
        """It is there as long as the values are."""
        if (known := self._files.get(shared)) is not None:
            return known
        path = self.folder / f"shared-{self._n_files}"
        self._n_files += 1
        path.write_bytes(shared.packed().to_bytes())
        self._files[shared] = path
        weakref.finalize(shared, self._remove, path)
        return path

    def _remove(self, path: Path) -> None:
        path.unlink(missing_ok=True)
        self._forget(path)

    def close(self) -> None:
        """Remove all of them."""
        shutil.rmtree(self.folder, ignore_errors=True)


def mapped(path: Path) -> Checkpoint:
    """What `Checkpoint.to_bytes` gave; its arrays are read-only, and live as long as any of them is used."""
    with path.open("rb") as file:
        return viewed(memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)))


def viewed(content: memoryview) -> Checkpoint:
    """The same of bytes that are in memory already: nothing is copied."""
    begin = 8 + int.from_bytes(content[:8], "little")
    header = json.loads(bytes(content[8:begin]))
    plain = json.loads(header.pop("__metadata__")["plain"])
    arrays: Arrays = {}
    for name, told in header.items():
        first, last = told["data_offsets"]
        flat: npt.NDArray[Any] = np.frombuffer(content[begin + first : begin + last], dtype=_TYPES[told["dtype"]])
        arrays[name] = flat.reshape(told["shape"])
    return Checkpoint(plain, arrays)
