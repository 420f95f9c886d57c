"""From a request to an answer: read what was sent by the table, ask, and write what is answered."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl

from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from pulink.serve.api.endpoints import CSV, ENDPOINTS, EVENTS, Endpoint, Parameter
from pulink.serve.api.openapi import document
from pulink.serve.api.schema import ShapeError, check
from pulink.serve.content.answers import AnswersQuery
from pulink.serve.content.links import LinksQuery
from pulink.serve.explore import Explore
from pulink.serve.json_text import json_bytes
from pulink.serve.refusals import Refused
from pulink.serve.worker import QUICK, SLOW

_NUMBER = re.compile(r"-?[0-9]{1,17}(\.[0-9]{1,30})?([eE][+-]?[0-9]{1,3})?", re.ASCII)
_FLAGS = {"1": True, "true": True, "0": False, "false": False}
_MOST_FIELDS = 50


@dataclass(frozen=True)
class Asked:
    """One request, read and checked."""

    explore: Explore
    values: dict[str, Any]
    body: dict[str, Any]
    client: str
    seconds: float

    async def worked(self, compute: Callable[[], Any], urgency: int = SLOW) -> Any:
        """What the worker finds."""
        self.explore.check_ready()
        return await self.explore.worker.reach(compute, self.seconds, urgency)

    async def json(self, compute: Callable[[], Any], urgency: int = SLOW, status: int = 200) -> Response:
        """The same, written as JSON by the worker."""
        return _json(await self.worked(lambda: json_bytes(compute()), urgency), status)

    def node(self, name: str, kind: str) -> dict[str, str]:
        """A node of the query string."""
        return {"name": self.values[name], "type": self.values[kind] or ""}

    @property
    def ends(self) -> tuple[dict[str, str], dict[str, str]]:
        return self.node("source", "source_type"), self.node("target", "target_type")


Handler = Callable[[Asked], Awaitable[Response]]


def _json(body: bytes, status: int = 200) -> Response:
    return Response(body, status, media_type="application/json")


async def _run(asked: Asked) -> Response:
    if asked.explore.session is None:
        return _json(json_bytes(asked.explore.overview()))
    return await asked.json(asked.explore.overview, QUICK)


async def _next_question(asked: Asked) -> Response:
    reviewer = asked.values["reviewer"] or asked.explore.reviewer
    opinion = asked.values["second_opinion"]
    return await asked.json(lambda: asked.explore.next_question(reviewer, asked.client, opinion), QUICK)


async def _answer(asked: Asked) -> Response:
    """The answer is on the disk before an estimate is begun; answers that wait go before estimates."""
    kept, is_new = await asked.worked(lambda: asked.explore.write_answer(asked.body), QUICK)
    return await asked.json(
        lambda: {"answer": kept, "estimate": asked.explore.estimate()}, status=201 if is_new else 200
    )


async def _answers(asked: Asked) -> Response:
    values = asked.values
    query = AnswersQuery(values["reviewer"], values["answer"], values["page"], values["size"])
    return await asked.json(lambda: asked.explore.answers(query))


async def _estimate(asked: Asked) -> Response:
    return await asked.json(asked.explore.estimate)


async def _certificate(asked: Asked) -> Response:
    return await asked.json(lambda: asked.explore.certificate(asked.values["level"]))


async def _links(asked: Asked) -> Response:
    values = {name: value for name, value in asked.values.items() if name not in ("node", "node_type")}
    node = None if asked.values["node"] is None else asked.node("node", "node_type")
    return _json(await asked.worked(lambda: asked.explore.links_json(LinksQuery(node=node, **values))))


async def _pair(asked: Asked) -> Response:
    return await asked.json(lambda: asked.explore.pair(*asked.ends, reveal=asked.values["reveal"]))


async def _nodes(asked: Asked) -> Response:
    return await asked.json(lambda: asked.explore.search(asked.values["q"], asked.values["size"]))


async def _node(asked: Asked) -> Response:
    return await asked.json(lambda: asked.explore.node(asked.node("name", "type")))


async def _score(asked: Asked) -> Response:
    return await asked.json(lambda: asked.explore.score(asked.body["pairs"]))


async def _suggest(asked: Asked) -> Response:
    return await asked.json(
        lambda: asked.explore.suggest(_as_command(asked.node("node", "node_type")), asked.values["top"])
    )


def _as_command(node: dict[str, str]) -> Any:
    """`type:name` is taken where no type is given."""
    return node if node["type"] else node["name"]


async def _explain(asked: Asked) -> Response:
    return await asked.json(lambda: asked.explore.explain(*(_as_command(end) for end in asked.ends)))


async def _progress(asked: Asked) -> Response:
    async def lines() -> AsyncIterator[bytes]:
        async for event in asked.explore.progress.events():
            yield b": still there\n\n" if event is None else b"data: " + json_bytes(event) + b"\n\n"

    return StreamingResponse(lines(), media_type=EVENTS)


async def _fit(asked: Asked) -> Response:
    return _json(json_bytes(asked.explore.start_fit()), 202)


def _export(kind: str) -> Handler:
    async def handler(asked: Asked) -> Response:
        text: str = await asked.worked(lambda: asked.explore.export(kind, asked.values.get("level", 0.1)))
        name = {"Content-Disposition": f'attachment; filename="{kind}.csv"'}
        return Response(text.encode(errors="backslashreplace"), media_type=CSV, headers=name)

    return handler


async def _openapi(_: Asked) -> Response:
    return _json(json_bytes(document()))


HANDLERS: dict[str, Handler] = {
    "run": _run, "next_question": _next_question, "answer": _answer, "answers": _answers, "estimate": _estimate,
    "certificate": _certificate, "links": _links, "pair": _pair, "nodes": _nodes, "node": _node, "score": _score,
    "suggest": _suggest, "explain": _explain, "progress": _progress, "fit": _fit, "openapi": _openapi,
    **{kind: _export(kind) for kind in ("reviews", "accepted", "absent", "certified")},
}  # fmt: skip


def api_routes(seconds: float) -> list[BaseRoute]:
    """A route for every path; seconds: so long one may take."""
    return [
        Route(endpoint.path, _endpoint(endpoint, HANDLERS[endpoint.name], seconds), methods=[endpoint.method])
        for endpoint in ENDPOINTS
    ]


def _endpoint(endpoint: Endpoint, handler: Handler, seconds: float) -> Callable[[Request], Awaitable[Response]]:
    async def answered(request: Request) -> Response:
        values = query_values(endpoint, request.scope["query_string"])
        body = {} if endpoint.body is None else body_value(endpoint, await request.body())
        client = request.scope["state"]["client"]
        return await handler(Asked(request.app.state.explore, values, body, client, seconds))

    return answered


def query_values(endpoint: Endpoint, query: bytes) -> dict[str, Any]:
    """The parameters of a query string by the table; 400 for what is not in it."""
    try:
        given = parse_qsl(
            query.decode("ascii", "replace"), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS
        )
    except ValueError:
        raise Refused(400, "the query string cannot be read") from None
    known = {own.name: own for own in endpoint.parameters}
    values: dict[str, Any] = {}
    for name, text in given:
        if name not in known:
            names = ", ".join(known) or "none"
            raise Refused(400, f"unknown parameter {name[:60]!r}; known: {names}")
        if name in values:
            raise Refused(400, f"{name} is given twice")
        # A node may be called by an empty name, but a form sends what was left empty.
        if text or known[name].needed:
            values[name] = _value(known[name], text)
    for name, own in known.items():
        if own.needed and name not in values:
            raise Refused(400, f"{name} is needed")
        values.setdefault(name, own.default)
    return values


def _value(own: Parameter, text: str) -> Any:
    kind = own.shape["type"]
    value: Any = text
    if kind == "boolean":
        value = _FLAGS.get(text.lower(), text)
    elif kind in ("integer", "number") and _NUMBER.fullmatch(text):
        value = float(text) if kind == "number" or not text.lstrip("-").isdigit() else int(text)
    try:
        check(value, own.shape, own.name)
    except ShapeError as error:
        raise Refused(400, str(error)) from None
    return int(value) if kind == "integer" else value


def body_value(endpoint: Endpoint, body: bytes) -> dict[str, Any]:
    """The JSON that was sent: 400 if it is none, 422 if it is of another shape."""
    assert endpoint.body is not None
    try:
        value = json.loads(body, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        raise Refused(400, "the body is no JSON") from None
    try:
        check(value, endpoint.body)
    except ShapeError as error:
        raise Refused(422, str(error)) from None
    found: dict[str, Any] = value
    return found


def _refuse_constant(name: str) -> None:
    raise ValueError(name)
