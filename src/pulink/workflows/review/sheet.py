"""Questions as a sheet for people who answer in a spreadsheet, and their answers read back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from pulink.data.answered_pairs import answer_of
from pulink.data.formats.delimited import read_delimited
from pulink.data.formats.spreadsheet_guard import csv_of, restored
from pulink.data.read_options import ReadOptions
from pulink.graph.tables.table import Table
from pulink.persistence.ledger import MAX_NOTE, TAKEN_BACK, AnswerRow, QuestionRow
from pulink.text import shown
from pulink.workflows.review.question_text import blind_reasons
from pulink.workflows.review.session import ReviewSession

_ALLOWED = "link (yes, y, a, 1), no link (no, n, x, 0), unsure, or nothing where it is not answered"


@dataclass(frozen=True)
class Imported:
    """How many answers of a sheet are new, how many were known already, and how many rows have none."""

    n_new: int
    n_known: int
    n_blank: int


@dataclass(frozen=True)
class _Given:
    question: int
    answer: str
    note: str


def drawn_questions(
    session: ReviewSession, reviewer: str, count: int, *, controls: bool = False, second_opinion: bool = False
) -> list[QuestionRow]:
    """The next questions for a reviewer; those that nobody has answered come first."""
    found: dict[int, QuestionRow] = {}
    while len(found) < count:
        question = session.next_question(reviewer, taken=found, controls=controls, second_opinion=second_opinion)
        if question is None:
            break
        found[question.id] = question
    return list(found.values())


def sheet_of(session: ReviewSession, questions: list[QuestionRow]) -> str:
    """As CSV; names that a spreadsheet would compute have an apostrophe before them."""
    typed = any(question.source_type for question in questions)
    columns: dict[str, list[object]] = {
        "id": [question.id for question in questions],
        "source": [question.source for question in questions],
        "target": [question.target for question in questions],
    }
    if typed:
        columns["source_type"] = [question.source_type for question in questions]
        columns["target_type"] = [question.target_type for question in questions]
    columns["reasons"] = ["; ".join(blind_reasons(session, question)) for question in questions]
    blank: dict[str, list[object]] = {name: [""] * len(questions) for name in ("answer", "note")}
    schema = {name: pl.Int64 if name == "id" else pl.String for name in columns | blank}
    return csv_of(pl.DataFrame(columns | blank, schema=schema))


def import_sheet(session: ReviewSession, file: str | Path, reviewer: str) -> Imported:
    """Read answers back: all of them, or none where a row is wrong. The same sheet again changes nothing."""
    table = read_delimited(file, ReadOptions(header=True))
    given = list(_rows(session, table))
    n_new = n_known = 0
    for one in given:
        decision = next(d for d in session.decisions() if d.question.id == one.question)
        mine = [row for row in decision.history if row.reviewer == reviewer]
        if mine and (mine[-1].answer, mine[-1].note) == (one.answer, one.note):
            n_known += 1
            continue
        session.answer(one.question, reviewer, one.answer, note=one.note, key=_key(one, reviewer, mine))
        n_new += 1
    return Imported(n_new, n_known, table.frame.height - len(given))


def _key(given: _Given, reviewer: str, before: list[AnswerRow]) -> str:
    """Two who import one sheet at the same time write each answer once."""
    last = before[-1].id if before else 0
    text = json.dumps([given.question, reviewer, given.answer, given.note, last])
    return f"sheet-{hashlib.sha256(text.encode()).hexdigest()}"


def _rows(session: ReviewSession, table: Table) -> Iterator[_Given]:
    """The answers that stand in a sheet, in its order; InputError names the line of one that cannot be."""
    asked = {d.question.id: d.question for d in session.decisions()}
    ids, sources, targets, words = (
        table.column(name).fill_null("") for name in ("id", "source", "target", "answer")
    )
    notes = table.frame["note"].fill_null("") if "note" in table.frame.columns else [""] * table.frame.height
    written = zip(sources, targets, strict=True)
    meant = zip(restored(sources), restored(targets), strict=True)
    seen: set[int] = set()
    for row, (number, *pairs, word, note) in enumerate(zip(ids, written, meant, words, notes, strict=True)):
        question = asked.get(int(number)) if number.strip().isascii() and number.strip().isdigit() else None
        if question is None:
            raise table.fail(row, f"there is no question with the id {shown(number)} in this review")
        _check_pair(table, row, question, pairs)
        if not word.strip():
            continue
        if (said := answer_of(word)) is None or word.strip().casefold() == TAKEN_BACK:
            raise table.fail(row, f"the answer {shown(word)} is not known; allowed are {_ALLOWED}")
        if question.id in seen:
            raise table.fail(row, f"question {question.id} is answered twice")
        if len(note) > MAX_NOTE:
            raise table.fail(row, f"the note has {len(note):,} characters; {MAX_NOTE:,} are allowed")
        seen.add(question.id)
        yield _Given(question.id, said, note)


def _check_pair(table: Table, row: int, question: QuestionRow, pairs: list[tuple[str, str]]) -> None:
    """The names of a row, as they are written or without guards, are those of its question."""
    wanted = _loose(question.source), _loose(question.target)
    if wanted not in [(_loose(source), _loose(target)) for source, target in pairs]:
        source, target = pairs[0]
        asked = f"{shown(question.source)} and {shown(question.target)}"
        raise table.fail(row, f"question {question.id} is about {asked}, not {shown(source)} and {shown(target)}")


def _loose(name: str) -> str:
    """Spreadsheets change blanks and line ends."""
    return " ".join(name.split())
