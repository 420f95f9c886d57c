"""What is refused: answers that cannot be kept, and answers about another model."""

from __future__ import annotations

import unicodedata
from pathlib import Path

from pulink.errors import InputError, ParameterError, UnknownNameError
from pulink.persistence.ledger import ANSWERS, LEDGER, MAX_KEY, MAX_NOTE, MAX_REVIEWER, SessionRow
from pulink.text import short_path


def check_answer(answer: str, reviewer: str, note: str, seconds: float | None, key: str | None) -> None:
    """Refuse what the ledger would not take."""
    if answer not in ANSWERS:
        raise UnknownNameError("answer", answer, ANSWERS)
    check_text("reviewer", reviewer, MAX_REVIEWER, least=1)
    if not reviewer.strip() or any(unicodedata.category(letter) == "Cc" for letter in reviewer):
        raise ParameterError("reviewer must be a name in letters that can be seen")
    check_text("note", note, MAX_NOTE)
    if key is not None:
        check_text("key", key, MAX_KEY, least=1)
    if seconds is not None and not 0 <= seconds < 1e9:
        raise ParameterError(f"seconds must be a number from 0, got {seconds!r}")


def check_session(folder: Path, session: SessionRow, wanted: SessionRow, seed: int | None) -> None:
    """Refuse a ledger of another model, or another seed than its own."""
    file = short_path(folder / LEDGER)
    if (session.run, session.model) != (wanted.run, wanted.model):
        raise InputError(
            f"{file}: its answers are about another model than the one in {short_path(folder)}; hand them to find "
            f"with --reviews {file}, or move the file away"
        )
    if seed is not None and seed != session.seed:
        raise ParameterError(f"{file} was begun with seed {session.seed}; leave out the seed, got {seed}")


def check_text(what: str, given: object, most: int, least: int = 0) -> None:
    """Refuse what is no text, or too long."""
    if not isinstance(given, str) or not least <= len(given) <= most:
        raise ParameterError(f"{what} must be text of {least} to {most:,} characters")
    if any(0xD800 <= ord(letter) <= 0xDFFF for letter in given):
        raise ParameterError(f"{what} holds what is no letter")
