"""The ledger: rows are only added, an answer that was acknowledged is there, whatever happens."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from pulink.errors import InputError
from pulink.persistence.ledger import LEDGER, LINK, NO_LINK, SAMPLE, AnswerRow, Ledger, QuestionRow, SessionRow

SESSION = SessionRow("run", "model", 3, {"ends": [1, 2]})


def question(source: str, rank: int = 0) -> QuestionRow:
    return QuestionRow(0, source, "b", "", "", SAMPLE, rank, 0)


def answer(to: int, key: str, said: str = LINK) -> AnswerRow:
    return AnswerRow(0, to, "Ada", said, "", None, None, key)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / LEDGER


def test_rows_come_back_as_they_were_written(file: Path) -> None:
    ledger = Ledger(file)
    assert ledger.session() is None
    assert ledger.begin(SESSION) == SESSION
    asked = ledger.add_question(question("a'\x1b\n"))
    assert asked is not None
    said = ledger.add_answer(answer(asked.id, "k"))
    ledger.close()
    again = Ledger(file, read_only=True)
    assert again.session() == SESSION
    assert again.questions() == [asked]
    assert again.answers() == [said]
    assert again.state() == (asked.id, said.id)
    assert again.answers(after=said.id) == []


def test_whoever_begins_second_gets_what_is_there(file: Path) -> None:
    first, second = Ledger(file), Ledger(file)
    first.begin(SESSION)
    assert second.begin(SessionRow("other", "model", 0, {})) == SESSION


def test_a_pair_is_asked_about_once_and_a_key_answers_once(file: Path) -> None:
    ledger = Ledger(file)
    asked = ledger.add_question(question("a"))
    assert asked is not None
    assert ledger.add_question(question("a", rank=7)) is None
    first = ledger.add_answer(answer(asked.id, "k"))
    assert ledger.add_answer(answer(asked.id, "k", NO_LINK)) == first
    assert ledger.answers() == [first]


def filled(file: Path) -> None:
    ledger = Ledger(file)
    ledger.begin(SESSION)
    asked = ledger.add_question(question("a"))
    assert asked is not None
    ledger.add_answer(answer(asked.id, "k"))
    ledger.close()


@pytest.mark.parametrize("table", ["session", "question", "answer"])
@pytest.mark.parametrize("change", ["UPDATE {} SET id = 5", "DELETE FROM {}"])
def test_rows_are_neither_changed_nor_removed(file: Path, table: str, change: str) -> None:
    filled(file)
    connection = sqlite3.connect(file)
    with pytest.raises(sqlite3.IntegrityError, match="only added"):
        connection.execute(change.format(table))
    connection.close()


@pytest.mark.parametrize(("number", "key"), [(1, "other"), (9, "k")])
def test_rows_are_not_replaced(file: Path, number: int, key: str) -> None:
    filled(file)
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute(
        "INSERT OR REPLACE INTO answer (id, question, reviewer, answer, note, key) "
        "VALUES (?, 1, 'Eve', 'link', '', ?)",
        (number, key),
    )
    connection.close()
    assert [row.reviewer for row in Ledger(file).answers()] == ["Ada"]


@pytest.mark.parametrize(
    "content", [b"no database, but longer than a header of one" * 5, b"SQLite format 3\0" * 40]
)
def test_what_is_no_database_is_refused_in_one_line(file: Path, content: bytes) -> None:
    file.write_bytes(content)
    with pytest.raises(InputError, match="damaged or no review of pulink") as refused:
        Ledger(file)
    assert "\n" not in str(refused.value)
    assert file.read_bytes() == content


def test_a_damaged_ledger_is_refused(file: Path) -> None:
    filled(file)
    data = bytearray(file.read_bytes())
    data[4096:] = bytes(len(data) - 4096)
    file.write_bytes(data)
    with pytest.raises(InputError, match=r"review\.sqlite"):
        Ledger(file).answers()


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE t (x)", "DROP TRIGGER answer_update", "PRAGMA user_version = 9"]
)
def test_a_database_of_another_form_is_refused(file: Path, statement: str) -> None:
    if "t (x)" not in statement:
        filled(file)
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute(statement)
    connection.close()
    with pytest.raises(InputError, match=r"is not a review of pulink|is of format 9"):
        Ledger(file)


def test_a_link_to_a_file_is_refused(file: Path, tmp_path: Path) -> None:
    file.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="no regular file"):
        Ledger(file)
    assert not (tmp_path / "elsewhere").exists()


def test_reading_begins_nothing(file: Path) -> None:
    with pytest.raises(InputError, match="there is no review yet"):
        Ledger(file, read_only=True)
    assert not file.exists()


def test_threads_of_several_connections_lose_nothing(file: Path) -> None:
    failed: list[BaseException] = []

    def write(who: int) -> None:
        try:
            ledger = Ledger(file)
            ledger.begin(SESSION)
            for k in range(20):
                asked = ledger.add_question(question(f"{who}-{k}"))
                assert asked is not None
                ledger.add_answer(answer(asked.id, f"{who}-{k}"))
            ledger.close()
        except BaseException as error:
            failed.append(error)

    threads = [threading.Thread(target=write, args=(who,)) for who in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    ledger = Ledger(file)
    assert {row.key for row in ledger.answers()} == {f"{who}-{k}" for who in range(6) for k in range(20)}
    assert len({row.id for row in ledger.questions()}) == 120


WRITER = """
import sys
from pathlib import Path
from pulink.persistence.ledger import *
ledger = Ledger(Path(sys.argv[1]))
for k in range(100):
    asked = ledger.add_question(QuestionRow(0, f"{sys.argv[2]}-{k}", "b", "", "", "sample", k, 0))
    row = ledger.add_answer(AnswerRow(0, asked.id, "Ada", "link", "", None, None, f"{sys.argv[2]}-{k}"))
    print(row.key, flush=True)
"""


def test_processes_write_at_once(file: Path) -> None:
    writers = [
        subprocess.Popen([sys.executable, "-c", WRITER, str(file), name], stdout=subprocess.PIPE) for name in "ab"
    ]
    assert [len(writer.communicate()[0].split()) for writer in writers] == [100, 100]
    assert len(Ledger(file).answers()) == 200


@pytest.mark.parametrize("n_seen", [1, 40, 99])
def test_no_acknowledged_answer_is_lost_when_the_process_is_killed(file: Path, n_seen: int) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file), "a"], stdout=subprocess.PIPE, text=True
    ) as writer:
        assert writer.stdout is not None
        seen = [writer.stdout.readline().strip() for _ in range(n_seen)]
        writer.kill()
        seen += writer.stdout.read().split()
    kept = [row.key for row in Ledger(file).answers()]
    assert kept[: len(seen)] == seen
    # One more may have been written than was told.
    assert len(kept) <= len(seen) + 1
