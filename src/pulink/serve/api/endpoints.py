"""The table of endpoints: what each takes and answers. Whatever else knows them is made from it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pulink.persistence.ledger import ANSWERS, MAX_REVIEWER
from pulink.serve.api import shapes
from pulink.serve.api.shapes import Shape
from pulink.serve.content.links import ANSWERED_VALUES, ANY, SORTS

# Any endpoint may answer these.
EVERYWHERE = (400, 401, 403, 429, 503)
JSON, CSV, EVENTS = "application/json", "text/csv", "text/event-stream"


@dataclass(frozen=True)
class Parameter:
    """One parameter of a query string; an empty one counts as not given.

    needed   whether it must be given
    default  what counts where it is not
    """

    name: str
    shape: Shape
    meaning: str
    needed: bool = False
    default: Any = None


@dataclass(frozen=True)
class Endpoint:
    """What is asked by one method and path.

    answers   statuses and the shapes of what is answered; None: text
    errors    statuses of refusals, besides those that any endpoint may answer
    """

    method: str
    path: str
    name: str
    summary: str
    answers: dict[int, Shape | None]
    parameters: tuple[Parameter, ...] = ()
    body: Shape | None = None
    errors: tuple[int, ...] = ()
    media: str = JSON


def _text(name: str, meaning: str, *, needed: bool = False, default: str | None = None) -> Parameter:
    return Parameter(name, shapes.NAME, meaning, needed, default)


def _one_of(name: str, values: tuple[str, ...], meaning: str, default: str | None = None) -> Parameter:
    return Parameter(name, {"type": "string", "enum": list(values)}, meaning, False, default)


def _flag(name: str, meaning: str) -> Parameter:
    return Parameter(name, shapes.FLAG, meaning, False, False)


_ENDS = (
    _text("source", "The name of the first node.", needed=True),
    _text("source_type", "Its type, where several nodes have the name."),
    _text("target", "The name of the second node.", needed=True),
    _text("target_type", "Its type, where several nodes have the name."),
)
_LEVEL = Parameter("level", shapes.LEVEL, "The share of the list that may be false.", False, 0.1)
_PAGE = Parameter("page", shapes.PAGE, "Which page, from 1.", False, 1)
_SIZE = Parameter("size", shapes.SIZE, "How many are on a page.", False, 50)
_REVIEWER = Parameter(
    "reviewer", {"type": "string", "maxLength": MAX_REVIEWER}, "Who answers; by default who started the server."
)
_FEW = {"type": "integer", "minimum": 1, "maximum": 1_000}
_WRITES = (404, 405, 408, 409, 413, 415, 422)

ENDPOINTS = (
    Endpoint("GET", "/api/run", "run", "The run that is explored, and whether it is ready.", {200: shapes.RUN}),
    Endpoint(
        "GET", "/api/questions/next", "next_question",
        "A pair to judge; never what the model thinks of it. Nobody else is asked the same for some minutes.",
        {200: shapes.NEXT},
        (_REVIEWER, _flag("second_opinion", "Ask only what others have answered.")),
    ),
    Endpoint(
        "POST", "/api/answers", "answer",
        "Keep an answer to a question or about a pair, or undo the last one. It is on the disk when this answers. "
        "The same key again: the same answer, written once.",
        {201: shapes.KEPT, 200: shapes.KEPT},
        body=shapes.GIVEN_ANSWER, errors=_WRITES,
    ),
    Endpoint(
        "GET", "/api/answers", "answers", "What was answered, the latest first, and how far people agree.",
        {200: shapes.ALL_ANSWERS},
        (
            _REVIEWER, _one_of("answer", (*ANSWERS, "disagreement"), "Only pairs about which this was decided."),
            _PAGE, _SIZE,
        ),
    ),
    Endpoint(
        "GET", "/api/estimate", "estimate", "How many links are missing, by the answers so far.",
        {200: shapes.ESTIMATE},
    ),
    Endpoint(
        "GET", "/api/certificate", "certificate", "How far down the list one may go.", {200: shapes.CERTIFICATE},
        (_LEVEL,),
    ),
    Endpoint(
        "GET", "/api/links", "links", "The likeliest missing links, by the answers so far.", {200: shapes.LINKS},
        (
            Parameter("min_probability", shapes.PROBABILITY, "None that are less likely.", False, 0.0),
            Parameter("max_probability", shapes.PROBABILITY, "None that are likelier.", False, 1.0),
            _text("node", "Only links of this node."), _text("node_type", "Its type."),
            Parameter("group", shapes.GROUP, "Only links within this group."),
            _one_of("answered", ANSWERED_VALUES, "Only links that were answered, or so.", ANY),
            _PAGE, _SIZE, _one_of("sort", tuple(SORTS), "In which order.", "rank"),
        ),
        errors=(404,),
    ),
    Endpoint(
        "GET", "/api/pairs", "pair",
        "One pair: why it may be a link, and what is around it. What the model thinks of it only once it was "
        "answered, or with reveal.",
        {200: shapes.PAIR}, (*_ENDS, _flag("reveal", "Tell what the model thinks.")), errors=(404,),
    ),
    Endpoint(
        "GET", "/api/nodes", "nodes", "Nodes whose names hold a text.", {200: shapes.NODES},
        (_text("q", "The text.", default=""), Parameter("size", _FEW, "How many.", False, 20)),
    ),
    Endpoint(
        "GET", "/api/nodes/one", "node", "A node, whom it is linked with, and its likeliest links.",
        {200: shapes.ONE_NODE}, (_text("name", "Its name.", needed=True), _text("type", "Its type.")),
        errors=(404,),
    ),
    Endpoint(
        "POST", "/api/score", "score", "The probabilities of pairs.", {200: shapes.SCORES},
        body=shapes.GIVEN_PAIRS, errors=_WRITES,
    ),
    Endpoint(
        "GET", "/api/suggest", "suggest", "The likeliest links of a node, as pulink suggest --json.",
        {200: shapes.SUGGESTED},
        (
            _text("node", "Its name.", needed=True), _text("node_type", "Its type."),
            Parameter("top", _FEW, "How many.", False, 10),
        ),
        errors=(404,),
    ),
    Endpoint(
        "GET", "/api/explain", "explain", "How likely a pair is and why, as pulink explain --json.",
        {200: shapes.EXPLAINED}, _ENDS, errors=(404,),
    ),
    Endpoint(
        "GET", "/api/progress", "progress", "How far the fit is, as server-sent events.", {200: shapes.EVENT},
        media=EVENTS,
    ),
    Endpoint(
        "POST", "/api/fit", "fit", "Start the fit that was named on the command line.", {202: shapes.STARTED},
        body=shapes.NOTHING, errors=_WRITES,
    ),
    Endpoint(
        "GET", "/api/export/reviews.csv", "reviews", "Every answer that stands.", {200: None}, media=CSV
    ),
    Endpoint("GET", "/api/export/accepted.csv", "accepted", "Pairs that are links.", {200: None}, media=CSV),
    Endpoint("GET", "/api/export/absent.csv", "absent", "Pairs that are no links.", {200: None}, media=CSV),
    Endpoint(
        "GET", "/api/export/certified.csv", "certified", "The certified list.", {200: None}, (_LEVEL,), media=CSV
    ),
    Endpoint("GET", "/api/openapi.json", "openapi", "This document.", {200: {"type": "object"}}),
)  # fmt: skip
