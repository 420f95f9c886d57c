"""A whole review in a real browser: every page, by keyboard, with names that want to be more than text."""

from __future__ import annotations

import csv
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import urlencode

import pytest

import pulink
from tests.support.browser import CHROMIUM
from tests.support.planted import planted_graph

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed")

IMAGE = "<img src=x onerror=alert(1)>"
HOSTILE = [IMAGE, "=cmd()", "He said \"hi\" & 'bye'", "abc\u202edef", "</title><script>alert(1)</script>"]
GOAL = 20


@pytest.fixture(scope="module")
def results(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What find wrote about two communities, some of whose nodes have hostile names."""
    names = [*HOSTILE, *(f"n{k}" for k in range(len(HOSTILE), 60))]
    edges = [(names[a], names[b]) for a, b in planted_graph(30, 2, 0.3, 0.02, seed=0).edges.tolist()]
    folder = tmp_path_factory.mktemp("explored") / "results"
    pulink.find(edges, method="l3n").save(folder)
    return folder


@contextmanager
def served(folder: Path, *options: str) -> Iterator[str]:
    """The address, with the token, of the real server in a process of its own."""
    command = [sys.executable, "-m", "pulink", "explore", str(folder), "--no-browser", "--reviewer", "Ann"]
    environment = {**os.environ, "PULINK_THREADS": "1", "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([*command, *options], stderr=subprocess.PIPE, text=True, env=environment)
    try:
        assert process.stderr is not None
        lines = []
        for line in process.stderr:
            lines.append(line)
            if found := re.search(r"http://\S+/enter\?token=\S+", line):
                yield found[0]
                break
        else:
            pytest.fail("the server did not start: " + "".join(lines))
    finally:
        process.terminate()
        process.wait(30)
        assert process.stderr is not None
        process.stderr.close()


@pytest.fixture(scope="module")
def browser() -> Iterator[object]:
    playwright = pytest.importorskip("playwright.sync_api")
    with playwright.sync_playwright() as started:
        opened = started.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield opened
        opened.close()
