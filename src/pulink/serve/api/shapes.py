"""The shapes of what is sent and answered, as JSON Schema."""

from __future__ import annotations

from typing import Any

from pulink.graph.names import MAX_NAME
from pulink.persistence.ledger import ANSWERS, KINDS, MAX_KEY, MAX_NOTE, MAX_REVIEWER
from pulink.serve.content.links import MOST_PER_PAGE
from pulink.serve.fitting import STATES

Shape = dict[str, Any]

# JavaScript and SQLite both count so far.
_LARGEST = 2**53 - 1

TEXT: Shape = {"type": "string"}
COUNT: Shape = {"type": "integer", "minimum": 0}
NUMBER: Shape = {"type": "number"}
MAYBE_NUMBER: Shape = {"type": ["number", "null"]}
MAYBE_TEXT: Shape = {"type": ["string", "null"]}
FLAG: Shape = {"type": "boolean"}

NAME: Shape = {"type": "string", "maxLength": MAX_NAME}
LEVEL: Shape = {"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}
PAGE: Shape = {"type": "integer", "minimum": 1, "maximum": 1_000_000}
SIZE: Shape = {"type": "integer", "minimum": 1, "maximum": MOST_PER_PAGE}
GROUP: Shape = {"type": "integer", "minimum": 0, "maximum": 1_000_000_000}
PROBABILITY: Shape = {"type": "number", "minimum": 0, "maximum": 1}
REVIEWER: Shape = {"type": "string", "minLength": 1, "maxLength": MAX_REVIEWER}


def obj(properties: dict[str, Shape], optional: tuple[str, ...] = (), *, closed: bool = False) -> Shape:
    """An object, of which all properties but the optional ones are there."""
    shape: Shape = {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
    }
    return shape | ({"additionalProperties": False} if closed else {})


def array(items: Shape, most: int | None = None) -> Shape:
    """A list."""
    return {"type": "array", "items": items} | ({} if most is None else {"maxItems": most})


def maybe(shape: Shape) -> Shape:
    """The shape, or null."""
    return {"anyOf": [shape, {"type": "null"}]}


NODE = obj({"name": TEXT, "type": TEXT})
NODE_DEGREE = obj({"name": TEXT, "type": TEXT, "degree": COUNT})
GIVEN_NODE: Shape = {"anyOf": [NAME, obj({"name": NAME, "type": NAME}, ("type",), closed=True)]}

_ANSWERED = {
    "reviewer": REVIEWER,
    "answer": {"type": "string", "enum": list(ANSWERS)},
    "note": {"type": "string", "maxLength": MAX_NOTE},
    "seconds": {"type": ["number", "null"], "minimum": 0, "exclusiveMaximum": 1e9},
    "key": {"type": "string", "minLength": 1, "maxLength": MAX_KEY},
}
_LEFT_OUT = ("note", "seconds", "key")
GIVEN_ANSWER: Shape = {
    "anyOf": [
        obj(
            {"question": {"type": "integer", "minimum": 1, "maximum": _LARGEST}} | _ANSWERED,
            _LEFT_OUT,
            closed=True,
        ),
        obj({"source": GIVEN_NODE, "target": GIVEN_NODE} | _ANSWERED, _LEFT_OUT, closed=True),
        obj(
            {"undo": {"type": "boolean", "enum": [True]}, "reviewer": REVIEWER, "key": _ANSWERED["key"]},
            ("key",),
            closed=True,
        ),
    ]
}
GIVEN_PAIRS = obj(
    {"pairs": array({"type": "array", "items": GIVEN_NODE, "minItems": 2, "maxItems": 2}, MOST_PER_PAGE)},
    closed=True,
)
NOTHING = obj({}, closed=True)

ERROR = obj({"error": obj({"status": COUNT, "message": TEXT})})
ANSWER = obj(
    {
        "id": COUNT,
        "question": COUNT,
        "reviewer": TEXT,
        "answer": {"type": "string", "enum": list(ANSWERS)},
        "note": TEXT,
        "seconds": MAYBE_NUMBER,
        "supersedes": {"type": ["integer", "null"]},
        "key": TEXT,
    },
    ("key",),
)
LISTS = obj({"0.1": COUNT, "0.2": COUNT})
ESTIMATE = obj(
    {
        "missing": obj({"best": NUMBER, "low": NUMBER, "high": NUMBER, "bound": NUMBER, "basis": TEXT}),
        "zone": NUMBER,
        "tail": NUMBER,
        "plain": MAYBE_NUMBER,
        "disagrees": FLAG,
        "width": NUMBER,
        "enough": FLAG,
        "n_links": COUNT,
        "n_no_links": COUNT,
        "n_unsure": COUNT,
        "certified": LISTS,
        "expected": LISTS,
        "sentences": array(TEXT),
        "warnings": array(TEXT),
        "before": maybe(obj({"best": NUMBER, "low": NUMBER, "high": NUMBER})),
        "bounds_unsure": {"type": ["array", "null"], "items": NUMBER},
    }
)
KEPT = obj({"answer": ANSWER, "estimate": ESTIMATE})
QUESTION = obj({"id": COUNT, "source": NODE, "target": NODE, "reasons": array(TEXT), "number": COUNT}, closed=True)
NEXT = obj({"question": maybe(QUESTION), "goal": COUNT, "n_answered": COUNT, "enough": FLAG}, closed=True)
RUN = obj(
    {
        "title": TEXT,
        "kind": MAYBE_TEXT,
        "ends": {"type": ["array", "null"], "items": TEXT},
        "n_nodes": {"type": ["integer", "null"]},
        "n_edges": {"type": ["integer", "null"]},
        "headline": {"type": ["object", "null"]},
        "missing": {"type": ["object", "null"]},
        "read_only": FLAG,
        "reviewer": TEXT,
        "state": {"type": "string", "enum": list(STATES)},
        "message": MAYBE_TEXT,
        "questions": obj({"asked": COUNT, "answered": COUNT, "goal": COUNT}),
    }
)
DECISION = obj(
    {
        "question": obj(
            {"id": COUNT, "source": NODE, "target": NODE, "kind": {"type": "string", "enum": list(KINDS)}}
        ),
        "answer": MAYBE_TEXT,
        "disagreement": FLAG,
        "standing": array(ANSWER),
        "history": array(ANSWER),
    }
)
ALL_ANSWERS = obj(
    {
        "answers": array(DECISION),
        "n_answers": COUNT,
        "page": COUNT,
        "size": COUNT,
        "controls": obj({"asked": COUNT, "recognised": COUNT}),
        "reviewers": array(obj({"name": TEXT, "n_answers": COUNT, "agrees": MAYBE_NUMBER})),
    }
)
_LIST = obj({"length": COUNT, "low": MAYBE_NUMBER, "mean": MAYBE_NUMBER, "high": MAYBE_NUMBER})
CERTIFICATE = obj(
    {
        "level": NUMBER,
        "certified": _LIST,
        "expected": _LIST,
        "refused": MAYBE_TEXT,
        "curve": array(obj({"length": COUNT, "certain": NUMBER, "expected": NUMBER, "most": NUMBER})),
    }
)
_LINK = {
    "rank": COUNT,
    "source": NODE,
    "target": NODE,
    "probability": PROBABILITY,
    "low": MAYBE_NUMBER,
    "high": MAYBE_NUMBER,
    "answer": MAYBE_TEXT,
}
LINKS = obj(
    {
        "links": array(obj(_LINK | {"group": {"type": ["integer", "null"]}})),
        "n_links": COUNT,
        "page": COUNT,
        "size": COUNT,
        "groups": array(obj({"group": COUNT, "n_nodes": COUNT, "around": NODE})),
    }
)
DRAWING = obj(
    {
        "nodes": array(obj({"name": TEXT, "type": TEXT, "degree": COUNT, "end": FLAG, "x": NUMBER, "y": NUMBER})),
        "edges": array(array(COUNT)),
        "directed": FLAG,
    }
)
_SCORE = {"probability": PROBABILITY, "low": MAYBE_NUMBER, "high": MAYBE_NUMBER, "known": MAYBE_TEXT}
PAIR = obj(
    {
        "source": NODE,
        "target": NODE,
        "reasons": array(obj({"kind": TEXT, "text": TEXT, "nodes": array(TEXT), "value": NUMBER})),
        "drawing": DRAWING,
        "question": {"type": ["integer", "null"]},
        "answer": MAYBE_TEXT,
        "history": array(ANSWER),
    }
    | _SCORE,
    ("probability", "low", "high"),
)
NODES = obj({"nodes": array(NODE_DEGREE)})
ONE_NODE = obj(
    {
        "node": NODE,
        "degree": COUNT,
        "neighbours": array(NODE_DEGREE),
        "links": array(obj(_LINK)),
        "drawing": DRAWING,
    }
)
SCORES = obj({"scores": array(obj(_SCORE))})
SUGGESTED = obj({"node": TEXT, "links": array({"type": "object"})})
EXPLAINED = obj({"probability": PROBABILITY, "known": MAYBE_TEXT, "reasons": array({"type": "object"})})
# One server-sent event, whose data are JSON.
EVENT = obj({"data": TEXT})
STARTED = obj({"state": {"type": "string", "enum": list(STATES)}})
