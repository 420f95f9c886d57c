"""Named datasets: what they are, where they are found, what to do where they are not."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from pulink.data.npz import read_citation_npz, read_npz
from pulink.data.ogb import read_ogb
from pulink.data.reading import read
from pulink.errors import InputError, UnknownNameError
from pulink.files import sha256
from pulink.graph.graph import Graph

VARIABLE = "PULINK_DATA"


@dataclass(frozen=True)
class Dataset:
    """One entry of the catalogue; counts are of the graph as pulink loads it."""

    name: str
    title: str
    nodes: int
    edges: int
    reader: str
    licence: str
    source: str
    features: int | None = None
    paper: tuple[int, int, int] | None = None
    file: str | None = None
    sha256: str | None = None
    pyg: str | None = None
    note: str | None = None

    def path(self) -> Path | None:
        """Where the file is, or None."""
        if self.file is None:
            return None
        for folder in search_folders():
            for name in (self.file, Path(self.file).stem if self.reader == "ogb" else self.file):
                if (folder / name).exists():
                    return folder / name
        return None

    @property
    def available(self) -> bool:
        return self.file is None or self.path() is not None

    def how_to_get(self) -> str:
        """One line: where it comes from and where to put it."""
        target = search_folders()[0] / (self.file or "")
        if self.pyg and self.reader == "npz":
            return (
                f"get it from {self.source}; with PyG: "
                f'pulink.write_npz(pulink.from_pyg({self.pyg}[0]), "{target}")'
            )
        return f"get {self.file} from {self.source} and put it at {target}"


def search_folders() -> list[Path]:
    """PULINK_DATA (several, separated like PATH), then the user's cache."""
    named = [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    cache_home = os.environ.get("XDG_CACHE_HOME")
    base = Path(cache_home) if cache_home else Path.home() / ".cache"
    return [*named, base / "pulink" / "data"]


@cache
def datasets() -> dict[str, Dataset]:
    """The whole catalogue by name."""
    text = (files("pulink.data") / "catalog.toml").read_text()
    entries = tomllib.loads(text)
    return {name: _entry(name, values) for name, values in entries.items()}


def _entry(name: str, values: dict[str, Any]) -> Dataset:
    paper = values.pop("paper", None)
    return Dataset(name=name, paper=None if paper is None else tuple(paper), **values)


def load(name: str) -> Graph:
    """A graph from the catalogue.

    >>> load("sample")
    Graph(5,769 nodes, 22,019 edges, 5,860 features)
    """
    known = datasets()
    if name not in known:
        raise UnknownNameError("dataset", name, known)
    dataset = known[name]
    if dataset.reader == "sample":
        return _read_sample()
    path = dataset.path()
    if path is None:
        raise InputError(f"dataset {name!r} is not on this machine: {dataset.how_to_get()}")
    graph = _READERS[dataset.reader](path)
    if dataset.sha256 and sha256(path) != dataset.sha256:
        note = f"{path.name} is not the file that published figures were measured on (its checksum differs)"
        graph = replace(graph, cleaning=replace(graph.cleaning, notes=(*graph.cleaning.notes, note)))
    return graph


def _read_sample() -> Graph:
    folder = files("pulink.data") / "sample"
    with as_file(folder / "edges.csv.gz") as edges, as_file(folder / "nodes.csv.gz") as nodes:
        return read(edges, nodes, kinds={"section": "category", "tags": "text", "words": "text"})


_READERS: dict[str, Callable[[Path], Graph]] = {
    "npz": read_npz,
    "citation-npz": read_citation_npz,
    "ogb": read_ogb,
}
