"""Files that tests write and read."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import settings

from tests.support.planted import planted_graph

# The first example pays for compiling kernels: a deadline would punish it.
settings.register_profile("pulink", deadline=None)
settings.load_profile("pulink")

Write = Callable[[str, str | bytes], Path]


def pytest_collection_finish() -> None:
    """The libraries loaded by now stay: there is no need to look for garbage among them again and again."""
    gc.freeze()


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write a file into a folder of its own and return its path."""

    def write_file(name: str, content: str | bytes) -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write_file


@pytest.fixture(scope="session")
def planted_csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two communities of 30 named nodes, as an edge list with a header."""
    graph = planted_graph(30, 2, 0.3, 0.02, seed=0)
    path = tmp_path_factory.mktemp("planted") / "edges.csv"
    path.write_text("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in graph.edges.tolist()))
    return path
