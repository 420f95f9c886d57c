"""Who may ask: checked before anything else sees a request, page or API.

1. The Host header names this server, so that no page elsewhere can reach it under its own name (DNS rebinding).
2. A token, as a cookie that `/enter?token=` exchanges it for, or as `Authorization: Bearer`.
3. Where a request comes from, by what a browser says (Origin, Sec-Fetch-Site): writes and the API are not for
   pages of others.
4. A body is JSON, of bounded size, and arrives within a time. No form of another page can send that.
5. Neither wrong tokens nor writes come faster than people type.

Every response says what a browser may do with it.
"""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
from http.cookies import CookieError, SimpleCookie
from urllib.parse import parse_qs

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from pulink.serve.rates import Rate
from pulink.serve.refusals import Refused
from pulink.serve.settings import ServeSettings
from pulink.system.log import LOG

logger = LOG.getChild("serve")

ENTER, API = "/enter", "/api/"
MOST_BYTES = 256_000
BODY_SECONDS = 10.0

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cache-Control": "no-store",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
}

_READS = ("GET", "HEAD", "OPTIONS", "TRACE")
# Writes at once, in seconds of what one browser may write.
_BURST_SECONDS = 5.0


class Gate:
    """The ASGI application behind it gets only what may be asked.

    Parameters
    ----------
    app : ASGI application
        What is asked in the end. Its scope's `state` has `client`, by which browsers are told apart.
    settings : ServeSettings
        The token, the names of this server and how often something may be tried.
    """

    def __init__(self, app: ASGIApp, settings: ServeSettings) -> None:
        self._app, self._settings = app, settings
        self._secret = secrets.token_bytes(32)
        self._failures = Rate(settings.failures_per_minute / 60, settings.failures_per_minute)
        self._writes = Rate(settings.writes_per_second, _BURST_SECONDS * settings.writes_per_second)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Refuse, or hand on."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
        elif scope["type"] == "http":
            sending = _with_headers(send)
            try:
                receive, refused = await self._admitted(scope, receive)
            except Refused as error:
                refused = refusal_response(scope["path"], error)
            await self._answered(refused or self._app, scope, receive, sending)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _answered(self, app: ASGIApp, scope: Scope, receive: Receive, send: Send) -> None:
        """What nobody has foreseen is told to whoever started the server, and to nobody else."""
        started = False

        async def sending(message: Message) -> None:
            nonlocal started
            started = True
            await send(message)

        try:
            await app(scope, receive, sending)
        except Exception:
            logger.exception("%s failed", scope["path"])
            if started:
                raise
            words = "something went wrong: pulink explore says more in its terminal"
            await refusal_response(scope["path"], Refused(500, words))(scope, receive, send)

    async def _admitted(self, scope: Scope, receive: Receive) -> tuple[Receive, Response | None]:
        """What the application may read; or what is answered in its place."""
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._settings.allows_host(hosts[0]):
            raise Refused(403, "this server does not go by that name")
        writes = scope["method"] not in _READS
        self._check_origin(headers, hosts[0], writes, scope["path"].startswith(API))
        if scope["path"] == ENTER:
            return receive, self._entered(scope)
        client = self._client(headers)
        scope.setdefault("state", {})["client"] = client
        if not writes:
            return receive, None
        if not self._writes.take(client):
            raise Refused(429, "too many writes: wait a moment")
        return await _bounded(headers, receive), None

    def _check_origin(self, headers: Headers, host: str, writes: bool, is_api: bool) -> None:
        """A browser says which page asks; what is no browser says nothing."""
        site = headers.get("sec-fetch-site")
        if site is not None and (writes or is_api) and site != "same-origin" and (writes or site != "none"):
            raise Refused(403, "another page may not ask this")
        origin = headers.get("origin")
        if origin is not None and (writes or is_api) and origin.lower() != f"http://{host.lower()}":
            raise Refused(403, "another page may not ask this")

    def _client(self, headers: Headers) -> str:
        """Who asks; 401 without a token, or with a wrong one."""
        given = headers.get("authorization")
        if given is not None:
            kind, _, token = given.partition(" ")
            if kind.lower() == "bearer" and self._is_token(token.strip()):
                return "token"
            self._fail()
        for cookie in headers.getlist("cookie"):
            if (client := self._signed(cookie)) is not None:
                return client
        raise Refused(401, "a token is needed: open the address that pulink explore printed")

    def _is_token(self, given: str) -> bool:
        return hmac.compare_digest(given.encode(), self._settings.token.encode())

    def _fail(self) -> None:
        if not self._failures.take():
            raise Refused(429, "too many wrong tokens: wait a minute")
        raise Refused(401, "the token is wrong: open the address that pulink explore printed")

    def _entered(self, scope: Scope) -> Response:
        """The token for a cookie."""
        if scope["method"] != "GET":
            raise Refused(405, "enter with GET")
        try:
            tokens = parse_qs(scope["query_string"].decode("latin-1"), max_num_fields=10).get("token", [])
        except ValueError:
            tokens = []
        if len(tokens) != 1 or not self._is_token(tokens[0]):
            self._fail()
        response = RedirectResponse("/", status_code=303)
        name = secrets.token_urlsafe(16)
        value = f"{name}.{self._signature(name)}"
        response.set_cookie(self._settings.cookie, value, path="/", httponly=True, samesite="strict")
        return response

    def _signature(self, name: str) -> str:
        return hmac.new(self._secret, name.encode(), hashlib.sha256).hexdigest()

    def _signed(self, header: str) -> str | None:
        """The browser's name in a cookie that this server gave."""
        try:
            cookie = SimpleCookie(header).get(self._settings.cookie)
        except CookieError:
            return None
        if cookie is None:
            return None
        name, _, signature = cookie.value.partition(".")
        return name if hmac.compare_digest(signature.encode(), self._signature(name).encode()) else None


async def _bounded(headers: Headers, receive: Receive) -> Receive:
    """The body of a write, read to its end before anybody else sees it."""
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise Refused(415, "send application/json")
    length = headers.get("content-length", "0")
    if not (length.isascii() and length.isdigit()):
        raise Refused(400, "Content-Length is no number")
    if len(length) > 12 or int(length) > MOST_BYTES:
        raise Refused(413, f"at most {MOST_BYTES:,} bytes")
    try:
        body = await asyncio.wait_for(_read(receive), BODY_SECONDS)
    except TimeoutError:
        raise Refused(408, f"the body took longer than {BODY_SECONDS:g} seconds") from None
    unread = [body]

    async def replay() -> Message:
        if unread:
            return {"type": "http.request", "body": unread.pop(), "more_body": False}
        return await receive()

    return replay


async def _read(receive: Receive) -> bytes:
    parts: list[bytes] = []
    n_bytes = 0
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            raise Refused(400, "the body ended too early")
        parts.append(message.get("body", b""))
        n_bytes += len(parts[-1])
        if n_bytes > MOST_BYTES:
            raise Refused(413, f"at most {MOST_BYTES:,} bytes")
        if not message.get("more_body", False):
            return b"".join(parts)


def _with_headers(send: Send) -> Send:
    async def sending(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).update(HEADERS)
        await send(message)

    return sending


def refusal_response(path: str, refused: Refused) -> Response:
    """One line: as JSON for the API, as text for a browser."""
    if path.startswith(API):
        return JSONResponse(refused.to_dict(), refused.status)
    return PlainTextResponse(f"{refused}\n", refused.status)
