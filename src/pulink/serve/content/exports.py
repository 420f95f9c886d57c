"""Files for a spreadsheet, or for the next `find`: names that look like formulas are made harmless in them."""

from __future__ import annotations

from typing import Any

import polars as pl

from pulink.data.formats.spreadsheet_guard import csv_of
from pulink.persistence.ledger import CONTROL, LINK, NO_LINK
from pulink.predictor.link_lists import named_ends
from pulink.serve.content.links import Links
from pulink.workflows.review.session import ReviewSession

REVIEWS, ACCEPTED, ABSENT, CERTIFIED = KINDS = "reviews", "accepted", "absent", "certified"


def export(session: ReviewSession, links: Links, kind: str, level: float) -> str:
    """One of the files as CSV.

    reviews    every answer that stands, a row each
    accepted   pairs that are links, by what was decided
    absent     pairs that are none
    certified  the certified list at a level, without pairs that were rejected
    """
    if kind == REVIEWS:
        return csv_of(_reviews(session))
    if kind == CERTIFIED:
        found = links.frame.head(session.estimate().certified(level))
        found = found.filter(pl.col("answer").ne_missing(NO_LINK))
        columns = ["rank", "source", "target", "probability", "low", "high", "answer"]
        return csv_of(_named(session, found.select(*columns, "source_type", "target_type")))
    wanted = {ACCEPTED: LINK, ABSENT: NO_LINK}[kind]
    decided = [d.question for d in session.decisions() if d.answer == wanted and d.question.kind != CONTROL]
    rows = [(q.source, q.target, q.source_type, q.target_type) for q in decided]
    return csv_of(_named(session, _texts(rows, ["source", "target", "source_type", "target_type"])))


def _reviews(session: ReviewSession) -> pl.DataFrame:
    rows = [
        (d.question.id, d.question.source, d.question.target, d.question.source_type, d.question.target_type,
         d.question.kind, row.reviewer, row.answer, row.note, row.seconds)
        for d in session.decisions()
        for row in d.standing
    ]  # fmt: skip
    texts = ["source", "target", "source_type", "target_type", "kind", "reviewer", "answer", "note"]
    schema = {"question": pl.Int64} | dict.fromkeys(texts, pl.String) | {"seconds": pl.Float64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _texts(rows: list[Any], columns: list[str]) -> pl.DataFrame:
    return pl.DataFrame(rows, schema=dict.fromkeys(columns, pl.String), orient="row")


def _named(session: ReviewSession, found: pl.DataFrame) -> pl.DataFrame:
    """Ends called as those of the graph; types only where nodes have some."""
    has_types = found["source_type"].str.len_bytes().sum() or found["target_type"].str.len_bytes().sum()
    return named_ends(found if has_types else found.drop("source_type", "target_type"), session.graph)
