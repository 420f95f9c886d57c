"""The answers of a review: a SQLite file to which rows are only ever added.

session    of which run and model, by their checksums; the seed and the design of the questions
question   a pair: its rank and stratum where it was drawn, and why it is asked about (sample, control, own)
answer     who said what of it; an answer that is taken back or changed is superseded by another, never removed

Triggers refuse changes and deletions, and let a row that is there already stand. Every answer is on the disk
before `add_answer` returns (write-ahead log, synced), so that a process may be killed at any time. Several
processes may write at once.
"""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any, TypeVar

from pulink.errors import InputError, OutputError
from pulink.system.files import opened_regular
from pulink.text import short_path

LEDGER = "review.sqlite"

# What a question is asked for: drawn by the design; a recorded link, to see whether it is recognised; looked up.
SAMPLE, CONTROL, OWN = KINDS = "sample", "control", "own"
# What may be answered; taken back: as if it had not been.
LINK, NO_LINK, UNSURE, TAKEN_BACK = ANSWERS = "link", "no link", "unsure", "taken back"

MAX_NOTE, MAX_REVIEWER, MAX_KEY = 2_000, 100, 200

_APPLICATION, _VERSION = 0x50756C6B, 1
_WAIT = 20.0
_MAGIC = b"SQLite format 3\0"

_TABLES = f"""
CREATE TABLE session (
  id INTEGER PRIMARY KEY CHECK (id = 1), run TEXT NOT NULL, model TEXT NOT NULL, seed INTEGER NOT NULL,
  design TEXT NOT NULL) STRICT;
CREATE TABLE question (
  id INTEGER PRIMARY KEY, source TEXT NOT NULL, target TEXT NOT NULL, source_type TEXT NOT NULL,
  target_type TEXT NOT NULL, kind TEXT NOT NULL CHECK (kind IN {KINDS}), rank INTEGER, stratum INTEGER,
  CHECK ((kind = 'sample') = (rank IS NOT NULL AND stratum IS NOT NULL)),
  UNIQUE (source, target, source_type, target_type)) STRICT;
CREATE TABLE answer (
  id INTEGER PRIMARY KEY, question INTEGER NOT NULL REFERENCES question (id), reviewer TEXT NOT NULL,
  answer TEXT NOT NULL CHECK (answer IN {ANSWERS}), note TEXT NOT NULL, seconds REAL,
  supersedes INTEGER REFERENCES answer (id), key TEXT NOT NULL UNIQUE) STRICT;
"""
# INSERT OR REPLACE removes rows without asking the triggers below.
_KEPT = """
CREATE TRIGGER session_replace BEFORE INSERT ON session WHEN EXISTS (SELECT 1 FROM session)
  BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER question_replace BEFORE INSERT ON question
  WHEN EXISTS (SELECT 1 FROM question WHERE id = NEW.id OR (source = NEW.source AND target = NEW.target
    AND source_type = NEW.source_type AND target_type = NEW.target_type))
  BEGIN SELECT RAISE(IGNORE); END;
CREATE TRIGGER answer_replace BEFORE INSERT ON answer
  WHEN EXISTS (SELECT 1 FROM answer WHERE id = NEW.id OR key = NEW.key) BEGIN SELECT RAISE(IGNORE); END;
"""
_SCHEMA = (
    _TABLES
    + _KEPT.lstrip()
    + "".join(
        f"CREATE TRIGGER {table}_{action.lower()} BEFORE {action} ON {table} "
        f"BEGIN SELECT RAISE(ABORT, '{table}s are only added'); END;\n"
        for table in ("session", "question", "answer")
        for action in ("UPDATE", "DELETE")
    )
)

Row = TypeVar("Row")


@dataclass(frozen=True)
class SessionRow:
    """run, model: SHA-256 of run.json and of the model's manifest; design: as plain values."""

    run: str
    model: str
    seed: int
    design: dict[str, Any]


@dataclass(frozen=True)
class QuestionRow:
    """A pair by the names of its ends, and their types where nodes have some; rank from 0."""

    id: int
    source: str
    target: str
    source_type: str
    target_type: str
    kind: str
    rank: int | None
    stratum: int | None

    @property
    def ends(self) -> tuple[str, str, str, str]:
        """What tells its pair from others."""
        return self.source, self.target, self.source_type, self.target_type


@dataclass(frozen=True)
class AnswerRow:
    """key: given by whoever answers; the same key twice is one answer."""

    id: int
    question: int
    reviewer: str
    answer: str
    note: str
    seconds: float | None
    supersedes: int | None
    key: str


class Ledger:
    """One ledger, open. A connection for all threads of a process, one at a time."""

    def __init__(self, file: Path, *, read_only: bool = False) -> None:
        self.file, self.read_only = file, read_only
        self._lock = threading.RLock()
        if file.is_symlink() or (file.exists() and not file.is_file()):
            raise InputError(f"{short_path(file)}: is no regular file")
        if read_only and not file.exists():
            raise InputError(f"{short_path(file)}: there is no review yet")
        try:
            mode = "ro" if read_only else "rwc"
            if read_only and not os.access(file.parent, os.W_OK):
                # Nobody can write there, and SQLite would want to.
                mode += "&immutable=1"
            self._connection = sqlite3.connect(
                f"{file.resolve().as_uri()}?mode={mode}", uri=True, timeout=_WAIT, isolation_level=None,
                check_same_thread=False,
            )  # fmt: skip
        except sqlite3.Error as error:
            raise OutputError(f"cannot open {short_path(file)}: {error}") from error
        with self._refusing():
            self._connection.execute("PRAGMA trusted_schema = OFF")
            self._connection.execute("PRAGMA foreign_keys = ON")
            if not read_only:
                self._connection.execute("PRAGMA synchronous = FULL")
                self._prepare()
            self._check()

    def _prepare(self) -> None:
        """Write the schema into a new file."""
        run = self._connection.execute
        if run("PRAGMA application_id").fetchone()[0] == 0 and not run("SELECT * FROM sqlite_master").fetchone():
            self._write_ahead()
            with self._writing():
                # Another process may have been faster.
                if not run("SELECT * FROM sqlite_master").fetchone():
                    for statement in _statements(_SCHEMA):
                        run(statement)
                    run(f"PRAGMA user_version = {_VERSION}")
                    run(f"PRAGMA application_id = {_APPLICATION}")

    def _write_ahead(self) -> None:
        """Turn on WAL; SQLite itself does not wait here for another process that does the same."""
        last = time.monotonic() + _WAIT
        while True:
            try:
                self._connection.execute("PRAGMA journal_mode = WAL")
            except sqlite3.OperationalError:
                if time.monotonic() > last:
                    raise
                time.sleep(0.02)
            else:
                return

    def _check(self) -> None:
        run = self._connection.execute
        if run("PRAGMA application_id").fetchone()[0] != _APPLICATION:
            raise InputError(f"{short_path(self.file)}: is not a review of pulink")
        version = run("PRAGMA user_version").fetchone()[0]
        if version != _VERSION:
            raise InputError(f"{short_path(self.file)}: is of format {version}, this pulink reads {_VERSION}")
        found = {row[0]: row[1] for row in run("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL")}
        if found != _expected():
            raise InputError(f"{short_path(self.file)}: is not a review of pulink, its tables are others")

    def close(self) -> None:
        """Let the file go."""
        with self._lock:
            self._connection.close()

    @contextmanager
    def _refusing(self) -> Iterator[None]:
        """SQLite's errors as ours."""
        with self._lock:
            try:
                yield
            except sqlite3.OperationalError as error:
                raise OutputError(f"cannot use {short_path(self.file)}: {error}") from error
            except sqlite3.DatabaseError as error:
                raise InputError(
                    f"{short_path(self.file)}: is damaged or no review of pulink ({error})"
                ) from error

    @contextmanager
    def _writing(self) -> Iterator[None]:
        """One transaction: all of it, or nothing."""
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def session(self) -> SessionRow | None:
        """None in a new ledger."""
        with self._refusing():
            row = self._connection.execute("SELECT run, model, seed, design FROM session").fetchone()
        if row is None:
            return None
        try:
            design = json.loads(row[3])
        except ValueError as error:
            raise InputError(f"{short_path(self.file)}: its design cannot be read") from error
        return SessionRow(row[0], row[1], row[2], design)

    def begin(self, session: SessionRow) -> SessionRow:
        """Write which model is reviewed, unless somebody did; what is there in the end."""
        values = (session.run, session.model, session.seed, json.dumps(session.design, sort_keys=True))
        with self._refusing(), self._writing():
            self._connection.execute(
                "INSERT INTO session (id, run, model, seed, design) VALUES (1, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                values,
            )
        found = self.session()
        assert found is not None
        return found

    def questions(self) -> list[QuestionRow]:
        """All of them, as they were asked."""
        return self._rows(QuestionRow, "question")

    def answers(self, after: int = 0) -> list[AnswerRow]:
        """All of them, as they were given; after: those after the answer with this number."""
        return self._rows(AnswerRow, "answer", after)

    def _rows(self, kind: type[Row], table: str, after: int = 0) -> list[Row]:
        columns = ", ".join(column.name for column in fields(kind))  # type: ignore[arg-type]
        query = f"SELECT {columns} FROM {table} WHERE id > ? ORDER BY id"  # noqa: S608 (names of ours)
        with self._refusing():
            return [kind(*row) for row in self._connection.execute(query, (after,))]

    def state(self) -> tuple[int, int]:
        """The numbers of the last question and the last answer: what was computed from them is still true."""
        query = "SELECT (SELECT COALESCE(MAX(id), 0) FROM question), (SELECT COALESCE(MAX(id), 0) FROM answer)"
        with self._refusing():
            found = self._connection.execute(query).fetchone()
        return int(found[0]), int(found[1])

    def add_question(self, question: QuestionRow) -> QuestionRow | None:
        """The question with its number; None if its pair is asked about already. The given number is not used."""
        with self._refusing(), self._writing():
            done = self._connection.execute(
                "INSERT INTO question (source, target, source_type, target_type, kind, rank, stratum) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING id",
                astuple(question)[1:],
            ).fetchone()
        return None if done is None else QuestionRow(int(done[0]), *astuple(question)[1:])

    def add_answer(self, answer: AnswerRow) -> AnswerRow:
        """The answer with its number, once it is on the disk; with a key that is known, the one that has it."""
        with self._refusing(), self._writing():
            self._connection.execute(
                "INSERT INTO answer (question, reviewer, answer, note, seconds, supersedes, key) "
                "VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO NOTHING",
                astuple(answer)[1:],
            )
            row = self._connection.execute("SELECT * FROM answer WHERE key = ?", (answer.key,)).fetchone()
        return AnswerRow(*row)


def is_ledger(file: Path) -> bool:
    """Whether a file is a database, as ledgers are; opening it tells the rest."""
    with opened_regular(file) as content:
        return content.read(len(_MAGIC)) == _MAGIC


def _statements(script: str) -> list[str]:
    found, part = [], ""
    for line in script.splitlines():
        part = f"{part}\n{line}" if part else line
        if part.strip() and sqlite3.complete_statement(part):
            found.append(part.strip().removesuffix(";"))
            part = ""
    return found


def _expected() -> dict[str, str]:
    """What the tables and triggers of a ledger are, in SQLite's own words."""
    with sqlite3.connect(":memory:") as connection:
        for statement in _statements(_SCHEMA):
            connection.execute(statement)
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    connection.close()
    return dict(rows)
