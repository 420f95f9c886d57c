"""Checkpoints of a training by several workers: everybody keeps its own rows, and any number of workers goes on.

A checkpoint is a file of each worker, and one that names them, written last. Arrays that have a row for each node
of their worker are cut anew where other workers read them.
"""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from pulink.distributed.group.group import Group
from pulink.distributed.group.own_rows import OwnRows
from pulink.persistence.checkpoints import Arrays, Checkpoint, read_sealed, sealed_bytes
from pulink.system.files import write_atomically

# How names of arrays begin: with a row for each node; with pairs, of which the first end is a node of the worker.
ROWS, PAIRS = "rows.", "pairs."
# Names of checkpoints: of a loop that is under way, and of what was learned in the end.
STANDING, DONE = "standing", "done"
_FIRST, _END = "first", "end"


class GroupCheckpoints:
    """In a folder that all workers see; None: nothing is kept."""

    def __init__(self, folder: Path | None, group: Group, rows: OwnRows) -> None:
        self._folder, self._group, self._rows = folder, group, rows
        self._number: dict[str, int] = {}

    @property
    def are_kept(self) -> bool:
        return self._folder is not None

    def save(self, name: str, plain: dict[str, Any], arrays: Arrays) -> None:
        """Keep a checkpoint of this name instead of the one before; all workers at once, with the same values."""
        if self._folder is None:
            return
        number = self._number.get(name, _number(self._folder, name)) + 1
        self._number[name] = number
        first, end = self._rows.first, self._rows.first + self._rows.n_rows
        own = Checkpoint({"plain": plain, _FIRST: first, _END: end}, arrays)
        write_atomically(_path(self._folder, name, number, self._group.rank), sealed_bytes(own))
        # Nobody goes on before all of them have written.
        ranges = [one.tolist() for one in self._group.gathered(np.array([first, end], dtype=np.int64))]
        if self._group.rank == 0:
            told = {"number": number, "rows": ranges}
            write_atomically(self._folder / f"{name}.json", json.dumps(told).encode())
            self._forget(name, number)

    def _forget(self, name: str, number: int) -> None:
        assert self._folder is not None
        for path in self._folder.glob(f"{name}-*-*.piece"):
            if not path.name.startswith(f"{name}-{number}-"):
                with contextlib.suppress(OSError):
                    path.unlink()

    def load(self, name: str) -> Checkpoint | None:
        """What was kept, cut to the rows of this worker; None, for all workers, if one cannot read its part."""
        own = None if self._folder is None else read_pieces(self._folder, name, self._rows)
        return own if self._group.agree(own is not None) else None


def read_pieces(folder: Path, name: str, rows: OwnRows) -> Checkpoint | None:
    """A checkpoint that some number of workers kept, cut to these rows; None if there is none that is whole.

    Only pieces with such rows are read: of a large group, all of them together may be hundreds of gigabytes.
    """
    first, end = rows.first, rows.first + rows.n_rows
    try:
        told = json.loads((folder / f"{name}.json").read_bytes())
        number = int(told["number"])
        has_own = [max(int(low), first) < min(int(high), end) for low, high in told["rows"]]
    except (OSError, ValueError, TypeError, LookupError):
        return None
    kept: dict[str, list[Any]] = {}
    common: Checkpoint | None = None
    # Whoever has no rows still needs to know how far the others were.
    for rank in np.flatnonzero(has_own).tolist() or [0]:
        piece = read_sealed(_path(folder, name, number, rank))
        if piece is None:
            return None
        common = common or piece
        low, high = piece.plain[_FIRST], piece.plain[_END]
        for key, array in piece.arrays.items():
            if key.startswith(ROWS):
                kept.setdefault(key, []).append(array[max(first - low, 0) : max(min(end, high) - low, 0)])
            elif key.startswith(PAIRS):
                is_own = (array[:, 0] >= first) & (array[:, 0] < end)
                kept.setdefault(key, []).append(array[is_own])
    if common is None:
        return None
    arrays = {key: array for key, array in common.arrays.items() if not key.startswith((ROWS, PAIRS))}
    return Checkpoint(common.plain["plain"], arrays | {key: np.concatenate(parts) for key, parts in kept.items()})


def _number(folder: Path, name: str) -> int:
    """Of the last checkpoint of this name; 0 if there was none."""
    try:
        return int(json.loads((folder / f"{name}.json").read_bytes())["number"])
    except (OSError, ValueError, TypeError, LookupError):
        return 0


def _path(folder: Path, name: str, number: int, rank: int) -> Path:
    return folder / f"{name}-{number}-{rank}.piece"
