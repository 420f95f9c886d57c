"""Streams: tables and bars for a person, lines for a pipe, colour only where it is wanted."""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from torture.payloads import FORMULAS, SPLIT
from torture.spreadsheet import ever_formulas

import pulink
from pulink.cli.terminal.console import Screen, printable
from pulink.data.formats.spreadsheet_guard import guarded
from tests.support.command import COMMAND

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
        bar.show("learning from hidden edges, round 3, AUROC 0.988", 30, 100)


@pytest.mark.usefixtures("plain_environment")
def test_a_person_sees_a_table() -> None:
    with terminal() as stream:
        Screen(quiet=False).table("Links", ["source", "p"], [["[red]ann", "0.5"]], {"p"})
    assert "│ [red]ann │ 0.5 │" in re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue())


@pytest.mark.usefixtures("plain_environment")
def test_the_last_column_is_cut_where_a_line_ends() -> None:
    rows = [["ann", "bob", "3 shared neighbours, among them " + "x" * 99], ["cy", "di", "short"]]
    with terminal() as stream:
        Screen(quiet=False).table("Links", ["source", "target", "reason"], rows, set(), cut_last=True)
    lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.getvalue()).splitlines()
    (cut,) = [line for line in lines if "ann" in line]
    assert len(cut) == 80
    assert cut.startswith("│ ann    │ bob    │ 3 shared neighbours, among them xxx")
    assert cut.endswith("x… │")
    assert len(lines) == 7


@pytest.mark.usefixtures("plain_environment")
def test_a_person_sees_a_bar_with_colour_and_time_left() -> None:
    with terminal() as stream:
        draw_bar()
    assert COLOUR.search(stream.getvalue())
    plain = re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", stream.getvalue())
    assert "learning from hidden edges, round 3, AUROC 0.988" in plain
    assert re.search(r"30\.0% 0:00, \S+ left", plain)


@pytest.mark.usefixtures("plain_environment")
def test_no_color_is_heeded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    with terminal() as stream:
        draw_bar()
    assert "round 3" in stream.getvalue()
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
    screen.table("Links", ["source", "p"], [["bell\a\r", "0.5"], ["می‌خواهم", "0.4"]], {"p"})
    out, err = capsys.readouterr()
    assert out == "source\tp\nbell\\x07\\r\t0.5\nمی‌خواهم\t0.4\n"
    assert err == "a note [bold]as it is[/bold] " + "x" * 200 + "\n"


def test_control_characters_become_visible() -> None:
    assert printable("Zürich 東京") == "Zürich 東京"
    assert printable("\x1b[31mred\n\u202eevil") == "\\x1b[31mred\\n\\u202eevil"


def piped(rows: list[list[str]]) -> str:
    with contextlib.redirect_stdout(io.StringIO()) as out:
        Screen(quiet=True).table("Links", ["source", "target", "probability"], rows, {"probability"})
    return out.getvalue()


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ('"=1+1"', '"""=1+1"""'),
        ('"', '""""'),
        ('a "b" c', '"a ""b"" c"'),
        ("a\tb", '"a\tb"'),
        ("a\nb", '"a\nb"'),
        ("a b;c,d'e", "a b;c,d'e"),
    ],
)
def test_marks_keep_a_cell_of_a_pipe_together(name: str, cell: str) -> None:
    assert piped([["x", name, "0.5"]]).split("\n", 1)[1] == f"x\t{cell}\t0.5\n"


# What a delimited file keeps: no blanks around a name; and a pipe gets no controls but these two.
letters = st.sampled_from('""\'=-@,;|\t\n #%1aé\\\u200b\ufeff') | st.characters(
    codec="utf-8", exclude_categories=("Cc", "Cs")
)
lists = st.lists(st.text(letters, min_size=1, max_size=6).map(str.strip).filter(bool), min_size=2, unique=True)


@settings(max_examples=60)
@given(lists)
@example([name for name in SPLIT if name == name.strip()])
def test_a_pipe_has_no_formulas_and_is_read_back(names: list[str]) -> None:
    ends = pl.DataFrame({"source": names, "target": [*names[1:], names[0]]})
    text = piped([[a, b, "0.5"] for a, b in guarded(ends).rows()])
    assert ever_formulas(text.encode()) == []
    with tempfile.TemporaryDirectory() as folder:
        for file in ("links.tsv", "links.txt"):
            path = Path(folder, file)
            path.write_text(text, newline="")
            graph = pulink.read(path)
            assert sorted(graph.names.series()) == sorted(names)
            assert {frozenset(pair) for pair in ends.rows()} == {
                frozenset((graph.names[a], graph.names[b])) for a, b in graph.edges.tolist()
            }


def test_names_of_formulas_on_a_pipe() -> None:
    rows = guarded(pl.DataFrame({"source": FORMULAS, "target": FORMULAS[::-1]})).rows()
    assert ever_formulas(piped([[a, b, "0.5"] for a, b in rows]).encode()) == []


class Broken(Terminal):
    """A terminal that was closed."""

    def __init__(self, error: int) -> None:
        super().__init__()
        self.error = error

    def write(self, _: str) -> int:
        raise OSError(self.error, "gone")

    def flush(self) -> None:
        raise OSError(self.error, "gone")


@pytest.mark.usefixtures("plain_environment")
@pytest.mark.parametrize("error", [errno.EPIPE, errno.EIO, errno.ENOSPC])
def test_notes_and_bars_that_cannot_be_written_are_dropped(error: int) -> None:
    with contextlib.redirect_stderr(Broken(error)):
        Screen(quiet=False).note("read edges.csv")
        draw_bar()
    with mock.patch.object(sys, "stderr", None):
        Screen(quiet=False).note("read edges.csv")
        draw_bar()


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    pairs = [(a, b) for a in range(12) for b in range(a + 1, 12) if a % 3 == b % 3 or (a + b) % 5 == 0]
    path = tmp_path / "edges.csv"
    path.write_text("source,target\n" + "".join(f"n{a},n{b}\n" for a, b in pairs))
    return path


def find(edges: Path, *more: str, **streams: int) -> int:
    """The exit status of a run whose streams are given."""
    return subprocess.run(
        [COMMAND, "find", str(edges), "--method", "l3n", "--threads", "1", *more],
        timeout=120,
        check=False,
        **streams,  # type: ignore[call-overload]
    ).returncode


@contextlib.contextmanager
def nobody_reads() -> Iterator[int]:
    reader, writer = os.pipe()
    os.close(reader)
    yield writer
    os.close(writer)


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_behind_standard_error_ends_no_run(edges: Path, tmp_path: Path) -> None:
    with Path("/dev/full").open("w") as full:
        assert find(edges, "--out", str(tmp_path / "out"), stdout=subprocess.DEVNULL, stderr=full.fileno()) == 0
    assert (tmp_path / "out" / "run.json").exists()


@pytest.mark.slow
def test_a_reader_that_left_ends_no_run(edges: Path, tmp_path: Path) -> None:
    with nobody_reads() as gone:
        assert find(edges, "--out", str(tmp_path / "out"), stdout=gone, stderr=gone) == 0
    assert (tmp_path / "out" / "missing_links.csv").exists()
    assert (tmp_path / "out" / "run.json").exists()


@pytest.mark.parametrize("separator", ["\u2028", "\u2029"])
def test_separators_of_lines_and_paragraphs_do_not_reach_a_terminal(separator: str) -> None:
    assert printable(f"a{separator}b") == "a" + separator.encode("unicode_escape").decode() + "b"


@pytest.mark.parametrize("json_wanted", [pytest.param(True, marks=pytest.mark.slow), False])
def test_a_pipe_gets_true_names_whatever_the_locale(tmp_path: Path, json_wanted: bool) -> None:
    (tmp_path / "edges.csv").write_text("é,😀\n😀,b\nb,c\nc,d\nd,é\n", encoding="utf-8")
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    ended = subprocess.run(
        [COMMAND, "find", "edges.csv", "--method", "l3n", "-q", *["--json"] * json_wanted],
        cwd=tmp_path,
        env=os.environ | plain,
        capture_output=True,
        check=True,
    )
    text = ended.stdout.decode()
    if json_wanted:
        names = {link[end] for link in json.loads(text)["links"] for end in ("source", "target")}
    else:
        names = {cell for line in text.splitlines()[1:] for cell in line.split("\t")[1:3]}
    assert {"é", "😀"} <= names


def test_json_is_json_on_a_terminal_that_lacks_letters() -> None:
    content = io.BytesIO()
    stream = io.TextIOWrapper(content, encoding="ascii", errors="backslashreplace")
    with contextlib.redirect_stdout(stream):
        Screen(quiet=True).json({"name": "é😀"})
    assert json.loads(content.getvalue()) == {"name": "é😀"}
