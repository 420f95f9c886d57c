"""The first page: what is known, how far the review is, and where to go on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pulink.report.html.blocks import bullets, listed, section
from pulink.report.html.escape import shown
from pulink.serve.pages.estimate import estimate_panel, sentences
from pulink.serve.pages.frame import framed, heading, warnings
from pulink.text import counted

SEARCH = """\
<form class="search" action="/node" method="get" role="search">
<label for="search">Node</label>
<input id="search" name="name" list="nodes" autocomplete="off" spellcheck="false" required data-suggest>
<datalist id="nodes"></datalist>
<button type="submit">Open</button>
</form>"""


def overview_page(run: Mapping[str, Any], estimate: Mapping[str, Any]) -> str:
    parts = [
        heading("Overview"),
        '<div class="columns">',
        _review(run),
        estimate_panel(estimate),
        "</div>",
        warnings([str(sentence) for sentence in estimate.get("warnings", ())]),
        section("told", "What the answers tell", sentences(estimate)) if estimate.get("sentences") else "",
        section("alone", "What the graph alone tells", bullets(_headline(run))),
        section("look-up", "Look up a node", SEARCH),
        section("graph", "The graph", listed(_facts(run))),
    ]
    return framed("Overview", run, parts, here="/", twin="/api/run", scripts=("search.js",))


def _headline(run: Mapping[str, Any]) -> list[str]:
    """What `find` said, as sentences."""
    said = run.get("headline") or {}
    texts = (str(said[name]) for name in ("missing", "hidden") if said.get(name))
    return [f"{text[:1].upper()}{text[1:]}." for text in texts]


def _review(run: Mapping[str, Any]) -> str:
    questions = run["questions"]
    n_answered, goal = questions["answered"], questions["goal"]
    if run["read_only"]:
        action = "<p>Read only: answers can be read and not given.</p>"
    else:
        words = "Begin the review" if not n_answered else "Resume with the review"
        action = f'<p><a class="action" href="/review">{words}</a></p>'
    return "\n".join(
        [
            '<section class="progress" aria-labelledby="progress-title">',
            '<h2 id="progress-title">The review</h2>',
            f"<p>{n_answered:,} of {counted(goal, 'question')} answered.</p>",
            f'<progress max="{goal}" value="{min(n_answered, goal)}" aria-labelledby="progress-title"></progress>',
            "<p>How many links are missing is not in the data. A person who checks some pairs, drawn by a design, "
            "settles it: one pair at a time, by single keys.</p>",
            action,
            "</section>",
        ]
    )


def _facts(run: Mapping[str, Any]) -> list[tuple[str, str]]:
    ends = " and ".join(str(end) for end in run["ends"])
    return [
        ("Nodes", f"{run['n_nodes']:,}"),
        ("Recorded links", f"{run['n_edges']:,}"),
        ("Kind", str(run["kind"])),
        ("Ends of a link", ends),
    ]


def refused_page(run: Mapping[str, Any], message: str, here: str) -> str:
    """A page that says why there is nothing to show; the message is data."""
    words = message[:1].upper() + message[1:]
    parts = [heading("Not found here", f"{shown(words)}."), section("look-up", "Look up a node", SEARCH)]
    return framed("Not found here", run, parts, here=here, twin="/api/run", scripts=("search.js",))
