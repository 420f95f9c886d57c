"""Streams: tables and bars for a person, lines for a pipe, colour only where it is wanted."""

from __future__ import annotations

import contextlib
import io
import re
from collections.abc import Iterator

import pytest

from pulink.cli.console import Screen, printable

COLOUR = re.compile(r"\x1b\[[0-9;]*(3[0-7]|9[0-7]|38)[0-9;]*m")


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")


@contextlib.contextmanager
def terminal() -> Iterator[Terminal]:
    stream = Terminal()
    with contextlib.redirect_stdout(stream), contextlib.redirect_stderr(stream):
        yield stream


def draw_bar(quiet: bool = False) -> None:
    with Screen(quiet).bar() as bar:
        bar.show("training on every edge: iteration 10, AUROC 0.9876", 30, 100)


@pytest.mark.usefixtures("plain_environment")
def test_a_person_sees_a_table() -> None:
    with terminal() as stream:
        Screen(quiet=False).table("Links", ["source", "p"], [["[red]ann", "0.5"]], {"p"})
    assert "│ [red]ann │ 0.5 │" in re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


@pytest.mark.usefixtures("plain_environment")
def test_a_person_sees_a_bar_with_colour_and_time_left() -> None:
    with terminal() as stream:
        draw_bar()
    assert COLOUR.search(stream.getvalue())
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue())
    assert "iteration 10, AUROC 0.9876" in plain
    assert re.search(r"30%, \S+ left in this stage", plain)


@pytest.mark.usefixtures("plain_environment")
def test_no_color_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with terminal() as stream:
        draw_bar()
    assert "iteration 10" in stream.getvalue()
    assert not COLOUR.search(stream.getvalue())


@pytest.mark.usefixtures("plain_environment")
def test_quiet_hides_bar_and_notes() -> None:
    with terminal() as stream:
        draw_bar(quiet=True)
        Screen(quiet=True).note("read edges.csv")
    assert stream.getvalue() == ""


def test_a_pipe_gets_lines_and_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    draw_bar()
    screen = Screen(quiet=False)
    screen.note("a note [bold]as it is[/bold] " + "x" * 200)
    screen.table("Links", ["source", "p"], [["tab\there", "0.5"], ["می‌خواهم", "0.4"]], {"p"})
    out, err = capsys.readouterr()
    assert out == "source\tp\ntab\\there\t0.5\nمی‌خواهم\t0.4\n"
    assert err == "a note [bold]as it is[/bold] " + "x" * 200 + "\n"


def test_control_characters_become_visible() -> None:
    assert printable("Zürich 東京") == "Zürich 東京"
    assert printable("\x1b[31mred\n\u202eevil") == "\\x1b[31mred\\n\\u202eevil"
