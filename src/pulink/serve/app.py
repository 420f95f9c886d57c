"""The application: pages, API and files behind one gate."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from importlib.resources import files

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from pulink.errors import PulinkError
from pulink.serve.api.routes import api_routes
from pulink.serve.explore import Explore
from pulink.serve.pages import page_routes
from pulink.serve.refusals import Refused, refusal
from pulink.serve.security import Gate, refusal_response
from pulink.serve.settings import RunSource, ServeSettings
from pulink.system.log import LOG

logger = LOG.getChild("serve")

_MEDIA = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}


def create_app(source: RunSource, settings: ServeSettings) -> Starlette:
    """Make the application that `pulink explore` serves.

    Parameters
    ----------
    source : RunSource
        What is explored.
    settings : ServeSettings
        Who may ask, and what.

    Returns
    -------
    Starlette
        Its `state.explore` is the `Explore` that pages and API ask.

    Raises
    ------
    InputError
        If the folder holds nothing to review, and nothing is to be fitted.
    """
    explore = Explore(source, settings)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        explore.warm()
        yield
        explore.close()

    app = Starlette(
        routes=[*page_routes, *api_routes(settings.seconds), *_static_routes()],
        middleware=[Middleware(Gate, settings)],
        exception_handlers={
            Refused: _refused,
            PulinkError: _failed,
            HTTPException: _unknown,
        },
        lifespan=lifespan,
    )
    app.router.redirect_slashes = False
    app.state.explore = explore
    return app


def _static_routes() -> list[BaseRoute]:
    """The files of the pages, read now: no path that is asked for is ever opened."""
    folder = files("pulink.serve").joinpath("static")
    found = (
        {} if not folder.is_dir() else {own.name: own.read_bytes() for own in folder.iterdir() if own.is_file()}
    )
    return [
        Route(f"/static/{name}", _file(content, media))
        for name, content in found.items()
        if (media := _MEDIA.get("." + name.rpartition(".")[2])) is not None
    ]


def _file(content: bytes, media: str) -> Callable[[Request], Awaitable[Response]]:
    async def answered(_: Request) -> Response:
        return Response(content, media_type=media)

    return answered


def _refused(request: Request, error: Exception) -> Response:
    assert isinstance(error, Refused)
    return refusal_response(request.url.path, error)


def _failed(request: Request, error: Exception) -> Response:
    assert isinstance(error, PulinkError)
    found = refusal(error)
    if found.status >= 500:
        logger.error("%s: %s", request.url.path, error)
    return refusal_response(request.url.path, found)


def _unknown(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    words = {404: "there is nothing here", 405: "this method is not allowed here"}
    found = refusal_response(
        request.url.path, Refused(error.status_code, words.get(error.status_code, error.detail))
    )
    found.headers.update(error.headers or {})
    return found
