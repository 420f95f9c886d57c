"""A question as people see it: the pair and what speaks for it, without anything that tells how likely it is."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pulink.explanation.explain import reasons
from pulink.explanation.node_names import visible
from pulink.persistence.ledger import QuestionRow

if TYPE_CHECKING:
    from pulink.workflows.review.session import ReviewSession

# What a reason adds to the log-odds: together they would give the score away.
_ADDED = re.compile(r"\s*\([+-]\d+(?:\.\d+)?\)")


def pair_text(session: ReviewSession, question: QuestionRow) -> str:
    """`"a" - "b"`, with an arrow where links have a direction, and with types where nodes have some."""
    first = _end(question.source, question.source_type)
    second = _end(question.target, question.target_type)
    return f"{first} {'->' if session.graph.is_directed else '-'} {second}"


def _end(name: str, kind: str) -> str:
    quoted = f'"{visible(name)}"'
    return f"{visible(kind)} {quoted}" if kind else quoted


def blind_reasons(session: ReviewSession, question: QuestionRow) -> list[str]:
    """What speaks for the link, the main reason first, without the numbers that add up to its score."""
    (found,) = reasons(session.model, session.pair_of(question)[None])
    return [_ADDED.sub("", reason.text) for reason in found]
