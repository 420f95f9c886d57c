"""The server: one process that listens, on this machine unless it is told otherwise."""

from __future__ import annotations

import socket
import threading
import webbrowser
from collections.abc import Callable
from dataclasses import replace

import uvicorn

from pulink.errors import OutputError, ParameterError
from pulink.serve.app import create_app
from pulink.serve.settings import RunSource, ServeSettings, is_loopback

# Connections at once, and seconds for open ones when the server ends.
_MOST_CONNECTIONS, _LAST_SECONDS = 500, 2


def serve(source: RunSource, settings: ServeSettings, tell: Callable[[str], None], *, browser: bool) -> None:
    """Serve until somebody presses Ctrl-C.

    Parameters
    ----------
    source : RunSource
        What is explored.
    settings : ServeSettings
        Where to listen, on port 0 at any that is free.
    tell : function
        Takes a line for whoever started the server: the address, with the token.
    browser : bool
        Whether to open the address.

    Raises
    ------
    ParameterError
        If the address cannot be listened at.
    InputError
        If the folder holds nothing to review.
    """
    with _listening(settings.host, settings.port) as listening:
        port = listening.getsockname()[1]
        names = () if is_loopback(settings.host) else (socket.gethostname().lower(),)
        settings = replace(settings, port=port, names=(*settings.names, *names))
        app = create_app(source, settings)
        if source.fit is not None:
            app.state.explore.start_fit()
        address = f"http://{_called(settings.host)}:{port}/enter?token={settings.token}"
        tell(f"open {address}")
        if not is_loopback(settings.host):
            tell("warning: others on the network can reach this; whoever has the address can read and answer")
        if browser:
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()
        uvicorn.Server(_config(app)).run(sockets=[listening])


def _config(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        http="h11",
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        limit_concurrency=_MOST_CONNECTIONS,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_LAST_SECONDS,
    )


def _listening(host: str, port: int) -> socket.socket:
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
    except (OSError, UnicodeError) as error:
        raise ParameterError(f"--host: {host!r} is no address of this machine") from error
    found = socket.socket(family, socket.SOCK_STREAM)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind((host, port))
        found.listen(128)
    except OSError as error:
        found.close()
        raise OutputError(f"cannot listen at {host}, port {port}: {error.strerror or error}") from error
    return found


def _called(host: str) -> str:
    """What a browser calls an address; that of all interfaces is none."""
    if host in ("0.0.0.0", "::", ""):  # noqa: S104 (compared, not listened at)
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host
