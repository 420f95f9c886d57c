"""Results of small graphs, and clients that may ask about them."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

import pulink
from pulink.serve.app import create_app
from pulink.serve.settings import RunSource, ServeSettings
from tests.support.planted import planted_graph
from tests.support.served import TestClient

TOKEN = "a-token-for-tests"  # noqa: S105
BASE = "http://127.0.0.1:8000"
HOSTILE = '=cmd|" /C calc"!A0<script>alert(1)</script>'

Open = Callable[..., TestClient]


def named_edges() -> list[tuple[str, str]]:
    """Two communities of 30; the first node has a name that is none of our making."""
    graph = planted_graph(30, 2, 0.3, 0.02, seed=0)
    names = [HOSTILE, *(f"n{k}" for k in range(1, 60))]
    return [(names[a], names[b]) for a, b in graph.edges.tolist()]


def directed_edges() -> list[tuple[str, str]]:
    graph = planted_graph(30, 2, 0.3, 0.02, seed=1)
    return [(f"n{a}", f"n{b}") if (a + b) % 2 else (f"n{b}", f"n{a}") for a, b in graph.edges.tolist()]


def sided_edges() -> list[tuple[str, str]]:
    """Users and items that are both called by the numbers 0 to 29."""
    graph = planted_graph(30, 2, 0.1, 0.3, seed=2)
    return [(str(a), str(b - 30)) for a, b in graph.edges.tolist() if a < 30 <= b]


KINDS: dict[str, tuple[Callable[[], list[tuple[str, str]]], dict[str, Any]]] = {
    "undirected": (named_edges, {}),
    "directed": (directed_edges, {"kind": "directed"}),
    "bipartite": (sided_edges, {"kind": "bipartite"}),
}


@pytest.fixture(scope="session")
def fitted(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """What find wrote about a graph of each kind."""
    known: dict[str, Path] = {}

    def results(kind: str) -> Path:
        if kind not in known:
            edges, options = KINDS[kind]
            known[kind] = tmp_path_factory.mktemp(kind) / "results"
            pulink.find(edges(), method="l3n", **options).save(known[kind])
        return known[kind]

    return results


def served(folder: Path, *, bearer: bool = True, **settings: Any) -> TestClient:
    """A client of an application of its own, to be entered."""
    chosen = {"token": TOKEN, "port": 8000, "writes_per_second": 1_000.0} | settings
    app = create_app(RunSource(folder), ServeSettings(**chosen))
    headers = {"Authorization": f"Bearer {TOKEN}"} if bearer else {}
    return TestClient(app, base_url=BASE, headers=headers, follow_redirects=False)


@pytest.fixture
def opened(fitted: Callable[[str], Path], tmp_path: Path) -> Iterator[Open]:
    """Open the application on a copy of some results, with a client that has the token."""
    with ExitStack() as stack:

        def client(kind: str = "undirected", *, folder: Path | None = None, **settings: Any) -> TestClient:
            if folder is None:
                folder = tmp_path / kind
                if not folder.exists():
                    shutil.copytree(fitted(kind), folder)
            return stack.enter_context(served(folder, **settings))

        yield client


@pytest.fixture(scope="session")
def shared(fitted: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """A client for what changes nothing."""
    folder = tmp_path_factory.mktemp("shared") / "results"
    shutil.copytree(fitted("undirected"), folder)
    with served(folder) as client:
        yield client


@pytest.fixture(scope="session")
def stranger(fitted: Callable[[str], Path], tmp_path_factory: pytest.TempPathFactory) -> Iterator[TestClient]:
    """One without a token."""
    folder = tmp_path_factory.mktemp("stranger") / "results"
    shutil.copytree(fitted("undirected"), folder)
    with served(folder, bearer=False, failures_per_minute=100_000.0) as client:
        yield client


def next_of(client: TestClient, reviewer: str = "me") -> Any:
    """The next question, which must be there."""
    response = client.get("/api/questions/next", params={"reviewer": reviewer})
    assert response.status_code == 200, response.text
    return response.json()["question"]


def answered(client: TestClient, **values: Any) -> Any:
    """What is answered to an answer."""
    return client.post("/api/answers", json={"reviewer": "me", "answer": "link"} | values)


def message(response: Any) -> str:
    """The line of a refusal, which must be one."""
    error = response.json()["error"]
    assert error["status"] == response.status_code
    assert "\n" not in error["message"]
    assert "Traceback" not in response.text
    return str(error["message"])
