"""A question as people see it: the pair and what speaks for it, without anything that tells how likely it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from pulink.explanation.facts import find_facts
from pulink.explanation.node_names import visible
from pulink.explanation.reasons import Reason, reasons_of
from pulink.graph.graph import Graph
from pulink.persistence.ledger import QuestionRow

if TYPE_CHECKING:
    from pulink.workflows.review.session import ReviewSession


def pair_text(session: ReviewSession, question: QuestionRow) -> str:
    """`"a" - "b"`, with an arrow where links have a direction, and with types where nodes have some."""
    first = _end(question.source, question.source_type)
    second = _end(question.target, question.target_type)
    return f"{first} {'->' if session.graph.is_directed else '-'} {second}"


def _end(name: str, kind: str) -> str:
    quoted = f'"{visible(name)}"'
    return f"{visible(kind)} {quoted}" if kind else quoted


def blind_reasons(session: ReviewSession, question: QuestionRow) -> list[str]:
    """What speaks for the link, the main reason first."""
    return [reason.text for reason in graph_reasons(session.graph, session.pair_of(question))]


def graph_reasons(graph: Graph, pair: npt.NDArray[np.int64]) -> list[Reason]:
    """What the graph tells about a pair, without what a model made of it: that would give its score away."""
    return reasons_of(find_facts(graph, pair[None, :])[0], graph, graph.feature_names)
