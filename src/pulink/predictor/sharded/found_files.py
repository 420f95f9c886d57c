"""What workers leave of a `find`: embeddings in files for ranges of nodes, and what the first worker says.

embeddings-K     rows of consecutive nodes
files-RANK.json  size and SHA-256 of the embedding files that a worker wrote, until the first one has read it
found.piece      what was learned, the calibration, pairs (k x 2) and their scores, best first
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.calibration.calibrator import Calibrator
from pulink.distributed.group.group import Group
from pulink.distributed.group.shards import N_SHARDS, Shards
from pulink.persistence import sharded_model
from pulink.persistence.array_file import Written
from pulink.persistence.checkpoints import Arrays, Checkpoint, read_sealed, sealed_bytes
from pulink.system.files import write_atomically

F32 = npt.NDArray[np.float32]

# About so many bytes of embeddings in a file, if there are many.
_FILE = 1 << 26
_FOUND, _FILES = "found.piece", "files-"


@dataclass(frozen=True, eq=False)
class Found:
    """What a `find` of a group gave.

    plain    what was learned, and which pairs were searched
    encoder  its parameters, but for those with a row for each node
    ranges   first node of every file of embeddings, and the number of nodes
    files    of embeddings, by name
    """

    plain: dict[str, Any]
    encoder: Arrays
    calibrator: Calibrator | None
    pairs: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    ranges: tuple[int, ...]
    files: dict[str, Written]


def embedding_ranges(shards: Shards, n_units: int) -> tuple[int, ...]:
    """Where files of embeddings begin, and the number of nodes; a file holds whole shards."""
    wanted = max(shards.n_nodes * n_units * 4 // _FILE, 1)
    n_files = min(1 << (wanted - 1).bit_length(), N_SHARDS)
    return tuple(shards.bounds[:: N_SHARDS // n_files].tolist())


def write_embeddings(folder: Path, group: Group, shards: Shards, z: F32) -> None:
    """Every worker writes the files whose first nodes it owns; z: of all nodes."""
    files: dict[str, Written] = {}
    ranges = embedding_ranges(shards, z.shape[1])
    each, own = N_SHARDS // (len(ranges) - 1), shards.of_worker(group.rank, group.size)
    for k, (low, high) in enumerate(pairwise(ranges)):
        if own.start <= k * each < own.stop:
            files |= sharded_model.write_embeddings(folder, k, z[low:high])
    write_atomically(folder / f"{_FILES}{group.rank}.json", json.dumps(files).encode())
    group.wait()


def write_found(
    folder: Path, group: Group, ranges: tuple[int, ...], plain: dict[str, Any], encoder: Arrays,
    calibrator: Calibrator | None, links: tuple[npt.NDArray[np.integer], npt.NDArray[np.float64]],
) -> None:  # fmt: skip
    """Written last, by the first worker: then all is there."""
    if group.rank:
        return
    files: dict[str, Any] = {}
    for rank in range(group.size):
        path = folder / f"{_FILES}{rank}.json"
        files |= json.loads(path.read_bytes())
        path.unlink()
    numbers, curves = (None, {}) if calibrator is None else calibrator.stored()
    arrays: Arrays = {f"encoder.{name}": value for name, value in encoder.items()}
    arrays |= {f"calibration.{name}": value for name, value in curves.items()}
    arrays |= {"pairs": links[0].astype(np.int64), "scores": links[1]}
    told = plain | {"calibration": numbers, "ranges": ranges, "files": files}
    write_atomically(folder / _FOUND, sealed_bytes(Checkpoint(told, arrays)))


def read_found(folder: Path) -> Found | None:
    """What `write_found` wrote; None if it is not there, or not whole."""
    found = read_sealed(folder / _FOUND)
    if found is None:
        return None
    plain = dict(found.plain)
    numbers, ranges, files = (plain.pop(name) for name in ("calibration", "ranges", "files"))
    curves = found.under("calibration.")
    return Found(
        plain,
        found.under("encoder."),
        None if numbers is None else Calibrator.from_stored(numbers, curves),
        found.arrays["pairs"],
        found.arrays["scores"],
        tuple(ranges),
        {name: Written(*told) for name, told in files.items()},
    )
