"""The page while a fit runs: how far it is, as the server tells it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulink.report.html.escape import shown
from pulink.serve.pages.frame import framed, heading


def fit_page(run: Mapping[str, Any]) -> str:
    parts = [
        heading("Fit", "The missing links are being looked for. This page follows, and goes on by itself."),
        '<section class="fit" aria-labelledby="stage">',
        '<h2 id="stage">Waiting for news</h2>',
        '<progress id="progress" aria-labelledby="stage"></progress>',
        '<p id="news"></p>',
        '<p id="state" role="status"></p>',
        f'<p id="failure" class="outside">{shown(str(run.get("message") or ""))}</p>',
        "</section>",
        '<p id="start" hidden><button type="button" class="strong" data-start>Start the fit</button></p>',
        "<noscript><p>Reload the page to see how far it is.</p></noscript>",
    ]
    return framed("Fit", run, parts, here="/fit", twin="/api/run", scripts=("fit.js",))
