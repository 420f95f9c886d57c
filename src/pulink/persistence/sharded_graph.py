"""A graph folder: an undirected graph in files for ranges of consecutive nodes, of which only parts are read.

graph.json                 what follows, and the size and SHA-256 of every other file; written last
rows-00000.safetensors     of each range: indptr (rows + 1, counted from 0), indices (neighbours by their numbers
                           in the whole graph, ascending; both orientations, no loops, no repeats), weights
names-00000.safetensors    what its nodes are called: see `sharded_names`; none where they are called 0 .. n - 1
features-00000.safetensors features: dense float32 rows, where the graph has them

Kernels read without looking where arrays end: whatever is read is checked first. Sizes are checked when a folder
is opened, and everything when that is asked for.
"""

from __future__ import annotations

import bisect
from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from pulink.engine.adjacency import Adjacency, contains
from pulink.errors import InputError
from pulink.graph.edge_rows import Cleaning
from pulink.persistence.array_file import ArrayFile
from pulink.persistence.sharded_names import COUNTED, RangeNames, key_of, searched_for_hints, unknown
from pulink.persistence.sharded_summary import GRAPH_FILE, Summary, file_of, read_summary

F32 = npt.NDArray[np.float32]
I32 = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

_LARGEST_FEATURE = 1e18
# Nodes whose rows are looked at together.
_LOOKED_AT = 1 << 14
# Files that are open at a time, of each kind.
_OPEN = 64


class ShardedGraph:
    """A graph folder that was opened; `open` makes it."""

    def __init__(self, folder: Path, summary: Summary) -> None:
        self.folder, self.summary = folder, summary
        self._rows_file = lru_cache(_OPEN)(self._open_rows)
        self._features_file = lru_cache(_OPEN)(self._open_features)
        self._range_names = lru_cache(_OPEN)(self._open_names)

    @classmethod
    def open(cls, folder: str | Path, *, verify: bool = False) -> ShardedGraph:
        """InputError says in one line why a folder is none, or not whole.

        verify  whether to read all of it: checksums, rows, names and features
        """
        place = Path(folder)
        graph = cls(place, read_summary(place))
        for name, told in graph.summary.files.items():
            try:
                size = (place / name).lstat().st_size
            except OSError as error:
                raise InputError(f"{place}: {name} is missing ({error.strerror})") from error
            if size != told.n_bytes:
                raise InputError(
                    f"{place}: {name} was changed or damaged, it has {size:,} bytes and {GRAPH_FILE} says "
                    f"{told.n_bytes:,}"
                )
        if verify:
            graph._verify()
        return graph

    @property
    def n_nodes(self) -> int:
        """Nodes of the whole graph."""
        return self.summary.ranges[-1]

    @property
    def n_edges(self) -> int:
        """Edges, each counted once."""
        return self.summary.n_edges

    @property
    def ranges(self) -> tuple[int, ...]:
        """The first node of every range, and the number of nodes."""
        return self.summary.ranges

    @property
    def weighted(self) -> bool:
        """Whether edges have weights."""
        return self.summary.mean_weight is not None

    @property
    def mean_weight(self) -> float:
        """Of the edges; 1 where they have none."""
        return 1.0 if self.summary.mean_weight is None else self.summary.mean_weight

    @property
    def n_features(self) -> int:
        """Columns of features."""
        return 0 if self.summary.feature_names is None else len(self.summary.feature_names)

    @property
    def cleaning(self) -> Cleaning:
        """What was merged and dropped."""
        return self.summary.cleaning

    def __repr__(self) -> str:
        return f"ShardedGraph({self.n_nodes:,} nodes, {self.n_edges:,} edges, {len(self.ranges) - 1:,} ranges)"

    def neighbours(self, node: int) -> I32:
        """Of one node, ascending."""
        return self.rows(*self._one(node))[1]

    def are_connected(self, pairs: npt.NDArray[np.integer]) -> npt.NDArray[np.bool_]:
        """For each pair (k x 2) whether it is an edge; rows around the first ends are read, some at a time."""
        found = np.zeros(len(pairs), dtype=np.bool_)
        order = np.argsort(pairs[:, 0], kind="stable")
        blocks = pairs[order, 0] // _LOOKED_AT
        begins = np.flatnonzero(np.diff(blocks, prepend=-1))
        for begin, end in zip(begins, np.append(begins[1:], len(order)), strict=False):
            some = pairs[order[begin:end]]
            first = int(some[0, 0])
            indptr, indices, _ = self.rows(first, int(some[-1, 0]) + 1)
            own = np.stack([some[:, 0] - first, some[:, 1]], axis=1)
            found[order[begin:end]] = contains(Adjacency(indptr, indices), own)
        return found

    def weights_of(self, node: int) -> F32 | None:
        """Of the edges to its neighbours; None where edges have none."""
        return self.rows(*self._one(node))[2]

    def _one(self, node: int) -> tuple[int, int]:
        if not 0 <= node < self.n_nodes:
            raise IndexError(f"node {node} of {self.n_nodes}")
        return node, node + 1

    def rows(self, first: int, end: int) -> tuple[Longs, I32, F32 | None]:
        """Rows of consecutive nodes, copied to memory: indptr (from 0), indices, weights; no others are read."""
        parts = [(k, low, high, self._starts(k, low, high)) for k, low, high in self._parts(first, end)]
        sizes = [int(starts[-1] - starts[0]) for *_, starts in parts]
        indptr = np.zeros(end - first + 1, dtype=np.int64)
        indices = np.empty(sum(sizes), dtype=np.int32)
        weights = np.empty(sum(sizes), dtype=np.float32) if self.weighted else None
        row = entry = 0
        for (k, low, high, starts), size in zip(parts, sizes, strict=True):
            file = self._rows_file(k)
            own = slice(entry, entry + size)
            file.read_into(indices[own], "indices", int(starts[0]))
            if weights is not None:
                file.read_into(weights[own], "weights", int(starts[0]))
            own_starts = starts - starts[0]
            values = None if weights is None else weights[own]
            if not _are_rows(self.ranges[k] + low, own_starts, indices[own], values, self.n_nodes):
                raise InputError(f"{file.path}: is damaged (rows are not as rows of a graph are)")
            indptr[row + 1 : row + 1 + high - low] = own_starts[1:] + entry
            row, entry = row + high - low, entry + size
        return indptr, indices, weights

    def degrees(self, first: int, end: int) -> Longs:
        """How many neighbours consecutive nodes have."""
        found = [np.diff(self._starts(k, low, high)) for k, low, high in self._parts(first, end)]
        return np.concatenate(found) if found else np.empty(0, dtype=np.int64)

    def features(self, first: int, end: int) -> F32 | None:
        """Of consecutive nodes, copied to memory; None if the graph has none."""
        if self.summary.feature_names is None:
            return None
        out = np.empty((end - first, self.n_features), dtype=np.float32)
        place = 0
        for k, low, high in self._parts(first, end):
            part = out[place : place + high - low]
            file = self._features_file(k)
            file.read_into(part, "features", low)
            if part.size and not (part.min() >= -_LARGEST_FEATURE and part.max() <= _LARGEST_FEATURE):
                raise InputError(f"{file.path}: is damaged (features hold what is no number, or too large)")
            place += high - low
        return out

    def numbers(self, names: Sequence[str]) -> Longs:
        """The nodes that are called so; InputError for a name that none has."""
        found = np.empty(len(names), dtype=np.int64)
        for k, name in enumerate(names):
            node = self._number(name) if isinstance(name, str) else None
            if node is None:
                few = searched_for_hints(self.n_nodes) and isinstance(name, str)
                raise unknown(name, self.names(range(self.n_nodes)) if few else None)
            found[k] = node
        return found

    def has_name(self, name: str) -> bool:
        """Whether a node is called so."""
        return self._number(name) is not None

    def _number(self, name: str) -> int | None:
        key = key_of(name, self.summary.called)
        if key is None or self.summary.called == COUNTED:
            return key if isinstance(key, int) and key < self.n_nodes else None
        k = bisect.bisect_right(self._first_keys, key) - 1
        if k < 0:
            return None
        owner = self._filled[k]
        place = self._range_names(owner).place_of(key)
        return None if place is None else self.ranges[owner] + place

    @cached_property
    def _filled(self) -> list[int]:
        """Ranges that hold nodes."""
        return [k for k, (first, end) in enumerate(pairwise(self.ranges)) if first < end]

    @cached_property
    def _first_keys(self) -> list[bytes | int]:
        return [self._range_names(k).key(0) for k in self._filled]

    def names(self, numbers: Sequence[int] | npt.NDArray[np.integer]) -> list[str]:
        """What nodes are called."""
        return [self._name(int(number)) for number in numbers]

    def _name(self, node: int) -> str:
        self._one(node)
        if self.summary.called == COUNTED:
            return str(node)
        k = bisect.bisect_right(self.ranges, node) - 1
        return self._range_names(k).at(node - self.ranges[k])

    def _parts(self, first: int, end: int) -> Iterator[tuple[int, int, int]]:
        """The ranges that consecutive nodes lie in, and which of their rows these are."""
        if not 0 <= first <= end <= self.n_nodes:
            raise IndexError(f"nodes {first} to {end} of {self.n_nodes}")
        k = max(bisect.bisect_right(self.ranges, first) - 1, 0)
        while k < len(self.ranges) - 1 and self.ranges[k] < end:
            begin, stop = self.ranges[k : k + 2]
            if max(first, begin) < min(end, stop):
                yield k, max(first, begin) - begin, min(end, stop) - begin
            k += 1

    def _starts(self, k: int, low: int, high: int) -> Longs:
        """Where rows of a range begin, and the last one ends."""
        file = self._rows_file(k)
        starts: Longs = file.read("indptr", low, high + 1)
        sound = starts[0] >= 0 and starts[-1] <= file.shape("indices")[0] and (np.diff(starts) >= 0).all()
        if not sound or (low == 0 and starts[0] != 0):
            raise InputError(f"{file.path}: is damaged (rows do not follow one another)")
        return starts

    def _n_rows(self, k: int) -> int:
        return self.ranges[k + 1] - self.ranges[k]

    def _open_rows(self, k: int) -> ArrayFile:
        file = ArrayFile(self.folder / file_of("rows", k))
        n_entries = file.shape("indices")[0] if "indices" in file and len(file.shape("indices")) == 1 else -1
        wanted: dict[str, Any] = {
            "indptr": (np.int64, (self._n_rows(k) + 1,)),
            "indices": (np.int32, (n_entries,)),
        }
        file.require(wanted | ({"weights": (np.float32, (n_entries,))} if self.weighted else {}))
        return file

    def _open_features(self, k: int) -> ArrayFile:
        file = ArrayFile(self.folder / file_of("features", k))
        file.require({"features": (np.float32, (self._n_rows(k), self.n_features))})
        return file

    def _open_names(self, k: int) -> RangeNames:
        return RangeNames(ArrayFile(self.folder / file_of("names", k)), self.summary.called, self._n_rows(k))

    def _verify(self) -> None:
        for name, told in self.summary.files.items():
            with ArrayFile(self.folder / name) as file:
                if file.sha256() != told.sha256:
                    raise InputError(
                        f"{self.folder}: {name} was changed or damaged, its checksum differs from {GRAPH_FILE}"
                    )
        n_entries = 0
        for k, (first, end) in enumerate(pairwise(self.ranges)):
            n_entries += len(self.rows(first, end)[1])
            self.features(first, end)
            if self.summary.called != COUNTED:
                self._range_names(k).check()
        if n_entries != 2 * self.n_edges:
            raise InputError(f"{self.folder}: is damaged (its rows hold other edges than {GRAPH_FILE} says)")
        if self.summary.called != COUNTED and self._first_keys != sorted(self._first_keys):
            raise InputError(f"{self.folder}: is damaged (ranges of names are not in order)")


def _are_rows(first: int, starts: Longs, indices: I32, weights: F32 | None, n_nodes: int) -> bool:
    """Whether neighbours are nodes, ascend within each row, are never the node itself, and have weights."""
    if not len(indices):
        return True
    if int(indices.min()) < 0 or int(indices.max()) >= n_nodes:
        return False
    owners = np.repeat(np.arange(first, first + len(starts) - 1, dtype=np.int32), np.diff(starts))
    if (owners == indices).any() or not ((np.diff(indices) > 0) | (np.diff(owners) > 0)).all():
        return False
    return weights is None or bool(np.isfinite(weights).all() and weights.min() > 0)
