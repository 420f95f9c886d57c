"""Opening the model folder of a graph in parts: only headers are read, then the rows that somebody asks for.

What is read is believed no more than that of any model folder: sizes, names and shapes are checked when it is
opened, rows when they are read, checksums of large files when that is asked for.
"""

from __future__ import annotations

import bisect
import hashlib
import json
import math
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import polars as pl

from pulink.errors import InputError, ModelError
from pulink.persistence.array_file import ArrayFile, Written
from pulink.persistence.manifest import MANIFEST
from pulink.persistence.sharded_graph import ShardedGraph
from pulink.persistence.sharded_model import (
    ATTRIBUTES,
    CALIBRATION,
    ENCODER,
    FORMAT,
    GRAPH,
    GRAPH_SEAL,
    KINDS,
    LINK_COLUMNS,
    LINKS_IN_A_FILE,
    LONGEST_JSON,
    MODEL,
    ModelSummary,
    embeddings_file,
    links_file,
)
from pulink.system.files import opened_regular, read_regular
from pulink.system.memory import require_memory
from pulink.system.parquet_guard import parquet_frame
from pulink.text import reason, short_path

F32 = npt.NDArray[np.float32]
Longs = npt.NDArray[np.int64]

_OPEN, _PIECE = 64, 1 << 24
# Nodes whose embeddings are in memory at a time.
_BLOCK = 65_536
_MOST_LINKS, _MOST_UNITS = 2**40, 1_000_000
_BYTES_PER_LINK = 400


def sharded_place(folder: str | Path) -> Path | None:
    """Where the model of a graph in parts is, in a folder or in its folder `model`; None if there is none."""
    for place in (Path(folder) / "model", Path(folder)):
        try:
            told = json.loads(read_regular(place / MANIFEST, LONGEST_JSON))
        except (OSError, ValueError, RecursionError):
            continue
        return place if isinstance(told, dict) and told.get("sharded") is True else None
    return None


class ShardedModelFolder:
    """A model folder of a graph in parts; `open` makes it.

    path     where it is
    graph    its graph folder, opened
    summary  what model.json says
    """

    def __init__(self, path: Path, graph: ShardedGraph, summary: ModelSummary, files: dict[str, Written]) -> None:
        self.path, self.graph, self.summary, self._files = path, graph, summary, files
        self._embeddings = lru_cache(_OPEN)(self._open_embeddings)

    @classmethod
    def open(cls, folder: str | Path, *, verify: bool = False) -> ShardedModelFolder:
        """InputError says in one line why a folder is none, or not whole.

        verify  whether to read all of it: checksums, and every row of the graph
        """
        path = Path(folder)
        files = _manifest(path)
        _check_sizes(path, files)
        for name in (MODEL, GRAPH_SEAL):
            if hashlib.sha256(_bytes(path, name)).hexdigest() != files[name].sha256:
                raise _changed(path, name)
        if verify:
            for name, told in files.items():
                if _digest(path, name) != told.sha256:
                    raise _changed(path, name)
        try:
            summary = _summary(json.loads(_bytes(path, MODEL), parse_constant=_no_number))
            _check_names(files, summary)
        except (ValueError, TypeError, LookupError, AttributeError, RecursionError, OverflowError) as error:
            raise ModelError(f"{short_path(path)}: {MODEL} is damaged ({reason(error)})") from error
        graph = ShardedGraph.open(path / GRAPH, verify=verify)
        if graph.n_nodes != summary.embedding_ranges[-1]:
            raise ModelError(f"{short_path(path)}: its embeddings do not fit its graph")
        return cls(path, graph, summary, files)

    def rows(self, nodes: Longs) -> F32:
        """Embeddings of some nodes, in ascending order (k x d), copied to memory; no others are read."""
        out = np.empty((len(nodes), self.summary.n_units), dtype=np.float32)
        for k, node in enumerate(nodes.tolist()):
            owner = bisect.bisect_right(self.summary.embedding_ranges, node) - 1
            first = node - self.summary.embedding_ranges[owner]
            self._embeddings(owner).read_into(out[k : k + 1], "embeddings", first)
        self._require_finite(out)
        return out

    def blocks(self) -> Iterator[tuple[int, F32]]:
        """The embeddings of all nodes, some at a time, and the first node of these.

        A block is only there until the next one is asked for. Its first row, before those of the nodes, is free
        for the row that all others are compared with.
        """
        buffer = np.empty((_BLOCK + 1, self.summary.n_units), dtype=np.float32)
        for k, (first, end) in enumerate(pairwise(self.summary.embedding_ranges)):
            for start in range(first, end, _BLOCK):
                n_rows = min(_BLOCK, end - start)
                self._embeddings(k).read_into(buffer[1 : n_rows + 1], "embeddings", start - first)
                self._require_finite(buffer[1 : n_rows + 1])
                yield start, buffer[: n_rows + 1]

    def encoder(self) -> dict[str, npt.NDArray[Any]]:
        """Parameters by name; none where they were not kept."""
        return self._arrays(ENCODER) if ENCODER in self._files else {}

    def calibration(self) -> dict[str, npt.NDArray[Any]]:
        """Arrays of the calibration."""
        return self._arrays(CALIBRATION) if self.summary.calibration is not None else {}

    def attribute_counts(self) -> Longs | None:
        """How many nodes have each column of the features; None where these are no attributes."""
        if ATTRIBUTES not in self._files:
            return None
        with ArrayFile(self.path / ATTRIBUTES) as file:
            file.require({"counts": (np.int64, (self.graph.n_features,))})
            counts: Longs = file.read("counts")
            return counts

    def links(self) -> pl.DataFrame:
        """The list, with the columns of `LINK_COLUMNS`."""
        n_bytes = _BYTES_PER_LINK * self.summary.n_links
        require_memory(n_bytes, f"a list of {self.summary.n_links:,} links", "read its files links-*.parquet")
        parts = [self._links(k) for k in range(n_link_files(self.summary.n_links))]
        found = pl.concat(parts) if parts else pl.DataFrame(schema=LINK_COLUMNS)
        if found.height != self.summary.n_links:
            raise ModelError(
                f"{short_path(self.path)}: its list has {found.height:,} links, and not as many as said"
            )
        return found

    def _links(self, k: int) -> pl.DataFrame:
        name = links_file(k)
        data = _bytes(self.path, name, self._files[name].n_bytes)
        if hashlib.sha256(data).hexdigest() != self._files[name].sha256:
            raise _changed(self.path, name)
        try:
            found = parquet_frame(data)
        except ValueError as error:
            raise ModelError(f"{short_path(self.path)}: {name} cannot be read ({reason(error)})") from error
        needed = [name for name in LINK_COLUMNS if not name.startswith("probability_")]
        if dict(found.schema) != LINK_COLUMNS or sum(found.select(needed).null_count().row(0)):
            raise ModelError(f"{short_path(self.path)}: {name} holds other columns than a list of links")
        ends = found.select("first", "second").to_numpy()
        within = not len(ends) or (ends.min() >= 0 and ends.max() < self.graph.n_nodes)
        if not within or not found["probability"].is_between(0, 1).all():
            raise ModelError(f"{short_path(self.path)}: {name} holds what is no link of its graph")
        return found

    def _open_embeddings(self, k: int) -> ArrayFile:
        first, end = self.summary.embedding_ranges[k : k + 2]
        file = ArrayFile(self.path / embeddings_file(k))
        file.require({"embeddings": (np.float32, (end - first, self.summary.n_units))})
        return file

    def _arrays(self, name: str) -> dict[str, npt.NDArray[Any]]:
        with ArrayFile(self.path / name) as file:
            require_memory(2 * file.n_bytes, f"{file.path}", "use a machine with more memory")
            if name == CALIBRATION and file.sha256() != self._files[name].sha256:
                raise _changed(self.path, name)
            return {one: file.read(one) for one in file.names()}

    def _require_finite(self, rows: F32) -> None:
        if not np.isfinite(rows).all():
            raise ModelError(f"{short_path(self.path)}: its embeddings hold what is no number")


def n_link_files(n_links: int) -> int:
    """In how many files a list is."""
    return -(-n_links // LINKS_IN_A_FILE)


def _bytes(path: Path, name: str, at_most: int = LONGEST_JSON) -> bytes:
    try:
        return read_regular(path / name, at_most)
    except OSError as error:
        raise ModelError(f"{short_path(path)}: {name} cannot be read ({error.strerror})") from error


def _digest(path: Path, name: str) -> str:
    try:
        with opened_regular(path / name) as file:
            digest = hashlib.sha256()
            while piece := file.read(_PIECE):
                digest.update(piece)
            return digest.hexdigest()
    except OSError as error:
        raise ModelError(f"{short_path(path)}: {name} cannot be read ({error.strerror})") from error


def _changed(path: Path, name: str) -> ModelError:
    return ModelError(f"{short_path(path)}: {name} was changed or damaged, its checksum differs from the manifest")


def _manifest(path: Path) -> dict[str, Written]:
    try:
        told = json.loads(_bytes(path, MANIFEST))
        if told["sharded"] is not True or told["format"] != FORMAT or isinstance(told["format"], bool):
            raise ValueError(f"its format is {told['format']!r}, and this pulink reads {FORMAT}")  # noqa: TRY301
        files = {name: Written(_count(one["bytes"]), str(one["sha256"])) for name, one in told["files"].items()}
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        if isinstance(error, InputError):
            raise
        raise ModelError(f"{short_path(path)}: {MANIFEST} is damaged ({reason(error)})") from error
    if not {MODEL, GRAPH_SEAL} <= files.keys():
        raise ModelError(f"{short_path(path)}: its manifest does not list the files of a model")
    return files


def _check_sizes(path: Path, files: dict[str, Written]) -> None:
    for name, told in files.items():
        # Names were not looked at yet: a manifest may hold any.
        if name != GRAPH_SEAL and Path(name).name != name:
            raise ModelError(f"{short_path(path)}: its manifest does not list the files of a model")
        try:
            size = (path / name).lstat().st_size
        except (OSError, ValueError) as error:
            raise ModelError(f"{short_path(path)}: {name} is missing") from error
        if size != told.n_bytes:
            raise ModelError(
                f"{short_path(path)}: {name} was changed or damaged, it has {size:,} bytes and {MANIFEST} says "
                f"{told.n_bytes:,}"
            )


def _check_names(files: dict[str, Written], summary: ModelSummary) -> None:
    """ValueError unless these are the files of such a model."""
    wanted = {MODEL, GRAPH_SEAL, *(embeddings_file(k) for k in range(len(summary.embedding_ranges) - 1))}
    wanted |= {links_file(k) for k in range(n_link_files(summary.n_links))}
    wanted |= {CALIBRATION} if summary.calibration is not None else set()
    # Of an empty list there may be an empty file.
    may_be = {ENCODER, ATTRIBUTES} | (set() if summary.n_links else {links_file(0)})
    if wanted != files.keys() - may_be:
        raise ValueError("its files are not those that it should have")
    for k, (first, end) in enumerate(pairwise(summary.embedding_ranges)):
        if files[embeddings_file(k)].n_bytes < 4 * (end - first) * summary.n_units:
            raise ValueError("its embeddings are wider or longer than their files")


def _summary(told: dict[str, Any]) -> ModelSummary:
    ranges = tuple(_count(node) for node in told["embedding_ranges"])
    if len(ranges) < 2 or ranges[0] != 0 or any(a > b for a, b in pairwise(ranges)):
        raise ValueError("its ranges of embeddings are not in order")
    kind, calibration = told["kind"], told["calibration"]
    if kind not in KINDS:
        raise ValueError(f"its class is none of {' and '.join(KINDS)}")
    for one in (told["params"], told["learned"], {} if calibration is None else calibration):
        if not isinstance(one, dict):
            raise TypeError("it does not hold settings and learned numbers")
    if not isinstance(told["searched"], str):
        raise TypeError("it does not say what was searched")
    n_units, n_links = _count(told["n_units"]), _count(told["n_links"])
    if not 0 < n_units <= _MOST_UNITS or n_links > _MOST_LINKS:
        raise ValueError("a count is none")
    return ModelSummary(
        kind, told["params"], told["learned"], calibration, ranges, n_units, told["searched"], n_links
    )


def _count(value: Any) -> int:
    if type(value) is not int or value < 0 or not math.isfinite(value):
        raise ValueError("a count is none")
    return value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")
