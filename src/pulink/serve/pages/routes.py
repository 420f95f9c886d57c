"""Which page is where. A page takes the query string of its JSON twin and asks the same object as the API."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from pulink.errors import PulinkError
from pulink.serve.api.endpoints import ENDPOINTS
from pulink.serve.api.routes import query_values
from pulink.serve.content.answers import AnswersQuery
from pulink.serve.content.links import LinksQuery
from pulink.serve.explore import Explore
from pulink.serve.pages.answers import answers_page
from pulink.serve.pages.certificate import LEAST, MOST, certificate_page
from pulink.serve.pages.fit import fit_page
from pulink.serve.pages.links import links_page
from pulink.serve.pages.node import node_page
from pulink.serve.pages.overview import overview_page, refused_page
from pulink.serve.pages.pair import pair_page
from pulink.serve.pages.review import review_page
from pulink.serve.pages.shared_files import shared_files
from pulink.serve.refusals import Refused, refusal

# A page of an explored run, by what was asked: values as the API reads them, and texts as they came.
Page = Callable[[Explore, dict[str, Any], dict[str, str]], str]

_SECONDS = 60.0
_TWINS = {endpoint.name: endpoint for endpoint in ENDPOINTS}


def _overview(explore: Explore, _: dict[str, Any], __: dict[str, str]) -> str:
    return overview_page(explore.overview(), explore.estimate())


def _review(explore: Explore, _: dict[str, Any], __: dict[str, str]) -> str:
    return review_page(explore.overview(), explore.estimate())


def _links(explore: Explore, values: dict[str, Any], texts: dict[str, str]) -> str:
    others = {name: value for name, value in values.items() if name not in ("node", "node_type")}
    node = None if values["node"] is None else _node_of(values, "node", "node_type")
    return links_page(explore.overview(), explore.links(LinksQuery(node=node, **others)), texts)


def _pair(explore: Explore, values: dict[str, Any], _: dict[str, str]) -> str:
    source, target = (_node_of(values, end, f"{end}_type") for end in ("source", "target"))
    return pair_page(explore.overview(), explore.pair(source, target, values["reveal"]))


def _node(explore: Explore, values: dict[str, Any], _: dict[str, str]) -> str:
    node = _node_of(values, "name", "type")
    # What was typed may be `type:name`.
    return node_page(explore.overview(), explore.node(node if node["type"] else node["name"]))


def _answers(explore: Explore, values: dict[str, Any], texts: dict[str, str]) -> str:
    query = AnswersQuery(values["reviewer"], values["answer"], values["page"], values["size"])
    return answers_page(explore.overview(), explore.answers(query), texts)


def _certificate(explore: Explore, values: dict[str, Any], _: dict[str, str]) -> str:
    level = min(max(float(values["level"]), LEAST), MOST)
    return certificate_page(explore.overview(), explore.certificate(level))


def _node_of(values: dict[str, Any], name: str, kind: str) -> dict[str, str]:
    return {"name": values[name], "type": values[kind] or ""}


# Path, page, and the JSON twin whose parameters it takes.
_PAGES: tuple[tuple[str, Page, str], ...] = (
    ("/", _overview, "run"),
    ("/review", _review, "estimate"),
    ("/links", _links, "links"),
    ("/pair", _pair, "pair"),
    ("/node", _node, "node"),
    ("/answers", _answers, "answers"),
    ("/certificate", _certificate, "certificate"),
)


def _handler(page: Page, twin: str) -> Callable[[Request], Awaitable[Response]]:
    async def answered(request: Request) -> Response:
        explore: Explore = request.app.state.explore
        if explore.session is None:
            return RedirectResponse("/fit", 303)
        texts = {name: text for name, text in request.query_params.items() if text}
        try:
            values = query_values(_TWINS[twin], request.scope["query_string"])
            html = await explore.worker.reach(lambda: page(explore, values, texts), _SECONDS)
        except (Refused, PulinkError) as error:
            refused = error if isinstance(error, Refused) else refusal(error)
            return HTMLResponse(refused_page(_names(explore), str(refused), request.url.path), refused.status)
        return HTMLResponse(html)

    return answered


def _names(explore: Explore) -> dict[str, Any]:
    """What a page needs that shows nothing of the run."""
    return {"title": explore.title, "reviewer": explore.reviewer}


async def _fit(request: Request) -> Response:
    """The worker is busy with the fit: nothing is asked of it."""
    explore: Explore = request.app.state.explore
    return HTMLResponse(fit_page(_names(explore) | {"message": explore.progress.message}))


def _shared(name: str, media: str, text: str) -> BaseRoute:
    content = text.encode()

    async def answered(_: Request) -> Response:
        return Response(content, media_type=media)

    return Route(f"/static/{name}", answered)


page_routes: list[BaseRoute] = [
    *(Route(path, _handler(page, twin)) for path, page, twin in _PAGES),
    Route("/fit", _fit),
    *(_shared(name, media, text) for name, media, text in shared_files()),
]
