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

import numpy as np
import numpy.typing as npt

from pulink.data.formats.arrays.named_npz import read_named_npz
from pulink.data.formats.arrays.npz import read_citation_npz, read_npz, read_stored_loops
from pulink.data.formats.arrays.npz_split import read_stored_split
from pulink.data.formats.arrays.ogb import read_ogb
from pulink.data.generated import sized_graph
from pulink.data.read import read
from pulink.errors import InputError, UnknownNameError
from pulink.graph.graph import Graph
from pulink.graph.split import Split
from pulink.system.files import sha256
from pulink.system.user_cache import cache_folder

VARIABLE = "PULINK_DATA"

# What a dataset may be asked for with NAME+OPTION, where it is not clear which version a publication used.
OPTIONS = {
    "binary": "features are 1 where they are above 0, as PyG's CitationFull and Coauthor load them",
    "upper": "only rows whose first node number is not above the second, which is what PyG's RandomLinkSplit "
    "keeps of a directed edge list",
}


@dataclass(frozen=True)
class Dataset:
    """One entry of the catalogue.

    Attributes
    ----------
    name, title : str
        What `pulink.load` takes, and what it is.
    nodes, edges : int
        Of the graph as pulink loads it.
    reader : str
        How its file is read.
    licence, source : str
        Under which terms it may be used, and where it comes from.
    features : int or None
        Columns of its node features.
    paper : tuple of three int, or None
        Nodes, edges and features as the paper prints them.
    file, sha256 : str or None
        What its file is called, and the checksum of the one that published figures were measured on.
    pyg : str or None
        The same dataset in PyG.
    note : str or None
        What a user should know.
    options : tuple of str
        Versions to ask for as NAME+OPTION.
    kind : str
        What kind of graph it is.
    ends : tuple of two str
        What the two ends of a link are called.
    """

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
    options: tuple[str, ...] = ()
    kind: str = "undirected"
    ends: tuple[str, str] = ("source", "target")

    def path(self) -> Path | None:
        """Look for the file.

        Returns
        -------
        Path or None
            None if it is not on this machine, or if there is no file.
        """
        if self.file is None:
            return None
        for folder in search_folders():
            for name in (self.file, Path(self.file).stem if self.reader == "ogb" else self.file):
                if (folder / name).exists():
                    return folder / name
        return None

    @property
    def available(self) -> bool:
        """Whether it can be loaded on this machine."""
        return self.file is None or self.path() is not None

    def how_to_get(self) -> str:
        """Say where the file comes from and where to put it.

        Returns
        -------
        str
            One line.
        """
        target = next(iter(search_folders()), Path(f"a folder that {VARIABLE} names")) / (self.file or "")
        if self.pyg and self.reader == "npz":
            return (
                f"get it from {self.source}; with PyG: "
                f'pulink.write_npz(pulink.from_pyg({self.pyg}[0]), "{target}")'
            )
        return f"get {self.file} from {self.source} and put it at {target}"


def search_folders() -> list[Path]:
    """PULINK_DATA (several, separated like PATH), then the user's cache."""
    named = [Path(part) for part in os.environ.get(VARIABLE, "").split(os.pathsep) if part]
    kept = cache_folder("data")
    return named if kept is None else [*named, kept]


@cache
def datasets() -> dict[str, Dataset]:
    """Give the whole catalogue.

    Returns
    -------
    dict of str to Dataset
        By name.

    Examples
    --------
    >>> import pulink
    >>> pulink.datasets()["sample"].nodes
    5769
    """
    text = (files("pulink.data") / "catalog.toml").read_text(encoding="utf-8")
    entries = tomllib.loads(text)
    return {name: _entry(name, values) for name, values in entries.items()}


def _entry(name: str, values: dict[str, Any]) -> Dataset:
    paper = values.pop("paper", None)
    options = tuple(values.pop("options", ()))
    first, second = values.pop("ends", ("source", "target"))
    paper = None if paper is None else tuple(paper)
    return Dataset(name=name, paper=paper, options=options, ends=(first, second), **values)


def named(name: str) -> tuple[Dataset, frozenset[str]]:
    """The entry of NAME or NAME+OPTION+OPTION, and the options."""
    dataset_name, *options = name.split("+")
    known = datasets()
    if dataset_name not in known:
        raise UnknownNameError("dataset", dataset_name, known)
    for option in options:
        if option not in OPTIONS:
            raise UnknownNameError(f"option of dataset {dataset_name}", option, OPTIONS)
        if option not in known[dataset_name].options:
            raise InputError(f"dataset {dataset_name!r} has no option {option!r}: it would change nothing")
    return known[dataset_name], frozenset(options)


def is_named(name: str) -> bool:
    """Whether this is a name of the catalogue, with options or without."""
    return name.partition("+")[0] in datasets()


def load(name: str) -> Graph:
    """Load a graph of the catalogue.

    Parameters
    ----------
    name : str
        NAME, or NAME+OPTION for another version of it; `pulink.datasets()` lists both.

    Returns
    -------
    Graph

    Raises
    ------
    UnknownNameError
        If there is no such dataset or option; the message lists those there are.
    InputError
        If its file is not on this machine; the message says where to get it.

    Examples
    --------
    >>> import pulink
    >>> pulink.load("sample")
    Graph(5,769 nodes, 22,019 edges, 5,860 features)
    """
    dataset, options = named(name)
    if dataset.reader == "sample":
        return _read_sample()
    if dataset.reader == "generated":
        return sized_graph(dataset.edges, dataset.nodes, dataset.features or 0)
    path = _existing_path(dataset)
    if dataset.reader == "named-npz":
        graph = read_named_npz(path, dataset.kind, dataset.ends)
    else:
        graph = read_npz(path, upper=True) if "upper" in options else _READERS[dataset.reader](path)
    if dataset.sha256 and sha256(path) != dataset.sha256:
        note = f"{path.name} is not the file that published figures were measured on (its checksum differs)"
        graph = replace(graph, cleaning=replace(graph.cleaning, notes=(*graph.cleaning.notes, note)))
    return _binary(graph) if "binary" in options else graph


def stored_loops(name: str) -> npt.NDArray[np.int64]:
    """The nodes that a dataset's source joins with themselves; a graph never holds such loops."""
    dataset, _ = named(name)
    return read_stored_loops(_existing_path(dataset)) if dataset.reader == "npz" else np.empty(0, dtype=np.int64)


def stored_split(name: str) -> Split:
    """The split that a dataset's publisher made, where its file holds it; audited."""
    dataset, _ = named(name)
    if dataset.reader != "npz":
        raise InputError(f"dataset {dataset.name!r} holds no split of its publisher")
    return read_stored_split(_existing_path(dataset))


def _existing_path(dataset: Dataset) -> Path:
    path = dataset.path()
    if path is None:
        raise InputError(f"dataset {dataset.name!r} is not on this machine: {dataset.how_to_get()}")
    return path


def _binary(graph: Graph) -> Graph:
    assert graph.features is not None
    words = (graph.features > 0).astype(np.float32)
    return graph.with_features(words, graph.feature_names)


def _read_sample() -> Graph:
    folder = files("pulink.data") / "sample"
    with as_file(folder / "edges.csv.gz") as edges, as_file(folder / "nodes.csv.gz") as nodes:
        return read(
            edges, nodes, kinds={"section": "category", "tags": "text", "words": "text"}, kind="undirected"
        )


_READERS: dict[str, Callable[[Path], Graph]] = {
    "npz": read_npz,
    "citation-npz": read_citation_npz,
    "ogb": read_ogb,
}
