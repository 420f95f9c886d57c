"""What is served, and to whom."""

from __future__ import annotations

import ipaddress
import secrets
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pulink.workflows.finding.request import FindRequest

# Names by which a browser on the same machine calls a server.
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


@dataclass(frozen=True)
class RunSource:
    """What is explored.

    Attributes
    ----------
    folder : Path
        What `find` wrote, or where the fit is written.
    fit : FindRequest or None
        What may be fitted into the folder; None: results are there.
    rerun : str
        The command that fits the same again.
    seed : int or None
        Of the questions of a review that is begun.
    """

    folder: Path
    fit: FindRequest | None = None
    rerun: str = ""
    seed: int | None = None


@dataclass(frozen=True)
class ServeSettings:
    """How it is served.

    Attributes
    ----------
    token : str
        Whoever has it may enter.
    host : str
        The address that is listened at.
    port : int
        Its port; 0: not known, any port may be asked for.
    read_only : bool
        Whether nothing may be written.
    reviewer : str
        Who answers, if a page is not told otherwise.
    controls : bool
        Whether recorded links are mixed among the questions.
    names : tuple of str
        Other names of this machine by which it may be called.
    failures_per_minute : float
        Wrong tokens beyond so many are not looked at.
    writes_per_second : float
        Of one browser.
    waiting : int
        So many requests may wait for the model.
    seconds : float
        So long a request may take.
    """

    token: str = field(default_factory=lambda: secrets.token_urlsafe(32), repr=False)
    host: str = "127.0.0.1"
    port: int = 0
    read_only: bool = False
    reviewer: str = "me"
    controls: bool = False
    names: tuple[str, ...] = ()
    failures_per_minute: float = 20.0
    writes_per_second: float = 20.0
    waiting: int = 200
    seconds: float = 60.0

    @property
    def cookie(self) -> str:
        """Cookies know no ports: two servers of one machine need two names."""
        return f"pulink_{self.port}"

    def allows_host(self, given: str) -> bool:
        """Whether a Host header names this server.

        A page elsewhere can have its own name lead to this machine (DNS rebinding), but it cannot take ours.
        """
        name, port = _parted(given.lower())
        if self.port and port != self.port:
            return False
        if name in _LOOPBACK or name in (self.host.lower(), f"[{self.host.lower()}]"):
            return name not in ("", "[]")
        return not is_loopback(self.host) and (name in self.names or _is_address(name))


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address."""
    try:
        return host.lower() == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _parted(given: str) -> tuple[str, int]:
    """A Host header's name and port; without one it is that of HTTP."""
    name, colon, port = given.rpartition(":")
    if not colon or given.endswith("]"):
        return given, 80
    return (name, int(port)) if port.isascii() and port.isdigit() and len(port) < 6 else ("", 0)


def _is_address(name: str) -> bool:
    """Whether it is a number, which no page can take for its own."""
    try:
        ipaddress.ip_address(name.removeprefix("[").removesuffix("]"))
    except ValueError:
        return False
    return True
