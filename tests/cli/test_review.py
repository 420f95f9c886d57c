"""pulink review: keys on a terminal, lines on a pipe, sheets; whatever ends it, answers stay."""

from __future__ import annotations

import csv
import io
import json
import os
import pty
import select
import signal
import subprocess
import sys
import termios
from collections.abc import Iterator
from pathlib import Path

import pytest

from pulink.persistence.ledger import LEDGER, AnswerRow, Ledger
from pulink.workflows.review.session import open_review
from tests.support.command import call
from tests.support.reviews import results

PROMPT = "[q] leave"
PATIENCE = 120.0


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return results(tmp_path)


def answers(folder: Path) -> list[AnswerRow]:
    ledger = Ledger(folder / LEDGER, read_only=True)
    found = ledger.answers()
    ledger.close()
    return found


class Terminal:
    """The command on a terminal of its own."""

    def __init__(self, *arguments: str) -> None:
        self.end, other = pty.openpty()
        self.before = termios.tcgetattr(self.end)
        # Ctrl-C goes to whoever the terminal belongs to.
        program = (
            "import fcntl, os, signal, sys, termios; os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0); "
            "signal.signal(signal.SIGINT, signal.default_int_handler); "
            "os.execv(sys.executable, [sys.executable, '-m', 'pulink', *sys.argv[1:]])"
        )
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *arguments], stdin=other, stdout=other, stderr=other
        )
        os.close(other)
        self.shown = ""

    def wait_for(self, text: str) -> str:
        """What was shown up to this text, which is then forgotten."""
        while text not in self.shown:
            assert self._read(), f"{text!r} was not shown, but {self.shown!r}"
        before, _, self.shown = self.shown.partition(text)
        return before + text

    def press(self, keys: str) -> None:
        os.write(self.end, keys.encode())

    def ended(self) -> tuple[int, str]:
        """Exit status, and the last words."""
        while self._read():
            pass
        return self.process.wait(), self.shown

    def _read(self) -> bool:
        if not select.select([self.end], [], [], PATIENCE)[0]:
            return False
        try:
            found = os.read(self.end, 65_536)
        except OSError:
            return False
        self.shown += found.decode().replace("\r\n", "\n")
        return bool(found)

    def is_restored(self) -> bool:
        return termios.tcgetattr(self.end)[3] == self.before[3]


@pytest.fixture
def opened(folder: Path) -> Iterator[list[Terminal]]:
    terminals: list[Terminal] = []
    yield terminals
    for terminal in terminals:
        terminal.process.kill()
        terminal.process.wait()
        os.close(terminal.end)


def test_keys_answer_undo_explain_note_and_leave(folder: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("review", "out", "--reviewer", "Ada", "--criterion", "they meet weekly")
    opened.append(terminal)
    first = terminal.wait_for(PROMPT)
    assert "1 of 50" in first
    assert "counts as a link: they meet weekly" in first
    terminal.press("a")
    terminal.wait_for("kept: link")
    terminal.wait_for(PROMPT)
    terminal.press("u")
    again = terminal.wait_for(PROMPT)
    assert "taken back" in again
    assert "1 of 50" in again
    # An arrow is no answer, although the letter A is in it.
    terminal.press("\x1b[A")
    terminal.wait_for("not an answer")
    terminal.wait_for(PROMPT)
    terminal.press("?")
    terminal.wait_for("take your last answer back")
    terminal.wait_for("the same command goes on")
    terminal.press("n")
    terminal.wait_for("note, then Enter:")
    terminal.press("seen in the archive\n")
    terminal.wait_for("noted; now answer")
    terminal.press("x")
    terminal.wait_for("kept: no link")
    terminal.wait_for(PROMPT)
    terminal.press(" ")
    terminal.wait_for("kept: unsure")
    terminal.wait_for(PROMPT)
    terminal.press("q")
    status, said = terminal.ended()
    assert status == 0
    assert "every answer is kept. Resume with: pulink review out --reviewer Ada" in said
    assert "2 answers: 0 links, 1 no link, 1 unsure" in said
    assert terminal.is_restored()
    kept = answers(folder)
    assert [row.answer for row in kept] == ["link", "taken back", "no link", "unsure"]
    assert [row.note for row in kept] == ["", "", "seen in the archive", ""]
    assert {row.reviewer for row in kept} == {"Ada"}


def test_ctrl_c_keeps_the_answers_and_puts_the_terminal_right(folder: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("review", "out", "--reviewer", "Ada")
    opened.append(terminal)
    terminal.wait_for(PROMPT)
    terminal.press("a")
    terminal.wait_for("kept: link")
    # It is on the disk before the next question.
    assert [row.answer for row in answers(folder)] == ["link"]
    terminal.wait_for(PROMPT)
    terminal.press("\x03")
    status, said = terminal.ended()
    assert status == 130
    assert "stopped; every answer is kept. Resume with: pulink review out --reviewer Ada" in said
    assert "Traceback" not in said
    assert terminal.is_restored()


@pytest.mark.slow
def test_sigterm_puts_the_terminal_right(folder: Path, opened: list[Terminal]) -> None:
    terminal = Terminal("review", "out")
    opened.append(terminal)
    terminal.wait_for(PROMPT)
    terminal.process.send_signal(signal.SIGTERM)
    assert terminal.ended()[0] == 143
    assert terminal.is_restored()


def test_lines_of_a_pipe_are_answers_and_numbers_come_after_each_round(folder: Path) -> None:
    outcome = call("review", "out", "--reviewer", "Ada", "--questions", "12", stdin=b"a\nx\n" * 6)
    assert outcome.status == 0, outcome.err
    assert outcome.err.count("is there a link?") == 12
    session = open_review(folder)
    n_strata = session.design.n_strata
    session.close()
    n_rounds = sum(n % n_strata == 0 for n in range(1, 12))
    assert outcome.err.count("links are missing (90% interval") == n_rounds >= 1
    assert outcome.out.startswith("12 answers: 6 links, 6 no link\nabout ")
    assert "below them, which is extrapolated" in outcome.out
    assert "to answer more: pulink review out --questions 62 --reviewer Ada" in outcome.err
    # Nothing is asked beyond the goal.
    again = call("review", "out", "--reviewer", "Ada", "--questions", "12", "--json")
    assert "is there a link?" not in again.err
    found = json.loads(again.out)
    assert (found["n_links"], found["n_no_links"], found["enough"]) == (6, 6, False)
    assert set(found["certified"]) == {"0.1", "0.2"}
    assert found["missing"]["basis"] == "reviewed"


def test_nothing_tells_how_likely_a_pair_is(folder: Path) -> None:
    shown = call("review", "out", stdin=b"w\nq\n").err
    assert not any(word in shown for word in ("probability", "rank", "stratum", "score"))


def test_none_of_many_answers_being_a_link_is_said_early(folder: Path) -> None:
    outcome = call("review", "out", "--questions", "20", stdin=b"x\n" * 20)
    assert "warning: none of 20 answers is a link so far" in outcome.err


def test_unsure_answers_give_two_bounds_and_no_certificate(folder: Path) -> None:
    outcome = call("review", "out", "--questions", "8", stdin=b"a\nx\n \n" * 4)
    assert "of the answers are unsure: above 10% no list is certified" in outcome.err
    assert "taken as no link" in outcome.out
    assert "certified:" not in outcome.out


def test_reviewers_disagree_and_controls_are_counted(folder: Path) -> None:
    call("review", "out", "--reviewer", "Ada", "--questions", "9", "--controls", stdin=b"a\n" * 9)
    call("review", "out", "--reviewer", "Ada", "--questions", "10", "--controls", stdin=b"x\na\n")
    outcome = call("review", "out", "--reviewer", "Eve", "--second-opinion", "--questions", "2", stdin=b"x\na\n")
    assert outcome.err.count("is there a link?") == 2
    assert "0 of 1 recorded link that were mixed in were recognised" in outcome.out
    assert "1 recorded link was answered as no link" in outcome.err
    assert "reviewers disagree about 1 of 2 pairs" in outcome.err


def filled(sheet: Path, words: list[str], **changes: str) -> Path:
    rows = list(csv.DictReader(io.StringIO(sheet.read_text())))
    for row, word in zip(rows, words, strict=False):
        row["answer"] = word
        row["note"] = "from the sheet"
    rows[0] |= changes
    target = sheet.with_name("filled.csv")
    with target.open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]), delimiter=";")
        writer.writeheader()
        writer.writerows(rows)
    return target


def test_a_sheet_is_answered_in_a_spreadsheet_and_read_back(folder: Path) -> None:
    outcome = call("review", "out", "--sheet", "questions.csv", "--questions", "8")
    assert outcome.status == 0, outcome.err
    assert "8 questions in questions.csv" in outcome.err
    sheet = filled(Path("questions.csv"), ["link", "NO LINK", "y", "x", "1", "0", "unsure", ""])
    read = call("review", "out", "--import", str(sheet), "--reviewer", "Ada")
    assert read.status == 0, read.err
    assert "7 new answers of Ada, 0 known already, 1 not answered" in read.err
    assert read.out.startswith("7 answers: 3 links, 3 no link, 1 unsure\n")
    kept = answers(folder)
    assert {row.note for row in kept} == {"from the sheet"}
    again = call("review", "out", "--import", str(sheet), "--reviewer", "Ada")
    assert "0 new answers of Ada, 7 known already" in again.err
    assert again.out == read.out
    assert answers(folder) == kept


@pytest.mark.parametrize("file", ["out/review.sqlite", "out/run.json", "kept.csv"])
def test_a_sheet_never_replaces_a_file(folder: Path, file: str) -> None:
    call("review", "out", "--sheet", "questions.csv", "--questions", "3")
    Path("kept.csv").write_text("mine")
    before = Path(file).read_bytes()
    outcome = call("review", "out", "--sheet", file)
    assert outcome.status == 5
    assert "is there already" in outcome.err
    assert Path(file).read_bytes() == before


@pytest.mark.parametrize(
    ("words", "changes", "message"),
    [
        (["link", "perhaps"], {}, "line 3: the answer 'perhaps' is not known; allowed are link (yes, y, a, 1)"),
        (["link"], {"id": "99"}, "line 2: there is no question with the id '99'"),
        (["link"], {"id": "2"}, "line 2: question 2 is about"),
        (["link"], {"source": "=cmd()"}, "line 2: question 1 is about"),
    ],
)
def test_a_sheet_with_a_wrong_row_changes_nothing(
    folder: Path, words: list[str], changes: dict[str, str], message: str
) -> None:
    call("review", "out", "--sheet", "questions.csv", "--questions", "4")
    outcome = call("review", "out", "--import", str(filled(Path("questions.csv"), words, **changes)))
    assert outcome.status == 3
    assert message in outcome.err
    assert answers(folder) == []


def test_hostile_names_stay_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted_csv: Path) -> None:
    monkeypatch.chdir(tmp_path)
    lines = planted_csv.read_text().splitlines()
    edges = [",".join(f'"=1+1\x1b[2J{end}"' for end in line.split(",")) for line in lines[1:]]
    Path("edges.csv").write_text("\n".join([lines[0], *edges]) + "\n")
    assert call("find", "edges.csv", "--method", "l3n", "--out", "out").status == 0
    shown = call("review", "out", stdin=b"w\nq\n")
    assert "\x1b" not in shown.err + shown.out
    assert '"=1+1\\x1b[2Jn' in shown.err
    assert call("review", "out", "--sheet", "questions.csv", "--questions", "5").status == 0
    rows = list(csv.DictReader(io.StringIO(Path("questions.csv").read_text())))
    assert all(row["source"].startswith("'=1+1") for row in rows)
    read = call("review", "out", "--import", str(filled(Path("questions.csv"), ["a"] * 5)))
    assert "5 new answers" in read.err


def test_an_arrow_shows_the_direction(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted_csv: Path) -> None:
    monkeypatch.chdir(tmp_path)
    assert call("find", str(planted_csv), "--directed", "--method", "l3n", "--out", "out").status == 0
    assert '" -> "n' in call("review", "out", stdin=b"q\n").err


@pytest.mark.parametrize(
    ("arguments", "status", "message"),
    [
        (("nowhere",), 3, "holds no results of find"),
        (("out", "--import", "nowhere.csv"), 3, "nowhere.csv"),
        (("out", "--sheet", "a.csv", "--import", "out/missing_links.csv"), 2, "contradict"),
        (("out", "--reviewer", ""), 2, "reviewer must be text"),
        (("out", "--questions", "0"), 2, "--questions"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(
    folder: Path, arguments: tuple[str, ...], status: int, message: str
) -> None:
    outcome = call("review", *arguments, stdin=b"a\n")
    assert outcome.status == status
    assert message in outcome.err
    assert "Traceback" not in outcome.err


def test_a_ledger_of_another_model_is_refused(folder: Path) -> None:
    call("review", "out", stdin=b"a\n")
    run = folder / "run.json"
    run.write_text(run.read_text() + "\n")
    outcome = call("review", "out", stdin=b"a\n")
    assert outcome.status == 3
    assert "its answers are about another model" in outcome.err
