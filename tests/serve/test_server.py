"""The real server: a process that listens, is killed, and is ended."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

from pulink.persistence.ledger import LEDGER, Ledger
from tests.support.command import call, start

N_ANSWERS, N_REVIEWERS, KILL_AFTER = 100, 10, 60


@contextmanager
def server(results: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], httpx.Client]]:
    """`pulink explore` on a free port, and a client that has entered."""
    process = start("explore", str(results), "--no-browser", *options)
    try:
        assert process.stderr is not None
        line = process.stderr.readline()
        found = re.fullmatch(r"open (http://127\.0\.0\.1:\d+)/enter\?token=(\S+)\n", line)
        assert found is not None, line
        with httpx.Client(base_url=found[1], timeout=60, trust_env=False) as client:
            assert client.get("/enter", params={"token": found[2]}).status_code == 303
            yield process, client
    finally:
        process.kill()
        process.communicate()


def test_what_was_acknowledged_survives_a_kill(fitted: Callable[[str], Path], tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(fitted("undirected"), results)
    acknowledged: list[str] = []
    with server(results) as (process, client):

        def answer(reviewer: str) -> None:
            for k in range(N_ANSWERS // N_REVIEWERS):
                try:
                    question = client.get("/api/questions/next", params={"reviewer": reviewer}).json()["question"]
                    sent = {
                        "question": question["id"],
                        "reviewer": reviewer,
                        "answer": "link",
                        "key": f"{reviewer}{k}",
                    }
                    response = client.post("/api/answers", json=sent)
                except httpx.TransportError:
                    return
                assert response.status_code == 201
                acknowledged.append(sent["key"])

        answering = [threading.Thread(target=answer, args=(f"r{k}-",)) for k in range(N_REVIEWERS)]
        for thread in answering:
            thread.start()
        while len(acknowledged) < KILL_AFTER and any(thread.is_alive() for thread in answering):
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        for thread in answering:
            thread.join()
    assert len(acknowledged) >= KILL_AFTER
    ledger = Ledger(results / LEDGER)
    kept = [row.key for row in ledger.answers()]
    ledger.close()
    assert set(acknowledged) <= set(kept)
    assert len(kept) <= len(acknowledged) + N_REVIEWERS
    with server(results) as (_, client):
        assert client.get("/api/run").json()["questions"]["answered"] == len(kept)


@pytest.mark.slow
def test_ctrl_c_ends_it_well(fitted: Callable[[str], Path], tmp_path: Path) -> None:
    results = tmp_path / "results"
    shutil.copytree(fitted("undirected"), results)
    with server(results) as (process, client):
        assert client.get("/api/run").status_code == 200
        port = client.base_url.port
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=30)
        assert (process.returncode, said) == (0, f"ended; answers are in {results}\n")
    with socket.socket() as free:
        assert free.connect_ex(("127.0.0.1", port or 0)) != 0


def test_a_port_that_is_taken_is_named(fitted: Callable[[str], Path]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        outcome = call("explore", str(fitted("undirected")), "--port", port)
    assert outcome.status == 5
    assert f"port {port}" in outcome.err


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--host", "nowhere.invalid"], "is no address"),
        (["--fit", "sample"], "holds results already"),
        (["--fit", "sample", "--read-only"], "does not go with --read-only"),
        (["--reviewer", ""], "--reviewer"),
    ],
)
def test_what_cannot_be_served_is_told_in_one_line(
    fitted: Callable[[str], Path], options: list[str], message: str
) -> None:
    outcome = call("explore", str(fitted("undirected")), "--no-browser", *options)
    assert (outcome.status, outcome.out) == (2, "")
    assert message in outcome.err
    assert len(outcome.err.splitlines()) == 1


def test_without_the_extra_it_says_what_to_install(
    fitted: Callable[[str], Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "starlette", None)
    outcome = call("explore", str(fitted("undirected")))
    assert outcome.status == 2
    assert "pip install 'pulink[explore]'" in outcome.err
    assert len(outcome.err.splitlines()) == 1
