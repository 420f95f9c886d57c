"""Where a fit stood: checkpoints of work that are done, and loops that are under way, each a file.

A fit depends on its settings, its data, the versions of what it is made of and pulink's own lines, and on nothing
else. So a process that does the same may take a checkpoint that another one left, and ends with the same bytes.

    folder/KEY/NAME.piece   the SHA-256 of the rest; safetensors with plain values in its header

KEY is a digest of all that the fit depends on: checkpoints of other fits are never taken. A checkpoint that was
cut short or damaged, or that its fit can do nothing with, is made again.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import time
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from safetensors import SafetensorError
from safetensors.numpy import load, save

from pulink.errors import OutputError
from pulink.graph.graph import Graph
from pulink.graph.split import Split
from pulink.persistence.stored_graph import graph_arrays, kind_of
from pulink.system.files import opened_regular, write_atomically
from pulink.system.memory import require_memory
from pulink.system.versions import source_digest, versions

Arrays = dict[str, npt.NDArray[Any]]
T = TypeVar("T")

# Epochs take from milliseconds to minutes: a loop is saved once so many seconds have passed since the last time.
EVERY = 10.0

# So begin the names of checkpoints that tell of something finished: no other checkpoint makes them needless.
FINISHED = "run-"

# What of the package a fit runs through, and an evaluation, whose finished runs are kept too.
FITTING = (
    "engine",
    "graph",
    "metrics.py",
    "persistence",
    "distributed",
    "nn",
    "calibration",
    "predictor",
    "methods",
    "measuring.py",
    "evaluation.py",
)

# Of a graph's arrays, those that only some kinds of graphs have; their names begin so.
_OF_KINDS = ("types", "context", "seen.")

_SUFFIX = ".piece"
_DIGEST = hashlib.sha256().digest_size
# Safetensors reads none that is longer.
_LONGEST_HEADER = 100_000_000
_LONGEST_SECONDS = 1e10
# What reading a checkpoint that was damaged may raise.
_DAMAGED = ValueError, TypeError, LookupError, OverflowError, RecursionError, MemoryError, AttributeError


@dataclass(frozen=True)
class Checkpoint:
    """Plain values, as JSON can hold them, and arrays by name."""

    plain: dict[str, Any] = field(default_factory=dict)
    arrays: Arrays = field(default_factory=dict)

    def under(self, prefix: str) -> Arrays:
        """The arrays whose names begin so, without it."""
        return {k.removeprefix(prefix): array for k, array in self.arrays.items() if k.startswith(prefix)}

    def to_bytes(self) -> bytes:
        """Safetensors with the plain values in its header."""
        arrays = {name: np.asarray(array, order="C") for name, array in self.arrays.items()}
        return save(arrays, {"plain": json.dumps(self.plain)})

    @classmethod
    def from_bytes(cls, content: bytes) -> Checkpoint:
        """What `to_bytes` gave; what other bytes raise depends on them."""
        return cls(_plain(content), load(content))


class FitCheckpoints:
    """Of one fit; these are kept nowhere."""

    seconds_before = cpu_seconds_before = 0.0

    @property
    def is_stopping(self) -> bool:
        """Whether the fit is to end as soon as where it stands has been kept."""
        return False

    def load(self, name: str) -> Checkpoint | None:  # noqa: ARG002 (there are none)
        """A checkpoint that was kept; None if there is none."""
        return None

    def holds(self, name: str) -> bool:  # noqa: ARG002 (there are none)
        """Whether there is one of this name, sound or not."""
        return False

    def save(self, name: str, make: Callable[[], Checkpoint]) -> None:
        """Keep a checkpoint now."""

    def save_if_due(self, name: str, make: Callable[[], Checkpoint]) -> None:
        """Keep a checkpoint if it is time for it."""

    def finish(self, name: str, checkpoint: Checkpoint) -> None:
        """Keep a checkpoint that makes all others needless."""

    def resumed(self, name: str, use: Callable[[Checkpoint], T]) -> T | None:
        """What `use` makes of a checkpoint that was kept; None if there is none, or it is of no use.

        A checksum tells damage, not malice. So whatever fails, the checkpoint is to blame; `use` must change
        nothing before it has seen that all of the checkpoint fits.
        """
        found = self.load(name)
        if found is None:
            return None
        try:
            return use(found)
        except MemoryError:
            raise
        except Exception:
            return None

    def remember(self, name: str, make: Callable[[], Checkpoint], use: Callable[[Checkpoint], T]) -> T:
        """What `use` makes of the checkpoint as it was kept, or made and kept."""
        found = self.resumed(name, use)
        if found is not None:
            return found
        made = make()
        self.save(name, lambda: made)
        return use(made)

    def under(self, prefix: str) -> FitCheckpoints:  # noqa: ARG002 (there are none)
        """Those of a part of the fit, whose names begin so."""
        return self

    def folder(self, name: str) -> Path | None:  # noqa: ARG002 (there is none)
        """A folder beside them, for what several processes keep; None where nothing is kept."""
        return None


NO_CHECKPOINTS = FitCheckpoints()


class Checkpoints:
    """A folder for the checkpoints of fits that may be stopped.

    every  seconds between two checkpoints of one loop
    tell   called with a line when a checkpoint cannot be written: the fit goes on all the same

    holds_something  whether there is a checkpoint of the fits that were asked for
    """

    def __init__(
        self, folder: str | Path, *, every: float = EVERY, tell: Callable[[str], None] | None = None
    ) -> None:
        self.folder, self.every = Path(folder), every
        self.stopping = False
        self._tell = tell
        self._used: set[str] = set()
        self.holds_something = False

    def stop_soon(self) -> None:
        """End with KeyboardInterrupt as soon as where the fit stands has been kept."""
        self.stopping = True

    def of(self, key: str) -> FitCheckpoints:
        """The checkpoints of one fit, by what it depends on."""
        self._used.add(key)
        return _StoredCheckpoints(self, self.folder / key)

    @property
    def is_used(self) -> bool:
        """Whether any fit has asked for its checkpoints yet."""
        return bool(self._used)

    def n_others(self) -> int:
        """How many fits besides those asked for left checkpoints here."""
        found = self.folder.iterdir() if self.folder.is_dir() else ()
        return sum(path.is_dir() and path.name not in self._used for path in found)

    def clear(self) -> None:
        """All fits that were asked for are done, and their results are kept elsewhere."""
        for key in self._used:
            shutil.rmtree(self.folder / key, ignore_errors=True)
        with contextlib.suppress(OSError):
            self.folder.rmdir()

    def complain(self, error: OutputError) -> None:
        """Once: a disk that is full stays full for a while."""
        if self._tell is not None:
            self._tell(f"no checkpoint: {error}; going on without")
            self._tell = None


class _StoredCheckpoints(FitCheckpoints):
    def __init__(self, checkpoints: Checkpoints, folder: Path) -> None:
        self._checkpoints, self._folder = checkpoints, folder
        clocks = map(_clock, folder.glob(f"*{_SUFFIX}"))
        self.seconds_before, self.cpu_seconds_before = max(clocks, default=(0.0, 0.0))
        checkpoints.holds_something |= any(folder.glob(f"*{_SUFFIX}"))
        self._started = time.perf_counter(), time.process_time()
        self._last = time.perf_counter()
        self._prefix = ""

    @property
    def is_stopping(self) -> bool:
        return self._checkpoints.stopping

    def under(self, prefix: str) -> FitCheckpoints:
        part = copy(self)
        part._prefix = self._prefix + prefix
        return part

    def load(self, name: str) -> Checkpoint | None:
        return read_sealed(self._path(name))

    def holds(self, name: str) -> bool:
        return self._path(name).exists()

    def _path(self, name: str) -> Path:
        return self._folder / f"{self._prefix}{name}{_SUFFIX}"

    def folder(self, name: str) -> Path | None:
        return self._folder / f"{self._prefix}{name}"

    def save(self, name: str, make: Callable[[], Checkpoint]) -> None:
        clock = (
            self.seconds_before + time.perf_counter() - self._started[0],
            self.cpu_seconds_before + time.process_time() - self._started[1],
        )
        try:
            write_atomically(self._path(name), sealed_bytes(make(), clock))
            self._checkpoints.holds_something = True
        except OutputError as error:
            self._checkpoints.complain(error)
        self._last = time.perf_counter()
        if self._checkpoints.stopping:
            raise KeyboardInterrupt

    def save_if_due(self, name: str, make: Callable[[], Checkpoint]) -> None:
        if self._checkpoints.stopping or time.perf_counter() - self._last >= self._checkpoints.every:
            self.save(name, make)

    def finish(self, name: str, checkpoint: Checkpoint) -> None:
        self.save(name, lambda: checkpoint)
        for path in self._folder.glob(f"*{_SUFFIX}"):
            if path != self._path(name) and not path.name.startswith(FINISHED):
                with contextlib.suppress(OSError):
                    path.unlink()


def sealed_bytes(checkpoint: Checkpoint, clock: tuple[float, float] = (0.0, 0.0)) -> bytes:
    """A checkpoint behind a digest of it.

    clock  seconds and processor seconds that had been spent
    """
    content = Checkpoint(checkpoint.plain | {"clock": clock}, checkpoint.arrays).to_bytes()
    return hashlib.sha256(content).digest() + content


def read_sealed(path: Path) -> Checkpoint | None:
    """None if it is not there, or not whole."""
    try:
        with opened_regular(path) as file:
            require_memory(2 * _size(file), str(path), "")
            data = file.read()
        digest, content = data[:_DIGEST], data[_DIGEST:]
        if hashlib.sha256(content).digest() != digest:
            return None
        return Checkpoint.from_bytes(content)
    except (OSError, SafetensorError, *_DAMAGED):
        return None


def _plain(content: bytes) -> dict[str, Any]:
    n_header = int.from_bytes(content[:8], "little")
    found = json.loads(json.loads(content[8 : 8 + n_header])["__metadata__"]["plain"])
    if not isinstance(found, dict):
        raise TypeError("its plain values are none")
    return found


def _clock(path: Path) -> tuple[float, float]:
    """Seconds and processor seconds that had been spent when a checkpoint was kept; its arrays are not read."""
    try:
        with opened_regular(path) as file:
            file.seek(_DIGEST)
            start = file.read(8)
            n_header = min(int.from_bytes(start, "little"), _size(file), _LONGEST_HEADER)
            plain = _plain(start + file.read(n_header))
        seconds, cpu_seconds = (float(value) for value in plain["clock"])
    except (OSError, *_DAMAGED):
        return 0.0, 0.0
    sound = 0 <= seconds <= _LONGEST_SECONDS and 0 <= cpu_seconds <= _LONGEST_SECONDS
    return (seconds, cpu_seconds) if sound else (0.0, 0.0)


def _size(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size


def fit_key(
    kind: str, settings: dict[str, Any], data: Graph | Split, names: dict[str, list[str]] | None = None
) -> str:
    """A digest of all that a fit depends on; `names` are what its method takes besides settings, as of signals."""
    digest = hashlib.sha256()
    made_of = [kind, settings, names or {}, versions(), source_digest(FITTING)]
    digest.update(json.dumps(made_of, sort_keys=True).encode())
    for array in _content(data):
        digest.update(f"{array.dtype.str}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def _content(data: Graph | Split) -> Iterator[npt.NDArray[Any]]:
    """Names and test pairs are no part of it: no fit looks at them."""
    if isinstance(data, Split):
        yield from _content(data.train)
        yield from (data.val_edges, data.val_non_edges)
        # Of a split by time the last periods are learned from.
        yield from () if data.cut is None else (np.array([data.cut]),)
        return
    yield from (np.array([data.n_nodes, data.n_features]), data.edges)
    for array in (data.weights, data.absent):
        yield np.empty(0) if array is None else array
    yield from () if data.accepted is None else (np.frombuffer(b"accepted", dtype=np.uint8), data.accepted)
    if data.space is not None or data.times is not None:
        yield from _kind_content(data)
    if isinstance(data.features, np.ndarray):
        yield data.features
    elif data.features is not None:
        whole = sp.csr_array(data.features)
        yield from (whole.data, whole.indices, whole.indptr)


def _kind_content(graph: Graph) -> Iterator[npt.NDArray[Any]]:
    """What a fit of a graph of another kind, or of one with times, depends on besides."""
    plain = {name: value for name, value in kind_of(graph).items() if name in ("kind", "between")}
    known = {name: array for name, array in graph_arrays(graph).items() if name.startswith(_OF_KINDS)}
    yield np.frombuffer(json.dumps([plain, *known], sort_keys=True).encode(), dtype=np.uint8)
    yield from known.values()
