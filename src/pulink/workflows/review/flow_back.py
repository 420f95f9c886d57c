"""Answers flow back into the next fit: accepted pairs are edges, rejected ones known non-links.

Answers come from a results folder or its ledger, or from a table that people filled. A ledger whose model is
beside it also tells how many links are missing: that stays true of the graph, whichever model is fitted to it.
What is still missing is that number without the links that are edges by now.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from pulink.data.answered_pairs import AnsweredPairs, answered_pairs
from pulink.data.formats.sources import existing_file
from pulink.data.read import edge_table
from pulink.data.read_options import ReadOptions
from pulink.errors import InputError, ParameterError
from pulink.graph.graph import Graph
from pulink.graph.tables.frames import is_frame, polars_frame
from pulink.graph.tables.table import Table
from pulink.persistence.ledger import LEDGER, Ledger, is_ledger
from pulink.persistence.model_folder import of_parts
from pulink.persistence.sharded_model_reading import sharded_place
from pulink.text import counted, short_path
from pulink.workflows.review.decisions import decisions
from pulink.workflows.review.session import open_review
from pulink.workflows.words.review_words import review_warnings

# With fewer answers about drawn pairs the number of missing links is not taken over.
LEAST_ANSWERS = 30


@dataclass(frozen=True)
class FlowBack:
    """What answers told a fit.

    graph      with accepted pairs as edges and rejected ones as known non-links
    pairs      which these are
    n_answers  decided answers about drawn pairs that tell the number; 0 where they tell none
    number     links that are still missing by the review, or None
    silent     why the answers tell no number; empty where they do
    warnings   what should keep a reader from trusting the number
    """

    graph: Graph
    pairs: AnsweredPairs
    n_answers: int = 0
    number: float | None = None
    silent: str = ""
    warnings: tuple[str, ...] = ()

    @property
    def missing_share(self) -> float | None:
        """Of all links but those that people accepted, the share that is missing."""
        return None if self.number is None else self.number / max(self.number + self.graph.n_recorded, 1.0)

    @property
    def ground(self) -> str:
        """On what the number rests: a clause for sentences about it; empty where there is none."""
        answers = counted(self.n_answers, "answer")
        return "" if self.number is None else f"by {answers} of review {self.pairs.where}"

    @property
    def words(self) -> str:
        """How many links are missing by the answers, or why they do not tell."""
        if self.number is None:
            return f"{self.pairs.where} tells no number of missing links: {self.silent}"
        missing = counted(round(self.number), "link is missing", "links are missing")
        return f"{self.ground}: about {missing}"

    def to_dict(self) -> dict[str, Any]:
        """The counts and the number, as JSON holds them."""
        return {
            "source": self.pairs.where,
            "n_accepted": len(self.pairs.accepted),
            "n_rejected": len(self.pairs.rejected),
            "n_open": self.pairs.n_open,
            "n_unknown": self.pairs.n_strange,
            "n_answers": self.n_answers,
            "number": self.number,
        }


def flow_back(given: Any, graph: Graph, encoding: str = "utf-8") -> FlowBack:
    """What answers tell the next fit of a graph: a results folder, its ledger, a table in a file or a frame."""
    if is_frame(given):
        return _of_table(Table(polars_frame(given, "reviews"), "the frame of answers"), graph)
    if not isinstance(given, str | Path):
        raise ParameterError(
            "reviews must be a results folder, its review.sqlite, a table of answers in a file, or a frame, "
            f"got {type(given).__name__}"
        )
    place = Path(given)
    if place.is_dir():
        place = place / LEDGER
        if (model := sharded_place(place.parent)) is not None:
            raise InputError(of_parts(model))
        if not place.is_file():
            raise InputError(f"{short_path(place.parent)}: holds no answers, {LEDGER} is missing")
    existing_file(place)
    if not is_ledger(place):
        return _of_table(edge_table(place, ReadOptions(encoding=encoding, header=True)), graph)
    pairs = answered_pairs(_ledger_table(place), graph)
    return _with_number(place, pairs, pairs.taught(graph))


def _of_table(table: Table, graph: Graph) -> FlowBack:
    pairs = answered_pairs(table, graph)
    return FlowBack(pairs.taught(graph), pairs, silent="only a results folder with its review does")


def _ledger_table(place: Path) -> Table:
    """Every question with what was decided; disagreement is no decision."""
    ledger = Ledger(place, read_only=True)
    try:
        found = decisions(ledger.questions(), ledger.answers())
    finally:
        ledger.close()
    rows = [
        (one.question.source, one.question.target, one.question.source_type, one.question.target_type,
         one.question.kind, one.answer)
        for one in found
    ]  # fmt: skip
    columns = ("source", "target", "source_type", "target_type", "kind", "answer")
    return Table(pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row"), short_path(place))


def _with_number(place: Path, pairs: AnsweredPairs, graph: Graph) -> FlowBack:
    """How many links are missing by a review whose model is beside it."""
    if place.name != LEDGER:
        return FlowBack(graph, pairs, silent=f"the file is not called {LEDGER}, as beside a model")
    try:
        session = open_review(place.parent, read_only=True)
    except InputError as error:
        return FlowBack(graph, pairs, silent=str(error))
    try:
        n_answers = session.drawn_answers().n_decided
        if n_answers < LEAST_ANSWERS:
            few = counted(n_answers, "pair that was drawn is", "pairs that were drawn are")
            return FlowBack(graph, pairs, silent=f"{few} answered, and {LEAST_ANSWERS} are needed")
        known = session.graph
        same = (
            graph.kind == known.kind
            and graph.names.series().equals(known.names.series())
            and bool(graph.has_edges(known.edges).all())
        )
        if not same:
            return FlowBack(graph, pairs, silent="the review is of another graph: not all of its edges are here")
        # Links that were missing then and are edges now are missing no more.
        found = session.estimate().missing.best - (graph.n_edges - session.graph.n_edges)
        return FlowBack(graph, pairs, n_answers, max(found, 0.0), warnings=tuple(review_warnings(session)))
    finally:
        session.close()
