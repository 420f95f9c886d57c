"""The bar of a fit: for people only, on stderr, and gone at the end."""

from __future__ import annotations

import io
import re
import sys
import threading

import pytest
import rich.console

import pulink
from pulink.predictor.fitting.fit_run import Progress
from pulink.predictor.fitting.notebook_bar import NotebookBar
from pulink.predictor.fitting.progress_bar import FitLine, progress_bar
from tests.support.planted import planted_graph

GRAPH = planted_graph(12, 2, 0.7, 0.1, seed=0)
MODEL = pulink.PULL(n_epochs=40, max_iterations=2, threads=1)
CONTROL = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def ends(thread: threading.Thread) -> bool:
    thread.join(10)
    return not thread.is_alive()


@pytest.fixture(autouse=True)
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


def test_a_bar_is_drawn_on_a_terminals_stderr_and_wiped_at_the_end(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    threads = threading.enumerate()
    MODEL.fit(GRAPH, progress=True)
    drawn = stream.getvalue()
    assert "learning with some edges hidden" in CONTROL.sub("", drawn)
    assert drawn.rstrip("\n").endswith("\x1b[2K"), "its line is wiped"
    assert capsys.readouterr().out == ""
    assert sys.stderr is stream
    assert all(ends(own) for own in threading.enumerate() if own not in threads)


def test_nobody_watching_means_no_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    MODEL.fit(GRAPH, progress=True)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("progress", [None, False])
def test_no_bar_unless_asked_for(progress: bool | None, monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    MODEL.fit(GRAPH, progress=progress)
    assert stream.getvalue() == ""


def test_a_notebook_is_watching_too(monkeypatch: pytest.MonkeyPatch) -> None:
    console = rich.console.Console(file=io.StringIO(), force_jupyter=False)
    with progress_bar(console) as bar:
        assert bar._progress.disable
    monkeypatch.setattr(console, "is_jupyter", True)
    with progress_bar(console) as bar:
        assert isinstance(bar, NotebookBar)
    with progress_bar(console, quiet=True) as bar:
        assert bar._progress.disable


def test_a_bar_goes_away_when_a_fit_fails(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = Terminal()
    monkeypatch.setattr(sys, "stderr", stream)
    threads = threading.enumerate()
    with pytest.raises(pulink.errors.InputError, match="training diverged"):
        pulink.PULL(n_epochs=40, learning_rate=1e30).fit(GRAPH, progress=True)
    assert sys.stderr is stream
    assert all(ends(own) for own in threading.enumerate() if own not in threads)


def test_the_line_says_what_is_done_and_starts_anew_for_every_stage() -> None:
    said: list[tuple[object, ...]] = []

    class Bar:
        def show(self, *values: object) -> None:
            said.append(values)

        def restart(self) -> None:
            said.append(("restart",))

    line = FitLine(Bar(), "learning with some edges hidden")  # type: ignore[arg-type]
    for progress in (
        Progress("choose", 1, 8, 1, None),
        Progress("choose", 5, 8, 2, 0.91234),
        Progress("refit", 1, 8, None, None),
    ):
        line(progress)
    assert said == [
        ("learning with some edges hidden", 0, 1),
        ("restart",),
        ("learning with some edges hidden, round 1", 1, 8),
        ("learning with some edges hidden, round 2, AUROC 0.912", 5, 8),
        ("restart",),
        ("training on every edge", 1, 8),
    ]


def test_a_bar_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    silent = pulink.PULL(**MODEL.get_params()).fit(GRAPH)
    monkeypatch.setattr(sys, "stderr", Terminal())
    shown = pulink.PULL(**MODEL.get_params()).fit(GRAPH, progress=True)
    assert shown.embeddings_.tobytes() == silent.embeddings_.tobytes()
