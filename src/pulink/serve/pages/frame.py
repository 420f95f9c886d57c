"""What every page has: the way to the others, the way to its JSON, its style and its scripts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from html import escape
from typing import Any

from pulink.report.html.blocks import bullets
from pulink.report.html.escape import flat, shown

# As the browser reads them; `page.js` is the static report's.
STYLES = ("base.css", "list.css", "drawing.css", "explore.css")

_PAGES = (
    ("/", "Overview"),
    ("/review", "Review"),
    ("/links", "Links"),
    ("/answers", "Answers"),
    ("/certificate", "Certificate"),
)


def framed(
    title: str,
    run: Mapping[str, Any],
    parts: Iterable[str],
    *,
    here: str,
    twin: str,
    scripts: Sequence[str] = (),
    styles: Sequence[str] = (),
) -> str:
    """A whole page; the title is data, parts are HTML, empty ones are left out.

    run      what the API says of the run
    here     the address of the page that is marked among the others
    twin     where the same is as JSON
    scripts  modules in `serve/static`
    """
    name = str(run["title"])
    head = [f'<link rel="stylesheet" href="/static/{name}">' for name in (*STYLES, *styles)]
    modules = [f'<script type="module" src="/static/{name}"></script>' for name in scripts]
    return "\n".join(
        [
            "<!doctype html>",
            '<html lang="en">',
            "<head>",
            '<meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            '<meta name="color-scheme" content="light dark">',
            '<link rel="icon" href="data:,">',
            f"<title>{flat(title)} - {flat(name)}</title>",
            *head,
            '<script src="/static/page.js"></script>',
            *modules,
            "</head>",
            f'<body data-reviewer="{escape(str(run["reviewer"]))}">',
            '<a class="skip" href="#main">Skip to the content</a>',
            _banner(name, here),
            '<main id="main" tabindex="-1">',
            *(part for part in parts if part),
            _footer(twin),
            "</main>",
            "</body>",
            "</html>",
            "",
        ]
    )


def _banner(name: str, here: str) -> str:
    mark = ' aria-current="page"'
    entries = "".join(
        f'<li><a href="{address}"{mark if address == here else ""}>{words}</a></li>' for address, words in _PAGES
    )
    return (
        f'<header class="banner"><p class="run" title="{flat(name)}">{shown(name)}</p>'
        f'<nav aria-label="Pages"><ul>{entries}</ul></nav></header>'
    )


def _footer(twin: str) -> str:
    return (
        f'<p class="twin"><a rel="alternate" type="application/json" href="{escape(twin)}">This page as JSON</a>'
        ' <a href="/api/openapi.json">All of the API</a></p>'
    )


def heading(title: str, words: str = "") -> str:
    """The page's title and a sentence below it, both HTML."""
    return f"<h1>{title}</h1>" + (f'\n<p class="lead">{words}</p>' if words else "")


def warnings(sentences: Sequence[str]) -> str:
    """Data; an empty text without any."""
    if not sentences:
        return ""
    return f'<section id="warnings">\n<h2>Before you trust this</h2>\n{bullets(sentences)}\n</section>'


def choice(name: str, label: str, options: Iterable[tuple[str, str]], chosen: str) -> str:
    """A list to choose from; values and words are data."""
    items = "".join(
        f'<option value="{escape(value)}"{" selected" if value == chosen else ""}>{flat(words)}</option>'
        for value, words in options
    )
    return f'<label>{label} <select name="{name}">{items}</select></label>'
