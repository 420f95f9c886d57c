"""A fit that the command line named: started once, followed as it goes, and explored when it is done."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pulink.serve.app import create_app
from pulink.serve.settings import RunSource, ServeSettings
from pulink.workflows.finding.request import FindRequest
from tests.serve.conftest import BASE, TOKEN, Open, message
from tests.support.served import TestClient


@pytest.fixture
def fitting(tmp_path: Path) -> Iterator[Any]:
    with ExitStack() as stack:

        def client(edges: Path) -> TestClient:
            request = FindRequest(str(edges), method="l3n")
            source = RunSource(tmp_path / "results", request, "pulink find edges.csv")
            app = create_app(source, ServeSettings(token=TOKEN, port=8000))
            headers = {"Authorization": f"Bearer {TOKEN}"}
            return stack.enter_context(TestClient(app, base_url=BASE, headers=headers))

        yield client


def events(client: TestClient) -> list[Any]:
    """What is told until the fit ends."""
    with client.stream("GET", "/api/progress") as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        text = "".join(response.iter_text())
    return [json.loads(line.removeprefix("data: ")) for line in text.splitlines() if line.startswith("data: ")]


def test_a_fit_is_followed_and_then_explored(fitting: Any, planted_csv: Path, tmp_path: Path) -> None:
    client = fitting(planted_csv)
    run = client.get("/api/run").json()
    assert (run["state"], run["n_nodes"]) == ("waiting", None)
    assert "edges.csv" in run["title"]
    response = client.get("/api/links")
    assert response.status_code == 503
    message(response)
    assert client.post("/api/fit", json={}).json() == {"state": "fitting"}
    assert client.post("/api/fit", json={}).status_code == 409
    told = events(client)
    assert told[-1] == {"state": "ready"}
    assert all(set(event) == {"stage", "done", "total", "note"} for event in told[:-1])
    assert any(event["stage"] for event in told[:-1])
    assert client.get("/api/run").json()["n_nodes"] == 60
    assert client.get("/api/links?size=1").json()["n_links"] > 1_000
    assert client.get("/api/questions/next").json()["question"]["id"] == 1
    assert {"run.json", "report.html", "missing_links.csv", "model"} <= {
        own.name for own in (tmp_path / "results").iterdir()
    }
    assert client.post("/api/fit", json={}).status_code == 409
    assert events(client) == [{"state": "ready"}]


def test_nobody_waits_for_a_worker_that_fits(fitting: Any, planted_csv: Path) -> None:
    client, go_on = fitting(planted_csv), threading.Event()
    worker = client.app.state.explore.worker
    busy = worker.submit(go_on.wait)
    for path in ("estimate", "links", "questions/next", "export/reviews.csv"):
        assert client.get(f"/api/{path}").status_code == 503
    assert client.get("/api/run").status_code == 200
    assert not busy.done()
    go_on.set()


def test_a_fit_that_fails_says_why_and_can_be_started_again(fitting: Any, tmp_path: Path) -> None:
    edges = tmp_path / "few.csv"
    edges.write_text("source,target\na\n")
    client = fitting(edges)
    client.post("/api/fit", json={})
    last = events(client)[-1]
    assert last["state"] == "failed"
    assert "few.csv" in last["message"]
    assert client.get("/api/run").json()["message"] == last["message"]
    assert client.post("/api/fit", json={}).status_code == 202
    assert events(client)[-1] == last


def test_only_what_was_named_can_be_fitted(opened: Open) -> None:
    client = opened()
    assert client.post("/api/fit", json={}).status_code == 409
    assert client.post("/api/fit", json={"edges": "/etc/passwd"}).status_code == 422
