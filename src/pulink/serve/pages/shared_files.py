"""Styles and scripts of the static report that the pages use as they are."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources import files

from pulink.report.html.style import STYLE


def shared_files() -> Iterator[tuple[str, str, str]]:
    """Name, media type and text of each."""
    html, assets = files("pulink.report.html"), files("pulink.report.find").joinpath("assets")
    yield "base.css", "text/css", STYLE + html.joinpath("page.css").read_text(encoding="utf-8")
    yield "page.js", "text/javascript", html.joinpath("page.js").read_text(encoding="utf-8")
    for name in ("list.css", "drawing.css"):
        yield name, "text/css", assets.joinpath(name).read_text(encoding="utf-8")
